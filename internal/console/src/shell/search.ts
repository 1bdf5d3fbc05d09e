import { api, type Hull } from "../api.ts";
import { href, navigate } from "../router.ts";
import { can } from "../session.ts";
import { word } from "../words.ts";
import type { Found } from "./palette.tsx";

/** Finds boats by their words, HIN or stock number. */
export async function search(q: string, signal: AbortSignal): Promise<Found[]> {
  if (!can("hulls:read")) return [];
  const { data } = await api.hulls.list({ q, limit: 5 }, { signal });
  return data.map(toFound);
}

function toFound(hull: Hull): Found {
  return {
    group: "Boats",
    title: `${hull.year} ${hull.make} ${hull.model}`,
    note: [hull.stock_number, word(hull.status)].filter(Boolean).join(" · "),
    icon: "boat",
    run: () => navigate(href(`boats/${hull.id}`)),
  };
}
