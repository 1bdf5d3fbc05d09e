// The sheet of a boat to print and give to a buyer: photo, price, facts, specifications and the text of the listing.
import { api, localPath, type PreviewHull } from "../../api.ts";
import { feet, money, phone } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { Facts, Section } from "../../parts/layout.tsx";
import { Paper } from "../../parts/paper.tsx";
import { preference } from "../../prefs.ts";
import { className, word } from "../../words.ts";
import { boatName, onTheWay, useLocations } from "./shared.ts";
import { SpecSections } from "./specs.tsx";

export function BoatSheet({ boat, onDone }: { boat: PreviewHull; onDone: () => void }) {
  const specs = useLoad(["specs", boat.id], () => api.hulls.getSpecs(boat.id, { units: "metric" }), [boat.id, "hull"]);
  const at = useLocations().get(boat.location_id);
  return (
    <Paper title={boatName(boat)} ready={!!(specs.data || specs.error) && !!at} onDone={onDone}>
      <p class="lead">
        <span class="big">{boat.price_hidden || boat.price_type === "call" ? "Call for the price" : money(boat.price)}</span>
        {boat.stock_number && <span>Stock number {boat.stock_number}</span>}
        {at && <span>{at.name}{at.phone && `, ${phone(at.phone)}`}</span>}
      </p>
      {boat.primary_photo_url && <img src={localPath(boat.primary_photo_url)} alt="" />}
      <Section title="Boat">
        <Facts facts={[
          ["Condition", word(boat.condition)],
          ["Length", feet(boat.length_ft)],
          ["Type", boat.boat_class ? className(boat.boat_class) : word(boat.category)],
          ["HIN", boat.hin],
          ["On the way", onTheWay(boat)],
          ["Options", boat.options.join(", ")],
        ]} />
      </Section>
      {(boat.title ?? boat.description) && <Section title={boat.title ?? "About the boat"}><p class="prose">{boat.description}</p></Section>}
      {specs.data && specs.data.version > 0 && <SpecSections specs={specs.data} units={preference("units")} />}
    </Paper>
  );
}
