// The Specs tab: the specification sheet, in feet or metric.
import { useState } from "preact/hooks";
import { api, type HullSpecs, type PreviewHull, type SpecEngine } from "../../api.ts";
import { date, number } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { Facts, Section } from "../../parts/layout.tsx";
import { Empty, Loaded } from "../../parts/state.tsx";
import { prefer, preference } from "../../prefs.ts";
import { can } from "../../session.ts";
import { word } from "../../words.ts";
import { EditSpecs } from "./specs-form.tsx";

type Units = "imperial" | "metric";

export function BoatSpecs({ boat }: { boat: PreviewHull }) {
  const specs = useLoad(["specs", boat.id], () => api.hulls.getSpecs(boat.id, { units: "metric" }), [boat.id, "hull"]);
  const [units, setUnits] = useState<Units>(preference("units"));
  const [editing, setEditing] = useState(false);
  const choose = (value: Units) => {
    prefer("units", value);
    setUnits(value);
  };
  return (
    <Loaded load={specs}>
      {(s) => (
        <>
          <div class="part tools">
            <div class="mode" role="group" aria-label="Units">
              <button type="button" aria-pressed={units === "imperial"} onClick={() => choose("imperial")}>Feet</button>
              <button type="button" aria-pressed={units === "metric"} onClick={() => choose("metric")}>Metric</button>
            </div>
            {can("hulls:write") && <Button small icon="edit" onClick={() => setEditing(true)}>Edit specs</Button>}
          </div>
          {s.version === 0 ? <Empty text="No specifications yet." /> : <SpecSections specs={s} units={units} />}
          {editing && <EditSpecs boat={boat} specs={s} onClose={() => setEditing(false)} />}
        </>
      )}
    </Loaded>
  );
}

/** A measure in the chosen units. Undefined if it is unknown. */
function measure(units: Units, imperial: number | null | undefined, unit: string, metric: number | null | undefined, metricUnit: string) {
  const [value, name] = units === "metric" ? [metric, metricUnit] : [imperial, unit];
  return value === null || value === undefined ? undefined : `${number(value)} ${name}`;
}

export function SpecSections({ specs: s, units }: { specs: HullSpecs; units: Units }) {
  const m = s.metric;
  const length = (ft: number | null | undefined, meters: number | null | undefined) => measure(units, ft, "ft", meters, "m");
  const weight = (lb: number | null, kg: number | null | undefined) => measure(units, lb, "lb", kg, "kg");
  const volume = (gal: number | null | undefined, liters: number | null | undefined) => measure(units, gal, "gal", liters, "L");
  const groups: Array<[string, Array<[string, string | number | null | undefined]>]> = [
    ["Size", [
      ["Length overall", length(s.lengths?.loa_ft, m?.length_m)],
      ["Beam", length(s.beam_ft, m?.beam_m)],
      ["Draft", length(s.draft_ft?.max, m?.draft_max_m)],
      ["Draft, drive up", length(s.draft_ft?.drive_up, m?.draft_drive_up_m)],
      ["Bridge clearance", length(s.bridge_clearance_ft, m?.bridge_clearance_m)],
      ["Dry weight", weight(s.dry_weight_lb, m?.dry_weight_kg)],
      ["Displacement", weight(s.displacement_lb, m?.displacement_kg)],
    ]],
    ["Hull", [
      ["Material", s.hull_material && word(s.hull_material)],
      ["Shape", s.hull_shape && word(s.hull_shape)],
      ["Keel", s.keel && word(s.keel)],
      ["Color", s.hull_color],
      ["Deadrise", s.deadrise_deg === null ? null : `${s.deadrise_deg}°`],
      ["Designed for", s.design_category && word(s.design_category)],
      ["Year built", s.year_built],
    ]],
    ["Performance", [
      ["Total power", measure(units, s.total_power_hp, "hp", m?.total_power_kw, "kW")],
      ["Maximum power", measure(units, s.max_power_hp, "hp", m?.max_power_kw, "kW")],
      ["Top speed", measure(units, s.max_speed_kn, "kn", m?.max_speed_kmh, "km/h")],
      ["Cruising speed", measure(units, s.cruise_speed_kn, "kn", m?.cruise_speed_kmh, "km/h")],
      ["Range", measure(units, s.range_nm, "nm", m?.range_km, "km")],
    ]],
    ["Capacity", [
      ["Fuel", volume(s.tanks?.fuel_gal, m?.fuel_l)],
      ["Fresh water", volume(s.tanks?.water_gal, m?.water_l)],
      ["Waste water", volume(s.tanks?.holding_gal, m?.holding_l)],
      ["Persons", s.max_persons],
      ["Maximum load", weight(s.max_load_lb, m?.max_load_kg)],
      ["Cabins", s.cabins],
      ["Berths", s.berths?.total],
      ["Heads", s.heads],
    ]],
    ["Trailer and warranty", [
      ["Trailer", [s.trailer?.year, s.trailer?.make, s.trailer?.model].filter(Boolean).join(" ")],
      ["Trailer VIN", s.trailer?.vin],
      ["Warranty until", s.warranty?.expires_at && date(s.warranty.expires_at)],
    ]],
  ];
  return (
    <>
      {(s.engines ?? []).length > 0 && <Section title="Engines"><ul class="engines">{s.engines!.map((e, i) => <li key={i}>{describe(e)}</li>)}</ul></Section>}
      {groups.filter(([, facts]) => facts.some(([, v]) => v !== null && v !== undefined && v !== "")).map(([title, facts]) => (
        <Section key={title} title={title}><Facts facts={facts} /></Section>
      ))}
      {s.highlights && s.highlights.length > 0 && <Section title="Highlights"><ul class="bullets">{s.highlights.map((h) => <li key={h}>{h}</li>)}</ul></Section>}
    </>
  );
}

/** Starboard: 2024 Yamaha F300, 300 hp, gasoline, 212 hours */
function describe(e: SpecEngine): string {
  const name = [e.year, e.make, e.model].filter(Boolean).join(" ") || "Engine";
  const facts = [e.hp && `${number(e.hp)} hp`, e.fuel && word(e.fuel).toLowerCase(), typeof e.hours === "number" && `${number(e.hours)} hours`];
  const position = e.position && e.position !== "single" ? word(e.position) + ": " : "";
  return position + [name, ...facts.filter(Boolean)].join(", ");
}
