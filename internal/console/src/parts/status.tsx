import type { ComponentChildren } from "preact";
import { word } from "../words.ts";

/** Colors of statuses: green is go, amber is wait, red is stop, blue is under way, a hollow dot is not here yet. */
const tones: Record<string, Tone> = {
  // Boats
  available: "green", on_hold: "amber", sale_pending: "blue", sold: "dark", delivered: "dark", on_order: "hollow", in_transit: "hollow",
  // Listings and photos
  published: "green", queued: "amber", rejected: "red", ready: "green", processing: "amber", failed: "red",
  // Leads
  new: "blue", contacted: "gray", qualified: "gray", working: "green", converted: "dark", lost: "gray",
  // Deals, offers, lenders and documents
  open: "gray", accepted: "green", in_finance: "blue", contracted: "blue", funded: "green", closed: "dark", cancelled: "red",
  pending: "amber", partially_signed: "amber", signed: "green", voided: "gray", expired: "amber", withdrawn: "gray",
  submitted: "blue", conditional: "amber", approved: "green", countered: "amber", declined: "red", contract_sent: "blue", package_submitted: "blue",
  pending_docs: "amber", approved_to_fund: "green", charged_back: "red", not_started: "hollow",
  // Webhooks, imports and users
  healthy: "green", failing: "red", disabled: "gray", succeeded: "green", dead: "red", completed: "green", running: "blue",
  active: "green", invited: "amber", deactivated: "gray",
};

export type Tone = "green" | "amber" | "red" | "blue" | "gray" | "dark" | "hollow";

/** A status with its light. */
export function Status({ value, label, tone }: { value: string; label?: string; tone?: Tone }) {
  return <span class={"status " + (tone ?? tones[value] ?? "gray")}>{label ?? word(value)}</span>;
}

/** A short remark. */
export function Tag({ tone = "gray", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={"tag " + tone}>{children}</span>;
}

/** The last day of each age except the oldest. The inventory report has the same. */
const ages = [30, 60, 90, 180];

/** Returns the color of an age in days, from --age-1 to --age-5. */
export function ageColor(days: number): string {
  const older = ages.filter((last) => days > last).length;
  return `var(--age-${older + 1})`;
}

/** Days in stock with the color of their age. */
export function Age({ days }: { days: number | null }) {
  if (days === null) return <span class="muted">—</span>;
  return <span class="age num">{days}d<i style={{ "--c": ageColor(days) }} /></span>;
}
