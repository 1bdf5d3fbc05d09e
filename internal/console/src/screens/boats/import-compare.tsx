// What the file says, and what is stored now.
import { api, type PreviewHullImportCount, type PreviewHullImportDifference, type PreviewHullImportReconciliation } from "../../api.ts";
import { count, money, number } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Section } from "../../parts/layout.tsx";
import { Loaded } from "../../parts/state.tsx";
import { Verdict } from "../../parts/verdict.tsx";
import { href } from "../../router.ts";
import { word } from "../../words.ts";
import { fieldName } from "./import-columns.tsx";
import type { Imported } from "./import-subject.ts";
import { useLocations } from "./shared.ts";

export function Compare({ of: i }: { of: Imported }) {
  const load = useLoad(["reconciliation", i.id], () => api.preview.hulls.getImportReconciliation(i.id), [i.id, "hull"]);
  return <Loaded load={load}>{(c) => <Result of={i} with={c} />}</Loaded>;
}

function Result({ of: i, with: c }: { of: Imported; with: PreviewHullImportReconciliation }) {
  const locations = useLocations();
  const place = (id: string) => locations.get(id)?.name ?? id;
  const left = c.differences.filter((d) => d.field === "row");
  const others = c.differences.filter((d) => d.field !== "row");
  const title = `${count(c.boats.file, "boat")} and ${money(c.prices.file)} in your file. ${count(c.boats.slipway, "boat")} and ${money(c.prices.slipway)} in Slipway.`;
  const counted = `Counted again from the stored boats, not from the import. ${number(i.created)} added, ${number(i.updated)} changed, ${number(i.unchanged)} unchanged.`;
  return (
    <>
      {c.agrees
        ? <Verdict answer="yes" title={title}>{counted}</Verdict>
        : <Verdict answer="wait" icon="alert" title={title}>{counted} {left.length > 0 && `${count(left.length, "row was", "rows were")} skipped or rejected.`}</Verdict>}
      <div class="part scroll-x" tabIndex={0} role="region" aria-label="Comparison">
        <table class="plain">
          <thead><tr><th scope="col">What</th><th scope="col" class="num">Your file</th><th scope="col" class="num">Slipway</th><th scope="col">Difference</th></tr></thead>
          <tbody>
            <Line name="Boats" file={number(c.boats.file)} slipway={number(c.boats.slipway)} why={why(left)} />
            <Line name="Asking prices" file={money(c.prices.file)} slipway={money(c.prices.slipway)} why={why([...left, ...others.filter((d) => d.field === "price_usd")])} />
            {c.costs.file.amount > 0 && <Line name="Cost with freight and rigging" file={money(c.costs.file)} slipway={money(c.costs.slipway)} why={why([...left, ...others.filter((d) => d.field === "cost")])} />}
            {c.statuses.map((s) => <Counted key={s.name} of={s} name={word(s.name)} field="status" />)}
            {c.locations.map((s) => <Counted key={s.name} of={s} name={place(s.name)} field="location_id" />)}
            {c.hins.file > 0 && <Counted of={c.hins} name="With a HIN" field="hin" />}
          </tbody>
        </table>
      </div>
      {c.differences.length > 0 && (
        <Section title="Rows that differ">
          <table class="plain">
            <thead><tr><th scope="col">Row</th><th scope="col">Field</th><th scope="col">Your file</th><th scope="col">Slipway</th></tr></thead>
            <tbody>
              {c.differences.slice(0, 100).map((d, n) => (
                <tr key={n}>
                  <td class="num">{d.row}</td>
                  {d.field === "row"
                    ? <td colSpan={3}>{reason(i, d.row)}</td>
                    : <><td>{d.hull_id ? <a href={href("boats/" + d.hull_id)}>{d.field === "cost" ? "Cost" : fieldName(d.field)}</a> : fieldName(d.field)}</td><td>{d.field === "location_id" ? place(d.file) : word(d.file)}</td><td>{d.field === "location_id" ? place(d.slipway) : word(d.slipway)}</td></>}
                </tr>
              ))}
            </tbody>
          </table>
        </Section>
      )}
      <div class="bar">
        <span class="end"><ButtonLink href={href("boats/import")}>Import another file</ButtonLink><ButtonLink kind="primary" href={href("boats")}>Show inventory</ButtonLink></span>
      </div>
    </>
  );

  function Counted({ of: s, name, field }: { of: PreviewHullImportCount; name: string; field: string }) {
    return <Line name={name} file={number(s.file)} slipway={number(s.slipway)} why={why([...left, ...others.filter((d) => d.field === field)])} />;
  }
}

function Line(props: { name: string; file: string; slipway: string; why: string }) {
  const same = props.file === props.slipway;
  return (
    <tr>
      <td>{props.name}</td><td class="num">{props.file}</td><td class="num">{props.slipway}</td>
      <td class={same ? "ok" : ""}>{same ? <><Icon name="check" />None</> : props.why}</td>
    </tr>
  );
}

/** Row 17; or Rows 17, 58 and 3 more. */
function why(differences: PreviewHullImportDifference[]): string {
  const rows = [...new Set(differences.map((d) => d.row))];
  if (rows.length === 0) return "See the rows below";
  if (rows.length === 1) return `Row ${rows[0]}`;
  return `Rows ${rows.slice(0, 3).join(", ")}${rows.length > 3 ? ` and ${number(rows.length - 3)} more` : ""}`;
}

/** Why a row has no boat. */
function reason(i: Imported, row: number): string {
  const skipped = i.skipped_rows?.find((s) => s.row === row);
  if (skipped) return `Skipped: the ${fieldName(skipped.field)} ${skipped.message}.`;
  const errors = i.errors.filter((e) => e.row === row);
  if (errors.length > 0) return "Skipped: " + errors.map((e) => `${fieldName(e.field)} ${e.message}`).join("; ") + ".";
  return "The boat no longer exists.";
}
