// What happened to a boat.
import { api, type Actor, type HullChange, type PreviewHull, type PriceChange } from "../api.ts";
import { usd, when } from "../format.ts";
import { useLoad } from "../load.ts";
import { Skeleton } from "../parts/state.tsx";
import { Timeline, type Moment } from "../parts/timeline.tsx";
import { word } from "../words.ts";
import { useLocations } from "./boats.ts";

/** Changes of status, location and price, newest first. */
export function useBoatActivity(boat: PreviewHull): Moment[] {
  const locations = useLocations();
  const history = useLoad(["history", boat.id], () => api.hulls.listHistory(boat.id, { limit: 100 }), [boat.id]);
  const prices = useLoad(["price changes", boat.id], () => api.hulls.listPriceChanges(boat.id, { limit: 100 }), [boat.id]);
  const place = (id: string) => locations.get(id)?.name ?? "another location";
  const moments = [
    ...(history.data?.data ?? []).map((c) => ({ at: c.at, moment: toMoment(c.id, describe(c, place), c) })),
    ...(prices.data?.data ?? []).filter((p) => p.old_price_usd !== null).map((p) => ({ at: p.at, moment: toMoment(p.id, describePrice(p), p) })),
  ];
  return moments.sort((a, b) => b.at.localeCompare(a.at)).map((m) => m.moment);
}

function toMoment(id: string, what: Moment["what"], change: { at: string; actor: Actor; reason: string | null }): Moment {
  const who = change.actor.type === "system" ? "Automatic" : change.actor.label;
  return { id, what, note: [who, when(change.at), change.reason].filter(Boolean).join(" · ") };
}

function describe(change: HullChange, place: (id: string) => string): Moment["what"] {
  if (change.from === null) return <>Added at {place(change.location_id)} as <b>{word(change.to)}</b></>;
  if (change.from_location_id !== change.location_id) return <>Moved to <b>{place(change.location_id)}</b></>;
  return <>{word(change.from)} → <b>{word(change.to)}</b></>;
}

function describePrice(change: PriceChange): Moment["what"] {
  return <>Price <b>{usd(change.old_price_usd!)} → {usd(change.new_price_usd)}</b></>;
}

export function BoatActivity({ boat }: { boat: PreviewHull }) {
  const moments = useBoatActivity(boat);
  return <div class="part">{moments.length ? <Timeline moments={moments} /> : <Skeleton />}</div>;
}
