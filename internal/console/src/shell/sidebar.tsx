import { useState } from "preact/hooks";
import { count, number } from "../format.ts";
import { Avatar } from "../parts/avatar.tsx";
import { Icon, Mark } from "../parts/icon.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { prefer, preference, type Theme } from "../prefs.ts";
import { href } from "../router.ts";
import { useLocations } from "../screens/boats/shared.ts";
import { can, session, signOut } from "../session.ts";
import { word } from "../words.ts";
import { useCounting } from "./counts.ts";
import { allowed, routes, type Route } from "./routes.tsx";

/** Reports whether a route or one below it is shown. */
function isCurrent(route: Route, current: Route | undefined): boolean {
  return !!current && (current === route || current.path.startsWith(route.path + "/"));
}

function inGroup(group: Route["group"]): Route[] {
  return routes.filter((r) => r.group === group && allowed(r));
}

export function Sidebar({ current }: { current: Route | undefined }) {
  const developers = inGroup("developers");
  return (
    <nav class="side" aria-label="Main">
      <div class="brand">
        <Mark />
        <span class="name">{session.dealership.name}<Locations /></span>
      </div>
      {inGroup("main").map((r) => <Entry key={r.path} route={r} current={isCurrent(r, current)} />)}
      {developers.length > 0 && <h2>Developers</h2>}
      {developers.map((r) => <Entry key={r.path} route={r} current={isCurrent(r, current)} />)}
      <div class="foot">
        {inGroup("settings").map((r) => <Entry key={r.path} route={r} current={isCurrent(r, current)} />)}
        <UserMenu />
      </div>
    </nav>
  );
}

/** How many locations the dealership has, for users who can see them. */
function Locations() {
  return can("hulls:read") || can("admin") ? <LocationCount /> : null;
}

function LocationCount() {
  const { size } = useLocations();
  return <small>{size > 0 ? count(size, "location") : "\u00a0"}</small>;
}

function Entry({ route, current }: { route: Route; current: boolean }) {
  const counts = useCounting();
  return (
    <a href={href(route.path)} aria-current={current ? "page" : undefined}>
      {route.icon && <Icon name={route.icon} />}
      <span class="entry">{route.title}</span>
      {route.useCount && counts && <Count of={route.useCount} />}
    </a>
  );
}

function Count({ of: useCount }: { of: NonNullable<Route["useCount"]> }) {
  const { count, badge } = useCount();
  if (count === undefined || (badge && count === 0)) return null;
  return <span class={badge ? "count hot" : "count"}>{number(count)}</span>;
}

const themes: Array<[Theme, string, "settings" | "sun" | "moon"]> = [
  ["system", "Theme of your system", "settings"],
  ["light", "Light theme", "sun"],
  ["dark", "Dark theme", "moon"],
];

/** Items of the user's menu. */
function useUserItems(): MenuItem[] {
  const [theme, setTheme] = useState(preference("theme"));
  const choose = (value: Theme) => {
    prefer("theme", value);
    setTheme(value);
  };
  return [
    ...themes.map(([value, title, icon]) => ({ title, icon, checked: value === theme, onClick: () => choose(value) })),
    { title: "Your account", icon: "account", onClick: () => location.assign(session.account_url) },
    { title: "Sign out", icon: "signOut", onClick: () => signOut() },
  ];
}

function UserMenu() {
  const items = useUserItems();
  const { name } = session.user;
  const face = <><Avatar name={name} /><span class="entry">{name}<small>{session.roles.map(word).join(", ")}</small></span></>;
  return <Menu class="me" button={face} items={items} />;
}

/** The bar at the bottom of a phone. */
export function TabBar({ current }: { current: Route | undefined }) {
  const shown = routes.filter((r) => r.phone && allowed(r)).slice(0, 4);
  const rest = routes.filter((r) => r.group && !shown.includes(r) && allowed(r));
  const userItems = useUserItems();
  const more = [...rest.map((r) => ({ title: r.title, href: href(r.path), ...(r.icon && { icon: r.icon }) })), ...userItems];
  return (
    <nav class="tabbar" aria-label="Main">
      {shown.map((r) => (
        <a key={r.path} href={href(r.path)} aria-current={isCurrent(r, current) ? "page" : undefined}>
          {r.icon && <Icon name={r.icon} />}{r.phone}
        </a>
      ))}
      <Menu class="tab-more" align="end" button={<><Icon name="more" />More</>} items={more} />
    </nav>
  );
}
