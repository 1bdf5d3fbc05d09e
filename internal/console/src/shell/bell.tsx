// The bell: what needs the user, on every screen.
import { Fragment } from "preact";
import { number } from "../format.ts";
import { Icon } from "../parts/icon.tsx";
import { Popover } from "../parts/menu.tsx";
import { useNeedsCount } from "./counts.ts";
import { lazy } from "./lazy.tsx";

const Needs = lazy(async () => (await import("../screens/needs.tsx")).Needs, Fragment);

export function Bell() {
  const n = useNeedsCount();
  return (
    <Popover
      class="btn quiet square bell" align="end" label={n > 0 ? `What needs you: ${number(n)}` : "What needs you"}
      button={<><Icon name="bell" />{n > 0 && <span class="count hot" aria-hidden="true">{number(n)}</span>}</>}
    >
      {(close) => <div class="needs" onClick={(event) => (event.target as Element).closest("a") && close()}><Needs /></div>}
    </Popover>
  );
}
