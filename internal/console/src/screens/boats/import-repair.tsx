// Rows of a file that can't be imported yet, in a grid. A cell is checked when the user leaves it.
import { useRef } from "preact/hooks";
import { type PreviewHullImportRepair, type PreviewHullImportRow, type PreviewHullImportRows } from "../../api.ts";
import { download } from "../../csv.ts";
import { count, number } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import { toastError } from "../../parts/toast.tsx";
import { Verdict } from "../../parts/verdict.tsx";
import { word } from "../../words.ts";
import { fieldName } from "./import-columns.tsx";
import type { Imported, Subject } from "./import-subject.ts";

/** What a row was before a change, for undo. */
interface Before { row: number; cells: string[]; fields: Record<string, string> }

/** A column of the grid. at is its place in the file, or -1 for a field that has no column. */
interface Shown { field: string; at: number; name: string }

const amounts = new Set(["price_usd", "msrp_usd", "invoice_usd", "freight_usd", "rigging_usd", "pack_usd", "reconditioning_usd"]);
const noHin = ["pre_1972", "not_yet_assigned", "homebuilt_pending"];

export function Repair(props: { of: Imported; about: Subject; next?: { title: string; go: () => void } | undefined; rows: PreviewHullImportRows; onChange: (rows: PreviewHullImportRows) => void; busy: boolean; onStart: () => void; onColumns: () => void }) {
  const { of: i, about } = props;
  const { rows } = props.rows;
  const counts = props.rows;
  const latest = useRef(props.rows);
  latest.current = props.rows; // a cell can be saved while another one is
  const grid = useRef<HTMLTableElement>(null);
  const undo = useRef<Before[]>([]);
  const broken = useRef(new Set<string>()); // columns that had errors stay
  for (const e of rows.flatMap((r) => r.errors)) broken.current.add(e.field);
  const original = useRef(new Map(props.rows.rows.map((r) => [r.row, r.cells])));
  const columns = shown(props.rows, broken.current, about);
  const toRepair = rows.reduce((sum, r) => sum + r.errors.length, 0);

  const save = async (was: PreviewHullImportRow, change: { cells: string[]; fields: Record<string, string> }, remember = true) => {
    if (remember) undo.current.push({ row: was.row, cells: was.cells, fields: was.fields });
    const now = await about.repair(i.id, was.row, change);
    const all = latest.current;
    const step = Number(was.errors.length > 0) - Number(now.errors.length > 0);
    props.onChange({ ...all, ready: all.ready + step, broken: all.broken - step, rows: all.rows.map((r) => (r.row === now.row ? now : r)) });
  };
  const set = (row: PreviewHullImportRow, column: Shown, text: string) => {
    if (textOf(row, column) === text) return;
    const cells = column.at < 0 ? row.cells : row.cells.map((c, n) => (n === column.at ? text : c));
    const fields = column.at < 0 ? { ...row.fields, [column.field]: text } : row.fields;
    void save(row, { cells, fields }).catch(toastError);
  };
  const keys = (event: KeyboardEvent) => {
    const input = event.target as HTMLElement;
    const mod = event.metaKey || event.ctrlKey;
    if (event.key === "Tab") {
      const all = [...grid.current!.querySelectorAll<HTMLElement>("td.bad input, td.bad select")];
      const next = event.shiftKey ? all.reverse().find((x) => follows(input, x)) : all.find((x) => follows(x, input));
      if (next) (event.preventDefault(), next.focus());
    } else if (event.key === "Enter" && mod) {
      event.preventDefault();
      input.closest("td")?.querySelector<HTMLButtonElement>(".btn")?.click();
    } else if (event.key === "Enter") {
      input.blur();
    } else if (event.key.toLowerCase() === "z" && mod && undo.current.length > 0 && !isDirty(input)) {
      event.preventDefault();
      const last = undo.current.pop()!;
      const row = rows.find((r) => r.row === last.row);
      if (row) void save(row, { cells: last.cells, fields: last.fields }, false).catch(toastError);
    }
  };

  return (
    <>
      {toRepair > 0
        ? <Verdict answer="wait" icon="edit" title={`${count(toRepair, "field")} to repair.`}>Type in the cell. It is checked when you leave it, and the file on your computer stays as it is. {count(counts.ready, "row is", "rows are")} ready.</Verdict>
        : <Verdict answer="yes" title={i.failed === 0 && rows.length === 0 ? "Nothing to repair." : "All rows are repaired."}>{count(counts.ready, "row is", "rows are")} ready. Nothing is saved yet.</Verdict>}
      {rows.length > 0 && (
        <div class="scroll-x" tabIndex={0} role="region" aria-label="Rows to repair">
          <table class="gridf" ref={grid} onKeyDown={keys}>
            <thead><tr><th scope="col">Row</th>{columns.map((c) => <th key={c.name} scope="col">{c.name}</th>)}</tr></thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.row}>
                  <td><b>{row.row}</b><em>{titleOf(row, columns, about)}</em></td>
                  {columns.map((c) => (
                    <Cell key={c.name} row={row} column={c} was={original.current.get(row.row)?.[c.at]} onSet={(text) => set(row, c, text)}
                      onReason={(reason) => void save(row, { cells: c.at < 0 ? row.cells : row.cells.map((x, n) => (n === c.at ? "" : x)), fields: { ...row.fields, hin_absent_reason: reason } }).catch(toastError)} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {counts.broken > rows.filter((r) => r.errors.length > 0).length && <p class="muted part">And {number(counts.broken - rows.filter((r) => r.errors.length > 0).length)} more rows. Correct them in your file if there are many.</p>}
      <div class="bar">
        <span class="keys"><kbd>Tab</kbd> next cell to repair · <kbd>Ctrl Z</kbd> undo · <kbd>Ctrl Enter</kbd> use the suggestion</span>
        <span class="end">
          <Button onClick={props.onColumns}>Columns</Button>
          {counts.broken > 0 && <Button onClick={() => void downloadRows(about, i.id)}>Download these rows</Button>}
          <Button kind="primary" busy={props.busy} {...(counts.ready === 0 && { why: "No row can be imported yet" })} onClick={props.next?.go ?? props.onStart}>
            {props.next ? props.next.title : `Import ${count(counts.ready, "row")}${counts.broken > 0 ? `, skip ${number(counts.broken)}` : ""}`}
          </Button>
        </span>
      </div>
    </>
  );
}

async function downloadRows(about: Subject, id: string): Promise<void> {
  await about.errors(id).then(async (r) => download("rejected-rows.csv", await r.blob())).catch(toastError);
}

function Cell(props: { row: PreviewHullImportRow; column: Shown; was: string | undefined; onSet: (text: string) => void; onReason: (reason: string) => void }) {
  const { row, column } = props;
  const text = textOf(row, column);
  const error = row.errors.find((e) => e.field === column.field);
  const reason = column.field === "hin" && row.fields.hin_absent_reason;
  const changed = row.repaired && (reason || (props.was !== undefined && props.was !== text) || (column.at < 0 && text !== ""));
  const label = `Row ${row.row} ${column.name}`;
  const askReason = column.field === "hin" && error;
  return (
    <td class={error ? "bad" : changed ? "fixed" : ""} data-label={column.name}>
      <input
        key={text} defaultValue={text} aria-label={label} aria-invalid={!!error} data-was={text} autocomplete="off"
        onBlur={(e) => props.onSet(e.currentTarget.value.trim())}
      />
      {error && <small>{sentence(error, text)}</small>}
      {error?.suggestion && <Button small onClick={() => props.onSet(error.suggestion!)}>Use {error.suggestion}</Button>}
      {askReason && (
        <select aria-label={`Row ${row.row}: why there is no HIN`} value="" onChange={(e) => props.onReason(e.currentTarget.value)}>
          <option value="">No HIN because</option>
          {noHin.map((r) => <option key={r} value={r}>{word(r)}</option>)}
        </select>
      )}
      {!error && changed && <small>{reason ? `No HIN: ${word(reason).toLowerCase()}` : props.was ? `was “${props.was}”` : "was empty"}</small>}
    </td>
  );
}

/** What is wrong with a cell, in words. */
function sentence(e: PreviewHullImportRepair, text: string): string {
  const name = fieldName(e.field);
  if (e.field === "row") return `The row ${e.message}.`;
  if (e.field === "year" && text !== "" && !/^\d{4}$/.test(text)) return "A year has four digits.";
  if (e.field === "hin" && text !== "" && e.code !== "duplicate") return `A HIN has 12 characters; this has ${[...text].length}. Leave it empty and say why.`;
  if (e.field === "hin" && text === "") return "A boat in stock needs a HIN, or a reason why it has none.";
  if (e.code === "duplicate") return `Same ${name} as ${e.message.replace("is already used by ", "")}. One boat twice?`;
  if (e.field === "location_id") return text === "" ? "No location." : "No such location.";
  if (amounts.has(e.field) && e.code === "type") return "Not an amount. Type it, such as 149,900.";
  if (e.code === "required") return `${name} is missing.`;
  return `${name} ${e.message}.`;
}

function textOf(row: PreviewHullImportRow, column: Shown): string {
  return (column.at < 0 ? row.fields[column.field] : row.cells[column.at]) ?? "";
}

/** The columns with errors, and the ones that say what the row is. */
function shown(all: PreviewHullImportRows, broken: Set<string>, { always }: Subject): Shown[] {
  const wanted = [...always, ...[...broken].filter((f) => !always.includes(f) && f !== "row" && f !== "hin_absent_reason")];
  return wanted.flatMap((field) => {
    const at = all.fields.indexOf(field);
    return at >= 0 || broken.has(field) ? [{ field, at, name: fieldName(field) }] : [];
  });
}

function titleOf(row: PreviewHullImportRow, columns: Shown[], about: Subject): string {
  return about.name.map((f) => columns.find((c) => c.field === f)).map((c) => (c ? textOf(row, c) : "")).filter(Boolean).join(" ");
}

/** Whether a comes after b in the document. */
function follows(a: Node, b: Node): boolean {
  return !!(b.compareDocumentPosition(a) & Node.DOCUMENT_POSITION_FOLLOWING);
}

/** Whether an input has text that isn't checked yet. The browser undoes it. */
function isDirty(input: HTMLElement): boolean {
  return input instanceof HTMLInputElement && input.value !== (input.dataset.was ?? "");
}
