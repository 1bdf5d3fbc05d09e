// Consents: the ledger, and the dialogs that add records to it. Records are never changed.
import { useState } from "preact/hooks";
import { api, type Consent, type ConsentBasis, type ConsentChannel, type ConsentScope, type LeadMessage } from "../../api.ts";
import { useForm } from "../../form.tsx";
import { date, dateTime, excerpt, phone } from "../../format.ts";
import { changed, useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { CheckField, Select, TextArea, TextField } from "../../parts/field.tsx";
import { Json } from "../../parts/json.tsx";
import { Facts } from "../../parts/layout.tsx";
import { Loaded } from "../../parts/state.tsx";
import { Tag } from "../../parts/status.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { whyNot } from "../../session.ts";
import { options, word } from "../../words.ts";
import { FormDialog, useDirectory } from "./people.tsx";

/** The consent records of a contact, from all its leads. */
export function useConsents(contactId: string) {
  return useLoad(["consents", contactId], () => api.contacts.listConsents(contactId, { limit: 100 }), ["lead", "contact"]);
}

/** Text and email */
export function channelWords(channels: readonly ConsentChannel[]): string {
  const words = { sms: "texts", email: "email", voice: "calls" };
  const text = new Intl.ListFormat("en-US").format(channels.map((c) => words[c]));
  return text[0]!.toUpperCase() + text.slice(1);
}

const bases = ["express_written", "express_oral", "implied_purchase", "implied_inquiry", "ebr"];
const sources = ["showroom", "phone", "paper", "web_form", "email", "text_keyword", "ai_chat"];

function reloadConsents(leadId: string): void {
  changed("lead", "contact", leadId);
}

/** Records that a person gave consent: for what, on what basis, and how to prove it. */
export function LogConsent({ leadId, channel, onClose }: { leadId: string; channel?: ConsentChannel; onClose: () => void }) {
  const on = (c: ConsentChannel) => (channel === c ? "yes" : "");
  const form = useForm({
    name: "consent " + leadId,
    values: {
      sms: on("sms"), email: on("email"), voice: on("voice"), scope: "all", basis: "express_written", consent_text: "",
      source: "showroom", source_url: "", captured_on: "", evidence: "",
    },
    save: async (v) => {
      await api.leads.logConsent(leadId, {
        channels: (["sms", "email", "voice"] as const).filter((c) => v[c]),
        scope: v.scope as ConsentScope,
        basis: v.basis as ConsentBasis,
        consent_text: v.consent_text || null,
        source: v.source,
        source_url: v.source_url || null,
        captured_at: v.captured_on ? new Date(v.captured_on + "T12:00").toISOString() : null,
        ...(v.evidence && { evidence: { note: v.evidence } }),
      });
      reloadConsents(leadId);
      toast("Consent recorded.");
    },
    onSaved: onClose,
  });
  return (
    <FormDialog title="Log consent" form={form} submit="Log consent" onClose={onClose}>
      <fieldset>
        <legend>The person agreed to</legend>
        <div class="check-row">
          <CheckField form={form} name="sms" label="Texts" />
          <CheckField form={form} name="email" label="Email" />
          <CheckField form={form} name="voice" label="Calls" />
        </div>
      </fieldset>
      <div class="form-row">
        <Select form={form} name="scope" label="For" required choices={[["all", "All messages"], ["transactional", "Replies only"], ["marketing", "Offers only"]]} />
        <Select form={form} name="basis" label="Basis" required choices={options(bases)} />
      </div>
      <TextArea form={form} name="consent_text" label="Wording" rows={3} hint="The exact words that the person agreed to. Offers by text require them, and written consent." />
      <div class="form-row">
        <Select form={form} name="source" label="Where" required choices={options(sources)} />
        <TextField form={form} name="captured_on" label="Given on" type="date" hint="Leave it empty for today." />
      </div>
      <TextField form={form} name="source_url" label="Page" type="url" />
      <TextField form={form} name="evidence" label="Evidence" hint="Where to find the proof, such as the number of a paper card." />
    </FormDialog>
  );
}

/** Records that a person revoked consent on a channel, or revokes one record. */
export function RevokeConsent({ leadId, channel, consentId, onClose }: { leadId: string; channel?: ConsentChannel; consentId?: string; onClose: () => void }) {
  const form = useForm({
    name: "revoke " + leadId,
    values: { raw_text: "", source: "phone" },
    save: async ({ raw_text, source }) => {
      if (consentId) await api.leads.revokeConsent(leadId, consentId, { raw_text: raw_text || null, source });
      else await api.leads.logConsent(leadId, { direction: "revoked", channels: [channel!], scope: "all", raw_text: raw_text || null, source });
      reloadConsents(leadId);
      toast("Consent revoked.");
    },
    onSaved: onClose,
  });
  const what = channel ? channelWords([channel]).toLowerCase() : "this consent";
  return (
    <FormDialog title={`Revoke ${what}`} form={form} submit="Revoke consent" onClose={onClose}>
      <p>This applies to every lead and contact with the same address. Only the person can give consent again.</p>
      <TextArea form={form} name="raw_text" label="What the person said" rows={2} />
      <Select form={form} name="source" label="Where" required choices={options(sources)} />
    </FormDialog>
  );
}

/** Decides whether a message is an opt-out. */
export async function review(message: LeadMessage, isOptOut: boolean): Promise<void> {
  if (isOptOut) {
    await api.leads.logConsent(message.lead_id, {
      direction: "revoked", channels: [message.channel], scope: "all", address: message.from, raw_text: message.body,
      source: message.channel === "sms" ? "text_keyword" : "email", method: "reply", evidence: { message_id: message.id },
    });
  }
  await api.leads.update(message.lead_id, { needs_review: false });
  reloadConsents(message.lead_id);
  toast(isOptOut ? "Opt-out recorded." : "Marked as read.");
}

/** Why a user must read a message. */
export function reviewReason(message: LeadMessage): string {
  return message.intent === "start" ? "Asks for messages again" : "Might be an opt-out";
}

/**
 * The answers about a message that must be read: whether it is an opt-out, or, if it asks for messages again, the consent. The sender of an
 * email can be forged, so the email itself gives none.
 */
export function ReviewButtons({ message }: { message: LeadMessage }) {
  const [logging, setLogging] = useState(false);
  const answer = (isOptOut: boolean) => () => void review(message, isOptOut).catch(toastError);
  const why = whyNot("leads:write");
  if (message.intent !== "start") {
    return <><Button small onClick={answer(true)} why={why}>Opt-out</Button><Button small onClick={answer(false)} why={why}>Not an opt-out</Button></>;
  }
  return (
    <>
      <Button small onClick={() => setLogging(true)} why={why}>Log consent</Button><Button small onClick={answer(false)} why={why}>Mark as read</Button>
      {logging && <LogConsent leadId={message.lead_id} channel={message.channel} onClose={() => setLogging(false)} />}
    </>
  );
}

/** All records, newest first, with their evidence. */
export function Ledger({ contactId }: { contactId: string }) {
  const consents = useConsents(contactId);
  const [revoking, setRevoking] = useState<Consent>();
  return (
    <Loaded load={consents} rows={3}>
      {({ data }) => (
        <>
          {data.length === 0 && <p class="muted">No consent on file.</p>}
          <ul class="ledger">
            {data.map((c) => {
              const canRevoke = c.direction === "granted" && c.lead_id && !data.some((r) => r.revokes_id === c.id);
              return <LedgerRow key={c.id} consent={c} onRevoke={canRevoke ? () => setRevoking(c) : undefined} />;
            })}
          </ul>
          {revoking && <RevokeConsent leadId={revoking.lead_id!} consentId={revoking.id} onClose={() => setRevoking(undefined)} />}
        </>
      )}
    </Loaded>
  );
}

function LedgerRow({ consent: c, onRevoke }: { consent: Consent; onRevoke: (() => void) | undefined }) {
  const users = useDirectory();
  const granted = c.direction === "granted";
  const addresses = new Set(c.bindings.map((b) => (b.channel === "email" ? b.address : phone(b.address))));
  return (
    <li>
      <details>
        <summary>
          <Tag tone={granted ? "green" : "red"}>{granted ? "Given" : "Revoked"}</Tag>
          <span><b>{channelWords(c.channels)}</b>{c.scope !== "all" && `, ${word(c.scope).toLowerCase()} only`}{c.basis && ` · ${word(c.basis)}`}</span>
          <time title={dateTime(c.captured_at)}>{date(c.captured_at)}</time>
          {c.raw_text && <q>{excerpt(c.raw_text)}</q>}
        </summary>
        <Facts facts={[
          ["Address", [...addresses].join(", ")],
          ["What they said", c.raw_text],
          ["Wording", c.consent_text],
          ["Wording version", c.consent_text_version],
          ["Person", c.person_name],
          ["Source", c.source && word(c.source)],
          ["Page", c.source_url],
          ["Method", c.method && word(c.method)],
          ["Reason", c.reason],
          ["Recorded by", c.captured_by && (users.get(c.captured_by)?.name ?? (c.captured_by.startsWith("key_") ? "An API key" : c.captured_by))],
          ["IP address", c.ip],
          ["Expires", c.expires_at && date(c.expires_at)],
          ["Stored", dateTime(c.created_at)],
          ["Record", <span class="mono">{c.id}</span>],
        ]} />
        {Object.keys(c.evidence).length > 0 && <Json value={c.evidence} />}
        {onRevoke && <Button small onClick={onRevoke} why={whyNot("leads:write")}>Revoke</Button>}
      </details>
    </li>
  );
}
