import type { ComponentChildren } from "preact";
import { useKeys } from "../keys.ts";
import { IconButton } from "./button.tsx";

/** A pane with the object that is selected in a list. On a phone it covers the list. */
export function Peek(props: {
  /** Name of the object. */
  label: string;
  /** Short text in the header, such as the stock number. */
  code: ComponentChildren;
  /** URL of the full page. */
  href?: string;
  onClose: () => void;
  footer?: ComponentChildren;
  children: ComponentChildren;
}) {
  useKeys({ Escape: props.onClose });
  return (
    <aside class="peek" aria-label={props.label}>
      <header>
        <span class="peek-code">{props.code}</span>
        {props.href && <IconButton icon="open" label="Open full page" href={props.href} />}
        <IconButton icon="close" label="Close" onClick={props.onClose} />
      </header>
      <div class="body">{props.children}</div>
      {props.footer && <footer>{props.footer}</footer>}
    </aside>
  );
}
