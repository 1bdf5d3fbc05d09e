import type { ComponentChildren } from "preact";

export interface Moment {
  id: string;
  what: ComponentChildren;
  /** Who and when, in small print. */
  note: ComponentChildren;
}

/** What happened, newest first. */
export function Timeline({ moments }: { moments: Moment[] }) {
  return <ol class="line">{moments.map((m, i) => <li key={m.id} class={i === 0 ? "now" : ""}>{m.what}<small>{m.note}</small></li>)}</ol>;
}
