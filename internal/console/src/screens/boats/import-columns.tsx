// Which column of the file is which field of a boat, and what its words mean.
import { useState } from "preact/hooks";
import { type PreviewHullImportColumn, type PreviewHullImportReading } from "../../api.ts";
import { cents, count, money, number } from "../../format.ts";
import { sayFeet } from "../../numbers.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { toastError } from "../../parts/toast.tsx";
import { Verdict } from "../../parts/verdict.tsx";
import { word } from "../../words.ts";
import type { Imported, Subject } from "./import-subject.ts";
import { useLocations } from "./shared.ts";

/** Fields by column. An empty field ignores the column. */
export type ColumnMap = Record<string, string>;
type Words = Record<string, Record<string, string>>;

const labels: Record<string, string> = {
  hin: "HIN", hin_absent_reason: "Reason without HIN", length_ft: "Length", price_usd: "Price", location_id: "Location", boat_class: "Type of boat",
  msrp_usd: "MSRP", invoice_usd: "Invoice", freight_usd: "Freight", rigging_usd: "Rigging", pack_usd: "Pack", reconditioning_usd: "Reconditioning",
  total_cost_usd: "Total cost", hours: "Engine hours", engine_hp: "Engine power", engine: "Engine", engine2: "Second engine", engine2_make: "Second engine make",
  engine2_model: "Second engine model", engine2_serial: "Second engine serial", engine2_hours: "Second engine hours",
  trailer_vin: "Trailer VIN", beam_ft: "Beam", photo_urls: "Photos", row: "Row", year: "Model year",
  line1: "Street", line2: "Apartment or suite", region: "State", postal_code: "ZIP code", notes: "History, as notes", legal_name_latin: "Legal name",
  sms_consent: "Consent to texts", email_consent: "Consent to email", voice_consent: "Consent to calls", consent_text: "Text of the consent",
  consent_date: "Date of the consent", consent_source: "Source of the consent", consent_scope: "What the consent is for", consent_basis: "Kind of consent",
  sms_opt_out: "No texts", email_opt_out: "No email", voice_opt_out: "No calls", opt_out: "No messages at all", name: "Full name",
};

/** Returns the name of a field for people. */
export function fieldName(field: string): string {
  return labels[field] ?? word(field);
}

/** The meanings that words of a field can have. */
const meanings: Record<string, string[]> = {
  status: ["available", "on_order", "in_transit", "not_for_sale"],
  condition: ["new", "used", "demo"],
  ownership: ["owned", "floorplan", "consignment", "brokerage"],
  engine_fuel: ["gas", "diesel", "electric", "hybrid", "other"],
};

/** Whether a person has to decide something about the columns. */
export function isUndecided(reading: PreviewHullImportReading): boolean {
  return reading.missing_fields.length > 0 || reading.columns.some((c) => c.field && c.field in meanings && c.unknown.length > 0) ||
    reading.columns.some((c) => c.field === "location_id" && c.unknown.length > 0);
}

