import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

const icons = { yes: "check", wait: "clock", no: "lock" } as const;

/** Whether something is allowed, why, and what the user can do instead. */
export function Verdict(props: { answer: "yes" | "wait" | "no"; title: string; icon?: IconName; children?: ComponentChildren; ways?: ComponentChildren }) {
  return (
    <div class={"verdict " + props.answer} role="status">
      <Icon name={props.icon ?? icons[props.answer]} />
      <b>{props.title}</b>
      {props.children && <p>{props.children}</p>}
      {props.ways && <div class="ways">{props.ways}</div>}
    </div>
  );
}
