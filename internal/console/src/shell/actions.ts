// What the command palette can do. Screens add the actions of their page.
import { useEffect, useRef } from "preact/hooks";
import type { IconName } from "../parts/icon.tsx";
import { createStore } from "../parts/store.ts";

export interface Action {
  title: string;
  icon?: IconName;
  /** Shortcut to show, such as C. */
  key?: string;
  run: () => void;
}

export const actions = createStore<Action[]>([]);

/** Adds actions for as long as the component is on the screen. */
export function useActions(added: Action[]): void {
  const current = useRef(added);
  current.current = added;
  const titles = added.map((a) => a.title).join("\n");
  useEffect(() => {
    const mine = current.current.map((a, i) => ({ ...a, run: () => current.current[i]?.run() }));
    actions.set([...actions.get(), ...mine]);
    return () => actions.set(actions.get().filter((a) => !mine.includes(a)));
  }, [titles]);
}
