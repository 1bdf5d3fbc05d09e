// The worksheet: price, lines, trade-ins, taxes and total. All amounts come from the API.
import type { ComponentChildren } from "preact";
import { api, type DealLineItemKind, type DealLineItemSide, type DealPatch, type DealSaleType, type DealType, type PreviewDeal } from "../../api.ts";
import { useForm, type Values } from "../../form.tsx";
import { cents, date } from "../../format.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { CheckField, MoneyField, NumberField, Select, TextField } from "../../parts/field.tsx";
import { Section } from "../../parts/layout.tsx";
import { toast } from "../../parts/toast.tsx";
import { options, word } from "../../words.ts";
import { useDirectory } from "../contacts/people.tsx";
import { DealDialog } from "./dialog.tsx";
import { fromRows, rowsOf, toRows } from "./rows.ts";
import { dealChanged, dealTypes, fromCents, toCents, useStructures } from "./shared.ts";
import { tradeName, useTradeIns } from "./trades.tsx";

/** A deduction has a minus sign. */
function Row({ name, note, amount, minus, total }: { name: ComponentChildren; note?: ComponentChildren; amount: number; minus?: boolean; total?: boolean }) {
  const negative = minus ? amount > 0 : amount < 0;
  return (
    <tr class={total ? "total" : ""}>
      <th scope="row">{name}{note && <small>{note}</small>}</th>
      <td class={minus && negative ? "neg" : ""}>{negative && "−"}{cents(Math.abs(amount))}</td>
    </tr>
  );
}

const deductions: DealLineItemKind[] = ["discount", "rebate"];

export function Worksheet({ deal, onEdit }: { deal: PreviewDeal; onEdit: (() => void) | undefined }) {
  const { totals } = deal;
  const trades = useTradeIns(deal.id).data?.data ?? [];
  const structure = useStructures(deal.id).data?.data.find((s) => s.selected);
  const edit = onEdit && (deal.signed_agreement_id
    ? <span class="muted" title="Void the signed purchase agreement to change the lines.">Locked by the signed agreement</span>
    : <button type="button" class="link" onClick={onEdit}>Edit lines</button>);
  return (
    <Section title="Worksheet" action={edit}>
      <table class="sum">
        <tbody>
          <Row name="Price" note={deal.accepted_at ? `offer accepted ${date(deal.accepted_at)}` : "newest offer"} amount={totals.price.amount} />
          {deal.line_items.map((line, i) => (
            <Row
              key={i} name={line.description ?? word(line.kind)} amount={line.amount.amount} minus={deductions.includes(line.kind)}
              note={[line.taxable && "taxable", line.side === "back" && "back end"].filter(Boolean).join(", ")}
            />
          ))}
          {structure?.products.map((p) => (
            <Row key={p.kind} name={word(p.kind)} note={[p.provider, p.term_months && `${p.term_months} months`, "back end"].filter(Boolean).join(", ")} amount={p.price_cents} />
          ))}
          {trades.map((t) => (
            <Row key={t.id} name={t.equity_cents < 0 ? "Trade-in debt" : "Trade-in equity"} note={`${tradeName(t)}, allowance less payoff`} amount={t.equity_cents} minus />
          ))}
          {deal.taxes.map((tax) => <Row key={tax.name} name={tax.name} note={tax.exempt_reason ? `exempt: ${tax.exempt_reason}` : `${tax.rate_percent}%`} amount={tax.amount?.amount ?? 0} />)}
          {!!structure?.product_tax_cents && <Row name="Tax on products" amount={structure.product_tax_cents} />}
          <Row name="Total" amount={totals.total.amount} total />
          {totals.front_profit && totals.back_profit && (
            <tr class="profit"><th scope="row">Profit<small>front {cents(totals.front_profit.amount)}, back {cents(totals.back_profit.amount)}</small></th><td /></tr>
          )}
        </tbody>
      </table>
    </Section>
  );
}

const lineFields = ["kind", "description", "amount_cents", "cost_cents", "taxable", "code", "side"] as const;
const lineKinds: DealLineItemKind[] = ["fee", "product", "accessory", "discount", "rebate"];

function toLines(deal: PreviewDeal): Values {
  return toRows("line_items", deal.line_items.map((l) => ({
    kind: l.kind, description: l.description ?? "", amount_cents: fromCents(l.amount.amount), cost_cents: fromCents(l.cost?.amount),
    taxable: l.taxable ? "yes" : "", code: l.code ?? "", side: l.side ?? "",
  })));
}

function fromLines(values: Values): DealPatch["line_items"] {
  return fromRows("line_items", lineFields, values).map((l) => ({
    kind: l["kind"] as DealLineItemKind, description: l["description"] || null, amount_cents: toCents(l["amount_cents"]) ?? 0, cost_cents: toCents(l["cost_cents"]),
    taxable: l["taxable"] === "yes", code: l["code"] || null, side: (l["side"] || null) as DealLineItemSide | null,
  }));
}

