import type { JSX } from "preact";
import { localPath, type BoatClass, type HullCategory } from "../api.ts";

type Shape = "center" | "bow" | "skiff" | "cruiser" | "sail" | "cat" | "pontoon" | "rib" | "pwc" | "kayak";

/** The boat classes of each shape, without their category. Other classes have the shape of their category. */
const classShapes: Array<[Shape, string]> = [
  ["center", "center saltfish bay sportfish walk pilot skifish downeast lobster"],
  ["skiff", "skiff jon aluminum flats bass util dinghy fresh barge"],
  ["cruiser", "cruiser expresscruiser sportcruiser motor flybridge convertible aft trawler tug mega rivercruiser house narrow"],
  ["cat", "catamaran beachcat multihull trimaran pcatamaran"],
  ["pontoon", "pontoon deck"],
  ["rib", "rib inflatable tender"],
  ["pwc", "pwc"],
  ["kayak", "kayak"],
];

const categoryShapes: Record<HullCategory, Shape> = { power: "bow", sail: "sail", pwc: "pwc", unpowered: "kayak" };

interface Boat {
  category: HullCategory;
  boat_class: BoatClass | null;
}

function shapeOf({ category, boat_class }: Boat): Shape {
  const name = boat_class?.slice(boat_class.indexOf("-") + 1) ?? "";
  const found = classShapes.find(([, names]) => names.split(" ").includes(name))?.[0];
  if (category === "sail" && found !== "cat") return "sail";
  return found ?? categoryShapes[category];
}

const thin = { stroke: "currentColor", "stroke-width": "1.5", fill: "none" } as const;

const drawings: Record<Shape, JSX.Element> = {
  center: <><path d="M18 47 105 40c-3 11-9 17-19 17H33c-9 0-13-3-15-10Z" /><path d="M12 44h6l2 10h-6zM56 44l3-12h11l3 11z" opacity=".75" /><path d="M58 27l1 17M74 27l-1 16" {...thin} /><path d="M52 24.500h27v3H52z" /></>,
  bow: <><path d="M16 46c28 0 58-2 90-8-4 12-12 19-24 19H32c-10 0-14-4-16-11Z" /><path d="M54 43l9-11 16 8-3 3z" opacity=".6" /><path d="M63 32l-9 11" {...thin} /><path d="M11 45h6l2 9h-6z" opacity=".75" /></>,
  skiff: <><path d="M18 49l86-4c-4 8-9 12-18 12H32c-8 0-12-3-14-8Z" /><path d="M12 43h6l3 12h-7zM58 47v-9h9v8.500z" opacity=".75" /></>,
  cruiser: <><path d="M12 46l96-8c-4 13-12 19-25 19H28c-9 0-14-3-16-11Z" /><path d="M34 43l8-15h34l14 11z" opacity=".8" /><path class="pane" d="M46 33h12v6H43zM62 33h12l7 5H62z" opacity=".75" /><path d="M48 28l4-9h18l3 9z" opacity=".55" /><path d="M60 19v-8" {...thin} /></>,
  sail: <><path d="M22 51l78-3c-5 7-11 10-20 10H38c-8 0-13-2-16-7Z" /><path d="M58 9v38H30z" opacity=".8" /><path d="M63 13c10 10 20 22 26 33H63z" opacity=".55" /><path d="M60.500 5v45" {...thin} /></>,
  cat: <><path d="M24 52h72l-5 6H30z" /><path d="M58 9v40H32z" opacity=".8" /><path d="M63 17c8 9 15 20 20 31H63z" opacity=".55" /><path d="M60.500 5v48" {...thin} /></>,
  pontoon: <><rect x="14" y="50" width="92" height="7" rx="3.500" /><path d="M18 45h84v3H18z" opacity=".8" /><path d="M22 35h70v9H22z" opacity=".5" /><path d="M38 20h44v2.600H38z" /><path d="M44 22v13M76 22v13" {...thin} /></>,
  rib: <><path d="M22 46c26 1 52 0 76-5 5 1 5 5 0 7-10 6-22 8-34 8H30c-10 0-14-9-8-10Z" /><path d="M54 45l3-10h9l2 9z" opacity=".7" /><path d="M14 42h6l2 11h-6z" opacity=".75" /></>,
  pwc: <><path d="M34 52c6-8 16-9 24-9l9-8 6 4-6 6c12 0 20 3 24 8-10 6-44 7-57-1Z" /><path d="M50 42c3-5 9-6 13-5l-4 6z" opacity=".6" /></>,
  kayak: <><path d="M14 50c28-8 64-8 92 0-28 9-64 9-92 0Z" /><path d="M48 34l28 26M44 31l7 5M73 58l7 5" {...thin} stroke-width="2" opacity=".7" /></>,
};

/** The shape of a boat without a photo. */
function Silhouette({ boat }: { boat: Boat }) {
  return <svg viewBox="0 0 120 84" fill="currentColor" aria-hidden="true">{drawings[shapeOf(boat)]}</svg>;
}

/** The first photo of a boat in the size that is shown, or its silhouette. */
export function Photo({ boat, large }: { boat: Boat & { primary_photo_url: string | null }; large?: boolean }) {
  const url = boat.primary_photo_url?.replace(/full\.jpg$/, large ? "card.jpg" : "thumb.jpg");
  return (
    <span class={large ? "thumb large" : "thumb"}>
      {url ? <img src={localPath(url)} alt="" loading="lazy" decoding="async" /> : <Silhouette boat={boat} />}
    </span>
  );
}
