// Fields of addresses, time zones and taxes, which the dealership and its locations share.
import type { Address, BuyerTax, TaxRule } from "../../api.ts";
import type { FormState, Values } from "../../form.tsx";
import { parseMoney, parseNumber, type Parse } from "../../numbers.ts";
import { Select, TextField } from "../../parts/field.tsx";
import { options } from "../../words.ts";
import { RowsField, toRows, type FormRow } from "../choices.tsx";

const addressParts = ["line1", "line2", "city", "region", "postal_code", "country"] as const;

/** Values of the fields of an address. prefix is its name in the API. */
export function addressValues(prefix: string, address: Address | null): Values {
  return Object.fromEntries(addressParts.map((p) => [`${prefix}.${p}`, address?.[p] ?? (p === "country" ? "US" : "")]));
}

/** The address of a form, null if it is empty. */
export function toAddress(prefix: string, values: Values): Address | null {
  const get = (part: string) => values[`${prefix}.${part}`]?.trim() ?? "";
  if (!get("line1") && !get("city")) return null;
  return { line1: get("line1"), line2: get("line2") || null, city: get("city"), region: get("region") || null, postal_code: get("postal_code") || null, country: get("country") || "US" };
}

export function AddressFields({ form, prefix }: { form: FormState<Values>; prefix: string }) {
  const name = (part: string) => `${prefix}.${part}`;
  return (
    <>
      <div class="form-row">
        <TextField form={form} name={name("line1")} label="Street" />
        <TextField form={form} name={name("line2")} label="Suite, building or dock" />
      </div>
      <div class="form-row narrow">
        <TextField form={form} name={name("city")} label="City" />
        <TextField form={form} name={name("region")} label="State" />
        <TextField form={form} name={name("postal_code")} label="ZIP code" />
        <TextField form={form} name={name("country")} label="Country" />
      </div>
    </>
  );
}

const american = ["America/New_York", "America/Chicago", "America/Denver", "America/Phoenix", "America/Los_Angeles", "America/Anchorage", "Pacific/Honolulu"];

/** A time zone. empty is the text for none. */
export function ZoneField({ form, empty }: { form: FormState<Values>; empty?: string }) {
  const zones = [...new Set([...american, ...Intl.supportedValuesOf("timeZone"), ...(form.values["timezone"] ? [form.values["timezone"]] : [])])];
  return <Select form={form} name="timezone" label="Time zone" required={empty === undefined} choices={options(zones, (z) => z.replaceAll("_", " "))} {...(empty !== undefined && { empty })} />;
}

/** The value of a TaxesField. */
export function taxValue(taxes: TaxRule[] | null): string {
  return JSON.stringify((taxes ?? []).map(taxRow));
}

function taxRow(t: TaxRule): FormRow {
  return { name: t.name, rate_percent: t.rate_percent, base: t.base ?? "deal", base_cap: dollars(t.base_cap_cents), cap: dollars(t.cap_cents), jurisdiction: t.jurisdiction ?? "" };
}

function toTax(r: FormRow): TaxRule {
  return {
    name: r["name"] ?? "", rate_percent: r["rate_percent"] ?? "", base: (r["base"] || "deal") as NonNullable<TaxRule["base"]>, base_cap_cents: toCents(r["base_cap"]),
    cap_cents: toCents(r["cap"]), jurisdiction: r["jurisdiction"] || null,
  };
}

function dollars(amount: number | null | undefined): string {
  return amount === null || amount === undefined ? "" : String(amount / 100);
}

function toCents(text: string | undefined): number | null {
  return text ? Math.round(Number(text) * 100) : null;
}

/** The taxes of a TaxesField. */
export function toTaxes(text: string | undefined): TaxRule[] {
  return toRows(text).map(toTax);
}

/** The value of a BuyerTaxesField: one row for each tax of a state, or for its exemption. */
export function buyerTaxValue(rules: BuyerTax[] | null): string {
  return JSON.stringify((rules ?? []).flatMap((rule): FormRow[] => (rule.exempt_reason
    ? [{ region: rule.region, exempt_reason: rule.exempt_reason, name: "", rate_percent: "", cap: "", jurisdiction: "" }]
    : (rule.taxes ?? []).map((t) => ({ region: rule.region, exempt_reason: "", ...taxRow(t) })))));
}

/** The rules of a BuyerTaxesField. Rows of the same state are one rule. */
export function toBuyerTaxes(text: string | undefined): BuyerTax[] {
  const rules: BuyerTax[] = [];
  for (const row of toRows(text)) {
    const region = row["region"] ?? "";
    const rule = rules.find((r) => r.region === region);
    const exempt_reason = row["exempt_reason"] || null;
    const taxes = row["name"] || !exempt_reason ? [toTax(row)] : null;
    if (!rule) rules.push({ region, exempt_reason, taxes });
    else if (taxes) rule.taxes = [...(rule.taxes ?? []), ...taxes];
  }
  return rules;
}

const parsePercent: Parse = (text) => parseNumber(text, "%");
const parseDollars: Parse = (text) => parseMoney(text, true);

export function TaxesField({ form, name, hint }: { form: FormState<Values>; name: string; hint: string }) {
  return (
    <RowsField form={form} name={name} label="Taxes" hint={hint} add="Add tax" columns={[
      { name: "name", label: "Name" },
      { name: "rate_percent", label: "Rate (%)", parse: parsePercent },
      { name: "base", label: "On", choices: [["deal", "Price and taxable items"], ["price", "Only the price"], ["lines", "Only taxable items"]] },
      { name: "base_cap", label: "On the first ($)", parse: parseDollars },
      { name: "cap", label: "At most ($)", parse: parseDollars },
      { name: "jurisdiction", label: "Paid to" },
    ]} />
  );
}

/** Taxes for buyers from other states, who are exempt or pay other taxes. */
export function BuyerTaxesField({ form, name }: { form: FormState<Values>; name: string }) {
  return (
    <RowsField form={form} name={name} label="Buyers from other states" hint="For new deals. Say why these buyers are exempt, or which tax they pay instead. Exempt buyers sign an affidavit." add="Add state" columns={[
      { name: "region", label: "State" },
      { name: "exempt_reason", label: "Exempt because" },
      { name: "name", label: "Or tax" },
      { name: "rate_percent", label: "Rate (%)", parse: parsePercent },
      { name: "cap", label: "At most ($)", parse: parseDollars },
      { name: "jurisdiction", label: "Paid to" },
    ]} />
  );
}
