// Keyboard shortcuts. The component that was rendered last decides first.
//
//   useKeys({ j: next, k: previous, Enter: open, "g i": () => navigate(href("boats")), "mod+k": openPalette });
import { useEffect, useRef } from "preact/hooks";
import { preference } from "./prefs.ts";

/** Functions by key. mod is Cmd on a Mac and Ctrl elsewhere. "g i" is g, then i. */
export type Keys = Record<string, (() => void) | undefined>;

const stack: Array<{ current: Keys }> = [];
let prefix = "";
let prefixAt = 0;

/** Adds shortcuts for as long as the component is on the screen. */
export function useKeys(keys: Keys): void {
  const ref = useRef(keys);
  ref.current = keys;
  useEffect(() => {
    stack.push(ref);
    return () => void stack.splice(stack.indexOf(ref), 1);
  }, []);
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

function nameOf(event: KeyboardEvent): string {
  const mod = isMac ? event.metaKey : event.ctrlKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return (mod ? "mod+" : "") + (event.altKey ? "alt+" : "") + key;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Enter on a link or a button is a click. */
function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && !!target.closest("a, button, summary, [role=menuitem]");
}

function find(name: string): (() => void) | undefined {
  for (const keys of [...stack].reverse()) if (keys.current[name]) return keys.current[name];
  return undefined;
}

export function startKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const name = nameOf(event);
    const single = name.length === 1;
    if (!name.startsWith("mod+")) {
      if (document.querySelector("dialog[open], [popover]:popover-open")) return;
      if (isTyping(event.target) && (name !== "Escape" || (event.target as HTMLElement).closest("form"))) return;
      if (single && !preference("shortcuts")) return;
      if (name === "Enter" && isControl(event.target)) return;
    }

    const sequence = prefix && event.timeStamp - prefixAt < 1000 ? `${prefix} ${name}` : "";
    const action = (sequence && find(sequence)) || find(name);
    prefix = single ? name : "";
    prefixAt = event.timeStamp;
    if (!action) return;
    event.preventDefault();
    action();
  });
}
