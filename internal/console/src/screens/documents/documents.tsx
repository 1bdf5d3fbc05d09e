// Documents of all deals: which wait for whom.
import { api, type Document, type DocumentKind, type DocumentStatus as ApiStatus, type ListParams, type Page as ApiPage } from "../../api.ts";
import { when } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { useList, type LoadList } from "../../load.ts";
import { ChoiceChip } from "../../parts/chip.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Page, Sheet } from "../../parts/layout.tsx";
import { NoRows, Table, type Column } from "../../parts/table.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { href, navigate, setQuery, usePlace, withQuery } from "../../router.ts";
import { can } from "../../session.ts";
import { options, word } from "../../words.ts";
import { useLocations } from "../boats/shared.ts";
import { documentKinds } from "../deals/documents.tsx";
import { buyerName, dealBoat, useDeal } from "../deals/shared.ts";
import { DocumentPane, DocumentStatus } from "./pane.tsx";

interface Filters {
  kind?: DocumentKind;
  location_id?: string;
}

const tabs = [["", "Pending"], ["signed", "Signed"], ["voided", "Voided"], ["all", "All"]] as const;

/** Documents with a status. Uploaded files wait for no one, so the pending ones leave them out. */
function useStatus(status: ApiStatus | undefined, filters: Filters, on: boolean): LoadList<Document> {
  const load = async (page: ListParams): Promise<ApiPage<Document>> => {
    const chosen = { ...filters, ...(status && { status }) };
    const keep = (d: Document) => status !== "issued" || d.required_signers.length > 0;
    let result = await api.preview.office.listAllDocuments({ ...chosen, ...page });
    while (result.has_more && !result.data.some(keep)) {
      result = await api.preview.office.listAllDocuments({ ...chosen, ...page, starting_after: result.next_cursor! });
    }
    return { ...result, data: result.data.filter(keep) };
  };
  return useList(on ? ["documents", status, filters] : undefined, load, ["document"]);
}

/** Pending documents are those that someone signed, then those that no one signed. */
function useDocumentList(tab: string, filters: Filters): LoadList<Document> {
  const pending = tab === "";
  const partial = useStatus("partially_signed", filters, pending);
  const issued = useStatus("issued", filters, pending);
  const other = useStatus(tab === "all" ? undefined : (tab as ApiStatus), filters, !pending);
  if (!pending) return other;
  return {
    data: partial.data && issued.data && [...partial.data, ...issued.data],
    error: partial.error ?? issued.error,
    loading: partial.loading || issued.loading,
    hasMore: partial.hasMore || issued.hasMore,
    more: () => (partial.hasMore ? partial : issued).more(),
    reload: () => (partial.reload(), issued.reload()),
    replace: () => {},
  };
}

export function Documents() {
  const { query } = usePlace();
  const tab = query.get("status") ?? "";
  const filters: Filters = Object.fromEntries(["kind", "location_id"].filter((n) => query.get(n)).map((n) => [n, query.get(n)!]));
  const list = useDocumentList(tab, filters);
  const [dealId, id] = (query.get("peek") ?? "").split(" ");
  const show = (d: Document | undefined) => setQuery({ peek: d && `${d.deal_id} ${d.id}` });
  useKeys({ Escape: id ? () => show(undefined) : undefined });
  const filtered = Object.keys(filters).length > 0;
  return (
    <Sheet {...(id && { kind: "with-peek" })}>
      <Page title="Documents">
        <Tabs label="Status" tabs={tabs.map(([value, title]) => ({
          title, current: value === tab, href: withQuery({ status: value, peek: undefined }), count: value === "" && tab === "" && !list.hasMore ? list.data?.length : undefined,
        }))} />
        <FilterBar {...filters} />
        <Table
          label="Documents" list={list} columns={columns} current={id} name={(d) => d.title} onMove={show} onOpen={(d) => navigate(href(`deals/${d.deal_id}`, { document: d.id }))}
          empty={<NoRows filtered={filtered} text={tab === "" ? "No documents wait for a signature." : "No documents here. Issue one from a deal."} clear={() => setQuery({ kind: undefined, location_id: undefined })} />}
        />
      </Page>
      {dealId && id && <DocumentPane key={id} dealId={dealId} id={id} onClose={() => show(undefined)} />}
    </Sheet>
  );
}

function FilterBar({ kind, location_id }: Filters) {
  const locations = useLocations();
  return (
    <div class="filters" role="group" aria-label="Filters">
      <ChoiceChip label="Kind" value={kind && word(kind)} current={kind} choices={options(documentKinds)} onChoose={(value) => setQuery({ kind: value })} onClear={() => setQuery({ kind: undefined })} />
      {can("hulls:read") && (
        <ChoiceChip
          label="Location" value={location_id && (locations.get(location_id)?.name ?? location_id)} current={location_id} choices={[...locations.values()].map((l) => [l.id, l.name])}
          onChoose={(value) => setQuery({ location_id: value })} onClear={() => setQuery({ location_id: undefined })}
        />
      )}
    </div>
  );
}

const columns: Array<Column<Document>> = [
  {
    title: "Document", wide: true, phone: "main",
    cell: (d) => <div class="boat"><Icon name="document" /><div class="t"><b><a href={withQuery({ peek: `${d.deal_id} ${d.id}` })}>{d.title}</a></b><small><span class="mono">{d.number}</span> · <DealName id={d.deal_id} /></small></div></div>,
  },
  { title: "Signatures", cell: (d) => <Signers document={d} /> },
  { title: "Status", phone: "bottom", cell: (d) => <DocumentStatus document={d} /> },
  { title: "Issued by", cell: (d) => <span class="sub">{d.issued_by.label}</span> },
  { title: "Issued", align: "right", phone: "top", cell: (d) => <span class="sub">{when(d.created_at)}</span> },
];

function DealName({ id }: { id: string }) {
  const { data } = useDeal(id);
  return <>{data && `${buyerName(data)}, ${dealBoat(data)}`}</>;
}

/** Who signed, and who has to. */
function Signers({ document: d }: { document: Document }) {
  return (
    <span class="signers">
      {d.required_signers.map((role) => {
        const signed = d.signatures.some((s) => s.signer_role === role);
        return <span key={role} class={signed ? "yes" : ""}><Icon name={signed ? "check" : "clock"} />{word(role)}<span class="vh">{signed ? " signed" : " has not signed"}</span></span>;
      })}
    </span>
  );
}
