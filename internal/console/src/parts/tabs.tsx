import { useEffect, useRef } from "preact/hooks";
import { number } from "../format.ts";

export interface Tab {
  title: string;
  href: string;
  current: boolean;
  count?: number | undefined;
}

/** Links to the views of a page. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  const ref = useRef<HTMLElement>(null);
  const current = tabs.find((tab) => tab.current)?.title;
  useEffect(() => ref.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [current]);
  return (
    <nav ref={ref} class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.title} href={tab.href} aria-current={tab.current ? "page" : undefined}>
          {tab.title}{tab.count !== undefined && <span>{number(tab.count)}</span>}
        </a>
      ))}
    </nav>
  );
}
