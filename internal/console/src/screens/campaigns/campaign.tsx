// A campaign: who would get it and why others don't, and then the results.
import { api, type PreviewCampaign, type PreviewCampaignCount, type PreviewCampaignRecipient } from "../../api.ts";
import { ago, count, dateTime, number } from "../../format.ts";
import { changed, useList, useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { TimeField } from "../../parts/field.tsx";
import { Facts, Page, Section, Sheet } from "../../parts/layout.tsx";
import { Loaded } from "../../parts/state.tsx";
import { Status, Tag } from "../../parts/status.tsx";
import { NoRows, Table, type Column } from "../../parts/table.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { href, navigate } from "../../router.ts";
import { whyNot } from "../../session.ts";
import { word } from "../../words.ts";
import { openForm } from "../dialogs.tsx";
import { tones } from "./campaigns.tsx";

// campaigns/:id
export function Campaign({ id }: { id: string }) {
  const campaign = useLoad(["campaign", id], () => api.preview.campaigns.get(id), [id]);
  return (
    <Sheet>
      <Loaded load={campaign}>
        {(c) => (
          <Page title={c.name} back={{ href: href("leads/campaigns"), title: "Campaigns" }} actions={<Actions campaign={c} />}>
            <p><Status value={c.status} tone={tones[c.status]} /> <span class="sub">{word(c.channel)}{c.send_at && `, ${c.status === "scheduled" ? "starts" : "started"} ${dateTime(c.send_at)}`}{c.started_by && ` by ${c.started_by.label}`}</span></p>
            {c.status === "draft" ? <Audience campaign={c} /> : <Results campaign={c} />}
          </Page>
        )}
      </Loaded>
    </Sheet>
  );
}

function Actions({ campaign: c }: { campaign: PreviewCampaign }) {
  const why = whyNot("leads:write");
  const remove = async () => {
    if (!(await confirm({ title: `Delete ${c.name}?`, text: "Only the draft is deleted. Its segment and its template stay.", action: "Delete draft", danger: true }))) return;
    await api.preview.campaigns.delete(c.id);
    changed("campaign");
    navigate(href("leads/campaigns"));
  };
  const stop = async () => {
    if (!(await confirm({ title: `Stop ${c.name}?`, text: "Messages that were not sent yet are never sent. You can't start it again.", action: "Stop campaign", danger: true }))) return;
    await api.preview.campaigns.stop(c.id);
    changed("campaign", c.id);
    toast("Campaign stopped.");
  };
  if (c.status === "draft") {
    return <><Button why={why} onClick={() => void remove().catch(toastError)}>Delete</Button><Button kind="primary" why={why} onClick={() => void start(c).catch(toastError)}>Start</Button></>;
  }
  if (c.status === "scheduled" || c.status === "sending") return <Button kind="danger" why={why} onClick={() => void stop().catch(toastError)}>Stop</Button>;
  return null;
}

/** Asks when to send, and says to how many. */
async function start(c: PreviewCampaign): Promise<void> {
  const audience = await api.preview.campaigns.preview(c.id);
  const started = await openForm({
    name: "start " + c.id, title: `Send to ${count(audience.allowed, "person", "people")}?`, submit: "Start campaign", values: { send_at: "" },
    save: async (v) => api.preview.campaigns.start(c.id, v.send_at ? { send_at: v.send_at } : {}),
    fields: (form) => (
      <>
        <p>Each gets one message. Recipients who have quiet hours get it when those end.</p>
        <TimeField form={form} name="send_at" label="When" hint="Empty is now. Such as tomorrow 10:00." />
      </>
    ),
  });
  if (!started) return;
  changed("campaign", c.id);
  toast(started.status === "scheduled" && Date.parse(started.send_at!) > Date.now() + 60_000 ? "Campaign scheduled." : "Campaign started.");
}

/** Who would get a draft. */
function Audience({ campaign: c }: { campaign: PreviewCampaign }) {
  const audience = useLoad(["audience", c.id, c.version], () => api.preview.campaigns.preview(c.id), ["lead", "contact", "do_not_call_list", "dealership"]);
  return (
    <Loaded load={audience}>
      {(a) => (
        <div class="content">
          <Section title="Who gets it">
            <Facts facts={[
              ["Leads in the segment", number(a.leads)],
              ["People", number(a.people)],
              ["Would get it now", <b>{number(a.allowed)}</b>],
              ["Held until quiet hours end", a.held > 0 && number(a.held)],
              ["SMS segments", a.segments > 0 && `about ${number(a.segments)}`],
            ]} />
          </Section>
          <Reasons title="Who doesn't, and why" counts={a.excluded} />
          {a.example_of && <Section title={"What " + a.example_of.to + " gets"}>{a.example_of.subject && <p><b>{a.example_of.subject}</b></p>}<p class="note">{a.example_of.body}</p></Section>}
          <Section title="Examples">
            <table class="rows"><tbody>
              {a.examples.map((p) => <tr key={p.contact_id}><td><a class="link" href={href("contacts/" + p.contact_id)}>{p.name}</a></td><td>{p.code ? <Tag tone="amber">{reason(p.code)}</Tag> : <Tag tone="green">Gets it</Tag>}</td></tr>)}
            </tbody></table>
          </Section>
        </div>
      )}
    </Loaded>
  );
}

function Reasons({ title, counts }: { title: string; counts: PreviewCampaignCount[] }) {
  if (!counts.length) return null;
  return <Section title={title}><Facts facts={counts.map((n) => [n.reason || reason(n.name), number(n.count)])} /></Section>;
}

/** Short names of the reasons. */
function reason(code: string): string {
  return { consent_missing: "No consent", consent_revoked: "Opted out", consent_insufficient: "No written consent", do_not_call: "On a do-not-call list", frequency_cap: "Enough messages this week", recipient_invalid: "No address", same_address: "Same address as another" }[code] ?? word(code);
}

function Results({ campaign: c }: { campaign: PreviewCampaign }) {
  const results = useLoad(["campaign results", c.id], () => api.preview.campaigns.getResults(c.id), [c.id, "lead"]);
  const list = useList(["campaign recipients", c.id], (page) => api.preview.campaigns.listRecipients(c.id, { ...page }), [c.id, "lead"]);
  return (
    <div class="content">
      <Loaded load={results}>
        {(r) => (
          <>
            <Section title="Results">
              <Facts facts={[["Recipients", number(r.recipients)], ...r.states.map((s): [string, string] => [word(s.name), number(s.count)]), ["Answered", number(r.answered)], ["Opted out", number(r.opted_out)]]} />
            </Section>
            <Reasons title="Excluded" counts={r.excluded} />
          </>
        )}
      </Loaded>
      <Table label="Recipients" list={list} columns={columns} onOpen={(r) => navigate(href("leads/" + r.lead_id))} empty={<NoRows filtered={false} text="Recipients are chosen when the campaign starts." clear={() => {}} />} />
    </div>
  );
}

const columns: Array<Column<PreviewCampaignRecipient>> = [
  { title: "Recipient", wide: true, phone: "main", cell: (r) => <Name id={r.contact_id} lead={r.lead_id} /> },
  { title: "Result", phone: "top", cell: (r) => <><Status value={r.state} /> {r.reason && <Tag tone="amber">{reason(r.reason)}</Tag>}</> },
  { title: "Sent", cell: (r) => <span class="sub">{r.sent_at ? ago(r.sent_at) : r.due_at && `Due ${dateTime(r.due_at)}`}</span> },
  { title: "Answer", phone: "bottom", cell: (r) => r.opted_out ? <Tag tone="red">Opted out</Tag> : r.answered_at && <Tag tone="green">Answered</Tag> },
];

function Name({ id, lead }: { id: string; lead: string }) {
  const { data } = useLoad(["contact", id], () => api.contacts.get(id), [id]);
  return <a href={href("leads/" + lead)}>{data ? [data.first_name, data.last_name].filter(Boolean).join(" ") || data.company_name || data.email || data.phone : "…"}</a>;
}
