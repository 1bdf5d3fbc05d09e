// Deals: a board by status, or a table.
import { useState } from "preact/hooks";
import { api, type DealStatus, type DealType, type PreviewDeal } from "../../api.ts";
import { ago, cents, date, money, number, shortMoney } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { useList, type LoadList } from "../../load.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { ButtonLink } from "../../parts/button.tsx";
import { ChoiceChip } from "../../parts/chip.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Page, Sheet } from "../../parts/layout.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Photo } from "../../parts/photo.tsx";
import { Empty, ErrorNote, Skeleton } from "../../parts/state.tsx";
import { Status, Tag } from "../../parts/status.tsx";
import { End, NoRows, Table, type Column } from "../../parts/table.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { href, navigate, setQuery, usePlace, withQuery } from "../../router.ts";
import { can } from "../../session.ts";
import { usePipeline } from "../../shell/counts.ts";
import { useActions } from "../../shell/actions.ts";
import { word } from "../../words.ts";
import { useLocations } from "../boats/shared.ts";
import { useDirectory } from "../contacts/people.tsx";
import { Views, chosenColumns } from "../views.tsx";
import { MoveDialog } from "./actions.tsx";
import { buyerName, dealBoat, dealStatuses, dealTypeName, dealTypes, expansions } from "./shared.ts";

/** Filters in the URL. */
interface Filters {
  owner_id?: string;
  deal_type?: DealType;
  location_id?: string;
}

function useFilters(): Filters {
  const { query } = usePlace();
  return Object.fromEntries(["owner_id", "deal_type", "location_id"].filter((n) => query.get(n)).map((n) => [n, query.get(n)!]));
}

/** Deals in a status, or all. */
function useDeals(status: string | undefined, filters: Filters): LoadList<PreviewDeal> {
  const chosen = { ...filters, ...(status && { status: status as DealStatus }), expand: expansions() };
  return useList(["deals", status, filters], (page) => api.preview.deals.list({ ...chosen, ...page }), ["deal", "payment", "funding"]);
}

export function Deals() {
  const { query } = usePlace();
  const asTable = query.get("view") === "table";
  const add = () => navigate(href("deals/new"));
  const writes = can("deals:write");
  useKeys({ c: writes ? add : undefined });
  useActions(writes ? [{ title: "Start deal", icon: "plus", key: "C", run: add }] : []);
  const tabs = [
    { title: "Board", href: withQuery({ view: undefined, status: undefined, peek: undefined }), current: !asTable },
    { title: "Table", href: withQuery({ view: "table" }), current: asTable },
  ];
  return (
    <Sheet>
      <Page title="Deals" actions={writes && <ButtonLink kind="primary" icon="plus" href={href("deals/new")}>Start deal</ButtonLink>}>
        <Tabs label="View" tabs={tabs} />
        <FilterBar asTable={asTable} />
        {asTable ? <DealTable /> : <Board />}
      </Page>
    </Sheet>
  );
}

function FilterBar({ asTable }: { asTable: boolean }) {
  const { owner_id, deal_type, location_id } = useFilters();
  const status = usePlace().query.get("status") ?? undefined;
  const people = [...useDirectory().values()];
  const locations = useLocations();
  const chip = (name: string, label: string, current: string | undefined, choices: Array<[string, string]>) => (
    <ChoiceChip
      label={label} current={current} choices={choices} value={current && (choices.find(([value]) => value === current)?.[1] ?? current)}
      onChoose={(value) => setQuery({ [name]: value })} onClear={() => setQuery({ [name]: undefined })}
    />
  );
  return (
    <div class="filters" role="group" aria-label="Filters">
      {asTable && chip("status", "Status", status, [...dealStatuses, "cancelled"].map((s) => [s, word(s)]))}
      {chip("owner_id", "Owner", owner_id, people.map((p) => [p.id, p.name]))}
      {can("hulls:read") && chip("location_id", "Location", location_id, [...locations.values()].map((l) => [l.id, l.name]))}
      {chip("deal_type", "Type", deal_type, dealTypes)}
      <Views screen="deals" names={["view", "status", "owner_id", "location_id", "deal_type"]} {...(asTable && { columns: columns.map((c) => c.title) })} />
    </div>
  );
}

/** Deals that are not closed, in columns. Cards can be dragged to a later column, or moved with their menu. */
function Board() {
  const filters = useFilters();
  const { data } = usePipeline(filters.location_id);
  const [moving, setMoving] = useState<{ deal: PreviewDeal; to: DealStatus }>();
  const [dragged, setDragged] = useState<PreviewDeal>();
  const everyone = !filters.owner_id && !filters.deal_type;
  return (
    <div class="board">
      {dealStatuses.map((status) => (
        <BoardColumn
          key={status} status={status} filters={filters} dragged={dragged} onDrag={setDragged}
          stage={everyone ? data?.stages.find((s) => s.status === status) : undefined}
          onMove={(deal, to) => (setDragged(undefined), setMoving({ deal, to }))}
        />
      ))}
      {moving && <MoveDialog deal={moving.deal} to={moving.to} onClose={() => setMoving(undefined)} />}
    </div>
  );
}

interface ColumnProps {
  status: DealStatus;
  filters: Filters;
  /** Number and total of the deals, if the report has them. */
  stage: { deals: number; price: PreviewDeal["offer"] } | undefined;
  dragged: PreviewDeal | undefined;
  onDrag: (deal: PreviewDeal | undefined) => void;
  onMove: (deal: PreviewDeal, to: DealStatus) => void;
}

