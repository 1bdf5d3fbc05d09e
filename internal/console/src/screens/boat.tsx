// The page of a boat.
import { Page, Sheet } from "../parts/layout.tsx";
import { Loaded } from "../parts/state.tsx";
import { href } from "../router.ts";
import { BoatActivity } from "./boat-activity.tsx";
import { boatName, useBoat } from "./boats.ts";

export function Boat({ id }: { id: string; tab?: string }) {
  const boat = useBoat(id);
  return (
    <Sheet>
      <Loaded load={boat}>
        {(b) => <Page title={boatName(b)} back={{ href: href("boats"), title: "Inventory" }}><div class="content"><BoatActivity boat={b} /></div></Page>}
      </Loaded>
    </Sheet>
  );
}
