// Editing the specification sheet. The API replaces the whole sheet, so fields that are not in the form are sent back.
import { useState } from "preact/hooks";
import { api, type HullSpecs, type PreviewHull, type SpecEngine, type SpecSheet } from "../../api.ts";
import { FormDialog, useForm, type FormState, type Values } from "../../form.tsx";
import { changed } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { NumberField, Select, TextArea, TextField } from "../../parts/field.tsx";
import { toast } from "../../parts/toast.tsx";
import { options, word } from "../../words.ts";

/** Numbers of the sheet: the name in the API, the label and the unit. */
const numbers: Array<[string, string, string?]> = [
  ["lengths.loa_ft", "Length overall", "ft"], ["beam_ft", "Beam", "ft"], ["draft_ft.max", "Draft", "ft"], ["draft_ft.drive_up", "Draft, drive up", "ft"],
  ["bridge_clearance_ft", "Bridge clearance", "ft"], ["dry_weight_lb", "Dry weight", "lb"], ["displacement_lb", "Displacement", "lb"], ["deadrise_deg", "Deadrise", "°"],
  ["max_power_hp", "Maximum power", "hp"], ["max_speed_kn", "Top speed", "kn"], ["cruise_speed_kn", "Cruising speed", "kn"], ["range_nm", "Range", "nm"],
  ["tanks.fuel_gal", "Fuel", "gal"], ["tanks.water_gal", "Fresh water", "gal"], ["tanks.holding_gal", "Waste water", "gal"],
  ["max_persons", "Persons"], ["max_load_lb", "Maximum load", "lb"], ["cabins", "Cabins"], ["berths.total", "Berths"], ["heads", "Heads"], ["year_built", "Year built"],
];

const materials = "aluminum ferro_cement fiberglass fiberglass_composite fiberglass_reinforced hypalon plastic rubber_vinyl_canvas steel wood other";
const shapes = "catamaran deep_vee displacement flat foldable modified_vee monohull planing pontoon rib roll_up semi_displacement trimaran tunnel other";
const keels = "full fin lifting winged twin bulb canting other";

const choices: Array<[string, string, string[]]> = [
  ["hull_material", "Material", materials.split(" ")],
  ["hull_shape", "Shape", shapes.split(" ")],
  ["keel", "Keel", keels.split(" ")],
  ["design_category", "Designed for", ["ocean", "offshore", "inshore", "sheltered"]],
];

const engineNumbers = ["year", "hp", "hours"] as const;
const engineTexts = ["make", "model", "serial"] as const;
const fuels = options(["gas", "diesel", "electric", "hybrid", "other"]);

/** Returns the value at a path such as tanks.fuel_gal or engines[0].hp. */
function read(sheet: unknown, path: string): unknown {
  return path.split(/[.[\]]+/).filter(Boolean).reduce<unknown>((at, name) => (at as Record<string, unknown> | null | undefined)?.[name], sheet);
}

function text(value: unknown): string {
  return value === null || value === undefined ? "" : String(value);
}

function toValues(specs: HullSpecs): Values {
  const paths = [...numbers.map(([path]) => path), ...choices.map(([path]) => path), "hull_color"];
  const values = Object.fromEntries(paths.map((path) => [path, text(read(specs, path))]));
  values["highlights"] = (specs.highlights ?? []).join("\n");
  for (const [i, engine] of (specs.engines ?? []).entries()) Object.assign(values, engineValues(i, engine));
  return values;
}

function engineValues(i: number, engine: SpecEngine): Values {
  return Object.fromEntries([...engineNumbers, ...engineTexts, "fuel" as const].map((name) => [`engines[${i}].${name}`, text(engine[name])]));
}

