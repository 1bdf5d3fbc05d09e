import type { HullImport } from "../../api.ts";
import { Icon } from "../../parts/icon.tsx";
import { Section } from "../../parts/layout.tsx";
import { word } from "../../words.ts";

/** Fields by column. An empty field ignores the column. */
export type ColumnMap = Record<string, string>;

const fields = (
  "stock_number hin hin_absent_reason make model year length_ft price_usd location_id status condition category boat_class title description " +
  "ownership received_on msrp_usd invoice_usd freight_usd rigging_usd pack_usd reconditioning_usd hours engine_count engine_make engine_model " +
  "engine_year engine_serial engine_hp engine_fuel trailer_vin trailer_make trailer_model trailer_year hull_color beam_ft photo_urls"
).split(" ");

const labels: Record<string, string> = {
  hin: "HIN", hin_absent_reason: "Reason without HIN", length_ft: "Length", price_usd: "Price", location_id: "Location", boat_class: "Type of boat",
  msrp_usd: "MSRP", invoice_usd: "Invoice", freight_usd: "Freight", rigging_usd: "Rigging", pack_usd: "Pack", reconditioning_usd: "Reconditioning",
  hours: "Engine hours", engine_hp: "Engine power", trailer_vin: "Trailer VIN", beam_ft: "Beam", photo_urls: "Photos",
};

/** Returns the name of a field for people. */
export function fieldName(field: string): string {
  return labels[field] ?? word(field);
}

/** Which column of the file is which field of a boat. The user can correct it. */
export function Columns({ of: i, map, onChange }: { of: HullImport; map: ColumnMap; onChange: (map: ColumnMap) => void }) {
  const columns = [...Object.keys(i.columns), ...i.ignored_columns];
  if (columns.length === 0) return null;
  return (
    <Section title="Columns">
      {columns.map((column) => (
        <label key={column} class="map-row field">
          <span>{column}</span>
          <Icon name="arrowRight" />
          <select value={map[column] ?? i.columns[column] ?? ""} onChange={(e) => onChange({ ...map, [column]: e.currentTarget.value })}>
            <option value="">Ignore</option>
            {fields.map((f) => <option key={f} value={f}>{fieldName(f)}</option>)}
            {i.columns[column]?.startsWith("metadata.") && <option value={i.columns[column]}>{i.columns[column]}</option>}
          </select>
        </label>
      ))}
    </Section>
  );
}
