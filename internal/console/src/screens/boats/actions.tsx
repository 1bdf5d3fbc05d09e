// What users do with a boat: hold it, change its price, move and archive it.
import { useState } from "preact/hooks";
import { api, type HullPricing, type HullPricingReplace, type HullStatus, type PreviewHull } from "../../api.ts";
import { FormDialog, useForm } from "../../form.tsx";
import { number, usd } from "../../format.ts";
import { changed } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { MoneyField, Select, TextField } from "../../parts/field.tsx";
import { Refusal } from "../../parts/state.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { can } from "../../session.ts";
import { boatName } from "./shared.ts";

/** The change of status that users make most often, by status. Deals make the others. */
const nextStatus: Partial<Record<HullStatus, { to: HullStatus; title: string }>> = {
  on_hold: { to: "available", title: "Release hold" },
  not_for_sale: { to: "available", title: "Put on sale" },
};

/** Hold, receive or release: what comes next for the boat. A boat that was sold before it arrives is followed, too. */
export function BoatStatusButton({ boat }: { boat: PreviewHull }) {
  const [holding, setHolding] = useState(false);
  const [receiving, setReceiving] = useState(false);
  const next = nextStatus[boat.status];
  if (boat.status !== "archived" && boat.stock_state === "on_order") {
    return <Button onClick={() => void changeStatus(boat, "in_transit").catch(toastError)}>Mark in transit</Button>;
  }
  if (boat.status !== "archived" && boat.stock_state === "in_transit") {
    return <><Button onClick={() => setReceiving(true)}>Receive</Button>{receiving && <ReceiveDialog boat={boat} onClose={() => setReceiving(false)} />}</>;
  }
  if (boat.status === "available") {
    return <><Button onClick={() => setHolding(true)}>Hold</Button>{holding && <HoldDialog boats={[boat]} onClose={() => setHolding(false)} />}</>;
  }
  if (!next) return null;
  return <Button onClick={() => void changeStatus(boat, next.to).catch(toastError)}>{next.title}</Button>;
}

/** Changes the status of a boat. */
export async function changeStatus(boat: PreviewHull, to: HullStatus): Promise<void> {
  await api.hulls.transition(boat.id, { to });
  changed("hull", boat.id);
  toast("Status changed.");
}

/** Receives a boat that was on its way. It must have a HIN. */
function ReceiveDialog({ boat, onClose }: { boat: PreviewHull; onClose: () => void }) {
  const form = useForm({
    name: "receive " + boat.id,
    values: { hin: boat.hin ?? "", reason: "" },
    save: async ({ hin, reason }) => {
      if (hin !== (boat.hin ?? "")) await api.hulls.update(boat.id, { hin: hin || null });
      await api.hulls.transition(boat.id, { to: "available", reason: reason || null });
      changed("hull", boat.id);
      toast("Boat received.");
    },
    onSaved: onClose,
  });
  return (
    <FormDialog title={`Receive ${boatName(boat)}`} form={form} submit="Receive boat" onClose={onClose}>
      <TextField form={form} name="hin" label="HIN" required hint="Compare it with the number on the transom." />
      <TextField form={form} name="reason" label="Note" hint="For the history." />
    </FormDialog>
  );
}

/** Puts one or more boats on hold. */
export function HoldDialog({ boats, onClose }: { boats: PreviewHull[]; onClose: () => void }) {
  const form = useForm({
    name: "hold",
    values: { hours: "48", reason: "" },
    save: async ({ hours, reason }) => {
      const expires_at = new Date(Date.now() + Number(hours) * 3_600_000).toISOString();
      for (const boat of boats) await api.hulls.transition(boat.id, { to: "on_hold", expires_at, reason: reason || null });
      changed("hull", ...boats.map((b) => b.id));
      toast(boats.length === 1 ? "Boat is on hold." : `${boats.length} boats are on hold.`);
    },
    onSaved: onClose,
  });
  const title = boats.length === 1 ? `Hold ${boatName(boats[0]!)}` : `Hold ${boats.length} boats`;
  return (
    <FormDialog title={title} form={form} submit="Hold" onClose={onClose}>
      <Select form={form} name="hours" label="For" required choices={[["24", "1 day"], ["48", "2 days"], ["72", "3 days"], ["168", "1 week"], ["336", "2 weeks"]]} />
      <TextField form={form} name="reason" label="Reason" />
    </FormDialog>
  );
}

