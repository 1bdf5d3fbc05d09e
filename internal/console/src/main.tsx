import { render } from "preact";
import { setTimeZone } from "./format.ts";
import { startKeys } from "./keys.ts";
import { startLive } from "./live.ts";
import { ErrorNote } from "./parts/state.tsx";
import { applyTheme } from "./prefs.ts";
import { mode, startRouter } from "./router.ts";
import { loadSession, session } from "./session.ts";
import { preload } from "./shell/routes.tsx";
import { Shell } from "./shell/shell.tsx";

const root = document.getElementById("app")!;

async function start(): Promise<void> {
  applyTheme();
  document.documentElement.dataset["mode"] = mode;
  void startLive(); // before data is loaded, so that no change is missed
  await loadSession();
  setTimeZone(session.dealership.timezone);
  startRouter();
  startKeys();
  render(<Shell />, root);
  void preload();
}

start().catch((error: Error) => render(<ErrorNote error={error} retry={() => location.reload()} />, root));
