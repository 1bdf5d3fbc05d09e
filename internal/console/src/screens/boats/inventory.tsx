// Inventory: numbers, filters, the table of boats, and the boat that is selected.
import { useState } from "preact/hooks";
import { api, type HullCondition, type HullStatus, type PreviewHull, type PreviewHullSort, type PreviewInventoryReport } from "../../api.ts";
import { money, number, shortMoney, usd } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { useList, type LoadList } from "../../load.ts";
import { parseMoney, parseNumber, type Parse } from "../../numbers.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { StackedBar } from "../../parts/chart.tsx";
import { ChoiceChip, InputChip } from "../../parts/chip.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Page, Sheet } from "../../parts/layout.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Photo } from "../../parts/photo.tsx";
import { Age, Status, ageColor } from "../../parts/status.tsx";
import { NoRows, Table, type Column } from "../../parts/table.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { href, navigate, setQuery, usePlace, withQuery } from "../../router.ts";
import { can } from "../../session.ts";
import { useActions } from "../../shell/actions.ts";
import { options, word } from "../../words.ts";
import { whyNoHold } from "./actions.tsx";
import { Views, chosenColumns } from "../views.tsx";
import { AddBoat } from "./form.tsx";
import { BoatPeek } from "./peek.tsx";
import { SelectedBoats } from "./selected.tsx";
import { boatName, statuses, useChannels, useInventoryReport, useLocations } from "./shared.ts";

const sorts: Array<[PreviewHullSort | "", string]> = [
  ["", "Newest first"],
  ["price", "Lowest price"],
  ["-price", "Highest price"],
  ["age", "Shortest in stock"],
  ["-age", "Longest in stock"],
  ["length", "Shortest boat"],
  ["-length", "Longest boat"],
  ["-year", "Newest model year"],
];

/** Names of the filters in the URL. They are those of the API. */
const filterNames = ["location_id", "make", "price_min", "price_max", "length_min", "length_max", "condition", "q"];

