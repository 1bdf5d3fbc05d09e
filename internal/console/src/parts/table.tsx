// A table with a current row, selected rows and the keys J, K, Enter and X. It loads more rows when it is scrolled to
// its end. On a phone each row is a card.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { number } from "../format.ts";
import { useKeys } from "../keys.ts";
import type { LoadList } from "../load.ts";
import { Empty, ErrorNote, Skeleton } from "./state.tsx";

export interface Column<T> {
  title: string;
  cell: (row: T) => ComponentChildren;
  align?: "right";
  /** Where the cell is on the card of a phone. Cells without a place are hidden there. */
  phone?: "main" | "top" | "bottom";
  /** Takes the space that is left. */
  wide?: boolean;
}

interface Row {
  id: string;
  version?: number;
}

export interface Selection {
  ids: ReadonlySet<string>;
  toggle: (id: string) => void;
}

interface TableProps<T extends Row> {
  label: string;
  list: LoadList<T>;
  columns: Array<Column<T>>;
  /** ID of the row that is shown next to the table. */
  current?: string | undefined;
  /** Called with J and K, or when a row is clicked. */
  onMove?: (row: T) => void;
  /** Called with Enter. */
  onOpen?: (row: T) => void;
  selection?: Selection;
  /** Name of a row, for screen readers. */
  name?: (row: T) => string;
  /** What to show if there are no rows. */
  empty: ComponentChildren;
}

export function Table<T extends Row>(props: TableProps<T>) {
  const { list, columns } = props;
  const rows = list.data ?? [];
  const at = rows.findIndex((row) => row.id === props.current);
  const current = rows[at];
  const move = (to: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
    if (row) props.onMove?.(row);
  };
  useKeys({
    j: () => move(at + 1),
    k: () => move(Math.max(0, at - 1)),
    Enter: current && props.onOpen && (() => props.onOpen!(current)),
    x: current && props.selection && (() => props.selection!.toggle(current.id)),
  });

  if (!list.data) return list.error ? <ErrorNote error={list.error} retry={list.reload} /> : <Skeleton rows={10} />;
  return (
    <div class="scroll" role="region" aria-label={props.label} tabIndex={0}>
      {list.error && <ErrorNote error={list.error} retry={list.reload} />}
      {rows.length === 0 ? props.empty : (
        <table class={props.selection ? "selectable" : ""} aria-label={props.label}>
          <thead><tr>{columns.map((c) => <th key={c.title} class={cellClass(c)} scope="col">{c.title || <span class="vh">Actions</span>}</th>)}</tr></thead>
          <tbody>
            {rows.map((row) => <TableRow key={row.id} {...props} row={row} />)}
          </tbody>
        </table>
      )}
      <End list={list} />
    </div>
  );
}

function TableRow<T extends Row>(props: TableProps<T> & { row: T }) {
  const { row, columns, current, selection, onMove } = props;
  const ref = useRef<HTMLTableRowElement>(null);
  const isCurrent = row.id === current;
  const isSelected = selection?.ids.has(row.id) ?? false;
  useEffect(() => {
    if (isCurrent) ref.current?.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);
  useFlash(ref, row.version);

  const onClick = (event: MouseEvent) => {
    if ((event.target as Element).closest("a, button, input, label")) return;
    onMove?.(row);
  };
  return (
    <tr ref={ref} class={isSelected ? "selected" : ""} aria-selected={isCurrent || isSelected} onClick={onClick}>
      {columns.map((c, i) => (
        <td key={c.title} class={cellClass(c)}>
          {i === 0 && selection && (
            <label class="pick">
              <input type="checkbox" checked={isSelected} onChange={() => selection.toggle(row.id)} />
              <span class="vh">Select {props.name?.(row)}</span>
            </label>
          )}
          {c.cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** Highlights an element for a second when the version of its object changes. */
function useFlash(ref: { current: HTMLElement | null }, version: number | undefined): void {
  const last = useRef(version);
  useEffect(() => {
    if (last.current === version) return;
    last.current = version;
    ref.current?.classList.add("changed");
    const timer = setTimeout(() => ref.current?.classList.remove("changed"), 1000);
    return () => clearTimeout(timer);
  }, [version]);
}

function cellClass<T>(column: Column<T>): string {
  return [column.align === "right" && "r", column.wide && "wide", "phone-" + (column.phone ?? "hidden")].filter(Boolean).join(" ");
}

/** How many rows a list loads automatically. A browser gets slow with thousands of rows, and no one reads them. */
const enough = 500;

/** Loads the next page when it becomes visible. */
export function End<T>({ list }: { list: LoadList<T> }) {
  const ref = useRef<HTMLDivElement>(null);
  const more = useRef(list.more);
  more.current = list.more;
  const rows = list.data?.length ?? 0;
  const isLong = rows >= enough;
  useEffect(() => {
    if (!list.hasMore || isLong || list.loading) return;
    const observer = new IntersectionObserver((seen) => seen.some((s) => s.isIntersecting) && more.current(), { rootMargin: "400px" });
    observer.observe(ref.current!);
    return () => observer.disconnect();
  }, [list.hasMore, rows, list.loading]); // a list that is loading doesn't load more
  return (
    <div ref={ref} class="table-end">
      {list.hasMore && (isLong
        ? <>These are the first {number(rows)}. Search or filter to find others. <button type="button" class="link" onClick={list.more}>Show more</button></>
        : "Loading more")}
    </div>
  );
}

/** Text for a table without rows. With filters, the user can remove them. */
export function NoRows({ filtered, text, clear, action }: { filtered: boolean; text: string; clear: () => void; action?: ComponentChildren }) {
  if (!filtered) return <Empty text={text} action={action} />;
  return <Empty text="Nothing matches these filters." action={<button type="button" class="btn" onClick={clear}>Clear filters</button>} />;
}
