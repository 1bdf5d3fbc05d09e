// Applications with lenders, and what the lenders require.
import { useState } from "preact/hooks";
import { api, type Funding, type FundingStatus, type PreviewDeal, type Stipulation, type StipulationKind, type StipulationResolution } from "../../api.ts";
import { useForm } from "../../form.tsx";
import { cents, date } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import { CheckField, MoneyField, NumberField, Select, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Status, Tag, type Tone } from "../../parts/status.tsx";
import { toast, toastError, toastUndo } from "../../parts/toast.tsx";
import { can } from "../../session.ts";
import { options, word } from "../../words.ts";
import { DealDialog } from "./dialog.tsx";
import { canOverride, dealChanged, toCents, useDesk, useDocuments, useFundings, useStructures } from "./shared.ts";

/** What a funding can become in each status, the usual step first. The API decides. */
const following: Partial<Record<FundingStatus, FundingStatus[]>> = {
  submitted: ["approved", "conditional", "countered", "declined", "withdrawn"],
  conditional: ["contract_sent", "approved", "withdrawn"],
  approved: ["contract_sent", "withdrawn"],
  countered: ["approved", "withdrawn"],
  contract_sent: ["signed", "withdrawn"],
  signed: ["package_submitted", "withdrawn"],
  package_submitted: ["approved_to_fund", "pending_docs", "withdrawn"],
  pending_docs: ["package_submitted", "approved_to_fund", "withdrawn"],
  approved_to_fund: ["funded", "withdrawn"],
  funded: ["charged_back"],
};

/** Steps in which money changes hands. They need a manager. */
const booked: FundingStatus[] = ["funded", "charged_back"];

const decided: FundingStatus[] = ["approved", "conditional", "countered", "declined"];

/** Steps that need a form, for terms, a reason or money. */
const asked: FundingStatus[] = ["conditional", "countered", "declined", "withdrawn", ...booked];

/** The usual steps after the next one. */
function later(status: FundingStatus): FundingStatus[] {
  const steps: FundingStatus[] = [];
  for (let at = following[status]?.[0]; at && at !== "funded"; at = following[at]?.[0]) steps.push(at);
  return steps.slice(1);
}

/** Records a step, and the ones before it. It can be undone until the funding changes again. */
async function step(deal: PreviewDeal, funding: Funding, to: FundingStatus): Promise<void> {
  const { version } = await api.finance.advanceFunding(deal.id, funding.id, { to, skip_steps: true }, { ifVersion: funding.version });
  dealChanged(deal.id);
  toastUndo(`${funding.lender}: ${word(to).toLowerCase()}.`, () => api.preview.finance.undoFunding(deal.id, funding.id, { ifVersion: version }).then(() => dealChanged(deal.id)), `${funding.lender} is ${word(funding.status).toLowerCase()} again.`);
}

type Open = { submit: true } | { funding: Funding; to: FundingStatus } | { funding: Funding; stipulation: Stipulation | undefined };

export function Lenders({ deal }: { deal: PreviewDeal }) {
  const ended = (f: Funding) => Number(f.status === "declined" || f.status === "withdrawn");
  const fundings = [...(useFundings(deal).data?.data ?? [])].sort((a, b) => ended(a) - ended(b));
  const structures = useStructures(deal.id).data?.data ?? [];
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const writes = can("deals:write");
  const submits = writes && structures.length > 0 && ["open", "accepted", "in_finance", "contracted"].includes(deal.status);
  if (deal.deal_type !== "finance") return null;
  return (
    <section id="lenders">
      <h2>Lenders{submits && <span class="part-action"><button type="button" class="link" onClick={() => setOpen({ submit: true })}>Submit</button></span>}</h2>
      {!fundings.length && <p class="muted small">{structures.length ? "Not submitted to a lender yet." : "Save a structure first. Then submit it to a lender."}</p>}
      {fundings.map((f) => <Lender key={f.id} deal={deal} funding={f} writes={writes} onOpen={setOpen} />)}
      {open && "submit" in open && <SubmitDialog deal={deal} onClose={close} />}
      {open && "to" in open && <AdvanceDialog deal={deal} funding={open.funding} to={open.to} onClose={close} />}
      {open && "stipulation" in open && (open.stipulation
        ? <ResolveDialog deal={deal} stipulation={open.stipulation} onClose={close} />
        : <StipulationDialog deal={deal} funding={open.funding} onClose={close} />)}
    </section>
  );
}

const tones: Record<Stipulation["status"], Tone> = { requested: "amber", received: "blue", accepted: "green", waived: "gray", rejected: "red" };

