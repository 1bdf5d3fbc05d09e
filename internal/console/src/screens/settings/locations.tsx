// The locations of the dealership.
import { api, type Location } from "../../api.ts";
import type { FormState, Values } from "../../form.tsx";
import { phone } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { changed, useList } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { NumberField, Select, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { NoRows, Table, type Column } from "../../parts/table.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { setQuery, usePlace } from "../../router.ts";
import { openForm } from "../dialogs.tsx";
import { AddressFields, BuyerTaxesField, TaxesField, ZoneField, addressValues, buyerTaxValue, taxValue, toAddress, toBuyerTaxes, toTaxes } from "./addresses.tsx";
import { SettingsPage } from "./page.tsx";

export function LocationSettings() {
  const { query } = usePlace();
  const locations = useList(["location list"], (page) => api.dealership.listLocations(page), ["location"]);
  useKeys({ c: () => edit(), e: () => edit(locations.data?.find((l) => l.id === query.get("row"))) });
  const action = <Button kind="primary" icon="plus" onClick={() => edit()}>Add location</Button>;
  return (
    <SettingsPage path="locations" actions={action}>
      <Table label="Locations" list={locations} columns={columns} current={query.get("row") ?? undefined} onMove={(l) => setQuery({ row: l.id })} onOpen={edit}
        empty={<NoRows filtered={false} text="No locations yet. Every boat belongs to a location." clear={() => {}} action={action} />} />
    </SettingsPage>
  );
}

const columns: Array<Column<Location>> = [
  { title: "Name", phone: "main", cell: (l) => <div class="t"><b><button type="button" class="link-title" onClick={() => edit(l)}>{l.name}</button></b>{l.code && <small class="mono">{l.code}</small>}</div> },
  { title: "Address", wide: true, cell: (l) => <span class="sub">{l.address ? [l.address.line1, l.address.city, l.address.region].filter(Boolean).join(", ") : "None"}</span> },
  { title: "Phone", phone: "bottom", cell: (l) => <span class="sub num">{l.phone && phone(l.phone)}</span> },
  { title: "Taxes", cell: (l) => <span class="sub">{l.default_taxes ? l.default_taxes.map((t) => `${t.name} ${t.rate_percent}%`).join(", ") || "None" : "As the dealership"}</span> },
  {
    title: "", align: "right", phone: "top",
    cell: (l) => <Menu class="btn quiet square" label={`Actions for ${l.name}`} align="end" button={<Icon name="more" />} items={[
      { title: "Edit", icon: "edit", onClick: () => edit(l) },
      { title: "Delete", icon: "trash", onClick: () => void remove(l).catch(toastError) },
    ]} />,
  },
];

function toValues(l: Location | undefined): Values {
  return {
    name: l?.name ?? "", code: l?.code ?? "", phone: l?.phone ? phone(l.phone) : "", timezone: l?.timezone ?? "", ...addressValues("address", l?.address ?? null),
    own_taxes: l?.default_taxes ? "yes" : "", default_taxes: taxValue(l?.default_taxes ?? null), buyer_taxes: buyerTaxValue(l?.buyer_taxes ?? null), response_goal_minutes: String(l?.response_goal_minutes ?? ""), trade_tax_credit: l?.trade_tax_credit === null || !l ? "" : l.trade_tax_credit ? "yes" : "no",
  };
}

/** Adds or edits a location. */
function edit(location?: Location): void {
  void openForm({
    name: location ? "location " + location.id : "new location", title: location ? `Edit ${location.name}` : "Add location", submit: location ? "Save" : "Add location", wide: true,
    ...(location && { version: location.version }),
    values: toValues(location),
    save: async (v, _, options) => {
      const body = {
        name: v["name"]!, code: v["code"] || null, phone: v["phone"] || null, timezone: v["timezone"] || null, address: toAddress("address", v),
        response_goal_minutes: Number(v["response_goal_minutes"]) || null,
        default_taxes: v["own_taxes"] ? toTaxes(v["default_taxes"]) : null, buyer_taxes: toBuyerTaxes(v["buyer_taxes"]), trade_tax_credit: v["trade_tax_credit"] ? v["trade_tax_credit"] === "yes" : null,
      };
      await (location ? api.dealership.updateLocation(location.id, body, options) : api.dealership.createLocation(body));
      changed("location");
      toast("Location saved.");
    },
    ...(location && {
      reload: async () => {
        const now = await api.dealership.getLocation(location.id);
        return { values: toValues(now), version: now.version };
      },
    }),
    fields: Fields,
  });
}

function Fields(form: FormState<Values>) {
  return (
    <>
      <div class="form-row">
        <TextField form={form} name="name" label="Name" required />
        <TextField form={form} name="code" label="Code" />
        <TextField form={form} name="phone" label="Phone" type="tel" />
        <NumberField form={form} name="response_goal_minutes" label="Answer new leads within" unit="minutes" />
      </div>
      <AddressFields form={form} prefix="address" />
      <div class="form-row">
        <ZoneField form={form} empty="As the dealership" />
        <Select form={form} name="trade_tax_credit" label="Trade-in tax credit" empty="As the dealership" choices={[["yes", "Yes"], ["no", "No"]]} />
        <Select form={form} name="own_taxes" label="Taxes of new deals" empty="As the dealership" choices={[["yes", "Own taxes"]]} />
      </div>
      {form.values["own_taxes"] && <TaxesField form={form} name="default_taxes" hint="For new deals of boats at this location." />}
      <BuyerTaxesField form={form} name="buyer_taxes" />
    </>
  );
}

async function remove(location: Location): Promise<void> {
  if (!(await confirm({ title: `Delete ${location.name}?`, text: "You can only delete a location without boats.", action: "Delete location", danger: true }))) return;
  await api.dealership.deleteLocation(location.id);
  changed("location");
  toast("Location deleted.");
}
