// Sheets to print: a page of their own that only printers see, without the frame of the console.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { date } from "../format.ts";
import { session } from "../session.ts";
import { loadStyles } from "./styles.ts";

const styles = loadStyles("print.css");

/** Prints its content once it is ready. The screen doesn't show it. */
export function Paper({ title, ready, onDone, children }: { title: string; ready: boolean; onDone: () => void; children: ComponentChildren }) {
  useEffect(() => {
    if (!ready) return;
    let gone = false;
    const print = async () => {
      await styles;
      await Promise.all([...document.querySelectorAll<HTMLImageElement>(".paper img")].map((i) => i.decode().catch(() => undefined)));
      if (gone) return;
      window.print();
      onDone();
    };
    void print();
    return () => void (gone = true);
  }, [ready]);
  return (
    <div class="paper" hidden>
      <header><b>{session.dealership.name}</b><span>{date(new Date().toISOString())}</span></header>
      <h1>{title}</h1>
      {children}
    </div>
  );
}
