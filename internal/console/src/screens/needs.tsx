// The panel of the bell: what needs the user, and notifications of the browser.
import { useState } from "preact/hooks";
import { number } from "../format.ts";
import { canNotify, notifies, setNotifies } from "../notify.ts";
import { href } from "../router.ts";
import { useAwaiting } from "../shell/counts.ts";
import { TodoList } from "./todos.tsx";

export function Needs() {
  return <><WaitingLink /><TodoList /><Notifications /></>;
}

function WaitingLink() {
  const mine = useAwaiting().data?.mine;
  if (!mine) return null;
  return (
    <p class="needs-lead">
      <a class="link" href={href("leads", { view: "waiting" })}>{mine === 1 ? "1 customer waits" : `${number(mine)} customers wait`} for your answer</a>
    </p>
  );
}

function Notifications() {
  const [on, setOn] = useState(notifies());
  const state = canNotify();
  if (state === "unsupported") return null;
  if (state === "denied") return <p class="hint">Your browser blocks notifications from this site. You can allow them in its settings.</p>;
  return (
    <label class="check-line">
      <input type="checkbox" checked={on} onChange={(event) => void setNotifies(event.currentTarget.checked).then(setOn)} />
      <span>Notify me when I’m in another window</span>
    </label>
  );
}
