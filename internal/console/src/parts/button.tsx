import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps {
  /** The most important action is primary. Danger is for actions that can't be undone. */
  kind?: "primary" | "quiet" | "danger";
  icon?: IconName;
  type?: "button" | "submit";
  small?: boolean;
  /** Shows that the action is running, and ignores clicks. */
  busy?: boolean;
  disabled?: boolean;
  /** Why the user can't do this. Disables the button and is shown as its tooltip. */
  why?: string | undefined;
  onClick?: ((event: MouseEvent) => void) | undefined;
  children: ComponentChildren;
}

export function Button({ kind, icon, type = "button", small, busy, disabled, why, onClick, children }: ButtonProps) {
  const inactive = disabled || busy || !!why;
  return (
    <button
      type={type}
      class={classes(kind, small)}
      title={why}
      aria-disabled={inactive || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (inactive) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {icon && <Icon name={icon} />}
      {children}
      {why && <span class="vh">. {why}</span>}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink(props: Pick<ButtonProps, "kind" | "icon" | "small" | "children"> & { href: string }) {
  return <a class={classes(props.kind, props.small)} href={props.href}>{props.icon && <Icon name={props.icon} />}{props.children}</a>;
}

function classes(kind?: string, small?: boolean): string {
  return ["btn", kind, small && "small"].filter(Boolean).join(" ");
}

/** A button with only an icon. The label is read out and shown as its tooltip. */
export function IconButton(props: { icon: IconName; label: string; onClick?: () => void; href?: string; disabled?: boolean }) {
  if (props.href) {
    return <a class="btn quiet square" href={props.href} aria-label={props.label} title={props.label}><Icon name={props.icon} /></a>;
  }
  return (
    <button type="button" class="btn quiet square" aria-label={props.label} title={props.label} disabled={props.disabled} onClick={props.onClick}>
      <Icon name={props.icon} />
    </button>
  );
}
