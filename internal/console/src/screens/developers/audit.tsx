// The audit log: who did what, and what it changed. Reading it is audited too, so it is not loaded again automatically.
import { useState } from "preact/hooks";
import { api, type AuditEntry, type DealershipListAuditParams } from "../../api.ts";
import { downloadCsv } from "../../csv.ts";
import { dateTime } from "../../format.ts";
import { useList } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { ChoiceChip, InputChip } from "../../parts/chip.tsx";
import { Diff } from "../../parts/json.tsx";
import { Facts, Page, Sheet } from "../../parts/layout.tsx";
import { Peek } from "../../parts/peek.tsx";
import { Tag } from "../../parts/status.tsx";
import { NoRows, Table, type Column } from "../../parts/table.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { href, navigate, setQuery, usePlace } from "../../router.ts";
import { word } from "../../words.ts";
import { Clock, ObjectLink, ofRequest, useActors } from "./traces.tsx";

const filterNames = ["action", "actor_id", "target_id", "outcome", "created_after", "created_before"];

/** Rows of an export at most. */
const most = 10_000;

export function Audit() {
  const { query } = usePlace();
  const value = (name: string) => query.get(name) ?? undefined;
  const filters = Object.fromEntries(filterNames.filter(value).map((n) => [n, value(n)!])) as DealershipListAuditParams;
  const request = value("request_id");
  const list = useList(["audit", filters, request], (page) => ofRequest(api.dealership.listAudit({ ...filters, ...page }), request, (e) => e.request_id));
  const actors = useActors();
  const [busy, setBusy] = useState(false);
  const peek = list.data?.find((e) => e.id === value("peek"));
  const clear = (...names: string[]) => () => setQuery(Object.fromEntries(names.map((n) => [n, undefined])));
  const actor = value("actor_id");
  const outcome = value("outcome");
  const input = (name: string, label: string, hint: string) => (
    <InputChip label={label} value={value(name)} fields={[{ name, label: hint, value: value(name) ?? "" }]} onApply={setQuery} onClear={clear(name)} />
  );
  const exportRows = async () => {
    setBusy(true);
    await exportCsv(filters).catch(toastError);
    setBusy(false);
  };
  const actions = <><Button onClick={list.reload}>Refresh</Button><Button icon="download" busy={busy} onClick={() => void exportRows()}>Export CSV</Button></>;
  return (
    <Sheet {...(peek && { kind: "with-peek" })}>
      <Page title="Audit" actions={actions}>
        <div class="filters" role="group" aria-label="Filters">
          <ChoiceChip label="Who" value={actor && (actors.find(([id]) => id === actor)?.[1] ?? actor)} current={actor} choices={actors}
            onChoose={(id) => setQuery({ actor_id: id })} onClear={clear("actor_id")} />
          {input("action", "Action", "Action or its start, such as hull.")}
          {input("target_id", "Object", "ID of the object")}
          <ChoiceChip label="Outcome" value={outcome && word(outcome)} current={outcome} choices={[["success", "Success"], ["failure", "Failure"]]}
            onChoose={(o) => setQuery({ outcome: o })} onClear={clear("outcome")} />
          {request && <button type="button" class="chip on" onClick={clear("request_id", "created_after", "created_before")}>Request: <b class="mono">{request}</b></button>}
        </div>
        <Table label="Audit entries" list={list} columns={columns} current={peek?.id} onMove={(e) => setQuery({ peek: e.id })}
          empty={<NoRows filtered={Object.keys(filters).length > 0} text="No entries yet." clear={() => navigate(href("developers/audit"))} />} />
        <div class="pager">Entries are stored for 13 months and linked in a hash chain. The command slipway audit verify checks it.</div>
      </Page>
      {peek && <EntryPeek entry={peek} />}
    </Sheet>
  );
}

const columns: Array<Column<AuditEntry>> = [
  { title: "When", phone: "bottom", cell: (e) => <span class="sub"><Clock at={e.at} /></span> },
  { title: "Who", phone: "main", cell: (e) => <div class="t"><b>{e.actor.label}</b></div> },
  { title: "Action", phone: "top", cell: (e) => <span class="mono">{e.action}{e.outcome === "failure" && <> <Tag tone="red">Failed</Tag></>}</span> },
  { title: "Object", cell: (e) => e.target.id && <ObjectLink id={e.target.id} short /> },
  { title: "Changes", wide: true, cell: (e) => <span class="sub">{summary(e)}</span> },
];

/** Price USD 131600 → 127500 */
function summary(entry: AuditEntry): string {
  return Object.entries(entry.changes).map(([field, [before, after]]) => `${word(field)} ${plain(before)} → ${plain(after)}`).join(" · ");
}

function plain(value: unknown): string {
  if (value === null || value === undefined || value === "") return "empty";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function EntryPeek({ entry: e }: { entry: AuditEntry }) {
  const side = (n: 0 | 1) => Object.fromEntries(Object.entries(e.changes).map(([field, values]) => [field, values[n]]));
  return (
    <Peek label="Audit entry" code={e.id} onClose={() => setQuery({ peek: undefined })}>
      <h2 class="mono first">{e.action}</h2>
      <Facts facts={[
        ["When", dateTime(e.at)], ["Outcome", word(e.outcome)], ["Who", e.actor.label], ["Kind of actor", word(e.actor.type)],
        ["Object", e.target.id && <ObjectLink id={e.target.id} />], ["Request", e.request_id && <ObjectLink id={e.request_id} />],
        ["IP address", e.ip], ["User agent", e.user_agent],
      ]} />
      <p class="links"><a class="link" href={href("developers/audit", { target_id: e.target.id })}>All entries of the object</a></p>
      <h3>Changes</h3>
      {Object.keys(e.changes).length > 0 ? <Diff before={side(0)} after={side(1)} /> : <p class="sub">No values changed.</p>}
    </Peek>
  );
}

async function exportCsv(filters: DealershipListAuditParams): Promise<void> {
  const rows: Array<Array<string | null>> = [["id", "at", "actor_type", "actor_id", "actor", "action", "target_type", "target_id", "outcome", "ip", "request_id", "changes"]];
  for await (const e of api.dealership.listAudit({ ...filters, limit: 100 })) {
    rows.push([e.id, e.at, e.actor.type, e.actor.id, e.actor.label, e.action, e.target.type, e.target.id, e.outcome, e.ip, e.request_id, JSON.stringify(e.changes)]);
    if (rows.length > most) break;
  }
  downloadCsv("audit.csv", rows);
  toast(rows.length > most ? "Only the newest 10,000 entries were exported." : "Entries exported.");
}
