// Importing boats from a file: check it without saving, correct the columns, then import it.
import { useEffect, useState } from "preact/hooks";
import { api, type HullImport } from "../../api.ts";
import { download } from "../../csv.ts";
import { bytes, count, number } from "../../format.ts";
import { changed, useLoad } from "../../load.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Page, Section, Sheet } from "../../parts/layout.tsx";
import { ErrorNote, Loaded } from "../../parts/state.tsx";
import { toastError } from "../../parts/toast.tsx";
import { href, setQuery, usePlace } from "../../router.ts";
import { Columns, fieldName, type ColumnMap } from "./import-columns.tsx";
import { useLocations } from "./shared.ts";

/** The file. It stays in memory, because it is sent twice: to check it, and to import it. */
let chosen: File | undefined;

export function Import() {
  const { query } = usePlace();
  const id = query.get("id");
  return (
    <Sheet>
      <Page title="Import boats" back={{ href: href("boats"), title: "Inventory" }}>
        <div class="content">{id ? <Running key={id} id={id} /> : <ChooseFile />}</div>
      </Page>
    </Sheet>
  );
}

/** Sends the file. The result is in the import, whose ID is in the URL. */
async function send(file: File, options: { dryRun: boolean; locationId: string; map: ColumnMap }): Promise<void> {
  const isNdjson = /\.(ndjson|jsonl)$/i.test(file.name);
  const result = await api.hulls.createImport(
    file,
    {
      dry_run: String(options.dryRun),
      ...(options.locationId && { location_id: options.locationId }),
      ...(Object.keys(options.map).length > 0 && { map: JSON.stringify(options.map) }),
    },
    { contentType: isNdjson ? "application/x-ndjson" : "text/csv" },
  );
  setQuery({ id: result.id });
}

function ChooseFile() {
  const locations = useLocations();
  const [locationId, setLocationId] = useState("");
  const [over, setOver] = useState(false);
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const choose = async (file: File | undefined) => {
    if (!file) return;
    chosen = file;
    setBusy(true);
    setError(undefined);
    await send(file, { dryRun: true, locationId, map: {} }).catch(setError);
    setBusy(false);
  };
  return (
    <>
      <div
        class={over ? "drop-zone over" : "drop-zone"} aria-busy={busy}
        onDragOver={(e) => (e.preventDefault(), setOver(true))} onDragLeave={() => setOver(false)}
        onDrop={(e) => (e.preventDefault(), setOver(false), void choose(e.dataTransfer?.files[0]))}
      >
        <Icon name="upload" />
        <p><b>{busy ? "Reading the file" : "Drop a CSV or NDJSON file here"}</b></p>
        <p class="muted">The file is checked first. Nothing is saved until you confirm it. Save Excel workbooks as CSV.</p>
        <label class="btn primary">
          Choose file
          <input type="file" class="vh" accept=".csv,.tsv,.txt,.ndjson,.jsonl,text/csv" onChange={(e) => void choose(e.currentTarget.files?.[0])} />
        </label>
        {locations.size > 1 && (
          <label class="field">
            Location for rows that don’t name one
            <select value={locationId} onChange={(e) => setLocationId(e.currentTarget.value)}>
              <option value="">None</option>
              {[...locations.values()].map((l) => <option key={l.id} value={l.id}>{l.name}</option>)}
            </select>
          </label>
        )}
      </div>
      {error && <ErrorNote error={error} />}
    </>
  );
}

function Running({ id }: { id: string }) {
  const load = useLoad(["import", id], () => api.hulls.getImport(id), [id]);
  const state = load.data?.state;
  const active = state === "queued" || state === "running";
  useEffect(() => {
    if (!active) return;
    const timer = setTimeout(load.reload, 800);
    return () => clearTimeout(timer);
  }, [load.data]);
  useEffect(() => {
    if (state === "completed" && !load.data!.dry_run) changed("hull");
  }, [state]);
  return <Loaded load={load}>{(i) => active ? <Progress of={i} /> : <Result of={i} />}</Loaded>;
}