const priceTypes: Array<[string, string]> = [["asking", "Asking price"], ["sale", "Sale price"], ["call", "Call for price"]];

async function setPrice(boat: PreviewHull, pricing: HullPricingReplace): Promise<void> {
  await api.hulls.adjustPricing(boat.id, pricing);
  changed("hull", boat.id);
}

/** Says why a new price can be a mistake, or returns undefined. Costs and the floor are known to people who may see them. */
export function doubtAbout(price: number, before: number, known: HullPricing | undefined): string | undefined {
  const cost = Object.values(known?.cost ?? {}).reduce<number>((sum, c) => sum + (c ?? 0), 0) / 100;
  if (known?.floor_usd != null && price < known.floor_usd) return `That is ${usd(known.floor_usd - price)} below the lowest acceptable price of ${usd(known.floor_usd)}.`;
  if (cost > 0 && price < cost) return `That is ${usd(Math.round(cost - price))} below the cost of ${usd(Math.round(cost))}.`;
  const share = before > 0 ? Math.round((Math.abs(price - before) / before) * 100) : 0;
  return share > 30 ? `That is ${number(share)}% ${price < before ? "less" : "more"} than before.` : undefined;
}

/** Changes the asking price and says why. A price that can be a mistake is asked for once. */
export function PriceDialog({ boat, onClose }: { boat: PreviewHull; onClose: () => void }) {
  const before = boat.price.amount / 100;
  const form = useForm({
    name: "price " + boat.id,
    values: { price_usd: String(before), price_type: boat.price_type as string, reason: "" },
    save: async ({ price_usd, price_type, reason }) => {
      const price = Number(price_usd);
      const doubt = price === before ? undefined : doubtAbout(price, before, can("hulls:write") ? await api.hulls.getPricing(boat.id) : undefined);
      if (doubt && !(await confirm({ title: `Change the price from ${usd(before)} to ${usd(price)}?`, text: doubt, action: `Change to ${usd(price)}` }))) {
        throw new Refusal("The price was not changed.");
      }
      await setPrice(boat, { price_usd: price, price_type: price_type as PreviewHull["price_type"], reason: reason || null });
      const undo = () => void setPrice(boat, { price_usd: before, price_type: boat.price_type, reason: "Undone" }).then(() => toast("The price is as before."), toastError);
      toast(`The price is ${usd(price)}.`, undo);
    },
    onSaved: onClose,
  });
  return (
    <FormDialog title={`Price of ${boatName(boat)}`} form={form} submit="Change price" onClose={onClose}>
      <div class="form-row">
        <MoneyField form={form} name="price_usd" label="Price" required />
        <Select form={form} name="price_type" label="Shown as" required choices={priceTypes} />
      </div>
      <TextField form={form} name="reason" label="Reason" hint="For the price history. Buyers don't see it." />
    </FormDialog>
  );
}

/** Archives a boat after the user confirms it. */
export async function archive(boat: PreviewHull): Promise<void> {
  const yes = await confirm({
    title: `Archive ${boatName(boat)}?`,
    text: "It leaves the inventory and all channels. You can bring it back later.",
    action: "Archive boat",
    danger: true,
  });
  if (!yes) return;
  const before = boat.status === "on_hold" ? "available" : boat.status; // archiving ends the hold
  try {
    await api.hulls.archive(boat.id);
    changed("hull", boat.id);
    toast("Boat archived.", () => void changeStatus(boat, before).catch(toastError));
  } catch (error) {
    toastError(error);
  }
}

