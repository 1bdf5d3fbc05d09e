// The frame around all screens.
import { useEffect, useRef, useState } from "preact/hooks";
import { isMac, useKeys } from "../keys.ts";
import { useConnected } from "../live.ts";
import { announce, announcement } from "../parts/announce.ts";
import { IconButton } from "../parts/button.tsx";
import { Confirmation } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Page, Sheet } from "../parts/layout.tsx";
import { Empty } from "../parts/state.tsx";
import { useStore } from "../parts/store.ts";
import { Toasts } from "../parts/toast.tsx";
import { href, match, mode, navigate, usePlace, type Mode } from "../router.ts";
import { session, switchTo } from "../session.ts";
import { Bell } from "./bell.tsx";
import { Help } from "./help.tsx";
import { Palette } from "./palette.tsx";
import { allowed, routes, type Route } from "./routes.tsx";
import { Sidebar, TabBar } from "./sidebar.tsx";

export function Shell() {
  const { path } = usePlace();
  const [open, setOpen] = useState<"palette" | "help">();
  const close = () => setOpen(undefined);
  const found = find(path);

  const goTo = Object.fromEntries(routes.filter((r) => r.keys && allowed(r)).map((r) => [r.keys, () => navigate(href(r.path))]));
  useKeys({ ...goTo, "mod+k": () => setOpen("palette"), "/": () => setOpen("palette"), "?": () => setOpen("help") });
  useEffect(() => {
    const first = routes.find((r) => r.group && allowed(r));
    if (!path && first) navigate(href(first.path), { replace: true });
  }, [path]);
  useTitleAnnouncement(found?.route.title);

  return (
    <div class="shell">
      <a class="skip" href="#main">Skip to content</a>
      <Sidebar current={found?.route} />
      <div class="main">
        <header class="top">
          <button type="button" class="find" onClick={() => setOpen("palette")}>
            <Icon name="search" /><span>Search boats, people, deals</span><kbd>{isMac ? "⌘K" : "Ctrl K"}</kbd>
          </button>
          <div class="right">
            <Bell />
            <IconButton icon="help" label="Help and shortcuts" onClick={() => setOpen("help")} />
            <ModeSwitch path={path} />
          </div>
        </header>
        <Banner />
        {found ? <found.route.screen key={found.route.path} {...found.params} /> : <NotFound path={path} />}
      </div>
      <TabBar current={found?.route} />
      {open === "palette" && <Palette onClose={close} onHelp={() => setOpen("help")} />}
      {open === "help" && <Help onClose={close} />}
      <Confirmation />
      <Toasts />
      <div class="vh" aria-live="polite">{useStore(announcement)}</div>
    </div>
  );
}

function find(path: string): { route: Route; params: Record<string, string> } | undefined {
  for (const route of routes) {
    const params = match(route.path, path);
    if (params) return allowed(route) ? { route, params } : undefined;
  }
  return undefined;
}

/** Announces the title of a screen, and moves the focus there when the link that was clicked is gone. */
function useTitleAnnouncement(title: string | undefined): void {
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    announce(title ?? "Not found");
    if (document.activeElement === document.body) document.getElementById("main")?.focus();
  }, [title]);
}

function ModeSwitch({ path }: { path: string }) {
  const screen = path.replace(/\/[a-z]+_.*/, "");
  const button = (value: Mode, title: string) => (
    <button
      type="button" class={value} aria-pressed={mode === value}
      onClick={() => mode !== value && switchTo(value, screen)}
    >
      {title}
    </button>
  );
  if (session.environments.length < 2) return mode === "test" ? <span class="mode">{button("test", "Test")}</span> : null;
  return <div class="mode" role="group" aria-label="Environment">{button("live", "Live")}{button("test", "Test")}</div>;
}

/** Says that changes of others are not shown at the moment. */
function Banner() {
  const connected = useConnected();
  if (connected) return null;
  return <p class="banner" role="status"><Icon name="alert" />You're offline. Changes are saved when the connection is back.</p>;
}

function NotFound({ path }: { path: string }) {
  if (!path) return null;
  return <Sheet><Page title="Page not found"><Empty text="This page doesn't exist, or you don't have access." /></Page></Sheet>;
}
