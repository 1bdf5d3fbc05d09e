// Approvals: what programs propose, with what would change. People approve or decline it.
import { api, SlipwayError, type PreviewProposal } from "../api.ts";
import { ago, cents, date, dateTime, usd } from "../format.ts";
import { changed, useList, useLoad } from "../load.ts";
import { Button } from "../parts/button.tsx";
import { TextField } from "../parts/field.tsx";
import { Facts, Page, Section, Sheet } from "../parts/layout.tsx";
import { Loaded } from "../parts/state.tsx";
import { Tag, type Tone } from "../parts/status.tsx";
import { NoRows, Table, type Column } from "../parts/table.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { Verdict } from "../parts/verdict.tsx";
import { href, navigate } from "../router.ts";
import { word } from "../words.ts";
import { useNames } from "./contacts/people.tsx";
import { ObjectLink, useViews } from "./developers/traces.tsx";
import { openForm } from "./dialogs.tsx";

const tones: Record<PreviewProposal["status"], Tone> = { pending: "amber", running: "blue", approved: "green", declined: "gray", expired: "hollow", failed: "red" };

const State = ({ of: { status } }: { of: PreviewProposal }) => <Tag tone={tones[status]}>{word(status)}</Tag>;

// approvals
export function Approvals() {
  const [view, views] = useViews(["pending", "all"] as const);
  const list = useList(["proposals", view], (page) => api.preview.proposals.list({ ...page, ...(view === "pending" && { status: "pending" }) }), ["proposal"]);
  return (
    <Sheet>
      <Page title="Approvals">
        <div class="filters">{views}</div>
        <Table label="Proposals" list={list} columns={columns} onMove={(p) => navigate(href("approvals/" + p.id))}
          empty={<NoRows filtered={false} text="Nothing waits for you. When an app or an assistant proposes a change, it appears here." clear={() => {}} />} />
      </Page>
    </Sheet>
  );
}

const columns: Array<Column<PreviewProposal>> = [
  { title: "Proposal", wide: true, phone: "main", cell: (p) => <div class="t"><b><a href={href("approvals/" + p.id)}>{p.preview.title ?? p.preview.summary}</a></b><small>{p.preview.title ? p.preview.summary : p.preview.path}</small></div> },
  { title: "Proposed by", phone: "bottom", cell: (p) => <span class="sub">{p.proposed_by.label}</span> },
  { title: "Status", phone: "top", cell: (p) => <State of={p} /> },
  { title: "When", align: "right", cell: (p) => <span class="sub">{ago(p.created_at)}</span> },
];

// approvals/:id
export function Approval({ id }: { id: string }) {
  const load = useLoad(["proposal", id], () => api.preview.proposals.get(id), [id, "proposal"]);
  return <Sheet><Loaded load={load}>{(p) => <Details p={p} />}</Loaded></Sheet>;
}

function Details({ p }: { p: PreviewProposal }) {
  const names = useNames();
  const approve = () => api.preview.proposals.approve(p.id).then(() => toast("Approved."), (e: unknown) => {
    // The page shows why it failed.
    if (!(e instanceof SlipwayError) || e.status !== 409) toastError(e);
  }).finally(() => changed("proposal", p.id));
  const decline = () => openForm({
    name: "decline " + p.id, title: "Decline this proposal", submit: "Decline", values: { reason: "" },
    save: async ({ reason }) => void (await api.preview.proposals.decline(p.id, { reason: reason || null }), changed("proposal", p.id)),
    fields: (form) => <TextField form={form} name="reason" label="Reason (optional)" />,
  });
  const open = p.status === "pending";
  return (
    <Page title={p.preview.title ?? p.preview.summary} back={{ href: href("approvals"), title: "Approvals" }} aside={<State of={p} />}>
      <div class="content">
        <Outcome p={p} />
        <Section title={p.preview.summary}>
          <Changes p={p} />
          {p.preview.checks.map((c) => (
            <Verdict key={c.channel} answer={!c.allowed ? "no" : c.quiet_until ? "wait" : "yes"} title={c.allowed ? `To ${c.address ?? "the lead"}` : "This message would be blocked"}>
              {c.reason} As checked {dateTime(p.created_at)}.
            </Verdict>
          ))}
        </Section>
        <Section title="Who asked, and why">
          <div class="msg"><p>{p.reason}</p><small>Written by {p.proposed_by.label}, not by Slipway</small></div>
          <Facts facts={[
            ["Proposed by", `${p.proposed_by.label} (${p.proposed_by.type === "api_key" ? "API key" : word(p.proposed_by.type)})`], ["For", p.for_user_id && names(p.for_user_id)],
            ["Proposed", dateTime(p.created_at)], ["Expires", open && date(p.expires_at)], ["Object", p.object_id && <ObjectLink id={p.object_id} short />],
            ["Request", <span class="mono">{p.preview.method} {p.preview.path}</span>],
          ]} />
          {open && <div class="row"><Button kind="primary" icon="check" onClick={approve}>Approve</Button><Button onClick={decline}>Decline</Button></div>}
        </Section>
      </div>
    </Page>
  );
}

/** What became of a proposal. */
function Outcome({ p }: { p: PreviewProposal }) {
  const names = useNames();
  const by = p.decided_by ? names(p.decided_by) : "";
  const text = {
    pending: "", running: "It is being approved.",
    approved: `Approved by ${by} ${p.decided_at ? dateTime(p.decided_at) : ""}.`,
    declined: `Declined by ${by || p.proposed_by.label}.${p.decline_reason ? " Reason: " + p.decline_reason : ""}`,
    expired: "It expired. Nothing was done. Ask for a new proposal.",
    failed: p.result?.message ?? "The operation failed. Nothing was done.",
  }[p.status];
  return text ? <div class={"note flat " + (p.status === "failed" ? "bad" : "")} role="status"><p>{text}</p></div> : null;
}

/** The fields of the body, with the values that they replace. */
function Changes({ p }: { p: PreviewProposal }) {
  const fields = Object.entries(p.arguments.body ?? {});
  if (fields.length === 0) return <p class="sub">This operation has no fields.</p>;
  const texts = fields.filter(([name, value]) => show(name, value).length > 60);
  return (
    <>
      <Facts facts={fields.filter((f) => !texts.includes(f)).map(([name, value]) => [label(name), (
        <>{name in p.preview.before && <><s class="sub">{show(name, p.preview.before[name])}</s> → </>}<b>{show(name, value)}</b></>
      )])} />
      {texts.map(([name, value]) => <div key={name} class="msg"><small>{label(name)}</small><p>{show(name, value)}</p></div>)}
    </>
  );
}

const label = (name: string) => word(name.replace(/_(usd|cents|id|at)$/, ""));

function show(name: string, value: unknown): string {
  if (value === null || value === undefined || value === "") return "nothing";
  if (typeof value === "number" && name.endsWith("_usd")) return usd(value);
  if (typeof value === "number" && name.endsWith("_cents")) return cents(value);
  if (typeof value === "string" && name.endsWith("_at") && !isNaN(Date.parse(value))) return dateTime(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
