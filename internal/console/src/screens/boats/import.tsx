// Importing boats or contacts from a file: match the columns, repair rows, import, and compare the file with the inventory.
import { useEffect, useState } from "preact/hooks";
import type { PreviewHullImportReading } from "../../api.ts";
import { bytes, count, number, time } from "../../format.ts";
import { changed, useLoad } from "../../load.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Page, Section, Sheet } from "../../parts/layout.tsx";
import { ErrorNote, Loaded } from "../../parts/state.tsx";
import { loadStyles } from "../../parts/styles.ts";
import { toastError } from "../../parts/toast.tsx";
import { href, setQuery, usePlace } from "../../router.ts";
import { Columns, fieldName, isUndecided } from "./import-columns.tsx";
import { Compare } from "./import-compare.tsx";
import { Duplicates } from "./import-duplicates.tsx";
import { Repair } from "./import-repair.tsx";
import { boats, contacts, type Imported, type Subject } from "./import-subject.ts";
import { useLocations } from "./shared.ts";

await loadStyles("import.css");

/** The name of the file that was sent last. The server doesn't store it. */
let fileName = "Your file";

export const Import = () => <ImportOf about={boats} />;
export const ImportContacts = () => <ImportOf about={contacts} />;

function ImportOf({ about }: { about: Subject }) {
  const { query } = usePlace();
  const id = query.get("id");
  return (
    <Sheet kind="imp">
      {id ? <Running key={id} id={id} about={about} /> : (
        <Page title={about.title} back={{ href: href(about.back.path), title: about.back.title }}><div class="content"><ChooseFile about={about} /></div></Page>
      )}
    </Sheet>
  );
}

const xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** Sends the file. The result is in the import, whose ID is in the URL. */
async function send(about: Subject, file: File, locationId: string): Promise<void> {
  const isNdjson = /\.(ndjson|jsonl)$/i.test(file.name);
  fileName = file.name;
  const contentType = isNdjson ? "application/x-ndjson" : /\.xlsx$/i.test(file.name) ? xlsx : "text/csv";
  const result = await about.create(file, contentType, { review: !isNdjson, locationId });
  setQuery({ id: result.id });
}

