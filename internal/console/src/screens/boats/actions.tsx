// What users do with a boat: hold it, change its price, move and archive it.
import { useState } from "preact/hooks";
import { api, type HullPricing, type HullPricingReplace, type HullStatus, type PreviewHull } from "../../api.ts";
import { FormDialog, useForm } from "../../form.tsx";
import { number, usd } from "../../format.ts";
import { changed } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { MoneyField, Select, TextField } from "../../parts/field.tsx";
import { Refusal, explain } from "../../parts/state.tsx";
import { toast, toastError, toastUndo } from "../../parts/toast.tsx";
import { can, rolesWith, session, whyNot } from "../../session.ts";
import { useNames } from "../contacts/people.tsx";
import { boatName } from "./shared.ts";

/** The change of status that users make most often, by status. Deals make the others. */
const nextStatus: Partial<Record<HullStatus, { to: HullStatus; title: string }>> = {
  not_for_sale: { to: "available", title: "Put on sale" },
};

/** Says why the user can't place a hold, or undefined. People who sell can. */
export function whyNoHold(): string | undefined {
  return whyNot("hulls:write", "deals:write");
}

/** Says why the user can't change or end the hold of a boat, or undefined. */
function useWhyHeld(boat: PreviewHull): string | undefined {
  const nameOf = useNames();
  const by = boat.hold?.user_id;
  if (can("hulls:write") || whyNoHold() || (by && by === session.user.id)) return whyNoHold();
  return `${by ? nameOf(by) : "A program"} placed this hold. ${by ? `${nameOf(by)} or someone` : "Someone"} with the role ${rolesWith("hulls:write")} can change it.`;
}

/** Ends a hold. Undo places it again. */
async function release(boat: PreviewHull): Promise<void> {
  await api.preview.hulls.endHold(boat.id);
  changed("hull", boat.id);
  const { reason, expires_at, deal_id, lead_id, contact_id } = boat.hold!;
  const again = () => api.preview.hulls.hold(boat.id, { reason, expires_at, deal_id, lead_id, contact_id }).then(() => changed("hull", boat.id));
  toastUndo("The boat is available.", again, "The boat is on hold again.");
}

/** The buttons of a hold: extend and release. */
function HoldButtons({ boat }: { boat: PreviewHull }) {
  const [changing, setChanging] = useState(false);
  const why = useWhyHeld(boat);
  return (
    <>
      <Button why={why} onClick={() => setChanging(true)}>Change hold</Button>
      <Button why={why} onClick={() => void release(boat).catch(toastError)}>Release hold</Button>
      {changing && <HoldDialog boats={[boat]} onClose={() => setChanging(false)} />}
    </>
  );
}

/** Hold, receive or release: what comes next for the boat. A boat that was sold before it arrives is followed, too. */
export function BoatStatusButton({ boat }: { boat: PreviewHull }) {
  const [holding, setHolding] = useState(false);
  const [receiving, setReceiving] = useState(false);
  const next = nextStatus[boat.status];
  const why = whyNot("hulls:write");
  if (boat.status !== "archived" && boat.stock_state === "on_order") {
    return <Button why={why} onClick={() => void changeStatus(boat, "in_transit").catch(toastError)}>Mark in transit</Button>;
  }
  if (boat.status !== "archived" && boat.stock_state === "in_transit") {
    return <><Button why={why} onClick={() => setReceiving(true)}>Receive</Button>{receiving && <ReceiveDialog boat={boat} onClose={() => setReceiving(false)} />}</>;
  }
  if (boat.status === "available") {
    return <><Button why={whyNoHold()} onClick={() => setHolding(true)}>Hold</Button>{holding && <HoldDialog boats={[boat]} onClose={() => setHolding(false)} />}</>;
  }
  if (boat.status === "on_hold") return <HoldButtons boat={boat} />;
  if (!next) return null;
  return <Button why={why} onClick={() => void changeStatus(boat, next.to).catch(toastError)}>{next.title}</Button>;
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
    name: "hold " + boats.map((b) => b.id).join(" ").slice(0, 40),
    values: { hours: "48", reason: boats[0]?.hold?.reason ?? "" },
    save: async ({ hours, reason }) => {
      const expires_at = new Date(Date.now() + Number(hours) * 3_600_000).toISOString();
      const held: PreviewHull[] = [];
      const failed: string[] = [];
      for (const boat of boats) {
        await api.preview.hulls.hold(boat.id, { expires_at, reason: reason || null }).then(() => held.push(boat), (e: Error) => failed.push(`${boatName(boat)}: ${explain(e)}`));
      }
      changed("hull", ...held.map((b) => b.id));
      const undo = async () => {
        for (const { id, hold } of held) await (hold ? api.preview.hulls.hold(id, { reason: hold.reason, expires_at: hold.expires_at }) : api.preview.hulls.endHold(id));
        changed("hull", ...held.map((b) => b.id));
      };
      if (held.length) toastUndo(held.length === 1 ? "Boat is on hold." : `${held.length} boats are on hold.`, undo, held[0]!.hold ? "The hold is as before." : "The hold is undone.");
      if (failed.length) throw new Refusal(failed.join(" "));
    },
    onSaved: onClose,
  });
  const one = boats.length === 1 ? boats[0] : undefined;
  const title = one ? `${one.hold ? "Change the hold on" : "Hold"} ${boatName(one)}` : `Hold ${boats.length} boats`;
  return (
    <FormDialog title={title} form={form} submit={one?.hold ? "Change hold" : "Hold"} onClose={onClose}>
      <Select form={form} name="hours" label={one?.hold ? "From now for" : "For"} required choices={[["24", "1 day"], ["48", "2 days"], ["72", "3 days"], ["168", "1 week"], ["336", "2 weeks"]]} />
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

