// The panel of the bell: what needs the user, and notifications of the browser.
import { useState } from "preact/hooks";
import { canNotify, notifies, setNotifies } from "../notify.ts";
import { TodoPanel } from "./todos.tsx";

export function Needs() {
  return <><h2>Needs you</h2><TodoPanel /><Notifications /></>;
}

function Notifications() {
  const [on, setOn] = useState(notifies());
  const state = canNotify();
  if (state === "unsupported") return null;
  if (state === "denied") return <p class="hint">Your browser blocks notifications from this site. You can allow them in its settings.</p>;
  return (
    <label class="check-line">
      <input type="checkbox" checked={on} onChange={(event) => void setNotifies(event.currentTarget.checked).then(setOn)} />
      <span>Notify me when I'm in another window</span>
    </label>
  );
}
