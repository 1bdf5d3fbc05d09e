// Adding and editing a boat.
import { api, type BoatClass, type HinAbsentReason, type Hull, type HullCategory, type HullCondition, type HullOwnership, type HullPatch, type NewHullStatus, type PreviewHull } from "../../api.ts";
import { FormDialog, useForm, type FormState } from "../../form.tsx";
import { changed } from "../../load.ts";
import { MoneyField, NumberField, Select, TextArea, TextField } from "../../parts/field.tsx";
import { toast } from "../../parts/toast.tsx";
import { href, navigate } from "../../router.ts";
import { className, options } from "../../words.ts";
import { useLocations } from "./shared.ts";

type BoatValues = {
  year: string; make: string; model: string; length_ft: string; hin: string; hin_absent_reason: string; stock_number: string; condition: string;
  category: string; boat_class: string; ownership: string; location_id: string; received_on: string; title: string; description: string;
  order_number: string; expected_on: string; options: string;
};

function toValues(boat: PreviewHull | Hull): BoatValues {
  const text = (value: string | number | null) => (value === null ? "" : String(value));
  return {
    year: text(boat.year), make: boat.make, model: boat.model, length_ft: text(boat.length_ft), hin: text(boat.hin),
    hin_absent_reason: text(boat.hin_absent_reason),
    stock_number: text(boat.stock_number), condition: boat.condition, category: boat.category, boat_class: text(boat.boat_class),
    ownership: boat.ownership, location_id: boat.location_id, received_on: text(boat.received_on), title: text(boat.title),
    description: text(boat.description), order_number: text(boat.order_number), expected_on: text(boat.expected_on), options: boat.options.join("\n"),
  };
}

/** Fields that are numbers in the API. The others are text, and empty text is null. */
const numbers = ["year", "length_ft"];

function toPatch(values: Partial<BoatValues>): HullPatch {
  const read = (name: string, value: string) => (name === "options" ? toOptions(value) : numbers.includes(name) ? Number(value) : value || null);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, read(name, value)]));
}

/** One option per line. */
function toOptions(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter(Boolean);
}

export function EditBoat({ boat, onClose }: { boat: PreviewHull; onClose: () => void }) {
  const form = useForm<BoatValues>({
    name: "boat " + boat.id,
    version: boat.version,
    values: toValues(boat),
    save: async (_, changes, options) => {
      await api.hulls.update(boat.id, toPatch(changes), options);
      changed("hull", boat.id);
      toast("Boat saved.");
    },
    reload: async () => {
      const now = await api.hulls.get(boat.id);
      return { values: toValues(now), version: now.version };
    },
    onSaved: onClose,
  });
  return (
    <FormDialog title="Edit boat" wide form={form} submit="Save" onClose={onClose}>
      <BoatFields form={form} />
      <OrderFields form={form} />
      <TextField form={form} name="title" label="Headline of listings" />
      <TextArea form={form} name="description" label="Description" rows={5} />
    </FormDialog>
  );
}

const newBoat = {
  year: "", make: "", model: "", length_ft: "", hin: "", hin_absent_reason: "", stock_number: "", condition: "new", category: "", boat_class: "",
  ownership: "owned", location_id: "", received_on: "", price_usd: "", status: "available", order_number: "", expected_on: "", options: "",
};