/** Edits a part of the deal. If someone else changed the deal, the user decides field by field. */
function useDealForm(part: string, deal: PreviewDeal, toValues: (deal: PreviewDeal) => Values, toPatch: (values: Values) => DealPatch, onClose: () => void) {
  return useForm<Values>({
    name: `${part} ${deal.id}`,
    version: deal.version,
    values: toValues(deal),
    save: async (values, _, ifVersion) => {
      await api.deals.update(deal.id, toPatch(values), ifVersion);
      dealChanged(deal.id);
      toast("Deal saved.");
    },
    reload: async () => {
      const now = await api.preview.deals.get(deal.id);
      return { values: toValues(now), version: now.version };
    },
    onSaved: onClose,
  });
}

export function LinesDialog({ deal, onClose }: { deal: PreviewDeal; onClose: () => void }) {
  const form = useDealForm("lines", deal, toLines, (v) => ({ line_items: fromLines(v) ?? [] }), onClose);
  const rows = rowsOf(form, "line_items", lineFields);
  return (
    <DealDialog title="Edit lines" wide form={form} submit="Save" onClose={onClose}>
      {rows.count === 0 && <p class="muted">No fees, products or discounts yet.</p>}
      {Array.from({ length: rows.count }, (_, i) => {
        const at = `line_items[${i}].`;
        return (
          <fieldset key={i} class="line-row">
            <legend class="vh">Line {i + 1}</legend>
            <Select form={form} name={at + "kind"} label="Kind" required choices={options(lineKinds)} />
            <TextField form={form} name={at + "description"} label="Description" />
            <MoneyField form={form} name={at + "amount_cents"} label="Amount" exact required />
            <MoneyField form={form} name={at + "cost_cents"} label="Cost" exact />
            <CheckField form={form} name={at + "taxable"} label="Taxable" />
            <IconButton icon="trash" label={`Remove line ${i + 1}`} onClick={() => rows.remove(i)} />
          </fieldset>
        );
      })}
      <div class="form-end start"><Button small icon="plus" onClick={() => rows.add({ kind: "fee" })}>Add line</Button></div>
    </DealDialog>
  );
}

// A row is there for as long as its first field has a value, also while the user types another name.
const taxFields = ["row", "name", "rate_percent", "exempt_reason"] as const;

function toTerms(deal: PreviewDeal): Values {
  return {
    deal_type: deal.deal_type, sale_type: deal.sale_type, owner_id: deal.owner_id ?? "", trade_tax_credit: deal.trade_tax_credit ? "yes" : "",
    ...toRows("taxes", deal.taxes.map((t) => ({ row: "yes", name: t.name, rate_percent: t.rate_percent, exempt_reason: t.exempt_reason ?? "" }))),
  };
}

export function TermsDialog({ deal, onClose }: { deal: PreviewDeal; onClose: () => void }) {
  const people = [...useDirectory().values()];
  // Only what changed is sent, because a signed agreement blocks the terms but not the owner.
  const toPatch = (v: Values): DealPatch => {
    const before = toTerms(deal);
    const differs = (name: string) => v[name] !== before[name];
    const taxes = fromRows("taxes", taxFields, v);
    return {
      ...(differs("deal_type") && { deal_type: v["deal_type"] as DealType }),
      ...(differs("sale_type") && { sale_type: v["sale_type"] as DealSaleType }),
      ...(differs("owner_id") && { owner_id: v["owner_id"] || null }),
      ...(differs("trade_tax_credit") && { trade_tax_credit: v["trade_tax_credit"] === "yes" }),
      ...(Object.keys(v).some((name) => name.startsWith("taxes[") && differs(name)) && {
        taxes: taxes.map((t, i) => {
          const old = deal.taxes[i];
          return {
            name: t["name"]!, rate_percent: t["rate_percent"]!, exempt_reason: t["exempt_reason"] || null,
            ...(old && old.name === t["name"] && { ...(old.base && { base: old.base }), base_cap_cents: old.base_cap?.amount ?? null, cap_cents: old.cap?.amount ?? null, jurisdiction: old.jurisdiction ?? null }),
          };
        }),
      }),
    };
  };
  const form = useDealForm("terms", deal, toTerms, toPatch, onClose);
  const rows = rowsOf(form, "taxes", taxFields);
  return (
    <DealDialog title="Terms and owner" wide form={form} submit="Save" onClose={onClose}>
      <div class="form-row">
        <Select form={form} name="owner_id" label="Owner" empty="No one" choices={people.map((p) => [p.id, p.name])} />
        <Select form={form} name="deal_type" label="How the buyer pays" required choices={dealTypes} />
        <Select form={form} name="sale_type" label="Kind of sale" required choices={options(["retail", "wholesale", "brokerage"])} />
      </div>
      {Array.from({ length: rows.count }, (_, i) => (
        <fieldset key={i} class="line-row tax">
          <legend class="vh">Tax {i + 1}</legend>
          <TextField form={form} name={`taxes[${i}].name`} label="Tax" required />
          <NumberField form={form} name={`taxes[${i}].rate_percent`} label="Rate" unit="%" required />
          <TextField form={form} name={`taxes[${i}].exempt_reason`} label="Exempt because" />
          <IconButton icon="trash" label={`Remove tax ${i + 1}`} onClick={() => rows.remove(i)} />
        </fieldset>
      ))}
      <div class="form-end start"><Button small icon="plus" onClick={() => rows.add({ row: "yes", name: "Sales tax" })}>Add tax</Button></div>
      <CheckField form={form} name="trade_tax_credit" label="Trade-ins reduce the taxable amount" />
    </DealDialog>
  );
}
