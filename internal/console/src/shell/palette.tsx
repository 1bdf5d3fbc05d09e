// The command palette: find an object, go to a page, or run an action.
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { useStore } from "../parts/store.ts";
import { visited } from "../prefs.ts";
import { href, navigate } from "../router.ts";
import { actions } from "./actions.ts";
import { allowed, routes } from "./routes.tsx";
import { search, type Found } from "./search.ts";

export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const objects = useSearch(text);
  const found = [...objects, ...useCommands(text, onHelp)];
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    ref.current!.showModal();
    return () => ref.current?.close();
  }, []);
  useEffect(() => setAt(0), [text]);
  useEffect(() => ref.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }), [at]);

  const choose = (item: Found | undefined) => {
    if (!item) return;
    onClose();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((at + step + found.length) % Math.max(1, found.length));
    else if (event.key === "Enter") choose(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={ref} class="palette" aria-label="Search" onCancel={onClose} onClick={(e) => e.target === ref.current && onClose()}>
      <div class="palette-input">
        <Icon name="search" />
        <input
          type="text" role="combobox" aria-label="Search" aria-expanded="true" aria-controls="found" aria-activedescendant={found[at] && `found-${at}`}
          placeholder="Search boats, people, deals, or type a command" autocomplete="off" spellcheck={false}
          value={text} onInput={(e) => setText(e.currentTarget.value)} onKeyDown={onKeyDown}
        />
        <kbd>Esc</kbd>
      </div>
      <ul id="found" role="listbox" aria-label="Results">
        {found.map((item, i) => (
          <li key={item.group + item.title + i} id={`found-${i}`} role="option" aria-selected={i === at} onClick={() => choose(item)} onPointerMove={() => setAt(i)}>
            <span class="found-group">{item.group !== found[i - 1]?.group && item.group}</span>
            {item.icon && <Icon name={item.icon} />}
            <span class="found-title">{item.title}</span>
            {item.note && <span class="found-note">{item.note}</span>}
          </li>
        ))}
        {found.length === 0 && <li class="found-none" role="option" aria-selected="false">Nothing found.</li>}
      </ul>
    </dialog>
  );
}

/** Pages and actions whose title contains the text. Without text, also the last objects. */
function useCommands(text: string, onHelp: () => void): Found[] {
  const added = useStore(actions);
  const pages = routes
    .filter((r) => r.group && allowed(r))
    .map((r) => ({ group: "Go to", title: r.title, note: r.keys?.toUpperCase(), icon: r.icon!, run: () => navigate(href(r.path)) }));
  const commands = added.map((a) => ({ group: "Actions", title: a.title, note: a.key, icon: a.icon ?? ("event" as const), run: a.run }));
  const recent = text ? [] : visited().map((v) => ({ group: "Recent", title: v.title, icon: "clock" as const, run: () => navigate(v.url) }));
  const help = { group: "Actions", title: "Show keyboard shortcuts", note: "?", icon: "help" as const, run: onHelp };
  const matches = (item: Found) => item.title.toLowerCase().includes(text.trim().toLowerCase());
  return [...recent, ...[...commands, help, ...pages].filter(matches)];
}

/** Searches 150 ms after the last key. */
function useSearch(text: string): Found[] {
  const [found, setFound] = useState<Found[]>([]);
  useEffect(() => {
    const query = text.trim();
    const abort = new AbortController();
    if (query.length < 2) {
      setFound([]);
      return;
    }
    const timer = setTimeout(() => {
      search(query, abort.signal).then(setFound, () => setFound([]));
    }, 150);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  return found;
}
