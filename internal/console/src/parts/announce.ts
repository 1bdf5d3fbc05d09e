import { createStore } from "./store.ts";

/** What screen readers read out next. */
export const announcement = createStore("");

/** Tells users of screen readers what happened, if it can only be seen. */
export function announce(text: string): void {
  announcement.set(text);
}