function isLater(status: DealStatus, than: DealStatus): boolean {
  const order: readonly string[] = dealStatuses;
  return order.indexOf(status) > order.indexOf(than);
}

function BoardColumn({ status, filters, stage, dragged, onDrag, onMove }: ColumnProps) {
  const deals = useDeals(status, filters);
  const [over, setOver] = useState(false);
  const accepts = !!dragged && isLater(status, dragged.status);
  const count = stage?.deals ?? (deals.hasMore ? undefined : deals.data?.length);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (accepts) onMove(dragged, status);
  };
  return (
    <section
      class={accepts ? (over ? "column over" : "column accepts") : "column"} aria-label={word(status)} data-status={status}
      onDragOver={(e) => accepts && (e.preventDefault(), setOver(true))} onDragLeave={() => setOver(false)} onDrop={drop}
    >
      <h2>{word(status)}{count !== undefined && <span>{number(count)}{stage && stage.deals > 0 && ` · ${shortMoney(stage.price)}`}</span>}</h2>
      <div class="cards">
        {deals.error && <ErrorNote error={deals.error} retry={deals.reload} />}
        {!deals.data && !deals.error && <Skeleton rows={2} />}
        {deals.data?.map((deal) => <Card key={deal.id} deal={deal} onDrag={onDrag} onMove={onMove} />)}
        <End list={deals} />
      </div>
    </section>
  );
}

function Card({ deal, onDrag, onMove }: { deal: PreviewDeal } & Pick<ColumnProps, "onDrag" | "onMove">) {
  const later = dealStatuses.filter((status) => isLater(status, deal.status));
  const draggable = can("deals:write") && later.length > 0;
  const { paid, balance_due } = deal.totals;
  return (
    <article class="card" draggable={draggable} onDragStart={() => onDrag(deal)} onDragEnd={() => onDrag(undefined)}>
      <b><a href={href(`deals/${deal.id}`)} draggable={false}>{dealBoat(deal)}</a></b>
      {draggable && (
        <Menu
          class="btn quiet square" label={`Move ${dealBoat(deal)} to…`} align="end" button={<Icon name="more" />}
          items={later.map((to) => ({ title: `Move to ${word(to)}`, onClick: () => onMove(deal, to) }))}
        />
      )}
      <span class="card-row card-who">
        {buyerName(deal)}<small>{ago(deal.updated_at)}</small>
        {deal.owner && <span title={deal.owner.name}><Avatar name={deal.owner.name} /><span class="vh">{deal.owner.name}</span></span>}
      </span>
      <span class="card-row"><b class="num">{money(deal.totals.price)}</b><small>{paid.amount > 0 && balance_due.amount > 0 ? `${money(balance_due)} due` : dealTypeName(deal.deal_type)}</small></span>
      {(deal.deal_type === "finance" || deal.warnings.length > 0) && (
        <span class="card-row">
          {deal.deal_type === "finance" && <Status value={deal.funding_state} />}
          {deal.warnings.map((w) => <Tag key={w.code} tone="amber">{word(w.code)}</Tag>)}
        </span>
      )}
    </article>
  );
}

function DealTable() {
  const { query } = usePlace();
  const status = query.get("status") ?? undefined;
  const filters = useFilters();
  const deals = useDeals(status, filters);
  const filtered = !!status || Object.keys(filters).length > 0;
  const start = can("deals:write") && <ButtonLink kind="primary" icon="plus" href={href("deals/new")}>Start deal</ButtonLink>;
  return (
    <Table
      label="Deals" list={deals} columns={chosenColumns(columns, query)} current={query.get("peek") ?? undefined} name={dealBoat}
      onMove={(deal) => setQuery({ peek: deal.id })} onOpen={(deal) => navigate(href(`deals/${deal.id}`))}
      empty={filtered ? <NoRows filtered text="" clear={() => navigate(href("deals", { view: "table" }))} /> : <Empty text="No deals yet." action={start} />}
    />
  );
}

const columns: Array<Column<PreviewDeal>> = [
  {
    title: "Deal", wide: true, phone: "main",
    cell: (d) => (
      <div class="boat">
        {d.hull && <Photo boat={d.hull} />}
        <div class="t"><b><a href={href(`deals/${d.id}`)}>{dealBoat(d)}</a></b><small>{buyerName(d)} · <span class="mono">{d.number}</span></small></div>
      </div>
    ),
  },
  { title: "Status", phone: "bottom", cell: (d) => <Status value={d.status} /> },
  { title: "Type", cell: (d) => <span class="sub">{dealTypeName(d.deal_type)}</span> },
  { title: "Lender", cell: (d) => d.deal_type === "finance" && <Status value={d.funding_state} /> },
  { title: "Owner", cell: (d) => <span class="sub">{d.owner?.name}</span> },
  { title: "Started", cell: (d) => <span class="sub">{date(d.created_at)}</span> },
  { title: "Due", align: "right", cell: (d) => <span class="num">{d.totals.balance_due.amount > 0 && cents(d.totals.balance_due.amount)}</span> },
  { title: "Total", align: "right", phone: "top", cell: (d) => <b class="num">{cents(d.totals.total.amount)}</b> },
];
