import { api, type PreviewSearchHit } from "../api.ts";
import type { IconName } from "../parts/icon.tsx";
import { href, navigate } from "../router.ts";
import { word } from "../words.ts";

/** What the command palette shows. */
export interface Found {
  group: string;
  title: string;
  note?: string | undefined;
  icon?: IconName;
  run: () => void;
}

type Kind = "hulls" | "contacts" | "leads" | "deals" | "documents";

/** How the objects of a search are shown, and where they lead. */
const kinds: Array<[Kind, string, IconName, (hit: PreviewSearchHit) => string]> = [
  ["hulls", "Boats", "boat", (hit) => href(`boats/${hit.id}`)],
  ["contacts", "People", "contacts", (hit) => href(`contacts/${hit.id}`)],
  ["leads", "Leads", "inbox", (hit) => href(`leads/${hit.id}`)],
  ["deals", "Deals", "deal", (hit) => href(`deals/${hit.id}`)],
  ["documents", "Documents", "document", (hit) => href(`deals/${hit.deal_id}`)],
];

/** Finds up to five objects of each kind that the user can see. */
export async function search(q: string, signal: AbortSignal): Promise<Found[]> {
  const result = await api.preview.search.search({ q }, { signal });
  return kinds.flatMap(([kind, group, icon, urlOf]) => result[kind].map((hit) => ({
    group, icon,
    title: hit.title,
    note: [hit.detail, hit.status && word(hit.status)].filter(Boolean).join(" · "),
    run: () => navigate(urlOf(hit)),
  })));
}
