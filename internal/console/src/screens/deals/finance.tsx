// The payment calculator, and the structures that were saved. The API calculates all amounts.
import { Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { SlipwayError, api, type FinanceProduct, type FinanceProductKind, type FinanceStructure, type PreviewCatalogProduct, type PreviewDeal, type PreviewFinanceQuote } from "../../api.ts";
import { useForm, type Values } from "../../form.tsx";
import { cents, money } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { parseMoney, parseNumber } from "../../numbers.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { CheckField, MoneyField, MoneyInput, NumberField, Select, TextField } from "../../parts/field.tsx";
import { Menu } from "../../parts/menu.tsx";
import { explain } from "../../parts/state.tsx";
import { Tag } from "../../parts/status.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { can } from "../../session.ts";
import { options, word } from "../../words.ts";
import { DealDialog } from "./dialog.tsx";
import { fromRows, rowsOf, toRows } from "./rows.ts";
import { dealChanged, fromCents, toCents, useDesk, useFundings, useStructures } from "./shared.ts";

interface Inputs {
  down: string;
  apr: string;
  months: string;
  products: FinanceProduct[];
}

const usualTerms = [180, 240, 300];

function inputsOf(structure: FinanceStructure | undefined): Inputs {
  if (!structure) return { down: "", apr: "", months: "240", products: [] };
  const { cash_down_cents, apr_percent, term_months, products } = structure;
  return { down: fromCents(cash_down_cents), apr: apr_percent, months: String(term_months), products };
}

/** Returns a value 150 ms after it last changed. */
function useDelayed<T>(value: T): T {
  const [delayed, setDelayed] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), 150);
    return () => clearTimeout(timer);
  }, [JSON.stringify(value)]);
  return delayed;
}

const usd = (amount: number) => ({ amount, currency: "USD" as const });

function useQuote(deal: PreviewDeal, { down, apr, months, products }: Inputs) {
  const terms = [...new Set([...usualTerms, Number(months) || 240])].sort((a, b) => a - b);
  const load = () => api.preview.finance.quote({
    deal_id: deal.id, apr_percent: apr, terms, cash_down: usd(toCents(down) ?? 0),
    products: products.map(({ kind, price_cents, financed, taxable }) => ({ kind, price: usd(price_cents), financed: financed ?? false, taxable: taxable ?? null })),
  });
  const quote = useLoad(apr ? ["quote", deal.id, down, apr, terms, products] : undefined, load, [deal.id, "payment"]);
  // The last quote stays until the next one arrives.
  const last = useRef<PreviewFinanceQuote | undefined>(undefined);
  if (quote.data) last.current = quote.data;
  return { quote: apr ? quote.data ?? last.current : undefined, error: quote.error };
}

const parsers = {
  down: (text: string) => parseMoney(text, true),
  apr: (text: string) => parseNumber(text, "%"),
  months: (text: string) => parseNumber(text),
};

/** The inputs as the API expects them. What is not understood is empty. */
function read(inputs: Inputs): Inputs {
  const value = (name: keyof typeof parsers) => parsers[name](inputs[name]).value ?? "";
  return { ...inputs, down: value("down"), apr: value("apr"), months: value("months") };
}

/** The calculator. On a cash deal, it waits until someone wants to compare. */
export function Calculator({ deal }: { deal: PreviewDeal }) {
  const structures = useStructures(deal.id).data?.data;
  const [compares, setCompares] = useState(false);
  if (deal.deal_type !== "cash" || compares || structures?.length) return <OpenCalculator deal={deal} />;
  return (
    <section id="calculator" aria-label="Payment calculator">
      <p class="muted">The buyer pays cash.</p>
      <Button small onClick={() => setCompares(true)}>Compare with financing</Button>
    </section>
  );
}

