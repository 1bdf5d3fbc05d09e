// Approvals: what programs propose, with what would happen. People approve or decline it.
import { useRef, useState } from "preact/hooks";
import { api, SlipwayError, type PreviewProposal, type PreviewProposalPin, type PreviewProposalRow, type PreviewProposalWarning } from "../api.ts";
import { keepDraft } from "../form.tsx";
import { ago, date, dateTime, time, usd } from "../format.ts";
import { useKeys } from "../keys.ts";
import { changed, useList, useLoad } from "../load.ts";
import { Button } from "../parts/button.tsx";
import { TextField } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Facts, Page, Section, Sheet } from "../parts/layout.tsx";
import { Loaded } from "../parts/state.tsx";
import { Tag, type Tone } from "../parts/status.tsx";
import { NoRows, Table, type Column } from "../parts/table.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { Verdict } from "../parts/verdict.tsx";
import { href, navigate } from "../router.ts";
import { word } from "../words.ts";
import { useNames } from "./contacts/people.tsx";
import { placeOf, useViews } from "./developers/traces.tsx";
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
  { title: "Proposal", wide: true, phone: "main", cell: (p) => <div class="t"><b><a href={href("approvals/" + p.id)}>{p.preview.title}</a></b><small>{worst(p) ?? p.preview.text}</small></div> },
  { title: "Proposed by", phone: "bottom", cell: (p) => <span class="sub">{p.proposed_by.label}</span> },
  { title: "Status", phone: "top", cell: (p) => <State of={p} /> },
  { title: "When", align: "right", cell: (p) => <span class="sub">{ago(p.created_at)}</span> },
];

/** The most serious warning, or undefined. */
const worst = (p: PreviewProposal) => p.preview.warnings.find((w) => w.level === "danger")?.text;

// approvals/:id
export function Approval({ id }: { id: string }) {
  // What it shows can change while someone reads it.
  const load = useLoad(["proposal", id], () => api.preview.proposals.get(id), [id, "proposal", "hull", "contact", "lead", "deal"]);
  return <Sheet kind="desk"><Loaded load={load}>{(p) => <Judge key={p.id} p={p} />}</Loaded></Sheet>;
}

const key = (pins: PreviewProposalPin[]) => pins.map((pin) => `${pin.object_id} ${pin.version}`).sort().join();

