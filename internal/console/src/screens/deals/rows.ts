// Forms with a list of rows, such as line items. The fields of a row are line_items[0].kind, as in the errors of the API.
import type { FormState, Values } from "../../form.tsx";

/** Returns the values of the rows for a form. */
export function toRows(name: string, rows: Values[]): Values {
  return Object.fromEntries(rows.flatMap((row, i) => Object.entries(row).map(([field, value]) => [`${name}[${i}].${field}`, value])));
}

/** Returns the rows of a form. A row is there for as long as its first field has a value. */
export function fromRows(name: string, fields: readonly string[], values: Values): Values[] {
  const rows: Values[] = [];
  while (values[`${name}[${rows.length}].${fields[0]}`]) {
    const at = `${name}[${rows.length}].`;
    rows.push(Object.fromEntries(fields.map((field) => [field, values[at + field] ?? ""])));
  }
  return rows;
}

function put(form: FormState<Values>, name: string, i: number, row: Values): void {
  for (const [field, value] of Object.entries(row)) form.set(`${name}[${i}].${field}`, value);
}

/** Adds and removes rows of a form. */
export function rowsOf(form: FormState<Values>, name: string, fields: readonly string[]) {
  const rows = fromRows(name, fields, form.values);
  const empty = Object.fromEntries(fields.map((field) => [field, ""]));
  return {
    count: rows.length,
    add: (row: Values) => put(form, name, rows.length, { ...empty, ...row }),
    remove: (i: number) => [...rows.slice(i + 1), empty].forEach((row, n) => put(form, name, i + n, row)),
  };
}