function OpenCalculator({ deal }: { deal: PreviewDeal }) {
  const structures = useStructures(deal.id).data?.data;
  const [typed, setTyped] = useState<Inputs>();
  const [saving, setSaving] = useState(false);
  const inputs = typed ?? inputsOf(structures?.find((s) => s.selected) ?? structures?.[0]);
  const wrong = (name: keyof typeof parsers) => parsers[name](inputs[name]).error;
  const understood = !wrong("down") && !wrong("apr") && !wrong("months");
  const clean = read(inputs);
  const { quote, error } = useQuote(deal, useDelayed(understood ? clean : { ...clean, apr: "" }));
  const set = (change: Partial<Inputs>) => setTyped({ ...inputs, ...change });
  const current = understood ? quote?.terms.find((t) => String(t.term_months) === clean.months) : undefined;
  const problems = error instanceof SlipwayError ? error.details : [];
  const editable = can("deals:write") && deal.status_category === "open";

  const input = (name: "down" | "apr" | "months", label: string, field: string, unit: string) => {
    const bad = wrong(name) ?? problems.find((d) => d.field.startsWith(field))?.message;
    const props = { id: "calc-" + name, "aria-invalid": !!bad, value: inputs[name] };
    return (
      <div class="field">
        <label for={"calc-" + name}>{label}</label>
        {name === "down" ? <MoneyInput {...props} onValue={(down) => set({ down })} /> : (
          <span class="with-unit">
            <span aria-hidden="true">{unit}</span>
            <input {...props} class="num" inputMode="decimal" autocomplete="off" onInput={(e) => set({ [name]: e.currentTarget.value })} />
          </span>
        )}
        {bad && <p class="field-error">{label} {bad}.</p>}
      </div>
    );
  };
  return (
    <section id="calculator" aria-label="Payment calculator">
      <div class="pay">
        <output for="calc-down calc-apr calc-months">{current ? <>{cents(current.payment.amount)} <small>per month</small></> : <small>Monthly payment</small>}</output>
        <div class="grid">{input("down", "Cash down", "cash_down", "$")}{input("apr", "APR", "apr_percent", "%")}{input("months", "Months", "terms", "")}</div>
        {inputs.products.map((p, i) => (
          <p key={i} class="product"><span>{word(p.kind)}{p.provider && <small>{p.provider}</small>}</span>{cents(p.price_cents)}
            <IconButton icon="close" label={`Leave out ${word(p.kind)}`} onClick={() => set({ products: inputs.products.filter((_, n) => n !== i) })} />
          </p>
        ))}
        {editable && <Catalog onAdd={(p) => set({ products: [...inputs.products, p] })} />}
        {!inputs.apr && <p class="field-hint">Enter the rate to see the payments.</p>}
        {error && !problems.length && <p class="field-error" role="alert">{explain(error)}</p>}
        {quote && (
          <>
            <div class="terms" role="group" aria-label="Term">
              {quote.terms.map((t) => (
                <button key={t.term_months} type="button" aria-pressed={t === current} onClick={() => set({ months: String(t.term_months) })}>
                  <b>{cents(t.payment.amount)}</b>{t.term_months} mo
                </button>
              ))}
            </div>
            <Financed quote={quote} products={clean.products} down={toCents(clean.down) ?? 0} />
            {current && <p class="foot"><span>Finance charge</span><b>{cents(current.finance_charge.amount)}</b></p>}
          </>
        )}
        {editable && current && <div class="form-end"><Button small onClick={() => setSaving(true)}>Save as structure</Button></div>}
      </div>
      {!!structures?.length && <Structures deal={deal} structures={structures} editable={editable} onShow={(s) => setTyped(inputsOf(s))} />}
      {saving && <StructureDialog deal={deal} inputs={clean} onClose={() => setSaving(false)} />}
    </section>
  );
}

/** The catalog of the dealership, if there is one. */
function Catalog({ onAdd }: { onAdd: (product: FinanceProduct) => void }) {
  const products = useDesk().data?.products ?? [];
  if (!products.length) return null;
  const add = ({ kind, provider, price, cost, term_months, taxable }: PreviewCatalogProduct) =>
    onAdd({ kind, provider: provider ?? null, price_cents: price.amount, cost_cents: cost?.amount ?? null, term_months: term_months ?? null, taxable: taxable ?? null, financed: true });
  return (
    <p class="field-hint">
      <Menu class="link" label="Add product" button="Add product" items={products.map((p) => ({ title: `${p.name}, ${money(p.price)}`, onClick: () => add(p) }))} />
    </p>
  );
}

/** How the amount that is financed comes about. All amounts are the API's, and the cash is what the user typed. */
function Financed({ quote, products, down }: { quote: PreviewFinanceQuote; products: FinanceProduct[]; down: number }) {
  const rows: Array<[string, number]> = [
    ["Deal", quote.deal.amount],
    ...products.filter((p) => p.financed).map((p): [string, number] => [word(p.kind), p.price_cents]),
    ["Tax on products", quote.product_tax.amount], ["Deposit", -quote.deposit.amount], ["Cash down", -down],
  ];
  return (
    <dl class="financed">
      {rows.filter(([, amount]) => amount !== 0).map(([name, amount], i) => <Fragment key={i}><dt>{name}</dt><dd>{amount < 0 && "−"}{cents(Math.abs(amount))}</dd></Fragment>)}
      <dt><b>Financed</b></dt><dd><b>{cents(quote.amount_financed.amount)}</b></dd>
    </dl>
  );
}

function Structures({ deal, structures, editable, onShow }: { deal: PreviewDeal; structures: FinanceStructure[]; editable: boolean; onShow: (s: FinanceStructure) => void }) {
  const fundings = useFundings(deal).data?.data ?? [];
  const counters = deal.status === "contracted" && fundings.some((f) => f.differs_from_structure.length > 0 && f.status !== "submitted");
  const select = async (s: FinanceStructure) => {
    await api.finance.selectStructure(deal.id, s.id);
    dealChanged(deal.id);
    toast("Structure selected.");
  };
  return (
    <ul class="checks structures">
      {structures.map((s) => (
        <li key={s.id}>
          <button type="button" class="plain-button" onClick={() => onShow(s)}>
            {s.name ?? `${s.term_months} months`}<small>{cents(s.payment_cents)} · {s.term_months} mo at {s.apr_percent}%{s.lender && ` · ${s.lender}`}</small>
          </button>
          {s.selected ? <Tag tone="green">Selected</Tag> : editable && (!deal.signed_agreement_id || counters) && <Button small onClick={() => void select(s).catch(toastError)}>Select</Button>}
        </li>
      ))}
    </ul>
  );
}

