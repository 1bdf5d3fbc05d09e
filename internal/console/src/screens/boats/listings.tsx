// The Listings tab: where the boat is published.
import { useState } from "preact/hooks";
import { api, type Channel, type HullSyndication, type PreviewHull } from "../../api.ts";
import { ago } from "../../format.ts";
import { changed, useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { Empty, Loaded } from "../../parts/state.tsx";
import { Status } from "../../parts/status.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { whyNot } from "../../session.ts";
import { sayReason, useChannels } from "./shared.ts";

export function BoatListings({ boat }: { boat: PreviewHull }) {
  const channels = new Map(useChannels().map((c) => [c.id, c]));
  const listings = useLoad(["listings", boat.id], () => api.hulls.listSyndication(boat.id, { limit: 100 }), [boat.id, "channel", "hull"]);
  const why = useLoad(["listing reasons", boat.id], () => api.preview.hulls.listPlacements(boat.id, { limit: 100 }), [boat.id, "channel", "hull"]);
  const reasons = new Map((why.data?.data ?? []).map((o) => [o.channel_id, o.reasons.map(sayReason).join(" ")]));
  return (
    <Loaded load={listings}>
      {({ data }) => data.length === 0 ? <Empty text="No channels yet. An owner can add marketplaces and websites in the settings." /> : (
        <div class="part">
          <table class="plain">
            <thead><tr><th scope="col">Channel</th><th scope="col">State</th><th scope="col">Message</th><th scope="col"><span class="vh">Actions</span></th></tr></thead>
            <tbody>{data.map((l) => <ListingRow key={l.channel_id} boat={boat} listing={l} channel={channels.get(l.channel_id)} why={reasons.get(l.channel_id)} />)}</tbody>
          </table>
        </div>
      )}
    </Loaded>
  );
}

function ListingRow({ boat, listing, channel, why }: { boat: PreviewHull; listing: HullSyndication; channel: Channel | undefined; why: string | undefined }) {
  const [busy, setBusy] = useState(false);
  const name = channel?.name ?? listing.channel_id;
  const listed = listing.state === "published" || listing.action === "publish";
  const run = async () => {
    setBusy(true);
    try {
      if (listed) await api.hulls.withdraw(boat.id, listing.channel_id);
      else await api.hulls.publish(boat.id, listing.channel_id);
      changed("hull", boat.id);
      toast(listed ? `Withdrawn from ${name}.` : `Published on ${name}.`);
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <tr>
      <td><b>{name}</b>{channel?.auto_publish && <small>Publishes automatically</small>}</td>
      <td><Status value={listing.state} {...(listing.state === "queued" && { label: listing.action === "withdraw" ? "Withdrawing" : "Publishing" })} /></td>
      <td class="wrap">{why || listing.message || (listing.published_at && `Listed ${ago(listing.published_at)}`)}{listing.url && <span class="mono below">{listing.url}</span>}</td>
      <td class="r"><Button small busy={busy} why={whyNot("hulls:write")} onClick={() => void run()}>{listed ? "Withdraw" : "Publish"}</Button></td>
    </tr>
  );
}
