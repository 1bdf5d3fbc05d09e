// What people choose from on a deal: the fees that new deals get, and the catalog of products.
import { api, type CatalogProduct, type Dealership, type FeeRule, type FinanceProductKind } from "../../api.ts";
import { Form, useForm, type Values } from "../../form.tsx";
import { changed, useLoad } from "../../load.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { MoneyField, NumberField, Select, TextField } from "../../parts/field.tsx";
import { Loaded } from "../../parts/state.tsx";
import { toast } from "../../parts/toast.tsx";
import { options } from "../../words.ts";
import { productKinds } from "../deals/finance.tsx";
import { fromRows, rowsOf, toRows } from "../deals/rows.ts";
import { fromCents, toCents } from "../deals/shared.ts";
import { SettingsPage } from "./page.tsx";

export function DealSettings() {
  const dealership = useLoad(["dealership"], () => api.dealership.get(), ["dealership"]);
  return (
    <SettingsPage path="deals">
      <div class="content settings"><Loaded load={dealership}>{(d) => <div class="part"><DeskForm dealership={d} /></div>}</Loaded></div>
    </SettingsPage>
  );
}

const fees = "settings.default_fees";
const products = "settings.products";
// A row is there for as long as its first field has a value, also while the user types another name.
const feeFields = ["row", "description", "amount_cents", "cost_cents", "taxable", "code"] as const;
const productFields = ["row", "name", "kind", "provider", "price_cents", "cost_cents", "term_months", "taxable"] as const;
const taxes: Array<[string, string]> = [["", "Usual"], ["yes", "Taxable"], ["no", "Not taxable"]];
const taxText = (taxable: boolean | null | undefined) => (taxable === true ? "yes" : taxable === false ? "no" : "");
const taxValue = (text: string | undefined) => (text === "yes" ? true : text === "no" ? false : null);

function toValues({ settings }: Dealership): Values {
  return {
    ...toRows(fees, settings.default_fees.map((f) => ({
      row: "yes", description: f.description, amount_cents: fromCents(f.amount_cents), cost_cents: fromCents(f.cost_cents), taxable: taxText(f.taxable), code: f.code ?? "",
    }))),
    ...toRows(products, settings.products.map((p) => ({
      row: "yes", name: p.name, kind: p.kind, provider: p.provider ?? "", price_cents: fromCents(p.price_cents), cost_cents: fromCents(p.cost_cents),
      term_months: p.term_months ? String(p.term_months) : "", taxable: taxText(p.taxable),
    }))),
  };
}

function toFees(v: Values): FeeRule[] {
  return fromRows(fees, feeFields, v).map((f) => ({
    description: f["description"]!, amount_cents: toCents(f["amount_cents"]) ?? 0, cost_cents: toCents(f["cost_cents"]), taxable: taxValue(f["taxable"]), code: f["code"] || null,
  }));
}

function toProducts(v: Values): CatalogProduct[] {
  return fromRows(products, productFields, v).map((p) => ({
    name: p["name"]!, kind: p["kind"] as FinanceProductKind, provider: p["provider"] || null, price_cents: toCents(p["price_cents"]) ?? 0,
    cost_cents: toCents(p["cost_cents"]), term_months: Number(p["term_months"]) || null, taxable: taxValue(p["taxable"]),
  }));
}

function DeskForm({ dealership: d }: { dealership: Dealership }) {
  const form = useForm<Values>({
    name: "deal settings", version: d.version, values: toValues(d),
    save: async (v, _, ifVersion) => {
      await api.dealership.update({ settings: { default_fees: toFees(v), products: toProducts(v) } }, ifVersion);
      changed("dealership");
      toast("Settings saved.");
    },
    reload: async () => {
      const now = await api.dealership.get();
      return { values: toValues(now), version: now.version };
    },
  });
  const fee = rowsOf(form, fees, feeFields);
  const product = rowsOf(form, products, productFields);
  return (
    <Form form={form} submit="Save settings">
      <fieldset><legend>Fees of new deals</legend>
        <p class="field-hint">Each new deal starts with them, except sales to other dealers. You can change them on the deal.</p>
        {Array.from({ length: fee.count }, (_, i) => (
          <fieldset key={i} class="line-row fee">
            <legend class="vh">Fee {i + 1}</legend>
            <TextField form={form} name={`${fees}[${i}].description`} label="Fee" required />
            <MoneyField form={form} name={`${fees}[${i}].amount_cents`} label="Amount" exact required />
            <MoneyField form={form} name={`${fees}[${i}].cost_cents`} label="Cost" exact />
            <Select form={form} name={`${fees}[${i}].taxable`} label="Tax" choices={taxes} />
            <IconButton icon="trash" label={`Remove fee ${i + 1}`} onClick={() => fee.remove(i)} />
          </fieldset>
        ))}
        <div class="form-end start"><Button small icon="plus" onClick={() => fee.add({ row: "yes", description: "Documentation fee" })}>Add fee</Button></div>
      </fieldset>
      <fieldset><legend>Products</legend>
        <p class="field-hint">The calculator of a deal adds them with one click.</p>
        {Array.from({ length: product.count }, (_, i) => (
          <fieldset key={i} class="line-row catalog">
            <legend class="vh">Product {i + 1}</legend>
            <TextField form={form} name={`${products}[${i}].name`} label="Product" required />
            <Select form={form} name={`${products}[${i}].kind`} label="Kind" required choices={options(productKinds)} />
            <TextField form={form} name={`${products}[${i}].provider`} label="Provider" />
            <MoneyField form={form} name={`${products}[${i}].price_cents`} label="Price" exact required />
            <MoneyField form={form} name={`${products}[${i}].cost_cents`} label="Cost" exact />
            <NumberField form={form} name={`${products}[${i}].term_months`} label="Months" />
            <Select form={form} name={`${products}[${i}].taxable`} label="Tax" choices={taxes} />
            <IconButton icon="trash" label={`Remove product ${i + 1}`} onClick={() => product.remove(i)} />
          </fieldset>
        ))}
        <div class="form-end start"><Button small icon="plus" onClick={() => product.add({ row: "yes", name: "Service contract", kind: "service_contract" })}>Add product</Button></div>
      </fieldset>
    </Form>
  );
}
