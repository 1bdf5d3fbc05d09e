// Screens that are loaded when they are first opened, so that the console starts quickly.
import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Sheet } from "../parts/layout.tsx";
import { ErrorNote, Skeleton } from "../parts/state.tsx";

export type Screen = FunctionComponent<any> & { preload: () => Promise<void> };

/** Returns a screen that loads its file. Frame is around what it shows until then. */
export function lazy(load: () => Promise<FunctionComponent<any>>, Frame: FunctionComponent<any> = Sheet): Screen {
  let screen: FunctionComponent<any> | undefined;
  const preload = async () => {
    screen ??= await load();
  };

  function Lazy(props: object) {
    const [state, setState] = useState<{ error?: Error }>({});
    const start = () => void preload().then(() => setState({}), (error: Error) => setState({ error }));
    useEffect(() => {
      if (!screen) start();
    }, []);
    const Loaded = screen;
    if (Loaded) return <Loaded {...props} />;
    return <Frame>{state.error ? <ErrorNote error={state.error} retry={start} /> : <Skeleton />}</Frame>;
  }
  return Object.assign(Lazy, { preload });
}