function Judge({ p }: { p: PreviewProposal }) {
  const open = p.status === "pending";
  const e = p.preview;
  // What the person looked at. If it changes, the person has to look again.
  const [seen, setSeen] = useState(() => ({ pins: key(e.pins), rows: e.rows, again: e.changed.length === 0 }));
  const moved = key(e.pins) !== seen.pins;
  const since = moved ? difference(seen.rows, e.rows) : [];
  const waits = open && (moved || !seen.again);
  const rows = since.length > 0 ? since : e.changed;
  return (
    <>
      <Page title={e.title} back={{ href: href("approvals"), title: "Approvals" }} aside={<State of={p} />}>
        <div class="content">
          <div class="part">
            {e.text && <p class="sub">{e.text}</p>}
            <Outcome p={p} />
            {waits && (
              <Verdict answer="wait" title={moved ? "Changed since you opened it. Nothing was done." : "Changed since it was proposed."}
                ways={<Button small onClick={() => setSeen({ pins: key(e.pins), rows: e.rows, again: true })}>I've seen it</Button>}>
                {rows.length === 0 ? "Look at it again before you decide." : "Look at what changed before you decide."}
              </Verdict>
            )}
            <Warnings all={e.warnings} />
          </div>
          {waits && rows.length > 0 && <Section title="What changed"><Rows rows={rows} /></Section>}
          <Amounts p={p} />
          <Section title={open ? "What happens if you approve" : "What it does"}><Rows rows={e.rows} /></Section>
          {e.conversation.length > 0 && <Conversation p={p} />}
          {open ? <Decide p={p} waits={waits} /> : <Texts p={p} />}
        </div>
      </Page>
      <Background p={p} />
    </>
  );
}

/** The rows that became different. */
function difference(before: PreviewProposalRow[], now: PreviewProposalRow[]): PreviewProposalRow[] {
  return now.flatMap((row) => {
    const was = before.find((r) => r.label === row.label);
    if (!was || (was.to === row.to && was.from === row.from)) return [];
    return [{ ...row, from: was.to === row.to ? was.from : was.to, to: was.to === row.to ? row.from ?? "" : row.to }];
  });
}

/** The warnings, the most serious ones first, with one box for each level. */
function Warnings({ all }: { all: PreviewProposalWarning[] }) {
  const levels = [["danger", "no"], ["caution", "wait"], ["ok", "yes"]] as const;
  return (
    <>
      {levels.map(([level, answer]) => {
        const [first, ...others] = all.filter((w) => w.level === level).map((w) => w.text);
        return first && <Verdict key={level} answer={answer} icon={level === "ok" ? "check" : "alert"} title={first}>{others.join(" ")}</Verdict>;
      })}
    </>
  );
}

/** The prices as bars, from low to high. The first one is what is decided. */
function Amounts({ p: { preview: { amounts, warnings } } }: { p: PreviewProposal }) {
  const most = Math.max(...amounts.map((a) => a.amount_usd));
  if (amounts.length < 2 || most <= 0) return null;
  const color = warnings.some((w) => w.level === "danger") ? "var(--red)" : "var(--accent)";
  return (
    <Section title="Prices">
      <dl class="bars">
        {[...amounts].sort((a, b) => a.amount_usd - b.amount_usd).map((a) => (
          <div key={a.label}>
            <dt>{word(a.label)}</dt>
            <dd><i style={{ "--share": `${Math.round((a.amount_usd / most) * 75)}%`, "--c": a === amounts[0] ? color : "var(--line-strong)" }} /><b class="num">{usd(a.amount_usd)}</b></dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

/** The rows whose text is the name of an object. */
const linked = ["Boat", "Buyer", "Contact"];

function Name({ row }: { row: PreviewProposalRow }) {
  const place = linked.includes(row.label) && row.object_id ? placeOf(row.object_id) : undefined;
  return place ? <a class="link" href={place}>{row.to}</a> : <>{row.to}</>;
}

/** Objects and fields, with what they are and what becomes of them. */
function Rows({ rows }: { rows: PreviewProposalRow[] }) {
  return (
    <ul class="flips">
      {rows.map((r) => (
        <li key={r.label}>
          <span class="sub">{r.label}</span>
          <span>{r.from !== null && <><del>{r.from}</del><Icon name="arrowRight" /><span class="vh"> becomes </span></>}{r.from !== null ? <b>{r.to}</b> : <Name row={r} />}</span>
        </li>
      ))}
    </ul>
  );
}

function Conversation({ p }: { p: PreviewProposal }) {
  return (
    <Section title="Conversation">
      <div class="words">
        {p.preview.conversation.map((m) => (
          <div key={m.at} class={m.ours ? "msg out" : "msg"}><p>{m.text || "Erased"}</p><small>{m.by} · {word(m.channel)} · {dateTime(m.at)}</small></div>
        ))}
      </div>
    </Section>
  );
}

/** The texts of a message that was decided. */
function Texts({ p }: { p: PreviewProposal }) {
  const names = p.preview.editable;
  if (names.length === 0) return null;
  return (
    <Section title="Text">
      {names.map((name) => (
        <div key={name} class="msg out"><p>{p.edits[name] ?? String(p.arguments.body?.[name] ?? "")}</p>{p.edits[name] !== undefined && <small>Proposed: {String(p.arguments.body?.[name] ?? "")}</small>}</div>
      ))}
    </Section>
  );
}

/** The decision, with the text of a message, which can be edited. */
function Decide({ p, waits }: { p: PreviewProposal; waits: boolean }) {
  const e = p.preview;
  const proposed = Object.fromEntries(e.editable.map((name) => [name, String(p.arguments.body?.[name] ?? "")]));
  const [texts, setTexts] = useState<Record<string, string>>(proposed);
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const edits = Object.fromEntries(Object.entries(texts).filter(([name, text]) => text !== proposed[name]));
  const edited = Object.keys(edits).length > 0;
  const isMessage = p.operation_id === "sendLeadMessage";
  const amount = Number(typed.replace(/[$,\s]/g, ""));
  const confirmed = !e.confirm || (typed !== "" && amount === e.confirm.amount_usd);
  const danger = e.warnings.some((w) => w.level === "danger");

  const approve = () => {
    setBusy(true);
    const body = { pins: e.pins, ...(edited && { edits }), ...(e.confirm && { confirm_usd: amount }) };
    void api.preview.proposals.approve(p.id, body).then(() => toast(isMessage ? "Sent." : "Approved."), (error: unknown) => {
      // The page shows what changed, or why it failed.
      if (!(error instanceof SlipwayError) || error.status !== 409) toastError(error);
    }).finally(() => (setBusy(false), changed("proposal", p.id)));
  };
  const decline = () => openForm({
    name: "decline " + p.id, title: "Decline this proposal", submit: "Decline", values: { reason: "" },
    save: async ({ reason }) => void (await api.preview.proposals.decline(p.id, { reason: reason || null }), changed("proposal", p.id)),
    fields: (form) => <TextField form={form} name="reason" label="Reason (optional)" />,
  });
  const draft = async () => {
    keepDraft("message " + p.object_id, { subject: "", body: "" }, { subject: texts.subject ?? "", body: texts.body ?? "" });
    await api.preview.proposals.decline(p.id, { reason: "Used as a draft" });
    changed("proposal", p.id);
    navigate(href("leads/" + p.object_id));
  };
  const first = useRef<HTMLTextAreaElement>(null);
  useKeys({ d: decline, e: () => first.current?.focus() });
  const why = waits ? "Look at what changed first" : confirmed ? undefined : `Type ${e.confirm?.amount_usd} first`;
  return (
    <>
      {e.editable.length > 0 && (
        <Section title="Proposed text" action={edited && <Tag tone="blue">Edited by you</Tag>}>
          {e.editable.map((name) => (
            <div key={name} class="field">
              <label for={"edit-" + name}>{name === "body" ? "Text" : word(name)}</label>
              {name === "body"
                ? <textarea ref={first} id={"edit-" + name} rows={5} value={texts[name]} onInput={(i) => setTexts({ ...texts, [name]: i.currentTarget.value })} />
                : <input id={"edit-" + name} type="text" value={texts[name]} onInput={(i) => setTexts({ ...texts, [name]: i.currentTarget.value })} />}
            </div>
          ))}
          {edited && <Button small onClick={() => setTexts(proposed)}>Use the proposed text</Button>}
        </Section>
      )}
      <div class="part">
        {e.confirm && (
          <div class="field">
            <label for="confirm">Type {e.confirm.amount_usd} to approve it</label>
            <input id="confirm" type="text" inputMode="numeric" autocomplete="off" value={typed} onInput={(i) => setTyped(i.currentTarget.value)} />
          </div>
        )}
        <div class="row">
          <Button {...(danger && { kind: "primary" as const })} onClick={decline}>Decline</Button>
          {isMessage && <Button onClick={() => void draft().catch(toastError)}>Use as a draft</Button>}
          <Button {...(!danger && { kind: "primary" as const })} icon="check" busy={busy} why={why} onClick={approve}>{!isMessage ? "Approve" : edited ? "Send my version" : "Approve and send"}</Button>
        </div>
        <p class="muted small">Checked {time(new Date().toISOString())} against {versions(e.pins)}. If one of them changes, you see it before anything happens.</p>
      </div>
    </>
  );
}

const versions = (pins: PreviewProposalPin[]) => pins.length === 0 ? "what exists now" : pins.map((pin) => `${(pin.part ?? "object").toLowerCase()} version ${pin.version}`).join(", ");

function Background({ p }: { p: PreviewProposal }) {
  const names = useNames();
  const open = p.status === "pending";
  return (
    <aside class="ctx" aria-label="Background">
      <div class="body">
        <h2>Who asks, and why</h2>
        <div class="msg"><p>{p.reason}</p></div>
        <p class="sub">Written by {p.proposed_by.label}, not by Slipway.</p>
        <Facts facts={[
          ["Proposed by", `${p.proposed_by.label} (${p.proposed_by.type === "api_key" ? "API key" : word(p.proposed_by.type)})`], ["For", p.for_user_id && names(p.for_user_id)],
          ["Proposed", dateTime(p.created_at)], ["Expires", open && date(p.expires_at)], ["Operation", p.preview.summary],
        ]} />
      </div>
    </aside>
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
