// What happened to a boat.
import { api, type Actor, type HullChange, type PreviewHull, type PreviewTimelineEntry, type PriceChange } from "../../api.ts";
import { usd, when } from "../../format.ts";
import { together, useLoad } from "../../load.ts";
import { Loaded } from "../../parts/state.tsx";
import { Timeline, type Moment } from "../../parts/timeline.tsx";
import { word } from "../../words.ts";
import { useChannels, useLocations } from "./shared.ts";

/** Changes of status, location and price since the boat was added, and other changes of the last 30 days. Newest first. */
function useActivity(boat: PreviewHull) {
  const locations = useLocations();
  const channels = useChannels();
  const history = useLoad(["history", boat.id], () => api.hulls.listHistory(boat.id, { limit: 100 }), [boat.id]);
  const prices = useLoad(["price changes", boat.id], () => api.hulls.listPriceChanges(boat.id, { limit: 100 }), [boat.id]);
  const events = useLoad(["timeline", boat.id], () => api.preview.activities.listTimeline({ object_id: boat.id, limit: 100 }), [boat.id]);
  const place = (id: string) => locations.get(id)?.name ?? "another location";
  const channel = (id: unknown) => channels.find((c) => c.id === id)?.name ?? "a channel";

  return together([history, prices, events], ([history, prices, events]) => {
    const all: Array<[Change, Moment["what"] | undefined]> = [
      ...(history?.data ?? []).map((c): [Change, Moment["what"]] => [c, describe(c, place)]),
      ...(prices?.data ?? []).map((p): [Change, Moment["what"] | undefined] => [p, describePrice(p)]),
      ...(events?.data ?? []).map((e): [Change, Moment["what"] | undefined] => [{ ...e, at: e.created_at }, describeEvent(e, channel)]),
    ];
    return all.filter(([, what]) => what).sort(([a], [b]) => b.at.localeCompare(a.at)).map(([change, what]) => toMoment(change, what));
  });
}

interface Change {
  id: string;
  at: string;
  actor: Actor;
  reason?: string | null;
}

function toMoment({ id, at, actor, reason }: Change, what: Moment["what"]): Moment {
  const who = actor.type === "system" ? "Automatic" : actor.label;
  return { id, what, note: [who, when(at), reason].filter(Boolean).join(" · ") };
}

function describe(change: HullChange, place: (id: string) => string): Moment["what"] {
  if (change.from === null) return <>Added at {place(change.location_id)} as <b>{word(change.to)}</b></>;
  if (change.from_location_id !== change.location_id) return <>Moved to <b>{place(change.location_id)}</b></>;
  return <>{word(change.from)} → <b>{word(change.to)}</b></>;
}

/** The first price is not a change. */
function describePrice(change: PriceChange): Moment["what"] | undefined {
  if (change.old_price_usd === null) return undefined;
  return <>Price <b>{usd(change.old_price_usd)} → {usd(change.new_price_usd)}</b></>;
}

/** Fields whose names are not words. */
const fieldNames: Record<string, string> = { hin: "HIN", length_ft: "length", msrp_usd: "MSRP", price_usd: "price" };

/** The history and the prices have the other events. */
function describeEvent(event: PreviewTimelineEntry, channel: (id: unknown) => string): Moment["what"] | undefined {
  const name = <b>{channel(event.object["channel_id"])}</b>;
  const fields = Object.keys(event.changes).map((field) => fieldNames[field] ?? word(field).toLowerCase());
  switch (event.type) {
    case "hull.updated":
      return fields.length > 0 ? <>Changed <b>{fields.join(", ")}</b></> : undefined;
    case "hull.photos_added":
      return "Photos added";
    case "hull.specs_replaced":
      return "Specifications changed";
    case "hull.syndicated":
      return <>Listed on {name}</>;
    case "hull.syndication_removed":
      return <>Removed from {name}</>;
    case "hull.syndication_rejected":
      return <>Rejected by {name}</>;
    default:
      return undefined;
  }
}

/** The newest moments, or all. */
export function BoatMoments({ boat, most }: { boat: PreviewHull; most?: number }) {
  return <Loaded load={useActivity(boat)} {...(most && { rows: most })}>{(moments) => <Timeline moments={moments.slice(0, most)} />}</Loaded>;
}

export function BoatActivity({ boat }: { boat: PreviewHull }) {
  return <div class="part"><BoatMoments boat={boat} /></div>;
}
