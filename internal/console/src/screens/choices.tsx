// Fields with several values. A form keeps them as one text.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import type { FormState, Values } from "../form.tsx";
import type { Parse, Parsed } from "../numbers.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { can, type Scope } from "../session.ts";

/** The values of a field that are separated by spaces. */
export function split(text: string | undefined): string[] {
  return text?.split(/[\s,]+/).filter(Boolean) ?? [];
}

interface FieldProps<V extends Values> {
  form: FormState<V>;
  name: keyof V & string;
  label: string;
  hint?: string;
}

/** Checkboxes. The value has what is checked, separated by spaces. */
export function CheckList<V extends Values>(props: FieldProps<V> & { choices: Array<[string, ComponentChildren, string?]> }) {
  const { form, name, label, hint, choices } = props;
  const chosen = split(form.values[name]);
  useLabel(props);
  const error = form.errors[name];
  const toggle = (value: string, on: boolean) => form.set(name, (on ? [...chosen, value] : chosen.filter((c) => c !== value)).join(" "));
  return (
    <fieldset class="checklist">
      <legend>{label}</legend>
      {choices.map(([value, title, note]) => (
        <label key={value} class="check-line">
          <input type="checkbox" checked={chosen.includes(value)} aria-invalid={!!error} onChange={(e) => toggle(value, e.currentTarget.checked)} />
          <span>{title}{note && <small>{note}</small>}</span>
        </label>
      ))}
      {(error ?? hint) && <p class={error ? "field-error" : "field-hint"}>{error ?? hint}</p>}
    </fieldset>
  );
}

/** Registers the label of a field, so that errors of the API find it. */
export function useLabel<V extends Values>({ form, name, label }: FieldProps<V>): void {
  useEffect(() => {
    form.fields.set(name, { label, required: false });
    return () => void form.fields.delete(name);
  }, [name, label]);
}

export const scopes: Record<Scope, string> = {
  "hulls:read": "Read inventory, specifications, prices and photos",
  "hulls:write": "Change inventory and see costs",
  "leads:read": "Read contacts, leads, consents and messages",
  "leads:write": "Change contacts and leads, and send messages",
  "deals:read": "Read deals, offers, finance and documents",
  "deals:write": "Change deals. Together with costs, also see profits",
  webhooks: "Manage webhooks and read events",
  admin: "Administer the dealership, its users and credentials. Requires a two-factor code",
};

/** Checkboxes for scopes. Users can only grant scopes that they have. People choose by words, developers by names. */
export function ScopeField<V extends Values>({ label = "Scopes", ...props }: Omit<FieldProps<V>, "label"> & { label?: string }) {
  const choices = Object.entries(scopes).filter(([s]) => can(s as Scope)).map(([s, doc]): [string, ComponentChildren, string] => (label === "Scopes" ? [s, <span class="mono">{s}</span>, doc] : [s, doc, s]));
  return <CheckList {...props} label={label} choices={choices} />;
}

/** What scopes allow, in a few words. */
const inShort: Record<Scope, string> = {
  "hulls:read": "see boats", "hulls:write": "change boats and see costs", "leads:read": "see leads and contacts", "leads:write": "change leads and send messages",
  "deals:read": "see deals", "deals:write": "change deals", webhooks: "manage webhooks", admin: "administer the dealership",
};

/** Scopes in a table, in words. */
export function ScopeText({ of }: { of: string[] }) {
  const all = of.length === Object.keys(scopes).length;
  const text = of.map((s) => inShort[s as Scope] ?? s).join(", ");
  return <span class="sub" title={of.join(", ")}>{all ? "Everything" : text ? text[0]!.toUpperCase() + text.slice(1) : "Nothing"}</span>;
}

interface RowColumn {
  name: string;
  label: string;
  /** A select instead of a text. */
  choices?: Array<[string, string]>;
  /** Reads a number. */
  parse?: Parse;
}

export type FormRow = Record<string, string>;

/** A small table of inputs. The value is JSON: an array of objects with texts. */
export function RowsField<V extends Values>(props: FieldProps<V> & { columns: RowColumn[]; add: string }) {
  const { form, name, label, hint, columns } = props;
  const rows = toRows(form.values[name]);
  const error = form.errors[name];
  useLayoutEffect(() => {
    form.fields.set(name, { label, required: false, parse: (text) => parseRows(text, columns) });
    return () => void form.fields.delete(name);
  }, [name, label]);
  const set = (next: FormRow[]) => form.set(name, JSON.stringify(next));
  const change = (at: number, column: RowColumn, value: string) =>
    set(rows.map((r, i) => (i === at ? { ...r, [column.name]: value } : r)));
  const empty = Object.fromEntries(columns.map((c) => [c.name, c.choices?.[0]?.[0] ?? ""]));
  return (
    <fieldset class="rows-field">
      <legend>{label}</legend>
      {hint && <p class="field-hint">{hint}</p>}
      {rows.map((row, i) => (
        <div key={i} class="form-row">
          {columns.map((c) => (
            <label key={c.name} class="field">
              {c.label}
              {c.choices ? (
                <select value={row[c.name]} onChange={(e) => change(i, c, e.currentTarget.value)}>{c.choices.map(([v, t]) => <option key={v} value={v}>{t}</option>)}</select>
              ) : (
                <input
                  value={row[c.name]} inputMode={c.parse ? "decimal" : undefined} aria-invalid={!!error && !!c.parse?.(row[c.name] ?? "").error}
                  onInput={(e) => change(i, c, e.currentTarget.value)} onBlur={() => form.check(name)}
                />
              )}
            </label>
          ))}
          <IconButton icon="trash" label={`Remove row ${i + 1}`} onClick={() => set(rows.filter((_, at) => at !== i))} />
        </div>
      ))}
      {error && <p class="field-error" role="alert">{error}</p>}
      <div><Button small icon="plus" onClick={() => set([...rows, empty])}>{props.add}</Button></div>
    </fieldset>
  );
}

/** Reads the numbers of all rows. */
function parseRows(text: string, columns: RowColumn[]): Parsed {
  const rows = toRows(text);
  for (const [i, row] of rows.entries()) {
    for (const c of columns) {
      const parsed = c.parse?.(row[c.name] ?? "");
      if (parsed?.error !== undefined) return { error: `has a mistake in row ${i + 1}: ${c.label} ${parsed.error}` };
      if (parsed) row[c.name] = parsed.value;
    }
  }
  return { value: text ? JSON.stringify(rows) : "" };
}

/** The rows of a RowsField. */
export function toRows(text: string | undefined): FormRow[] {
  return JSON.parse(text || "[]") as FormRow[];
}