export function Inventory() {
  const { query } = usePlace();
  const value = (name: string) => query.get(name) ?? undefined;
  const filters = Object.fromEntries(["status", "sort", ...filterNames].filter((n) => query.get(n)).map((n) => [n, n.startsWith("price_") ? query.get(n)! + "00" : query.get(n)!])); // prices are in cents
  const boats = useList(["boats", filters], (page) => api.preview.hulls.list({ ...filters, ...page, expand: ["pricing"] }), ["hull"]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const peek = value("peek");
  const show = (id: string | undefined) => setQuery({ peek: id });
  const add = () => setQuery({ add: "yes" });

  useActions(can("hulls:write") ? [
    { title: "Add boat", icon: "plus", key: "C", run: add },
    { title: "Import boats", icon: "download", run: () => navigate(href("boats/import")) },
  ] : []);
  useKeys({
    c: can("hulls:write") ? add : undefined,
    e: peek && can("hulls:write") ? () => navigate(href(`boats/${peek}`, { edit: "yes" })) : undefined,
    Escape: selected.size > 0 ? () => setSelected(new Set()) : undefined,
  });
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  const clear = () => navigate(href("boats"));

  return (
    <Sheet {...(peek && { kind: "with-peek" })}>
      <Page title="Inventory" actions={can("hulls:write") && <Actions onAdd={add} />}>
        <Stock />
        <StatusTabs />
        <Filters value={value} />
        <Table
          label="Boats"
          list={boats}
          columns={chosenColumns(useColumns(), query)}
          current={peek}
          name={boatName}
          onMove={(boat) => show(boat.id)}
          onOpen={(boat) => navigate(href(`boats/${boat.id}`))}
          {...(!whyNoHold() && { selection: { ids: selected, toggle } })}
          empty={<NoRows filtered={Object.keys(filters).length > 0} text="No boats yet." clear={clear} action={can("hulls:write") && <Actions onAdd={add} />} />}
        />
        {selected.size > 0
          ? <SelectedBoats boats={boats.data?.filter((b) => selected.has(b.id)) ?? []} onDone={() => setSelected(new Set())} />
          : <Pager boats={boats} />}
      </Page>
      {peek && <BoatPeek key={peek} id={peek} onClose={() => show(undefined)} />}
      {value("add") && <AddBoat onClose={() => setQuery({ add: undefined })} />}
    </Sheet>
  );
}

function Actions({ onAdd }: { onAdd: () => void }) {
  return (
    <div class="acts">
      <ButtonLink icon="download" href={href("boats/import")}>Import</ButtonLink>
      <Button kind="primary" icon="plus" onClick={onAdd}>Add boat</Button>
    </div>
  );
}

/** What is in stock, and for how long. */
function Stock() {
  const { data } = useInventoryReport();
  return <div class="stock">{data && <StockFacts report={data} />}</div>;
}

function StockFacts({ report }: { report: PreviewInventoryReport }) {
  const points = report.buckets.map((b) => ({
    label: b.max_days === null ? `${b.min_days - 1}+` : `${b.min_days}–${b.max_days}`,
    value: b.hulls,
    color: ageColor(b.min_days),
  }));
  return (
    <>
      <dl class="fact"><dt>In stock</dt><dd>{number(report.total.hulls)}<small>boats</small></dd></dl>
      <dl class="fact"><dt>Asking value</dt><dd>{shortMoney(report.total.price)}</dd></dl>
      <dl class="fact"><dt>Median age</dt><dd>{report.median_days ?? "—"}<small>days</small></dd></dl>
      <StackedBar label="Boats in stock by days" points={points} />
    </>
  );
}

function StatusTabs() {
  const { query } = usePlace();
  const { data } = useInventoryReport();
  const current = query.get("status") ?? "";
  const counts = new Map(data?.counts.map((c) => [c.status as string, c.hulls]));
  const total = data?.counts.filter((c) => c.status !== "archived").reduce((sum, c) => sum + c.hulls, 0);
  const tab = (status: HullStatus | "") => ({
    title: status ? word(status) : "All",
    href: withQuery({ status, peek: undefined }),
    current: status === current,
    count: status ? counts.get(status) : total,
  });
  return <Tabs label="Status" tabs={["" as const, ...statuses].map(tab)} />;
}

function Filters({ value }: { value: (name: string) => string | undefined }) {
  const locations = useLocations();
  const clear = (...names: string[]) => () => setQuery(Object.fromEntries(names.map((n) => [n, undefined])));
  const range = (name: string, format: (n: number) => string) => {
    const [min, max] = [value(name + "_min"), value(name + "_max")];
    if (min && max) return `${format(Number(min))} to ${format(Number(max))}`;
    if (min) return `from ${format(Number(min))}`;
    return max ? `up to ${format(Number(max))}` : undefined;
  };
  const rangeFields = (name: string, unit: string, parse: Parse) => [
    { name: name + "_min", label: `At least (${unit})`, value: value(name + "_min") ?? "", parse },
    { name: name + "_max", label: `At most (${unit})`, value: value(name + "_max") ?? "", parse },
  ];
  const location = value("location_id");
  const condition = value("condition") as HullCondition | undefined;
  const sort = value("sort") ?? "";
  return (
    <div class="filters" role="group" aria-label="Filters">
      <Views screen="boats" names={["status", "sort", ...filterNames]} columns={columnTitles} />
      <ChoiceChip
        label="Location" value={location && (locations.get(location)?.name ?? location)} current={location}
        choices={[...locations.values()].map((l) => [l.id, l.name])}
        onChoose={(id) => setQuery({ location_id: id })} onClear={clear("location_id")}
      />
      <InputChip
        label="Make" value={value("make")} fields={[{ name: "make", label: "Make", value: value("make") ?? "" }]}
        onApply={setQuery} onClear={clear("make")}
      />
      <InputChip label="Price" value={range("price", usd)} fields={rangeFields("price", "$", (text) => parseMoney(text))} onApply={setQuery} onClear={clear("price_min", "price_max")} />
      <InputChip
        label="Length" value={range("length", (n) => `${n} ft`)} fields={rangeFields("length", "ft", (text) => parseNumber(text, "ft"))}
        onApply={setQuery} onClear={clear("length_min", "length_max")}
      />
      <ChoiceChip
        label="Condition" value={condition && word(condition)} current={condition} choices={options(["new", "used", "demo"])}
        onChoose={(c) => setQuery({ condition: c })} onClear={clear("condition")}
      />
      {value("q") && <button type="button" class="chip on" onClick={clear("q")}>Search: <b>{value("q")}</b><Icon name="close" /></button>}
      <span class="end">
        <Menu
          class="sort" align="end" button={<><span class="vh">Sort by </span>{sorts.find(([s]) => s === sort)?.[1] ?? "Newest first"}<Icon name="down" /></>}
          items={sorts.map(([s, title]) => ({ title, checked: s === sort, onClick: () => setQuery({ sort: s }) }))}
        />
      </span>
    </div>
  );
}

const columnTitles = ["Boat", "Status", "Location", "Listed", "In stock", "Price"];

function useColumns(): Array<Column<PreviewHull>> {
  const locations = useLocations();
  return [
    { title: "Boat", wide: true, phone: "main", cell: (b) => <BoatCell boat={b} /> },
    { title: "Status", phone: "bottom", cell: (b) => <Status value={b.status} /> },
    { title: "Location", cell: (b) => <span class="sub">{locations.get(b.location_id)?.name}</span> },
    { title: "Listed", cell: (b) => <ListedOn boat={b} /> },
    { title: "In stock", align: "right", cell: (b) => <Age days={b.days_in_stock} /> },
    { title: "Price", align: "right", phone: "top", cell: (b) => <Price boat={b} /> },
  ];
}

function BoatCell({ boat }: { boat: PreviewHull }) {
  return (
    <div class="boat">
      <Photo boat={boat} />
      <div class="t">
        <b><a href={withQuery({ peek: boat.id })}>{boatName(boat)}</a></b>
        <small>{boat.stock_number && <><span class="mono">{boat.stock_number}</span> · </>}{word(boat.condition)} · {Math.round(boat.length_ft)} ft</small>
      </div>
    </div>
  );
}

function Price({ boat }: { boat: PreviewHull }) {
  const first = boat.pricing?.original_price;
  return (
    <span class="price num">
      <b>{money(boat.price)}</b>
      {first && first.amount > boat.price.amount && <small><s>{money(first)}</s></small>}
    </span>
  );
}

/** Up to three channels. A channel that doesn't list the boat is crossed out. */
function ListedOn({ boat }: { boat: PreviewHull }) {
  const channels = useChannels().slice(0, 3);
  return (
    <span class="marks">
      {channels.map((c) => {
        const on = boat.published_channels.includes(c.id);
        const initials = c.name.split(/\s+/).map((w) => w[0]).join("").slice(0, 2).toUpperCase();
        return (
          <span key={c.id} class={on ? "mark-ch" : "mark-ch off"} title={on ? `Listed on ${c.name}` : `Not listed on ${c.name}`}>
            {c.kind === "website" ? <Icon name="globe" /> : initials}
            <span class="vh">{on ? "listed" : "not listed"}</span>
          </span>
        );
      })}
    </span>
  );
}

function Pager({ boats }: { boats: LoadList<PreviewHull> }) {
  if (!boats.data?.length) return null;
  return (
    <div class="pager">
      Showing {number(boats.data.length)}{boats.hasMore && ". Scroll for more"}
      <span class="keys">
        <span><kbd>J</kbd><kbd>K</kbd> move</span><span><kbd>↵</kbd> open</span>{can("hulls:write") && <span><kbd>E</kbd> edit</span>}<span><kbd>?</kbd> all shortcuts</span>
      </span>
    </div>
  );
}
