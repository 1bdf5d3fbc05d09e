import { useState } from "preact/hooks";
import { isMac } from "../keys.ts";
import { Dialog } from "../parts/dialog.tsx";
import { prefer, preference } from "../prefs.ts";
import { allowed, routes } from "./routes.tsx";

const keys: Array<[string, string]> = [
  [isMac ? "⌘ K" : "Ctrl K", "Search, go to a page, or run an action"],
  ["/", "Search"],
  ["J K", "Next and previous row"],
  ["↵", "Open the row"],
  ["X", "Select the row"],
  ["E", "Edit"],
  ["C", "Create"],
  ["T", "Show a chart as a table"],
  ["Esc", "Close or go back"],
  ["?", "This help"],
];

/** The keyboard shortcuts, and where to read more. */
export function Help({ onClose }: { onClose: () => void }) {
  const [on, setOn] = useState(preference("shortcuts"));
  const goTo = routes.filter((r) => r.keys && allowed(r)).map((r): [string, string] => [r.keys!.toUpperCase(), `Go to ${r.title}`]);
  return (
    <Dialog title="Help" onClose={onClose}>
      <dl class="shortcuts">
        {[...keys, ...goTo].map(([key, what]) => <div key={key}><dt>{key.split(" ").map((k) => <kbd key={k}>{k}</kbd>)}</dt><dd>{what}</dd></div>)}
      </dl>
      <label class="field check">
        <input type="checkbox" checked={on} onChange={(e) => (prefer("shortcuts", e.currentTarget.checked), setOn(e.currentTarget.checked))} />
        <span>Use single letters as shortcuts</span>
      </label>
      <p class="dialog-links"><a class="link" href="/docs" target="_blank">Guides</a><a class="link" href="/docs/reference" target="_blank">API reference</a></p>
    </Dialog>
  );
}
