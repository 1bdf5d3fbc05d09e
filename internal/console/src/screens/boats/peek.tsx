// The boat that is selected in the inventory.
import { useState } from "preact/hooks";
import type { PreviewHull } from "../../api.ts";
import { date, feet, money } from "../../format.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { Facts } from "../../parts/layout.tsx";
import { Peek } from "../../parts/peek.tsx";
import { Loaded } from "../../parts/state.tsx";
import { Status } from "../../parts/status.tsx";
import { href } from "../../router.ts";
import { can, whyNot } from "../../session.ts";
import { word } from "../../words.ts";
import { BoatStatusButton, PriceDialog } from "./actions.tsx";
import { BoatMoments } from "./activity.tsx";
import { Gallery } from "./gallery.tsx";
import { boatName, canSell, onTheWay, useBoat, useChannels, useLocations } from "./shared.ts";

export function BoatPeek({ id, onClose }: { id: string; onClose: () => void }) {
  const boat = useBoat(id);
  const [pricing, setPricing] = useState(false);
  const { data } = boat;
  const footer = data && (
    <>
      <BoatStatusButton boat={data} />
      <Button why={whyNot("hulls:write")} onClick={() => setPricing(true)}>Change price</Button>
      {can("deals:write") && canSell(data) && <ButtonLink kind="primary" href={href("deals/new", { hull_id: id })}>Start deal</ButtonLink>}
    </>
  );
  return (
    <Peek label={data ? boatName(data) : "Boat"} code={data?.stock_number ?? ""} href={href(`boats/${id}`)} onClose={onClose} footer={footer}>
      <Loaded load={boat}>{(b) => <PeekBody boat={b} />}</Loaded>
      {pricing && data && <PriceDialog boat={data} onClose={() => setPricing(false)} />}
    </Peek>
  );
}

function PeekBody({ boat }: { boat: PreviewHull }) {
  const locations = useLocations();
  const listedOn = useChannels().filter((c) => boat.published_channels.includes(c.id)).map((c) => c.name);
  return (
    <>
      <Gallery boat={boat} />
      <h2>{boatName(boat)}</h2>
      <div class="row">
        <Status value={boat.status} /><span class="muted">{locations.get(boat.location_id)?.name}</span><span class="big">{money(boat.price)}</span>
      </div>
      <Facts facts={[
        ["Length", feet(boat.length_ft)],
        ["HIN", boat.hin ? <span class="mono">{boat.hin}</span> : boat.hin_absent_reason && word(boat.hin_absent_reason)],
        ["Condition", word(boat.condition)],
        ["Received", boat.received_on && date(boat.received_on)],
        ["On the way", onTheWay(boat)],
        ["Ownership", word(boat.ownership)],
        ["Listed on", listedOn.join(", ") || "Not listed"],
      ]} />
      <h3>Activity<a href={href(`boats/${boat.id}/activity`)}>See all</a></h3>
      <BoatMoments boat={boat} most={5} />
    </>
  );
}
