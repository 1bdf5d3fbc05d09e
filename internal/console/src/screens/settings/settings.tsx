// Settings: a page for each part. Users see the parts that their scopes allow.
import type { FunctionComponent } from "preact";
import { Page, Sheet } from "../../parts/layout.tsx";
import { Empty } from "../../parts/state.tsx";
import { AppSettings } from "./apps.tsx";
import { BackupSettings } from "./backups.tsx";
import { ChannelSettings } from "./channels.tsx";
import { DealershipSettings } from "./dealership.tsx";
import { DealSettings } from "./deals.tsx";
import { LocationSettings } from "./locations.tsx";
import { shownParts, type Part } from "./page.tsx";
import { PeopleSettings } from "./people.tsx";
import { ProfileSettings } from "./profile.tsx";
import { RoleSettings } from "./roles.tsx";
import { SsoSettings } from "./sso.tsx";

const contents: Record<Part, FunctionComponent> = {
  dealership: DealershipSettings,
  deals: DealSettings,
  locations: LocationSettings,
  people: PeopleSettings,
  roles: RoleSettings,
  channels: ChannelSettings,
  sso: SsoSettings,
  apps: AppSettings,
  backups: BackupSettings,
  profile: ProfileSettings,
};

export function Settings({ section }: { section?: string }) {
  const shown = shownParts();
  const part = shown.find((p) => p.path === (section ?? shown[0]!.path));
  if (!part) return <Sheet><Page title="Page not found"><Empty text="This page doesn't exist, or you don't have access." /></Page></Sheet>;
  const Content = contents[part.path];
  return <Content key={part.path} />;
}