/** The sheet without calculated values, with the values of the form. */
function toSheet(specs: HullSpecs, values: Values, engineCount: number): SpecSheet {
  const { hull_id: _, metric: _m, engine_count: _c, total_power_hp: _p, updated_at: _u, version: _v, ...kept } = specs;
  const sheet: SpecSheet = { ...kept };
  for (const [path] of numbers) write(sheet, path, values[path] ? Number(values[path]) : null);
  for (const [path] of choices) write(sheet, path, values[path] || null);
  sheet.hull_color = values["hull_color"] || null;
  sheet.highlights = values["highlights"]?.split("\n").map((line) => line.trim()).filter(Boolean) ?? null;
  sheet.engines = Array.from({ length: engineCount }, (_, i) => ({ ...specs.engines?.[i], ...toEngine(values, i) }));
  if (engineCount === 0 && specs.engines === null) sheet.engines = null;
  return sheet;
}

function toEngine(values: Values, i: number): SpecEngine {
  const at = (name: string) => values[`engines[${i}].${name}`];
  return {
    ...Object.fromEntries(engineNumbers.map((name) => [name, at(name) ? Number(at(name)) : null])),
    ...Object.fromEntries(engineTexts.map((name) => [name, at(name) || null])),
    fuel: (at("fuel") || null) as SpecEngine["fuel"] & string,
  };
}

/** Sets a field, or a field of a part such as tanks.fuel_gal. */
function write(sheet: SpecSheet, path: string, value: unknown): void {
  const [name, part] = path.split(".") as [keyof SpecSheet, string | undefined];
  const whole = sheet as Record<string, unknown>;
  if (!part) whole[name] = value;
  else if (value !== null || whole[name]) whole[name] = { ...(whole[name] as object), [part]: value };
}

export function EditSpecs({ boat, specs, onClose }: { boat: PreviewHull; specs: HullSpecs; onClose: () => void }) {
  const [engines, setEngines] = useState((specs.engines ?? []).length);
  const form = useForm<Values>({
    name: "specs " + boat.id,
    version: specs.version,
    values: toValues(specs),
    save: async (values, _, { ifVersion }) => {
      await api.hulls.replaceSpecs(boat.id, toSheet(specs, values, engines), ifVersion ? { ifVersion } : {});
      changed("hull", boat.id);
      toast("Specifications saved.");
    },
    onSaved: onClose,
  });
  return (
    <FormDialog title="Edit specs" wide form={form} submit="Save" onClose={onClose}>
      <fieldset>
        <legend>Engines</legend>
        {Array.from({ length: engines }, (_, i) => <EngineFields key={i} form={form} i={i} />)}
        <div class="form-end start">
          <Button small icon="plus" onClick={() => setEngines(engines + 1)}>Add engine</Button>
          {engines > 0 && <Button small icon="minus" onClick={() => setEngines(engines - 1)}>Remove last engine</Button>}
        </div>
      </fieldset>
      <fieldset>
        <legend>Measurements</legend>
        <div class="form-row">{numbers.map(([name, label, unit]) => <NumberField key={name} form={form} name={name} label={label} {...(unit && { unit })} />)}</div>
      </fieldset>
      <fieldset>
        <legend>Hull</legend>
        <div class="form-row">
          {choices.map(([name, label, values]) => <Select key={name} form={form} name={name} label={label} empty="Unknown" choices={options(values)} />)}
          <TextField form={form} name="hull_color" label="Color" />
        </div>
      </fieldset>
      <TextArea form={form} name="highlights" label="Highlights" hint="One per line." />
    </FormDialog>
  );
}

function EngineFields({ form, i }: { form: FormState<Values>; i: number }) {
  const name = (field: string) => `engines[${i}].${field}`;
  return (
    <div class="form-row engine">
      {engineTexts.map((f) => <TextField key={f} form={form} name={name(f)} label={f === "serial" ? "Serial number" : word(f)} />)}
      <NumberField form={form} name={name("year")} label="Year" />
      <NumberField form={form} name={name("hp")} label="Power" unit="hp" />
      <NumberField form={form} name={name("hours")} label="Hours" />
      <Select form={form} name={name("fuel")} label="Fuel" empty="Unknown" choices={fuels} />
    </div>
  );
}