function Progress({ of: i }: { of: HullImport }) {
  return (
    <div class="part progress" role="status">
      <p><b>{i.dry_run ? "Checking the file" : "Importing"}</b> <span class="muted">{bytes(i.bytes_done)} of {bytes(i.bytes)}</span></p>
      <progress max={100} value={i.progress_percent} aria-label="Progress" />
    </div>
  );
}

function Result({ of: i }: { of: HullImport }) {
  const [map, setMap] = useState<ColumnMap>(i.map);
  const [busy, setBusy] = useState(false);
  const run = async (dryRun: boolean) => {
    if (!chosen) return setQuery({ id: undefined });
    setBusy(true);
    await send(chosen, { dryRun, locationId: i.location_id ?? "", map }).catch(toastError);
    setBusy(false);
  };
  const valid = i.created + i.updated;
  const mapChanged = JSON.stringify(map) !== JSON.stringify(i.map);
  return (
    <>
      <Section title={title(i)} action={<Buttons />}>
        {i.problem && <p class="note bad"><Icon name="alert" />{i.problem}</p>}
        <Tally of={i} />
      </Section>
      <div class="columns">
        {i.format === "csv" && i.dry_run && <Columns of={i} map={map} onChange={setMap} />}
        <div>
          {i.failed > 0 && <RowProblems title="Rejected rows" rows={i.errors} of={i} />}
          {i.noted > 0 && <RowProblems title="Notes" rows={i.notes} />}
          {i.skipped > 0 && <RowProblems title="Skipped rows" rows={i.skipped_rows} />}
        </div>
      </div>
    </>
  );

  function Buttons() {
    if (!i.dry_run) return <span class="acts"><Button onClick={() => setQuery({ id: undefined })}>Import another file</Button><ButtonLink kind="primary" href={href("boats")}>Show inventory</ButtonLink></span>;
    return (
      <span class="acts">
        <Button onClick={() => setQuery({ id: undefined })}>Choose another file</Button>
        {mapChanged || !chosen
          ? <Button kind="primary" busy={busy} onClick={() => void run(true)}>{chosen ? "Check again" : "Choose the file again"}</Button>
          : <Button kind="primary" busy={busy} disabled={valid === 0} onClick={() => void run(false)}>Import {count(valid, "row")}</Button>}
      </span>
    );
  }
}

function title(i: HullImport): string {
  if (i.state === "failed") return i.dry_run ? "This file can't be imported" : "The import failed";
  return i.dry_run ? "The file was checked. Nothing is saved yet." : "The file was imported.";
}

function Tally({ of: i }: { of: HullImport }) {
  const facts: Array<[string, number]> = [
    ["Rows", i.rows],
    [i.dry_run ? "Would be added" : "Added", i.created],
    [i.dry_run ? "Would change" : "Changed", i.updated],
    ["Unchanged", i.unchanged],
    ["Skipped", i.skipped],
    ["Rejected", i.failed],
  ];
  return <div class="tally">{facts.map(([name, value]) => <dl key={name} class="fact"><dt>{name}</dt><dd>{number(value)}</dd></dl>)}</div>;
}

/** Problems by row and field, at most 1,000. */
function RowProblems(props: { title: string; rows: Array<{ row: number; field: string; message: string }>; of?: HullImport }) {
  const { of: i, rows } = props;
  const save = async () => {
    const response = await api.preview.hulls.listImportErrorsCsv(i!.id);
    download("rejected-rows.csv", await response.blob());
  };
  const shown = rows.slice(0, 200);
  return (
    <Section title={props.title} action={i && <Button small icon="download" onClick={() => void save().catch(toastError)}>Download as CSV</Button>}>
      <table class="plain">
        <thead><tr><th scope="col">Row</th><th scope="col">Field</th><th scope="col">Problem</th></tr></thead>
        <tbody>{shown.map((r, n) => <tr key={n}><td class="num">{r.row || "File"}</td><td>{fieldName(r.field)}</td><td class="wrap">{r.message}</td></tr>)}</tbody>
      </table>
      {rows.length > shown.length && <p class="muted">And {number(rows.length - shown.length)} more. Download them to see all.</p>}
    </Section>
  );
}
