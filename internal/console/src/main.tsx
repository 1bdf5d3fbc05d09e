import { render } from "preact";
import { setTimeZone } from "./format.ts";
import { startKeys } from "./keys.ts";
import { startLive } from "./live.ts";
import { startNotifications } from "./notify.ts";
import { ErrorNote } from "./parts/state.tsx";
import { applyTheme } from "./prefs.ts";
import { mode, startRouter } from "./router.ts";
import { session } from "./session.ts";
import { preload } from "./shell/routes.tsx";
import { Shell } from "./shell/shell.tsx";

const root = document.getElementById("app")!;

function start(): void {
  applyTheme();
  document.documentElement.dataset["mode"] = mode;
  setTimeZone(session.dealership.timezone);
  startRouter();
  startKeys();
  root.replaceChildren();
  render(<Shell />, root);
  void startLive();
  startNotifications();
  void preload();
}

try {
  start();
} catch (error) {
  render(<ErrorNote error={error as Error} retry={() => location.reload()} />, root);
}
