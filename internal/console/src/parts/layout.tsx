// The frame of a screen: a sheet with a page, and panes next to it.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { mode } from "../router.ts";
import { session } from "../session.ts";

/** The sheet. inbox has three panes, desk has a wide pane on the right. */
export function Sheet({ kind, children }: { kind?: "inbox" | "desk" | "with-peek" | "imp"; children: ComponentChildren }) {
  return <main id="main" class={"sheet " + (kind ?? "")} tabIndex={-1}>{children}</main>;
}

/** A page with a heading. The title is also the title of the tab. */
export function Page(props: {
  title: string;
  /** Link to the list that the page belongs to. */
  back?: { href: string; title: string };
  /** Next to the title, such as the status. */
  aside?: ComponentChildren;
  /** Before the title, such as a photo. */
  before?: ComponentChildren;
  actions?: ComponentChildren;
  children?: ComponentChildren;
}) {
  useTitle(props.title);
  return (
    <section class="page">
      <div class="head">
        {props.before}
        <div class="head-title">
          {props.back && <a class="crumb" href={props.back.href}>{props.back.title}</a>}
          <h1>{props.title}{props.aside && <span class="head-aside">{props.aside}</span>}</h1>
        </div>
        {props.actions && <div class="acts">{props.actions}</div>}
      </div>
      {props.children}
    </section>
  );
}

/** Sets the title of the tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${mode === "test" ? "Test data · " : ""}${title} · ${session.dealership.name}`;
  }, [title]);
}

/** A part of a page with a heading and an optional link or button. */
export function Section({ title, action, children }: { title: string; action?: ComponentChildren; children: ComponentChildren }) {
  return <section class="part"><h2>{title}{action && <span class="part-action">{action}</span>}</h2>{children}</section>;
}

/** Names and values. Unknown values are left out. */
export function Facts({ facts }: { facts: Array<[string, ComponentChildren]> }) {
  const known = facts.filter(([, value]) => value !== undefined && value !== null && value !== false && value !== "");
  return <dl class="facts">{known.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>;
}
