// A proposal: what would happen, and the decision.
import { useRef, useState } from "preact/hooks";
import { api, SlipwayError, type PreviewProposal, type PreviewProposalPin, type PreviewProposalRow } from "../../api.ts";
import { keepDraft } from "../../form.tsx";
import { dateTime, time, usd } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { changed } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { Section, useTitle } from "../../parts/layout.tsx";
import { Tag } from "../../parts/status.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { Verdict } from "../../parts/verdict.tsx";
import { href, navigate, setQuery } from "../../router.ts";
import { word } from "../../words.ts";
import { useNames } from "../contacts/people.tsx";
import { OfferDialog } from "../deals/offers.tsx";
import { useDeal, useOffers } from "../deals/shared.ts";
import { openForm } from "../dialogs.tsx";
import { Amounts, Conversation, Edit, Rows, Texts, Warnings, tones } from "./preview.tsx";

const key = (pins: PreviewProposalPin[]) => pins.map((pin) => `${pin.object_id} ${pin.version}`).sort().join();

export function Judge({ p }: { p: PreviewProposal }) {
  const open = p.status === "pending";
  const e = p.preview;
  // What the person looked at. If it changes, the person has to look again.
  const [seen, setSeen] = useState(() => ({ pins: key(e.pins), rows: e.rows, again: e.changed.length === 0 }));
  const moved = key(e.pins) !== seen.pins;
  const since = moved ? difference(seen.rows, e.rows) : [];
  const waits = open && (moved || !seen.again);
  const rows = since.length > 0 ? since : e.changed;
  const decision = useDecision(p, waits);
  useTitle(e.title);
  return (
    <section aria-label="Proposal">
      <div class="content" role="region" aria-label="What would happen" tabIndex={0}>
        <div class="part">
          <a class="crumb phone-only" href={href("approvals")}>Approvals</a>
          <h1>{e.title}{!open && <span class="head-aside"><Tag tone={tones[p.status]}>{word(p.status)}</Tag></span>}</h1>
          {e.text && <p class="sub">{e.text}</p>}
          <p class="narrow-only"><button type="button" class="link" onClick={() => setQuery({ details: "yes" })}>Who asks, and why</button></p>
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
        {e.conversation.length > 0 && <Conversation p={p} />}
        {open ? <Draft decision={decision} /> : <Texts p={p} />}
        {e.rows.length > 0 && <Section title={open ? "What happens if you approve" : "What it does"}><Rows rows={e.rows} /></Section>}
        {open && <p class="part muted small">Checked {time(new Date().toISOString())} against {versions(e.pins)}. If one of them changes, you see it before anything happens.</p>}
      </div>
      {open && <Decide p={p} decision={decision} />}
    </section>
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

/** What the approver edits and types, and what they can do. */
function useDecision(p: PreviewProposal, waits: boolean) {
  const e = p.preview;
  const proposed = Object.fromEntries(e.editable.map((name) => [name, String(p.arguments.body?.[name] ?? "")]));
  const [texts, setTexts] = useState<Record<string, string>>(proposed);
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const edits = Object.fromEntries(Object.entries(texts).filter(([name, text]) => text !== proposed[name]));
  const isMessage = p.operation_id === "sendLeadMessage";
  const amount = Number(typed.replace(/[$,\s]/g, ""));
  const confirmed = !e.confirm || (typed !== "" && amount * 100 === e.confirm.amount.amount);
  const why = waits ? "Look at what changed first" : confirmed ? undefined : `Type ${e.confirm && e.confirm.amount.amount / 100} first`;

  const approve = () => {
    setBusy(true);
    const body = { pins: e.pins, ...(Object.keys(edits).length > 0 && { edits }), ...(e.confirm && { confirm: e.confirm.amount }) };
    void api.preview.proposals.approve(p.id, body).then(() => toast(isMessage ? "Sent." : "Approved."), (error: unknown) => {
      // The page shows what changed, or why it failed.
      if (!(error instanceof SlipwayError) || error.status !== 409) toastError(error);
    }).finally(() => (setBusy(false), changed("proposal", p.id)));
  };
  const decline = async (reason: string | null) => {
    await api.preview.proposals.decline(p.id, { reason });
    changed("proposal", p.id);
  };
  const draft = async () => {
    keepDraft("message " + p.object_id, { subject: "", body: "" }, { subject: texts.subject ?? "", body: texts.body ?? "" });
    await decline("Used as a draft");
    navigate(href("leads/" + p.object_id));
  };
  return { proposed, texts, setTexts, edits, typed, setTyped, busy, why, isMessage, approve, decline, draft };
}

type Decision = ReturnType<typeof useDecision>;

/** The text of a message, which can be edited. */
function Draft({ decision: { proposed, texts, setTexts, edits } }: { decision: Decision }) {
  const first = useRef<HTMLTextAreaElement>(null);
  useKeys({ e: () => first.current?.focus() });
  if (Object.keys(proposed).length === 0) return null;
  const edited = Object.keys(edits);
  const change = (name: string) => (i: { currentTarget: { value: string } }) => setTexts({ ...texts, [name]: i.currentTarget.value });
  return (
    <Section title="Proposed text" action={edited.length > 0 && <Tag tone="blue">Edited by you</Tag>}>
      <div class="domain draft">
        {Object.keys(proposed).map((name) => (
          <div key={name} class="field">
            <label for={"edit-" + name}>{name === "body" ? "Text" : word(name)}</label>
            {name === "body"
              ? <textarea ref={first} id={"edit-" + name} rows={5} value={texts[name]} onInput={change(name)} />
              : <input id={"edit-" + name} type="text" value={texts[name]} onInput={change(name)} />}
            {name in edits && <small><Edit from={proposed[name]!} to={edits[name]!} /> <button type="button" class="link" onClick={() => setTexts({ ...texts, [name]: proposed[name]! })}>Use the proposed text</button></small>}
          </div>
        ))}
      </div>
    </Section>
  );
}

const reasons = ["Not now", "Already done", "Something is wrong"];

/** The decision, which is always on the screen. */
function Decide({ p, decision: d }: { p: PreviewProposal; decision: Decision }) {
  const { confirm, warnings } = p.preview;
  const danger = warnings.some((w) => w.level === "danger");
  const decline = () => openForm({
    name: "decline " + p.id, title: "Decline this proposal", submit: "Decline", values: { reason: "" },
    save: ({ reason }) => d.decline(reason || null),
    fields: (form) => (
      <>
        <TextField form={form} name="reason" label="Reason (optional)" />
        <div class="row">{reasons.map((r) => <Button key={r} small onClick={() => form.set("reason", r)}>{r}</Button>)}</div>
      </>
    ),
  });
  useKeys({ d: decline, "mod+Enter": d.why || d.busy ? undefined : d.approve });
  return (
    <div class="compose decide">
      {confirm && (
        <div class="field">
          <label for="confirm">Type {confirm.amount.amount / 100} to approve it</label>
          <input id="confirm" type="text" inputMode="numeric" size={10} autocomplete="off" value={d.typed} onInput={(i) => d.setTyped(i.currentTarget.value)} />
        </div>
      )}
      <div class="row">
        <Button {...(danger && p.operation_id !== "acceptOffer" && { kind: "primary" as const })} onClick={decline}>Decline</Button>
        {d.isMessage && <Button onClick={() => void d.draft().catch(toastError)}>Use as a draft</Button>}
        {p.operation_id === "acceptOffer" && <Counter p={p} primary={danger} decline={d.decline} />}
        <Button {...(!danger && { kind: "primary" as const })} icon="check" busy={d.busy} why={d.why} onClick={d.approve}>
          {!d.isMessage ? "Approve" : Object.keys(d.edits).length > 0 ? "Send my version" : "Approve and send"}
        </Button>
      </div>
    </div>
  );
}

const versions = (pins: PreviewProposalPin[]) => pins.length === 0 ? "what exists now" : [...new Set(pins.map((pin) => `${(pin.part ?? "object").toLowerCase()} version ${pin.version}`))].join(", ");

/** Answers an offer with another one instead of accepting it. */
function Counter({ p, primary, decline }: { p: PreviewProposal; primary: boolean; decline: Decision["decline"] }) {
  const [open, setOpen] = useState(false);
  const { deal_id, offer_id } = p.arguments.path;
  const { data: deal } = useDeal(deal_id);
  const { data: offers } = useOffers(deal_id ?? "");
  const offer = offers?.data.find((o) => o.id === offer_id);
  if (!deal || offer?.status !== "pending") return null;
  return (
    <>
      <Button {...(primary && { kind: "primary" as const })} onClick={() => setOpen(true)}>Counter…</Button>
      {open && <OfferDialog deal={deal} answers={offer} onClose={() => setOpen(false)} onSaved={(amount) => void decline(`Countered with ${usd(amount)}`).catch(toastError)} />}
    </>
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
