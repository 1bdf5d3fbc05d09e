// The composer. It says whether a message can be sent before the user types it. The API checks it again.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, type Contact, type LeadMessage, type MessageChannel, type MessagePurpose, type PreviewLead, type PreviewReachCheck } from "../../api.ts";
import { Form, useForm } from "../../form.tsx";
import { date, dayName, excerpt, phone, time } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { changed, useLoad } from "../../load.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { ErrorNote } from "../../parts/state.tsx";
import { toast } from "../../parts/toast.tsx";
import { Verdict } from "../../parts/verdict.tsx";
import { href, usePlace } from "../../router.ts";
import { can, whyNot } from "../../session.ts";
import { word } from "../../words.ts";
import { LogConsent, ReviewButtons, useConsents } from "../contacts/consents.tsx";
import { firstName } from "../contacts/people.tsx";
import { SnippetMenu, useSlash } from "./snippets.tsx";

/** How a lead can be reached, for each channel and purpose. */
export function useReach(leadId: string) {
  return useLoad(["reach", leadId], () => api.preview.leads.getReach(leadId), ["lead", "contact", "dealership"]);
}

type Channel = MessageChannel | "note";

const channels: Array<[Channel, string, IconName]> = [["sms", "Text", "message"], ["email", "Email", "mail"], ["note", "Note", "note"]];
const purposes: Array<[MessagePurpose, string]> = [["transactional", "Reply"], ["marketing", "Offer"]];

export function Compose({ lead, messages }: { lead: PreviewLead; messages: LeadMessage[] | undefined }) {
  const reach = useReach(lead.id);
  const [chosen, setChosen] = useState<Channel>();
  const [purpose, setPurpose] = useState<MessagePurpose>("transactional");
  const find = (channel: Channel, p = purpose) => reach.data?.checks.find((c) => c.channel === channel && c.purpose === p);

  // The first channel is the one that the lead used last, if it is allowed. Then only the user changes it.
  const last = messages?.find((m) => m.direction === "inbound")?.channel ?? "sms";
  const usual = [last, "sms", "email"] as const;
  const channel = chosen ?? usual.find((c) => find(c, "transactional")?.allowed) ?? last;
  const check = find(channel);
  const isReady = !!reach.data && !!messages;
  useEffect(() => {
    if (isReady) setChosen(channel);
  }, [isReady]);

  if (reach.error && !reach.data) return <div class="compose"><ErrorNote error={reach.error} retry={reach.reload} /></div>;
  return (
    <div class="compose">
      <div class="seg">
        <div class="mode" role="group" aria-label="Channel">
          {channels.map(([c, title, icon]) => {
            const locked = find(c)?.allowed === false;
            return <button key={c} type="button" aria-pressed={c === channel} onClick={() => setChosen(c)}><Icon name={locked ? "lock" : icon} />{title}</button>;
          })}
        </div>
        {channel !== "note" && (
          <div class="mode" role="group" aria-label="Purpose">
            {purposes.map(([p, title]) => <button key={p} type="button" aria-pressed={p === purpose} onClick={() => setPurpose(p)}>{title}</button>)}
          </div>
        )}
        {check?.address && <span class="to">To <span class="num">{channel === "sms" ? phone(check.address) : check.address}</span></span>}
      </div>
      {check && lead.contact && <ReachVerdict lead={lead} contact={lead.contact} check={check} messages={messages ?? []} emails={!!find("email")?.allowed} onChoose={setChosen} />}
      {!can("leads:write") ? <p class="muted">{whyNot("leads:write")}</p> : (channel === "note" || check?.allowed) && <Write lead={lead} channel={channel} check={check} purpose={purpose} />}
    </div>
  );
}

