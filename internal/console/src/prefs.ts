// What the user prefers in this browser.
import { mode } from "./router.ts";

export type Theme = "system" | "light" | "dark";

interface Preferences {
  theme: Theme;
  /** Whether single letters are shortcuts. */
  shortcuts: boolean;
  units: "imperial" | "metric";
  /** Whether this browser shows notifications. */
  notify: boolean;
}

const defaults: Preferences = { theme: "system", shortcuts: true, units: "imperial", notify: false };

function read<T>(name: string, fallback: T): T {
  try {
    return JSON.parse(localStorage.getItem("slipway-" + name) ?? "") as T;
  } catch {
    return fallback;
  }
}

export function preference<K extends keyof Preferences>(name: K): Preferences[K] {
  return read(name, defaults[name]);
}

export function prefer<K extends keyof Preferences>(name: K, value: Preferences[K]): void {
  localStorage.setItem("slipway-" + name, JSON.stringify(value));
  if (name === "theme") applyTheme();
}

export function applyTheme(): void {
  const theme = preference("theme");
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** A page that the user has visited, for the palette. */
export interface Visited {
  title: string;
  url: string;
}

export function visited(): Visited[] {
  return read<Visited[]>("visited-" + mode, []);
}

/** Remembers the last five objects. */
export function remember(page: Visited): void {
  const pages = [page, ...visited().filter((v) => v.url !== page.url)].slice(0, 5);
  localStorage.setItem("slipway-visited-" + mode, JSON.stringify(pages));
}
