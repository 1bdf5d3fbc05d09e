// What the screens about boats share.
import { api, type Channel, type Location, type PreviewHull } from "../../api.ts";
import { date } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { can } from "../../session.ts";
import { word } from "../../words.ts";

/** Statuses of the tabs, in the order of a boat's life. */
export const statuses = ["available", "on_hold", "sale_pending", "on_order", "in_transit", "sold", "delivered", "not_for_sale", "archived"] as const;

/** 2024 Grady-White Freedom 235 */
export function boatName(boat: { year: number; make: string; model: string }): string {
  return `${boat.year} ${boat.make} ${boat.model}`;
}

/** Reports whether a deal can be started for a boat. A boat can be sold before it arrives. */
export function canSell(boat: PreviewHull): boolean {
  return ["available", "on_order", "in_transit"].includes(boat.status);
}

/** Where a boat is that has not arrived: On order, expected Mar 1, 2027. */
export function onTheWay(boat: { stock_state: string; expected_on: string | null }): string | undefined {
  if (boat.stock_state !== "on_order" && boat.stock_state !== "in_transit") return undefined;
  return word(boat.stock_state) + (boat.expected_on ? `, expected ${date(boat.expected_on)}` : "");
}

/** The locations of the dealership, by ID. */
export function useLocations(): Map<string, Location> {
  const { data } = useLoad(["locations"], () => api.dealership.listLocations({ limit: 100 }), ["location"]);
  return new Map(data?.data.map((l) => [l.id, l]));
}

/** The marketplaces and websites of the dealership. */
export function useChannels(): Channel[] {
  const { data } = useLoad(["channels"], () => api.hulls.listChannels({ limit: 100 }), ["channel"]);
  return data?.data ?? [];
}

/** The report about the boats in stock. */
export function useInventoryReport() {
  return useLoad(["inventory report"], () => api.preview.reports.getInventory(), ["hull"]);
}

/** A boat with its prices, and with the agreement of its owner for those who see costs. */
export function useBoat(id: string | undefined) {
  const load = () => api.preview.hulls.get(id!, { expand: ["pricing", ...(can("hulls:write") ? ["listing_agreement" as const] : [])] });
  return useLoad<PreviewHull>(id ? ["boat", id] : undefined, load, id ? [id] : []);
}

const reasonFields: Record<string, string> = { photo_count: "The number of photos", price_usd: "The price", price: "The price", hin: "The HIN", boat_class: "The class", location_id: "The location" };

/** Why a channel doesn't list a boat, as a sentence. */
export function sayReason(r: { field: string | null; message: string }): string {
  if (!r.field) return r.message;
  return `${reasonFields[r.field] ?? "The " + r.field.replaceAll("_", " ")} ${r.message}.`;
}
