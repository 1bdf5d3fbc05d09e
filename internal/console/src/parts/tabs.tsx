import { number } from "../format.ts";

export interface Tab {
  title: string;
  href: string;
  current: boolean;
  count?: number | undefined;
}

/** Links to the views of a page. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.title} href={tab.href} aria-current={tab.current ? "page" : undefined}>
          {tab.title}{tab.count !== undefined && <span>{number(tab.count)}</span>}
        </a>
      ))}
    </nav>
  );
}