function Lender({ deal, funding, writes, onOpen }: { deal: PreviewDeal; funding: Funding; writes: boolean; onOpen: (open: Open) => void }) {
  const { decision, lender } = funding;
  const [busy, setBusy] = useState(false);
  const next = writes ? (following[funding.status] ?? []).filter((to) => canOverride() || !booked.includes(to)) : [];
  const usual = next[0] === following[funding.status]?.[0] && funding.status !== "funded" ? next[0] : undefined;
  const go = (to: FundingStatus) => {
    if (asked.includes(to)) return onOpen({ funding, to });
    setBusy(true);
    void step(deal, funding, to).catch(toastError).finally(() => setBusy(false));
  };
  const terms = decision && [
    decision.amount_cents != null && cents(decision.amount_cents), decision.apr_percent && `${decision.apr_percent}%`, decision.term_months && `${decision.term_months} months`,
    decision.tier && `tier ${decision.tier}`, decision.buy_rate_percent && `buy rate ${decision.buy_rate_percent}%`, decision.expires_at && `until ${date(decision.expires_at)}`,
  ].filter(Boolean).join(" · ");
  return (
    <div class="lender">
      <h3>
        {lender}
        {next.length > 0 && (
          <Menu
            class="link" align="end" label={`More for ${lender}`} button="More"
            items={[
              usual === "approved" && { title: "Approved with terms", onClick: () => onOpen({ funding, to: usual }) },
              ...next.filter((to) => to !== usual).map((to) => ({ title: word(to), onClick: () => go(to) })),
              ...later(funding.status).map((to) => ({ title: `Everything up to ${word(to).toLowerCase()}`, icon: "arrowRight" as const, onClick: () => go(to) })),
              { title: "Add stipulation", icon: "plus" as const, onClick: () => onOpen({ funding, stipulation: undefined }) },
            ]}
          />
        )}
      </h3>
      <p class="row"><Status value={funding.status} /><span class="muted">{cents(funding.amount_cents)}{funding.reference && ` · ${funding.reference}`}</span>
        {usual && <Button small busy={busy} onClick={() => go(usual)}>{`Mark ${word(usual).toLowerCase()}`}</Button>}
      </p>
      {(terms || decision?.conditions || funding.reason) && <p class="small">{[terms, decision?.conditions, funding.reason].filter(Boolean).join(". ")}</p>}
      {funding.differs_from_structure.length > 0 && (
        <p class="note"><Icon name="alert" />{funding.differs_from_structure.map((d) => `${word(d.field.replace(/_(cents|percent)$/, ""))}: the lender has ${shown(d.field, d.decision)}, the structure ${shown(d.field, d.structure)}.`).join(" ")}</p>
      )}
      <ul class="checks">
        {funding.stipulations.map((s) => (
          <li key={s.id} class={s.status === "accepted" || s.status === "waived" ? "yes" : ""}>
            <Icon name={s.status === "accepted" || s.status === "waived" ? "check" : "clock"} />
            <span>{word(s.kind)}{(s.description ?? s.note) && <small>{[s.description, s.note].filter(Boolean).join(" · ")}</small>}</span>
            {writes
              ? <button type="button" class={"tag " + tones[s.status]} aria-label={`${word(s.kind)}: ${word(s.status)}. Change`} onClick={() => onOpen({ funding, stipulation: s })}>{word(s.status)}</button>
              : <Tag tone={tones[s.status]}>{word(s.status)}</Tag>}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A value of a difference. Amounts are in cents. */
function shown(field: string, value: string): string {
  return field.endsWith("_cents") ? cents(Number(value)) : field.endsWith("_percent") ? value + "%" : value;
}

function SubmitDialog({ deal, onClose }: { deal: PreviewDeal; onClose: () => void }) {
  const structures = useStructures(deal.id).data?.data ?? [];
  const selected = structures.find((s) => s.selected);
  const lenders = useDesk().data?.lenders;
  const form = useForm({
    name: "submit " + deal.id,
    values: { lender: selected?.lender ?? structures.find((s) => s.lender)?.lender ?? "", structure_id: selected?.id ?? structures[0]?.id ?? "", reference: "" },
    save: async (v) => {
      await api.finance.submitFunding(deal.id, { lender: v.lender, structure_id: v.structure_id || null, reference: v.reference || null });
      dealChanged(deal.id);
      toast(`Submitted to ${v.lender}.`);
    },
    onSaved: onClose,
  });
  return (
    <DealDialog title="Submit to a lender" form={form} submit="Submit" onClose={onClose}>
      <TextField form={form} name="lender" label="Lender" required suggestions={lenders} />
      <Select form={form} name="structure_id" label="Structure" required choices={structures.map((s) => [s.id, `${s.name ?? `${s.term_months} months`}, ${cents(s.payment_cents)} per month`])} />
      <TextField form={form} name="reference" label="Lender’s reference number" />
    </DealDialog>
  );
}

function AdvanceDialog({ deal, funding, to, onClose }: { deal: PreviewDeal; funding: Funding; to: FundingStatus; onClose: () => void }) {
  const asksTerms = decided.includes(to) && to !== "declined";
  const form = useForm({
    name: `advance ${funding.id} ${to}`,
    values: { reason: "", reference: funding.reference ?? "", amount_cents: "", record_payment: "yes", "decision.amount_cents": "", "decision.apr_percent": "", "decision.term_months": "", "decision.tier": "", "decision.conditions": "" },
    save: async (v) => {
      const decision = {
        amount_cents: toCents(v["decision.amount_cents"]), apr_percent: v["decision.apr_percent"] || null, term_months: Number(v["decision.term_months"]) || null,
        tier: v["decision.tier"] || null, conditions: v["decision.conditions"] || null,
      };
      const hasTerms = Object.values(decision).some((value) => value !== null);
      await api.finance.advanceFunding(deal.id, funding.id, {
        to, reason: v.reason || null, reference: v.reference || null,
        ...(to === "funded" && v.amount_cents && { amount_cents: toCents(v.amount_cents) }),
        ...(to === "funded" && v.record_payment && { record_payment: true }),
        ...(asksTerms && hasTerms && { decision }),
      });
      dealChanged(deal.id);
      toast(`${funding.lender}: ${word(to).toLowerCase()}.`);
    },
    onSaved: onClose,
  });
  return (
    <DealDialog title={`${funding.lender}: ${word(to)}`} form={form} submit={`Mark ${word(to).toLowerCase()}`} onClose={onClose}>
      {asksTerms && (
        <>
          <div class="form-row">
            <MoneyField form={form} name="decision.amount_cents" label="Amount" exact />
            <NumberField form={form} name="decision.apr_percent" label="APR" unit="%" />
            <NumberField form={form} name="decision.term_months" label="Months" />
          </div>
          <div class="form-row">
            <TextField form={form} name="decision.tier" label="Credit tier" />
            <TextField form={form} name="decision.conditions" label="Conditions" />
          </div>
        </>
      )}
      {to === "funded" && <MoneyField form={form} name="amount_cents" label="Amount that the lender paid" exact hint={`${cents(funding.requested_cents)} if empty.`} />}
      {to === "funded" && <CheckField form={form} name="record_payment" label="Record the money as a payment" hint="This has no Undo, because money changes hands." />}
      <TextField form={form} name="reference" label="Lender’s reference number" />
      <TextField form={form} name="reason" label="Reason" />
    </DealDialog>
  );
}

const stipulationKinds: StipulationKind[] = [
  "proof_of_income", "tax_returns", "proof_of_residence", "drivers_license", "insurance_binder", "survey", "payoff_letter", "title_front_back",
  "mso_boat", "mso_engine", "mso_trailer", "trust_docs", "down_payment_proof", "signed_contract", "other",
];

function StipulationDialog({ deal, funding, onClose }: { deal: PreviewDeal; funding: Funding; onClose: () => void }) {
  const form = useForm({
    name: "stipulation " + funding.id,
    values: { kind: "proof_of_income", description: "" },
    save: async ({ kind, description }) => {
      await api.finance.addStipulation(deal.id, funding.id, { kind: kind as StipulationKind, description: description || null });
      dealChanged(deal.id);
      toast("Stipulation added.");
    },
    onSaved: onClose,
  });
  return (
    <DealDialog title={`${funding.lender} requires`} form={form} submit="Add stipulation" onClose={onClose}>
      <Select form={form} name="kind" label="What" required choices={options(stipulationKinds)} />
      <TextField form={form} name="description" label="Details" />
    </DealDialog>
  );
}

function ResolveDialog({ deal, stipulation, onClose }: { deal: PreviewDeal; stipulation: Stipulation; onClose: () => void }) {
  const documents = useDocuments(deal.id).data?.data ?? [];
  const form = useForm({
    name: "resolve " + stipulation.id,
    values: { status: "accepted", note: stipulation.note ?? "", document_id: stipulation.document_id ?? "" },
    save: async ({ status, note, document_id }) => {
      await api.finance.resolveStipulation(deal.id, stipulation.funding_id, stipulation.id, {
        status: status as StipulationResolution, note: note || null, document_id: document_id || null,
      });
      dealChanged(deal.id);
      toast(`${word(stipulation.kind)}: ${word(status).toLowerCase()}.`);
    },
    onSaved: onClose,
  });
  return (
    <DealDialog title={word(stipulation.kind)} form={form} submit="Save" onClose={onClose}>
      <Select form={form} name="status" label="Status" required choices={[["received", "The lender has it"], ["accepted", "The lender accepts it"], ["waived", "The lender waives it"], ["rejected", "The lender rejects it"]]} />
      <Select form={form} name="document_id" label="Document that proves it" empty="None" choices={documents.filter((d) => d.status !== "voided").map((d) => [d.id, `${d.number} · ${d.title}`])} />
      <TextField form={form} name="note" label="Note" />
    </DealDialog>
  );
}
