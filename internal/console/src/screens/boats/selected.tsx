// What users do with several boats.
import { useState } from "preact/hooks";
import { api, type PreviewHull } from "../../api.ts";
import { downloadCsv } from "../../csv.ts";
import { count } from "../../format.ts";
import { changed } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { Menu } from "../../parts/menu.tsx";
import { explain } from "../../parts/state.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { can, whyNot } from "../../session.ts";
import { HoldDialog } from "./actions.tsx";
import { RepriceDialog } from "./reprice.tsx";
import { boatName, useChannels, useLocations } from "./shared.ts";

/** How many prices a request changes. */
const most = 100;

export function SelectedBoats({ boats, onDone }: { boats: PreviewHull[]; onDone: () => void }) {
  const locations = useLocations();
  const channels = useChannels();
  const [open, setOpen] = useState<"hold" | "prices">();
  const [busy, setBusy] = useState(false);

  const writes = can("hulls:write");
  const whyPrices = whyNot("hulls:write") ?? (boats.length > most ? `You can change up to ${most} prices together.` : undefined);

  /** Changes the boats one after the other. Boats that fail are named. */
  const each = async (done: string, change: (boat: PreviewHull) => Promise<unknown>) => {
    setBusy(true);
    const failed: string[] = [];
    for (const boat of boats) await change(boat).catch((e: Error) => failed.push(`${boatName(boat)}: ${explain(e)}`));
    setBusy(false);
    changed("hull");
    if (failed.length < boats.length) toast(`${count(boats.length - failed.length, "boat")} ${done}.`);
    if (failed.length) toastError(new Error(failed.join(" ")));
    else onDone();
  };
  return (
    <div class="pager busy" role="group" aria-label="Selected boats">
      {count(boats.length, "boat")} selected
      <span class="end">
        <Button small why={whyPrices} onClick={() => setOpen("prices")}>Change prices</Button>
        {writes && <Menu
          class="btn small" align="end" button="Move"
          items={[...locations.values()].map((l) => ({ title: l.name, onClick: () => void each(`moved to ${l.name}`, (b) => api.hulls.update(b.id, { location_id: l.id })) }))}
        />}
        <Button small disabled={busy} onClick={() => setOpen("hold")}>Hold</Button>
        {writes && <Menu
          class="btn small" align="end" button="Publish"
          items={channels.map((c) => ({ title: c.name, onClick: () => void each(`published on ${c.name}`, (b) => api.hulls.publish(b.id, c.id)) }))}
        />}
        <Button small onClick={() => exportCsv(boats, (id) => locations.get(id)?.name ?? id)}>Export CSV</Button>
        <Button small kind="quiet" onClick={onDone}>Clear</Button>
      </span>
      {open === "hold" && <HoldDialog boats={boats} onClose={() => (setOpen(undefined), onDone())} />}
      {open === "prices" && <RepriceDialog boats={boats} onClose={() => setOpen(undefined)} />}
    </div>
  );
}

function exportCsv(boats: PreviewHull[], place: (id: string) => string): void {
  const header = ["stock_number", "hin", "year", "make", "model", "condition", "length_ft", "status", "location", "price_usd", "days_in_stock"];
  const rows = boats.map((b) => [
    b.stock_number, b.hin, b.year, b.make, b.model, b.condition, b.length_ft, b.status, place(b.location_id), b.price.amount / 100, b.days_in_stock,
  ]);
  downloadCsv("boats.csv", [header, ...rows]);
}