/** The message and its button. It is only rendered if the message can be sent. */
function Write({ lead, channel, check, purpose }: { lead: PreviewLead; channel: Channel; check: PreviewReachCheck | undefined; purpose: MessagePurpose }) {
  const ref = useRef<HTMLTextAreaElement>(null);
  const form = useForm({
    name: "message " + lead.id,
    values: { subject: "", body: "" },
    save: async ({ subject, body }) => {
      try {
        if (channel === "note") await api.preview.activities.create({ object_id: lead.id, kind: "note", body });
        else await api.leads.sendMessage(lead.id, channel === "email" ? { channel, purpose, subject, body } : { channel, purpose, body });
      } finally {
        // If the message was rejected, the verdict is out of date.
        changed(lead.id, "lead", "activity");
      }
      toast(channel === "note" ? "Note saved." : check?.quiet_until ? "Message scheduled." : "Message queued.");
    },
    onSaved: () => form.reset(),
  });
  form.fields.set("body", { label: channel === "note" ? "Note" : "Message", required: true });
  useKeys({ r: () => ref.current?.focus() });
  const { query } = usePlace();
  useEffect(() => {
    if (query.get("reply")) ref.current?.focus(); // the link Reply on Today
  }, []);
  const target = { leadId: lead.id, text: form.values.body, area: () => ref.current, onText: (text: string) => form.set("body", text) };
  const [suggestions, onSlash] = useSlash(target);
  const what = channel === "sms" ? "text" : channel;
  const submit = channel === "note" ? "Save note" : check?.quiet_until ? `Schedule ${what}` : `Send ${what}`;
  return (
    <Form form={form} submit={submit}>
      {channel === "email" && <TextField form={form} name="subject" label="Subject" required />}
      <div class="field">
        <label class="vh" for={form.id + "-body"}>{channel === "note" ? "Note" : "Message"}</label>
        <textarea
          ref={ref} id={form.id + "-body"} rows={channel === "email" ? 5 : 2} value={form.values.body} aria-invalid={!!form.errors.body}
          placeholder={channel === "note" ? "Only your team sees notes" : `Write ${channel === "email" ? "an email" : "a text"}`}
          onInput={(e) => form.set("body", e.currentTarget.value)}
          onKeyDown={(e) => !onSlash(e) && e.key === "Enter" && (e.metaKey || e.ctrlKey) && (e.preventDefault(), void form.submit())}
        />
        {suggestions}
        {form.errors.body && <p class="field-error">{form.errors.body}</p>}
        {channel !== "note" && <div><SnippetMenu {...target} /></div>}
      </div>
    </Form>
  );
}

function ReachVerdict(props: {
  lead: PreviewLead;
  contact: Contact;
  check: PreviewReachCheck;
  messages: LeadMessage[];
  /** Whether email is a way out. */
  emails: boolean;
  onChoose: (channel: Channel) => void;
}) {
  const { lead, contact, check, messages } = props;
  const [logging, setLogging] = useState(false);
  const consents = useConsents(lead.contact_id);
  const record = consents.data?.data.find((c) => c.id === check.consent_id);
  const name = firstName(contact);
  const texts = check.channel === "sms";
  const what = texts ? "Texts" : "Email";

  if (check.allowed && check.quiet_until) {
    return <Verdict answer="wait" title={`${name} has quiet hours now.`}>This will be sent on {dayName(check.quiet_until)}, at {time(check.quiet_until)}.</Verdict>;
  }
  if (check.allowed) {
    const why = check.basis && check.since ? `${word(check.basis)} consent, ${date(check.since)}` : check.reason;
    return <Verdict answer="yes" title={`${what} allowed: ${why.replace(/\.$/, "")}.`} />;
  }

  const log = <Button small why={whyNot("leads:write")} onClick={() => setLogging(true)}>Log consent</Button>;
  const email = texts && props.emails && <Button small icon="mail" onClick={() => props.onChoose("email")}>Write an email</Button>;
  const ledger = <ButtonLink small href={href("contacts/" + lead.contact_id)}>View consent record</ButtonLink>;
  const edit = can("leads:write") && <ButtonLink small href={href("contacts/" + lead.contact_id, { edit: "yes" })}>Edit contact</ButtonLink>;
  const dialog = logging && <LogConsent leadId={lead.id} channel={check.channel} onClose={() => setLogging(false)} />;
  const unclear = messages.find((m) => m.needs_review);

  switch (check.code) {
    case "needs_review":
      return (
        <Verdict answer="wait" title={unclear?.intent === "start" ? `${name} asks for messages again.` : `${name} might have opted out.`} ways={unclear ? <ReviewButtons message={unclear} /> : email}>
          {unclear?.body && <q>{excerpt(unclear.body)}</q>} Offers are paused until you decide.
        </Verdict>
      );
    case "consent_revoked":
      return (
        <Verdict answer="no" title={texts ? "You can't text this number." : "You can't email this address."} ways={<>{email}{ledger}</>}>
          {record?.raw_text ? <>{name} said <q>{excerpt(record.raw_text)}</q></> : <>{name} revoked consent{record?.reason && ` (${record.reason})`}</>}
          {check.since && ` on ${date(check.since)}`}. This applies to every lead and contact with this {texts ? "number" : "address"}.
        </Verdict>
      );
    case "recipient_invalid":
      return <Verdict answer="no" title={texts ? "No phone number that can get texts." : "No email address."} ways={<>{email}{edit}</>} />;
    case "consent_missing": case "consent_scope": case "consent_expired": case "consent_insufficient":
      return (
        <>
          <Verdict answer="no" title={check.code === "consent_missing" ? `No consent on file for ${what.toLowerCase()}.` : check.reason} ways={<>{log}{email}</>}>
            {check.code === "consent_expired" && check.since && `It expired on ${date(check.since)}.`}
          </Verdict>
          {dialog}
        </>
      );
    default:
      return <Verdict answer="no" title={`You can't send ${what.toLowerCase()} now.`} ways={<>{check.code === "quiet_hours" && edit}{email}</>}>{check.reason}</Verdict>;
  }
}