export function Columns(props: { of: Imported; about: Subject; reading: PreviewHullImportReading; onSaved: () => void; onNext: () => void; onOther: () => void }) {
  const { of: i, reading, about: { fields } } = props;
  const locations = useLocations();
  const [map, setMap] = useState<ColumnMap>(i.map);
  const [words, setWords] = useState<Words>(i.words ?? {});
  const [locationId, setLocationId] = useState(i.location_id ?? "");
  const [busy, setBusy] = useState(false);
  const guesses = reading.columns.filter((c) => c.guess && !(c.name in map));
  const undecided = reading.columns.flatMap((c) => (c.field === "status" ? c.unknown.map((w) => w.word).filter((w) => !words.status?.[w]) : []));
  const allWords = undecided.length > 0 ? { ...words, status: { ...Object.fromEntries(undecided.map((w) => [w, "available"])), ...words.status } } : words;
  const chosen = { ...Object.fromEntries(guesses.map((c) => [c.name, c.guess!])), ...map };
  const missing = reading.missing_fields.filter((f) => !(f === "location_id" && locationId) && !Object.values(chosen).includes(f));
  const changed = guesses.length > 0 || JSON.stringify(map) !== JSON.stringify(i.map) || JSON.stringify(allWords) !== JSON.stringify(i.words ?? {}) ||
    locationId !== (i.location_id ?? "");
  const save = async () => {
    setBusy(true);
    await props.about.read(i.id, { map: chosen, words: allWords, ...(locationId && { location_id: locationId }) })
      .then(props.onSaved).catch(toastError);
    setBusy(false);
  };
  const order = [...reading.columns].sort((a, b) => rank(a) - rank(b));
  return (
    <>
      <Question reading={reading} missing={missing} />
      {reading.missing_fields.includes("location_id") && locations.size > 0 && (
        <div class="content">
          <label class="field">
            Location of all boats in this file
            <select value={locationId} onChange={(e) => setLocationId(e.currentTarget.value)}>
              <option value="">Choose a location</option>
              {[...locations.values()].map((l) => <option key={l.id} value={l.id}>{l.name}</option>)}
            </select>
          </label>
        </div>
      )}
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Columns">
        <table class="maps">
          <thead><tr><th scope="col">Column in your file</th><th scope="col">First values</th><th scope="col">Goes to</th><th scope="col">How we read it</th></tr></thead>
          <tbody>
            {order.map((c) => (
              <tr key={c.name} class={needsDecision(c) ? "miss" : ""}>
                <td><b>{c.name || "(no name)"}</b>{c.guess && <small>Required: {fieldName(c.guess).toLowerCase()}</small>}</td>
                <td>{c.samples.map((s, n) => <code key={n}>{s}</code>)}{c.filled === 0 && <small>Empty</small>}</td>
                <td>
                  <select aria-label={"Field for " + c.name} value={chosen[c.name] ?? c.field ?? ""} onChange={(e) => setMap({ ...map, [c.name]: e.currentTarget.value })}>
                    <option value="">Ignore</option>
                    {fields.map((f) => <option key={f} value={f}>{fieldName(f)}{c.guess === f && !(c.name in map) ? " (our guess)" : ""}</option>)}
                    {c.field && !fields.includes(c.field) && <option value={c.field}>{fieldName(c.field)}</option>}
                  </select>
                </td>
                <td>
                  <Reading column={c} rows={reading.rows_read} />
                  {c.field && c.unknown.slice(0, 8).map((w) => (
                    <Meaning key={w.word} column={c} of={w.word} rows={w.rows} value={words[c.field!]?.[w.word]}
                      onChange={(v) => setWords({ ...words, [c.field!]: { ...words[c.field!], [w.word]: v } })} />
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="bar">
        <span class="keys">{reading.remembered ? "Read like your last file with these columns." : "Kept for your next file with these columns."}</span>
        <span class="end">
          <Button onClick={props.onOther}>Choose another file</Button>
          {changed
            ? <Button kind="primary" busy={busy} {...(missing.length > 0 && { why: `Choose the column for ${list(missing)}` })} onClick={() => void save()}>{action(guesses)}</Button>
            : <Button kind="primary" {...(missing.length > 0 && { why: `Choose the column for ${list(missing)}` })} onClick={props.onNext}>Continue</Button>}
        </span>
      </div>
    </>
  );

  function Meaning(m: { column: PreviewHullImportColumn; of: string; rows: number; value: string | undefined; onChange: (value: string) => void }) {
    const field = m.column.field!;
    const options = field === "location_id" ? [...locations.values()].map((l) => [l.id, l.name] as const) : meanings[field]?.map((v) => [v, word(v)] as const);
    if (!options) return <small>“{m.of}” is new to us, {count(m.rows, "row")}. It is ignored.</small>;
    return (
      <label class="word">
        <span><b>“{m.of}”</b> in {count(m.rows, "row")} means</span>
        <select value={m.value ?? (field === "status" ? "available" : "")} onChange={(e) => m.onChange(e.currentTarget.value)}>
          {field !== "status" && <option value="">Choose</option>}
          {options.map(([value, name]) => <option key={value} value={value}>{name}</option>)}
        </select>
      </label>
    );
  }
}

function needsDecision(c: PreviewHullImportColumn): boolean {
  return !!c.guess || (c.unknown.length > 0 && (c.field === "location_id" || (!!c.field && c.field in meanings)));
}

/** Columns to decide come first, and ignored ones last. */
function rank(c: PreviewHullImportColumn): number {
  return needsDecision(c) ? 0 : c.field ? 1 : 2;
}

function list(missing: string[]): string {
  return missing.map((f) => fieldName(f).toLowerCase()).join(", ");
}

function action(guesses: PreviewHullImportColumn[]): string {
  const [first] = guesses;
  return guesses.length === 1 && first ? `Use “${first.name}” as ${fieldName(first.guess!).toLowerCase()}` : guesses.length > 1 ? `Use ${count(guesses.length, "guess", "guesses")}` : "Check again";
}

function Question({ reading, missing }: { reading: PreviewHullImportReading; missing: string[] }) {
  const guess = reading.columns.find((c) => c.guess);
  if (guess) {
    return (
      <Verdict answer="wait" icon="alert" title={`Which column is the ${fieldName(guess.guess!).toLowerCase()}?`}>
        No column is called {fieldName(guess.guess!)}. “{guess.name}” has fitting values in {count(guess.filled, "row")} and is our guess. Nothing is saved yet.
      </Verdict>
    );
  }
  if (missing.length > 0) return <Verdict answer="wait" icon="alert" title={`No column for ${list(missing)}`}>Choose the column in “Goes to”. Nothing is saved yet.</Verdict>;
  const unknown = reading.columns.filter(needsDecision).flatMap((c) => c.unknown);
  if (unknown.length > 0) {
    return <Verdict answer="wait" icon="alert" title={`What does “${unknown[0]!.word}” mean?`}>{count(unknown.length, "word is", "words are")} new to us. Decide once for all rows.</Verdict>;
  }
  return <Verdict answer="yes" title="All columns are matched.">Look at the sums. Nothing is saved yet.</Verdict>;
}

/** The sum or the range of a column, so that a wrong guess is seen. */
function Reading({ column: c, rows }: { column: PreviewHullImportColumn; rows: number }) {
  const field = c.field ?? c.guess;
  if (!field) return <span class="muted">Not read</span>;
  if (c.note) return <span class={field === "hin" ? "ok" : "warn"}>{c.note}</span>;
  const bad = c.invalid > 0 && <small>{count(c.invalid, "row")} to repair</small>;
  if (c.total) {
    return <><b>{c.readings.filter(Boolean).map((r) => cents(Number(r) * 100).replace(/\.00$/, "")).join(" · ")}</b><small>Sum of {c.filled < rows ? count(c.filled, "row") : "all rows"}: {money(c.total)}.{c.guess && " Does that look right?"}</small>{bad}</>;
  }
  if (field === "length_ft" || field === "beam_ft") return <><span class="ok"><Icon name="check" />{c.readings.filter(Boolean).map((r) => sayFeet(r)).join(" · ")}</span>{bad}</>;
  if (c.lowest !== null && c.highest !== null) return <><span class="ok"><Icon name="check" />{c.lowest} – {c.highest}</span>{bad}</>;
  if (needsDecision(c)) return <>{bad}</>;
  return <><span class="ok"><Icon name="check" />{count(c.different, "different value")}{c.filled < rows && `, ${number(rows - c.filled)} empty`}</span>{bad}</>;
}