const productFields = ["kind", "provider", "price_cents", "cost_cents", "term_months", "financed", "taxable"] as const;
export const productKinds: FinanceProductKind[] = [
  "service_contract", "gap", "gelcoat_protection", "hull_protection", "tire_wheel", "prop_protection", "credit_life", "disability", "key", "prepaid_maintenance", "theft", "other",
];

function toRow(p: FinanceProduct): Values {
  return {
    kind: p.kind, provider: p.provider ?? "", price_cents: fromCents(p.price_cents), cost_cents: fromCents(p.cost_cents),
    term_months: p.term_months ? String(p.term_months) : "", financed: p.financed ? "yes" : "", taxable: p.taxable ? "yes" : "",
  };
}

function StructureDialog({ deal, inputs, onClose }: { deal: PreviewDeal; inputs: Inputs; onClose: () => void }) {
  const lenders = useDesk().data?.lenders;
  const fundings = useFundings(deal).data?.data ?? [];
  const selects = !deal.signed_agreement_id;
  const submits = ["open", "accepted", "in_finance", "contracted"].includes(deal.status);
  const form = useForm<Values>({
    name: "structure " + deal.id,
    values: { name: "", lender: "", select: selects ? "yes" : "", submit: fundings.length ? "" : "yes", buy_rate_percent: "", first_payment_on: "", ...toRows("products", inputs.products.map(toRow)) },
    save: async (v) => {
      const structure = await api.finance.createStructure(deal.id, {
        name: v["name"] || null, lender: v["lender"] || null, apr_percent: inputs.apr, term_months: Number(inputs.months), cash_down_cents: toCents(inputs.down) ?? 0,
        first_payment_on: v["first_payment_on"] || null, buy_rate_percent: v["buy_rate_percent"] || null,
        products: fromRows("products", productFields, v).map((p) => ({
          kind: p["kind"] as FinanceProductKind, provider: p["provider"] || null, price_cents: toCents(p["price_cents"]) ?? 0, cost_cents: toCents(p["cost_cents"]),
          term_months: p["term_months"] ? Number(p["term_months"]) : null, financed: p["financed"] === "yes", taxable: p["taxable"] === "yes",
        })),
      });
      // What follows can be done again on the desk, so the structure is saved even if it fails.
      try {
        if (selects && v["select"]) await api.finance.selectStructure(deal.id, structure.id);
        if (submits && v["submit"] && structure.lender) await api.finance.submitFunding(deal.id, { lender: structure.lender, structure_id: structure.id });
        toast(submits && v["submit"] && structure.lender ? `Saved and submitted to ${structure.lender}.` : "Structure saved.");
      } catch (error) {
        toastError(error);
      }
      dealChanged(deal.id);
    },
    onSaved: onClose,
  });
  const rows = rowsOf(form, "products", productFields);
  return (
    <DealDialog title={`Save ${inputs.months} months at ${inputs.apr}%`} wide form={form} submit="Save structure" onClose={onClose}>
      <div class="form-row">
        <TextField form={form} name="lender" label="Lender" suggestions={lenders} autofocus />
        <TextField form={form} name="name" label="Name" />
      </div>
      <div class="form-row">
        {selects && <CheckField form={form} name="select" label="Select it for the deal" />}
        {submits && <CheckField form={form} name="submit" label="Submit it to the lender" />}
      </div>
      <div class="form-row">
        {can("hulls:write") && <NumberField form={form} name="buy_rate_percent" label="Buy rate" unit="%" />}
        <TextField form={form} name="first_payment_on" label="First payment on" type="date" hint="One month after today if empty." />
      </div>
      {Array.from({ length: rows.count }, (_, i) => {
        const at = `products[${i}].`;
        return (
          <fieldset key={i} class="line-row">
            <legend class="vh">Product {i + 1}</legend>
            <Select form={form} name={at + "kind"} label="Product" required choices={options(productKinds)} />
            <TextField form={form} name={at + "provider"} label="Provider" />
            <MoneyField form={form} name={at + "price_cents"} label="Price" exact required />
            <MoneyField form={form} name={at + "cost_cents"} label="Cost" exact />
            <CheckField form={form} name={at + "financed"} label="Financed" />
            <IconButton icon="trash" label={`Remove product ${i + 1}`} onClick={() => rows.remove(i)} />
          </fieldset>
        );
      })}
      <div class="form-end start"><Button small icon="plus" onClick={() => rows.add({ kind: "service_contract", financed: "yes" })}>Add product</Button></div>
    </DealDialog>
  );
}
