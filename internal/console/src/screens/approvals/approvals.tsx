// Approvals: what programs propose. A list, what one of them would do, and who asks for it. People approve or decline.
import { useEffect, useRef } from "preact/hooks";
import { api, type PreviewProposal } from "../../api.ts";
import { dateTime, excerpt, when } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { useList, useLoad, type LoadList } from "../../load.ts";
import { Sheet, useTitle } from "../../parts/layout.tsx";
import { Empty, ErrorNote, Loaded, Skeleton } from "../../parts/state.tsx";
import { Tag } from "../../parts/status.tsx";
import { End } from "../../parts/table.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { href, navigate, setQuery, usePlace } from "../../router.ts";
import { useApprovals } from "../../shell/counts.ts";
import { word } from "../../words.ts";
import { useNames } from "../contacts/people.tsx";
import { Background } from "./background.tsx";
import { Judge } from "./case.tsx";
import { levels, tones } from "./preview.tsx";

const views = { "": ["To decide", "pending"], approved: ["Approved", "approved"], declined: ["Declined", "declined"], failed: ["Failed", "failed"], expired: ["Expired", "expired"] } as const;

type View = keyof typeof views;

export function Approvals({ id }: { id?: string }) {
  const { query } = usePlace();
  const chosen = query.get("view") ?? "";
  const view: View = chosen in views ? (chosen as View) : "";
  const [, status] = views[view];
  const url = (p: PreviewProposal) => href("approvals/" + p.id, { view });
  const list = useList(["proposals", status], (page) => api.preview.proposals.list({ ...page, status }), ["proposal"]);
  const waiting = useApprovals().count;
  const rows = list.data ?? [];
  const at = rows.findIndex((p) => p.id === id);
  const move = (to: number) => rows[to] && navigate(url(rows[to]), { replace: true });

  // A wide screen has room for a proposal, so it shows the first one.
  useEffect(() => {
    if (!id && matchMedia("(min-width: 901px)").matches) move(0);
  }, [id, rows[0]?.id]);
  const showsDetails = !!query.get("details");
  useKeys({
    j: () => move(at + 1), k: () => move(Math.max(0, at - 1)), // what was just decided is not in the list
    Escape: id ? () => (showsDetails ? setQuery({ details: undefined }) : navigate(href("approvals", { view }))) : undefined,
  });

  const Title = id ? "h2" : "h1";
  return (
    <Sheet kind="inbox">
      <section class={id ? "behind" : ""} aria-label="Approvals">
        <div class="head"><Title>Approvals</Title></div>
        <Tabs label="View" tabs={Object.entries(views).map(([key, [title]]) => ({ title, href: href("approvals", { view: key }), current: key === view, count: key ? undefined : waiting }))} />
        <Asks list={list} view={view} id={id} url={url} />
      </section>
      {id ? <Approval key={id} id={id} /> : <Nothing text={rows.length ? "Choose a proposal." : "What would happen appears here."} />}
    </Sheet>
  );
}

const empty: Record<View, string> = {
  "": "Nothing waits for you. When an app or an assistant proposes a change, it appears here.",
  approved: "No approved proposals.", declined: "No declined proposals.", failed: "No approved proposal has failed.", expired: "No expired proposals.",
};

function Asks({ list, view, id, url }: { list: LoadList<PreviewProposal>; view: View; id: string | undefined; url: (p: PreviewProposal) => string }) {
  const { data, error, reload } = list;
  if (!data) return error ? <ErrorNote error={error} retry={reload} /> : <Skeleton rows={6} />;
  const row = (p: PreviewProposal) => <Ask key={p.id} p={p} url={url(p)} isCurrent={p.id === id} />;
  return (
    <div class="who asks">
      {error && <ErrorNote error={error} retry={reload} />}
      {data.length === 0 && <Empty text={empty[view]} />}
      {data.map(row)}
      {view === "" && <Lately row={row} />}
      <End list={list} />
    </div>
  );
}

const shown = 3; // of what was decided lately

/** What was decided lately, after what has to be decided. */
function Lately({ row }: { row: (p: PreviewProposal) => preact.JSX.Element }) {
  const { data } = useLoad(["proposals lately"], () => api.preview.proposals.list({ limit: 50 }), ["proposal"]);
  const decided = data?.data.filter((p) => p.decided_at).sort((a, b) => b.decided_at!.localeCompare(a.decided_at!)).slice(0, shown) ?? [];
  return decided.length > 0 && <><h2 class="table-end">Decided lately</h2>{decided.map(row)}</>;
}

function Ask({ p, url, isCurrent }: { p: PreviewProposal; url: string; isCurrent: boolean }) {
  const names = useNames();
  const ref = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isCurrent) ref.current?.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);
  const open = p.status === "pending";
  const worst = open ? levels.flatMap(([level]) => p.preview.warnings.filter((w) => w.level === level))[0] : undefined;
  const at = (!open && p.decided_at) || p.created_at;
  const text = excerpt(p.preview.editable.includes("body") ? `“${String(p.arguments.body?.["body"] ?? "")}”` : p.preview.text);
  return (
    <a ref={ref} href={url} aria-current={isCurrent ? "true" : undefined}>
      <b>{p.preview.title}</b>
      {text && <p>{text}</p>}
      <span class="tags">
        {!open && <Tag tone={tones[p.status]}>{word(p.status)}</Tag>}
        {worst && <Tag tone={levels.find(([level]) => level === worst.level)![1]}>{worst.level === "ok" ? "May be sent" : word(worst.code)}</Tag>}
        <span>{!open && p.decided_by ? names(p.decided_by) : p.proposed_by.label}</span><time title={dateTime(at)}>{when(at)}</time>
      </span>
    </a>
  );
}

function Nothing({ text }: { text: string }) {
  useTitle("Approvals");
  return <section class="talk no-lead" aria-label="Proposal"><Empty text={text} /></section>;
}

/** What a proposal would do, and who asks for it. It can change while someone reads it. */
function Approval({ id }: { id: string }) {
  const { query } = usePlace();
  const load = useLoad(["proposal", id], () => api.preview.proposals.get(id), [id, "proposal", "hull", "contact", "lead", "deal"]);
  if (!load.data) return <section class="talk" aria-label="Proposal"><h1 class="vh">Approval</h1><Loaded load={load}>{() => null}</Loaded></section>;
  return (
    <>
      <Judge p={load.data} />
      <aside class={query.get("details") ? "ctx shown" : "ctx"} aria-label="Background"><Background p={load.data} /></aside>
    </>
  );
}
