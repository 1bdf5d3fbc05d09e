// Where the user is. The URL contains everything that the page shows, so each view can be linked and reloaded:
//
//   /console/live/boats?status=available&peek=hull_01…
//
// Links are plain <a href={href("boats")}>. One listener follows them without loading the page again.
import { useLayoutEffect, useState } from "preact/hooks";

export type Mode = "live" | "test";

/** Live or test, from the path. Changing it loads the page again, so the data of both never mixes. */
export const mode: Mode = location.pathname.split("/")[2] === "test" ? "test" : "live";

const base = `/console/${mode}/`;

export interface Place {
  /** Path without the mode, such as boats/hull_01…/photos. */
  path: string;
  query: URLSearchParams;
}

/** Values of the query. Undefined and empty values are left out. */
export type Query = Record<string, string | undefined>;

let place = read();
const listeners = new Set<() => void>();

function read(): Place {
  const path = decodeURI(location.pathname.slice(base.length)).replace(/\/+$/, "");
  return { path, query: new URLSearchParams(location.search) };
}

function moved(): void {
  place = read();
  for (const listener of listeners) listener();
}

/** Returns the URL of a page in the current mode. */
export function href(path: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) params.set(name, value);
  const search = params.toString();
  return base + path + (search && "?" + search);
}

/** Goes to a URL that href returned. */
export function navigate(url: string, options: { replace?: boolean } = {}): void {
  if (url === location.pathname + location.search) return;
  if (options.replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  moved();
}

/** Returns the URL of the current page with a changed query. */
export function withQuery(changes: Query): string {
  return href(place.path, { ...Object.fromEntries(place.query), ...changes });
}

/** Changes the query of the current page. This replaces the entry in the history: Back leaves the page. */
export function setQuery(changes: Query): void {
  navigate(withQuery(changes), { replace: true });
}

/** Returns where the user is, and renders the component again when it changes. */
export function usePlace(): Place {
  const [current, setCurrent] = useState(place);
  useLayoutEffect(() => {
    const update = () => setCurrent(place);
    listeners.add(update);
    update();
    return () => void listeners.delete(update);
  }, []);
  return current;
}

/**
 * Matches a path with a pattern such as boats/:id/:tab?. Returns the parameters, or undefined if it doesn't match.
 * A parameter that ends in ? can be missing.
 */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const parts = path ? path.split("/") : [];
  const names = pattern ? pattern.split("/") : [];
  if (parts.length > names.length) return undefined;

  const params: Record<string, string> = {};
  for (const [i, name] of names.entries()) {
    const part = parts[i];
    if (name.startsWith(":")) {
      if (part) params[name.replace(/[:?]/g, "")] = part;
      else if (!name.endsWith("?")) return undefined;
    } else if (part !== name) {
      return undefined;
    }
  }
  return params;
}

/** Follows links of the console, and the Back and Forward buttons. */
export function startRouter(): void {
  addEventListener("popstate", moved);
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element).closest("a");
    if (!link || link.target || link.download || link.hash || link.origin !== location.origin || !link.pathname.startsWith(base)) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
  });
}
