import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

/** A button that opens a popover below it. children gets a function that closes it. */
export function Popover(props: {
  /** Class of the button. */
  class: string;
  label?: string;
  button: ComponentChildren;
  align?: "start" | "end";
  children: (close: () => void) => ComponentChildren;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);

  const onToggle = (event: ToggleEvent) => {
    setOpen(event.newState === "open");
    if (event.newState !== "open" || !panel.current || !button.current) return; // the screen has changed
    place(panel.current, button.current, props.align ?? "start");
    panel.current.querySelector<HTMLElement>("input, select, button, a")?.focus();
  };
  return (
    <>
      <button ref={button} type="button" class={props.class} aria-label={props.label} aria-expanded={open} popovertarget={id}>
        {props.button}
      </button>
      <div ref={panel} id={id} class="popover" popover="auto" onToggle={onToggle as never} onKeyDown={moveFocus}>
        {open && props.children(() => panel.current?.hidePopover())}
      </div>
    </>
  );
}

/** Puts a panel below its button, or above it if there is no room. */
function place(panel: HTMLElement, button: HTMLElement, align: "start" | "end"): void {
  // The content renders after the toggle event.
  requestAnimationFrame(() => {
    const at = button.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = panel;
    const left = align === "end" ? at.right - width : at.left;
    const below = at.bottom + 4 + height < innerHeight;
    panel.style.left = Math.max(8, Math.min(left, innerWidth - width - 8)) + "px";
    panel.style.top = Math.max(8, below ? at.bottom + 4 : at.top - 4 - height) + "px";
    panel.querySelector<HTMLElement>("input, select, button, a")?.focus();
  });
}

/** Moves between the items of a menu with the arrow keys. */
function moveFocus(event: KeyboardEvent): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
  const items = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("a, button")];
  const step = event.key === "ArrowDown" ? 1 : -1;
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + step + items.length) % items.length]?.focus();
  event.preventDefault();
}

export interface MenuItem {
  title: string;
  icon?: IconName;
  /** Whether this is the current choice. */
  checked?: boolean;
  href?: string;
  onClick?: () => void;
}

/** A menu of links and actions. Undefined items are left out. */
export function Menu(props: { class: string; label?: string; button: ComponentChildren; align?: "start" | "end"; items: Array<MenuItem | undefined | false> }) {
  const items = props.items.filter((item) => !!item);
  return (
    <Popover {...props}>
      {(close) => (
        <ul class="menu">
          {items.map(({ title, icon, checked, href, onClick }) => {
            const content = <>{icon && <Icon name={icon} />}{title}{checked && <span class="menu-check"><Icon name="check" /></span>}</>;
            return (
              <li key={title}>
                {href
                  ? <a href={href} onClick={close}>{content}</a>
                  : <button type="button" aria-pressed={checked} onClick={() => (close(), onClick?.())}>{content}</button>}
              </li>
            );
          })}
        </ul>
      )}
    </Popover>
  );
}