function ChooseFile({ about }: { about: Subject }) {
  const locations = useLocations();
  const [locationId, setLocationId] = useState("");
  const [over, setOver] = useState(false);
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const choose = async (file: File | undefined) => {
    if (!file) return;
    setBusy(true);
    setError(undefined);
    await send(about, file, locationId).catch(setError);
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
        <p><b>{busy ? "Reading the file" : "Drop an Excel or CSV file here"}</b></p>
        <p class="muted">The file is checked first. Nothing is saved until you confirm it.</p>
        <label class="btn primary">
          Choose file
          <input type="file" class="vh" accept={about.accept} onChange={(e) => void choose(e.currentTarget.files?.[0])} />
        </label>
        {about === boats && locations.size > 1 && (
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

/** The steps of an import. */
type Step = "columns" | "repair" | "duplicates" | "import" | "compare";

function Running({ id, about }: { id: string; about: Subject }) {
  const load = useLoad(["import", id], () => about.get(id), [id]);
  const state = load.data?.state;
  const active = state === "queued" || state === "running";
  useEffect(() => {
    if (!active) return;
    const timer = setTimeout(load.reload, 400);
    return () => clearTimeout(timer);
  }, [load.data]);
  useEffect(() => {
    if (state === "completed" && !load.data!.dry_run) changed(about.noun);
  }, [state]);
  return (
    <Loaded load={load} title={about.title}>
      {(i) => active ? <Framed of={i} about={about} step={i.dry_run ? "columns" : "import"} title={about.title}><Progress of={i} /></Framed>
        : i.review && !i.dry_run && about === boats ? <Framed of={i} about={about} step="compare" title="Your file and Slipway"><Compare of={i} /></Framed>
        : i.review && i.dry_run && i.kept_until ? <Review key={i.finished_at} of={i} about={about} onChange={load.reload} />
        : <Framed of={i} about={about} step="import" title={about.title}><div class="content"><Result of={i} about={about} /></div></Framed>}
    </Loaded>
  );
}

/** Decides which step comes next: the columns, if there is something to decide, and then the rows. */
function Review({ of: i, about, onChange }: { of: Imported; about: Subject; onChange: () => void }) {
  const { query } = usePlace();
  const reading = useLoad(["import-reading", i.id, i.finished_at ?? ""], () => about.reading(i.id), []);
  return (
    <Loaded load={reading} title={about.title}>
      {(r) => {
        const step = query.get("step") ?? (isUndecided(r) ? "columns" : "repair");
        const toColumns = () => setQuery({ step: "columns" });
        return step === "columns" ? (
          <Framed of={i} about={about} reading={r} step="columns" title={about.title}>
            <Columns of={i} about={about} reading={r} onSaved={() => (setQuery({ step: "repair" }), onChange())} onNext={() => setQuery({ step: "repair" })} onOther={() => setQuery({ id: undefined, step: undefined })} />
          </Framed>
        ) : <Rows of={i} about={about} reading={r} step={step} onChange={onChange} onColumns={toColumns} onStarted={() => (setQuery({ step: undefined }), onChange())} />;
      }}
    </Loaded>
  );
}

function Rows(props: { of: Imported; about: Subject; reading: PreviewHullImportReading; step: string; onChange: () => void; onColumns: () => void; onStarted: () => void }) {
  const { of: i, about } = props;
  const rows = useLoad(["import-rows", i.id, i.finished_at ?? ""], () => about.rows(i.id), []);
  const duplicates = i.contacts?.duplicate_rows ?? 0;
  const next = duplicates > 0 ? { title: `Check ${count(duplicates, "duplicate")}`, go: () => setQuery({ step: "duplicates" }) } : undefined;
  const [busy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    await about.start(i.id).then(props.onStarted).catch(toastError);
    setBusy(false);
  };
  if (props.step === "duplicates" && i.contacts && next) {
    return (
      <Framed of={i} about={about} reading={props.reading} step="duplicates" title={about.title}>
        <Loaded load={rows}>{(r) => <Duplicates of={i.contacts!} ready={r.ready} busy={busy} onChange={props.onChange} onBack={() => setQuery({ step: "repair" })} onStart={() => void start()} />}</Loaded>
      </Framed>
    );
  }
  return (
    <Framed of={i} about={about} reading={props.reading} step="repair" title={i.failed > 0 ? `Repair ${count(i.failed, "row")}` : about.title}>
      <Loaded load={rows}>{(r) => <Repair of={i} about={about} next={next} rows={r} onChange={rows.replace} busy={busy} onStart={() => void start()} onColumns={props.onColumns} />}</Loaded>
      {i.noted > 0 && <div class="content"><RowProblems title="Notes" rows={i.notes} /></div>}
    </Framed>
  );
}

type Steps = Array<[Step | "file", string]>;
const boatSteps: Steps = [["file", "File"], ["columns", "Columns"], ["repair", "Repair"], ["import", "Import"], ["compare", "Compare"]];
const contactSteps: Steps = [["file", "File"], ["columns", "Columns"], ["repair", "Repair"], ["duplicates", "Duplicates"], ["import", "Import"]];

function Framed(props: { of: Imported; about: Subject; reading?: PreviewHullImportReading; step: Step; title: string; children: preact.ComponentChildren }) {
  const { of: i, step, about } = props;
  const steps = about === boats ? boatSteps : contactSteps;
  const now = steps.findIndex(([name]) => name === step);
  const said: Partial<Record<string, string>> = {
    file: `${fileName}, ${count(i.rows, "row")}`,
    columns: props.reading && `${props.reading.columns.filter((c) => c.field).length} of ${props.reading.columns.length} matched`,
    repair: i.dry_run && i.failed > 0 ? count(i.failed, "row") : undefined,
    duplicates: i.contacts && count(i.contacts.duplicate_rows, "row"),
    import: i.dry_run || !i.finished_at ? undefined : time(i.finished_at),
  };
  return (
    <Page title={props.title} back={{ href: href(about.back.path), title: about.back.title }}>
      {i.format === "csv" && i.review && (
        <ol class="steps" aria-label="Progress" tabIndex={0}>
          {steps.map(([name, title], n) => <li key={name} class={n < now ? "done" : n === now ? "now" : ""} aria-current={n === now ? "step" : undefined}><b>{title}</b>{n <= now && said[name]}</li>)}
        </ol>
      )}
      {props.children}
    </Page>
  );
}

function Progress({ of: i }: { of: Imported }) {
  return (
    <div class="part progress" role="status">
      <p><b>{i.dry_run ? "Checking the file" : "Importing"}</b> <span class="muted">{bytes(i.bytes_done)} of {bytes(i.bytes)}</span></p>
      <progress max={100} value={i.progress_percent} aria-label="Progress" />
    </div>
  );
}

/** What an import did. */
function Result({ of: i, about }: { of: Imported; about: Subject }) {
  return (
    <>
      <Section title={title(i)} action={<Buttons />}>
        {i.problem && <p class="note bad"><Icon name="alert" />{i.problem}</p>}
        <Tally of={i} />
      </Section>
      {i.failed > 0 && <RowProblems title="Rejected rows" rows={i.errors} />}
      {i.noted > 0 && <RowProblems title="Notes" rows={i.notes} />}
      {!!i.skipped_rows?.length && <RowProblems title="Skipped rows" rows={i.skipped_rows} />}
    </>
  );

  function Buttons() {
    return <span class="acts"><Button onClick={() => setQuery({ id: undefined })}>Import another file</Button><ButtonLink kind="primary" href={href(about.back.path)}>{about.shows}</ButtonLink></span>;
  }
}

function title(i: Imported): string {
  if (i.state === "failed") return i.dry_run ? "This file can't be imported" : "The import failed";
  return i.dry_run ? "The file was checked. Nothing is saved yet." : "The file was imported.";
}

function Tally({ of: i }: { of: Imported }) {
  const facts: Array<[string, number]> = [
    ["Rows", i.rows],
    [i.dry_run ? "Would be added" : "Added", i.created],
    [i.dry_run ? "Would change" : "Changed", i.updated],
    ["Unchanged", i.unchanged],
    ["Skipped", i.skipped],
    ["Rejected", i.failed],
    ...contactFacts(i.contacts),
  ];
  return <div class="tally">{facts.map(([name, value]) => <dl key={name} class="fact"><dt>{name}</dt><dd>{number(value)}</dd></dl>)}</div>;
}

function contactFacts(i: Imported["contacts"]): Array<[string, number]> {
  if (!i) return [];
  return [["Duplicates", i.duplicate_rows], ["Consents", i.consents], ["Consents without evidence", i.unproven_consents], ["Opt-outs", i.opt_outs], ["Notes", i.history_notes]];
}

/** Problems by row and field, at most 1,000. */
function RowProblems(props: { title: string; rows: Array<{ row: number; field: string; message: string }> }) {
  const shown = props.rows.slice(0, 200);
  return (
    <Section title={props.title}>
      <table class="plain">
        <thead><tr><th scope="col">Row</th><th scope="col">Field</th><th scope="col">Problem</th></tr></thead>
        <tbody>{shown.map((r, n) => <tr key={n}><td class="num">{r.row || "File"}</td><td>{fieldName(r.field)}</td><td class="wrap">{r.message}</td></tr>)}</tbody>
      </table>
      {props.rows.length > shown.length && <p class="muted">And {number(props.rows.length - shown.length)} more.</p>}
    </Section>
  );
}
