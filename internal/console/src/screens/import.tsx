import { Page, Sheet } from "../parts/layout.tsx";
import { href } from "../router.ts";

export function Import() {
  return <Sheet><Page title="Import boats" back={{ href: href("boats"), title: "Inventory" }} /></Sheet>;
}
