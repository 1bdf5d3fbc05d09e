// Saved views: filters, sort and columns of a list under a name, mine or for everyone.
import { api, type PreviewSavedView, type PreviewViewScreen } from "../api.ts";
import { changed, useLoad } from "../load.ts";
import { confirm } from "../parts/dialog.tsx";
import { CheckField, TextField } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import type { Column } from "../parts/table.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { href, navigate, usePlace, type Query } from "../router.ts";
import { CheckList, split } from "./choices.tsx";
import { openForm } from "./dialogs.tsx";

/** in_stock, from In stock. */
function keyOf(column: { title: string }): string {
  return column.title.toLowerCase().replaceAll(" ", "_");
}

/** The columns that the URL names, in the usual order. The first one always stays. */
export function chosenColumns<T>(columns: Array<Column<T>>, query: URLSearchParams): Array<Column<T>> {
  const names = split(query.get("columns") ?? "");
  return names.length === 0 ? columns : columns.filter((c, i) => i === 0 || names.includes(keyOf(c)));
}

interface ListOf {
  screen: PreviewViewScreen;
  /** The parameters of the URL that a view keeps. */
  names: string[];
  /** Titles of the columns, if they can be chosen. */
  columns?: string[];
}

/** The part of a query that a view keeps, always in the same order. */
function keep(query: URLSearchParams, names: string[]): string {
  const kept = new URLSearchParams();
  for (const name of names) if (query.get(name)) kept.set(name, query.get(name)!);
  return kept.toString();
}

/** Opens a view. A filter that the list doesn't have any more is left out. */
function urlOf(view: PreviewSavedView, names: string[]): string {
  const query: Query = Object.fromEntries(new URLSearchParams(keep(new URLSearchParams(view.query), names)));
  return href(view.screen, { ...query, ...(view.columns.length > 0 && { columns: view.columns.join(",") }) });
}

/** The menu of views above a list. */
export function Views(list: ListOf) {
  const { query } = usePlace();
  const views = useLoad(["views", list.screen], () => api.preview.dealership.listViews({ screen: list.screen, limit: 100 }), ["view"]);
  const all = views.data?.data ?? [];
  const now = keep(query, list.names);
  const columns = split(query.get("columns") ?? "").join(",");
  const current = all.find((v) => keep(new URLSearchParams(v.query), list.names) === now && v.columns.join(",") === columns);
  const title = (v: PreviewSavedView) => (v.shared ? v.name : `${v.name} (only you)`);
  return (
    <Menu
      class={current ? "chip on" : "chip"} label={current ? `View: ${current.name}` : "Views"} button={current ? <><Icon name="star" /><b>{current.name}</b></> : <><Icon name="star" />Views</>}
      items={[
        ...all.map((v) => ({ title: title(v), checked: v === current, href: urlOf(v, list.names) })),
        !current && { title: "Save this view", icon: "plus", onClick: () => void edit(list, { query: now, columns: split(columns) }) },
        current?.can_change && { title: "Change this view", icon: "edit", onClick: () => void edit(list, current, current) },
        current?.can_change && { title: "Delete this view", icon: "trash", onClick: () => void remove(current).catch(toastError) },
        current && { title: "Show all", icon: "close", href: href(list.screen) },
      ]}
    />
  );
}

/** Saves a new view, or changes one. */
async function edit(list: ListOf, shown: Pick<PreviewSavedView, "query" | "columns">, view?: PreviewSavedView): Promise<void> {
  const titles = list.columns ?? [];
  const keys = titles.map((t) => keyOf({ title: t }));
  const saved = await openForm({
    name: view ? "view " + view.id : "new view of " + list.screen, title: view ? `Change ${view.name}` : "Save this view", submit: view ? "Save" : "Save view",
    ...(view && { version: view.version }),
    values: { name: view?.name ?? "", shared: view?.shared ? "yes" : "", columns: (shown.columns.length > 0 ? shown.columns : keys).join(" ") },
    save: async (v, _, options) => {
      const chosen = split(v.columns);
      const body = { name: v.name, shared: v.shared === "yes", query: shown.query, columns: chosen.length === keys.length ? [] : keys.filter((k) => chosen.includes(k)) };
      const result = await (view ? api.preview.dealership.updateView(view.id, body, options) : api.preview.dealership.createView({ ...body, screen: list.screen }));
      changed("view");
      toast("View saved.");
      return result;
    },
    fields: (form) => (
      <>
        <TextField form={form} name="name" label="Name" required />
        <CheckField form={form} name="shared" label="For everyone" hint="Otherwise only you see it. Managers can change views for everyone." />
        {titles.length > 0 && <CheckList form={form} name="columns" label="Columns" choices={titles.map((t, i) => [keys[i]!, t])} />}
      </>
    ),
  });
  if (saved) navigate(urlOf(saved, list.names), { replace: true });
}

async function remove(view: PreviewSavedView): Promise<void> {
  if (!(await confirm({ title: `Delete the view ${view.name}?`, text: view.shared ? "Everyone loses it. The list stays." : "The list stays.", action: "Delete view", danger: true }))) return;
  await api.preview.dealership.deleteView(view.id);
  changed("view");
  toast("View deleted.");
}
