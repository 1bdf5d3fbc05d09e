// The request log: writes and failed requests of the last 30 days.
import { api, type PreviewRequestLog, type PreviewRequestLogListParams } from "../../api.ts";
import { bytes, dateTime } from "../../format.ts";
import { useList, useLoad } from "../../load.ts";
import { ChoiceChip, InputChip } from "../../parts/chip.tsx";
import { Json } from "../../parts/json.tsx";
import { Facts, Page, Sheet } from "../../parts/layout.tsx";
import { Peek } from "../../parts/peek.tsx";
import { Loaded } from "../../parts/state.tsx";
import { Tag } from "../../parts/status.tsx";
import { NoRows, Table, type Column } from "../../parts/table.tsx";
import { href, navigate, setQuery, usePlace, withQuery } from "../../router.ts";
import { can } from "../../session.ts";
import { CopyButton } from "../dialogs.tsx";
import { Clock, Code, ObjectLink, around, curl, duration, useActors, useTail } from "./traces.tsx";

const filterNames = ["status", "method", "operation", "actor_id", "ip", "object_id"];

export function Requests() {
  const { query } = usePlace();
  const value = (name: string) => query.get(name) ?? undefined;
  const filters = Object.fromEntries(filterNames.filter(value).map((n) => [n, value(n)!])) as PreviewRequestLogListParams;
  const load = (page: object) => api.preview.requestLogs.list({ ...filters, ...page });
  const logs = useList(["request logs", filters], load);
  const tail = useTail(logs, load, "two seconds");
  const actors = useActors();
  const peek = value("peek");
  const choice = (name: string, label: string, choices: Array<[string, string]>) => (
    <ChoiceChip label={label} value={value(name) && (choices.find(([v]) => v === value(name))?.[1] ?? value(name))} current={value(name)} choices={choices}
      onChoose={(v) => setQuery({ [name]: v })} onClear={() => setQuery({ [name]: undefined })} />
  );
  const input = (name: string, label: string, hint: string) => (
    <InputChip label={label} value={value(name)} fields={[{ name, label: hint, value: value(name) ?? "" }]} onApply={setQuery} onClear={() => setQuery({ [name]: undefined })} />
  );
  return (
    <Sheet {...(peek && { kind: "with-peek" })}>
      <Page title="Request log">
        <div class="filters" role="group" aria-label="Filters">
          {tail}
          {choice("status", "Status", [["2xx", "Succeeded"], ["4xx", "Rejected (4xx)"], ["5xx", "Failed (5xx)"], ...["400", "403", "404", "409", "422", "429"].map((s): [string, string] => [s, s])])}
          {choice("method", "Method", ["POST", "PATCH", "PUT", "DELETE", "GET"].map((m) => [m, m]))}
          {choice("actor_id", "Key or user", actors)}
          {input("operation", "Operation", "Operation of the reference")}
          {input("ip", "IP address", "IP address")}
          {input("object_id", "Object", "ID in the path")}
          <InputChip label="Request" value={undefined} fields={[{ name: "peek", label: "Request ID", value: "" }]} onApply={setQuery} onClear={() => {}} />
        </div>
        <Table label="Requests" list={logs} columns={columns} current={peek} onMove={(r) => setQuery({ peek: r.id })}
          empty={<NoRows filtered={Object.keys(filters).length > 0} text="No requests yet. Writes and failed requests appear here." clear={() => navigate(href("developers/requests"))} />} />
      </Page>
      {peek && <RequestPeek key={peek} id={peek} />}
    </Sheet>
  );
}

const columns: Array<Column<PreviewRequestLog>> = [
  { title: "Time", phone: "bottom", cell: (r) => <span class="sub"><Clock at={r.created_at} /></span> },
  { title: "Status", phone: "top", cell: (r) => <HttpStatus of={r} /> },
  { title: "Request", wide: true, phone: "main", cell: (r) => <div class="t"><b class="mono"><a href={withQuery({ peek: r.id })}>{r.method} {r.path}</a></b>{r.error && <small>{r.error.message}</small>}</div> },
  { title: "Sent by", cell: (r) => <span class="sub">{r.actor.label}</span> },
  { title: "Took", align: "right", cell: (r) => <span class="sub num">{duration(r.duration_ms)}</span> },
];

function HttpStatus({ of: { status } }: { of: PreviewRequestLog }) {
  return <Tag tone={status >= 500 ? "red" : status >= 400 ? "amber" : "green"}>{status}</Tag>;
}

function RequestPeek({ id }: { id: string }) {
  const log = useLoad(["request log", id], () => api.preview.requestLogs.get(id));
  return (
    <Peek label="Request" code={id} onClose={() => setQuery({ peek: undefined })}>
      <Loaded load={log}>{(r) => <RequestDetails log={r} />}</Loaded>
    </Peek>
  );
}

function RequestDetails({ log }: { log: PreviewRequestLog }) {
  const headers = ["Authorization: Bearer $SLIPWAY_KEY", `Service-Version: ${log.api_version}`];
  if (log.request_body) headers.push("Content-Type: application/json");
  const command = curl(log.method, location.origin + log.path + (log.query && "?" + log.query), headers, log.request_body);
  const object = /\b[a-z]{3,5}_[0-9a-z]{20,}/.exec(log.path)?.[0];
  return (
    <>
      <h2 class="mono first">{log.method} {log.path}</h2>
      <div class="row"><HttpStatus of={log} /><span class="sub">{duration(log.duration_ms)} · {bytes(log.response_bytes)}</span></div>
      {log.error && (
        <div class="note bad flat">
          <div><p>{log.error.message}</p>{log.error.details.length > 0 && <ul>{log.error.details.map((d) => <li key={d.field + d.code}><b>{d.field}</b> {d.message}</li>)}</ul>}</div>
        </div>
      )}
      <Facts facts={[
        ["When", dateTime(log.created_at)], ["Sent by", log.actor.label], ["Operation", log.operation && <span class="mono">{log.operation}</span>],
        ["Error code", log.error && <span class="mono">{log.error.code}</span>], ["IP address", log.ip], ["API version", log.api_version],
        ["Query", log.query && <span class="mono">{log.query}</span>], ["Object", object && <ObjectLink id={object} />],
        ["Idempotency key", log.idempotency_key && <span class="mono">{log.idempotency_key}</span>], ["Replayed", log.replayed ? "Yes, with the response of an earlier request" : null],
        ["Client request ID", log.client_request_id], ["User agent", log.user_agent],
      ]} />
      <p class="links">
        {can("webhooks") && <a class="link" href={href("developers/events", around(log))}>Events of this request</a>}
        <a class="link" href={href("developers/audit", { ...around(log), actor_id: log.actor.id })}>Audit entries</a>
      </p>
      <h3>Body {log.request_body && <span class="sub"> secrets and personal data are masked</span>}</h3>
      {log.request_body ? <Json value={log.request_body} /> : <p class="sub">Only bodies of writes that failed are stored.</p>}
      <h3>curl <CopyButton text={command} label="Copy as curl" /></h3>
      <Code text={command} />
    </>
  );
}