export function AddBoat({ onClose }: { onClose: () => void }) {
  const locations = useLocations();
  const only = locations.size === 1 ? [...locations.keys()][0]! : "";
  const form = useForm({
    name: "new boat",
    values: newBoat,
    save: async (v) => {
      const boat = await api.hulls.create({
        year: Number(v.year), make: v.make, model: v.model, length_ft: Number(v.length_ft), price_usd: Number(v.price_usd),
        location_id: v.location_id || only, hin: v.hin || null, stock_number: v.stock_number || null,
        hin_absent_reason: v.hin ? null : ((v.hin_absent_reason || null) as HinAbsentReason | null),
        condition: v.condition as HullCondition, ownership: v.ownership as HullOwnership, status: v.status as NewHullStatus,
        boat_class: (v.boat_class || null) as BoatClass | null, received_on: v.received_on || null,
        category: (v.category || null) as HullCategory | null,
        ...(isComing(v.status) && { order_number: v.order_number || null, expected_on: v.expected_on || null, options: toOptions(v.options) }),
      });
      changed("hull");
      toast("Boat added.");
      navigate(href(`boats/${boat.id}/photos`));
    },
  });
  return (
    <FormDialog title="Add boat" wide form={form} submit="Add boat" onClose={onClose}>
      <BoatFields form={form} />
      <div class="form-row">
        <MoneyField form={form} name="price_usd" label="Asking price" required />
        <Select form={form} name="status" label="Status" required choices={options(["available", "on_order", "in_transit", "not_for_sale"])} />
      </div>
      {isComing(form.values.status) && <OrderFields form={form} />}
    </FormDialog>
  );
}

function isComing(status: string): boolean {
  return status === "on_order" || status === "in_transit";
}

/** The order with the manufacturer. */
function OrderFields<V extends Pick<BoatValues, "order_number" | "expected_on" | "options">>({ form: anyForm }: { form: FormState<V> }) {
  const form = anyForm as unknown as FormState<Pick<BoatValues, "order_number" | "expected_on" | "options">>;
  return (
    <>
      <div class="form-row">
        <TextField form={form} name="order_number" label="Manufacturer's order number" />
        <TextField form={form} name="expected_on" label="Expected on" type="date" />
      </div>
      <TextArea form={form} name="options" label="Factory options" rows={3} hint="One option per line. Agreements list them." />
    </>
  );
}

type SharedValues = Omit<BoatValues, "title" | "description" | "order_number" | "expected_on" | "options">;

/** Boat classes, in the order of the list. */
const classNames = (
  "power-bowrider power-center power-dualconsole power-deck power-pontoon power-bay power-bass power-skiwake power-cuddy power-walk " +
  "power-expresscruiser power-sportcruiser power-cruiser power-flybridge power-convertible power-sportfish power-motor power-trawler power-tug " +
  "power-downeast power-pilot power-skiff power-jon power-aluminum power-runabout power-rib power-inflatable power-pwc power-other " +
  "sail-sloop sail-cutter sail-ketch sail-cruiser sail-racer sail-day sail-catamaran sail-trimaran sail-dinghy sail-other " +
  "unpowered-kayak unpowered-dinghy unpowered-tender"
).split(" ");

function BoatFields<V extends SharedValues>({ form: anyForm }: { form: FormState<V> }) {
  const form = anyForm as unknown as FormState<SharedValues>;
  const locations = useLocations();
  const choices = [...locations.values()].map((l): [string, string] => [l.id, l.name]);
  return (
    <>
      <div class="form-row">
        <NumberField form={form} name="year" label="Model year" required />
        <TextField form={form} name="make" label="Make" required />
        <TextField form={form} name="model" label="Model" required />
      </div>
      <div class="form-row">
        <NumberField form={form} name="length_ft" label="Length" unit="ft" required />
        <TextField form={form} name="hin" label="HIN" />
        <TextField form={form} name="stock_number" label="Stock number" />
      </div>
      {!form.values.hin && (
        <Select form={form} name="hin_absent_reason" label="No HIN because" choices={options(["pre_1972", "not_yet_assigned", "homebuilt_pending"])} empty="It has one, or isn’t built yet" />
      )}
      <div class="form-row">
        <Select form={form} name="condition" label="Condition" required choices={options(["new", "used", "demo"])} />
        <Select form={form} name="boat_class" label="Type of boat" empty="Not specified" choices={options(classNames, className)} />
        <Select form={form} name="ownership" label="Ownership" required choices={options(["owned", "floorplan", "consignment", "brokerage"])} />
      </div>
      <div class="form-row">
        <Select form={form} name="location_id" label="Location" choices={choices} {...(choices.length > 1 && { required: true, empty: "Choose a location" })} />
        <TextField form={form} name="received_on" label="Received on" type="date" />
      </div>
    </>
  );
}
