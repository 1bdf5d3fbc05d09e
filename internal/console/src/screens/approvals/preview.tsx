// The parts of a preview: warnings, prices, what changes, and the conversation.
import type { PreviewProposal, PreviewProposalRow, PreviewProposalWarning } from "../../api.ts";
import { dateTime, usd } from "../../format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Section } from "../../parts/layout.tsx";
import type { Tone } from "../../parts/status.tsx";
import { Verdict } from "../../parts/verdict.tsx";
import { word } from "../../words.ts";
import { placeOf } from "../developers/traces.tsx";

export const tones: Record<PreviewProposal["status"], Tone> = { pending: "amber", running: "blue", approved: "green", declined: "gray", expired: "hollow", failed: "red" };

/** The levels of warnings, the most serious one first, with their colors. */
export const levels = [["danger", "red", "no"], ["caution", "amber", "wait"], ["ok", "green", "yes"]] as const;

/** The warnings, with one box for each level. A better offer belongs to the most serious one. */
export function Warnings({ all }: { all: PreviewProposalWarning[] }) {
  const isBetter = (w: PreviewProposalWarning) => w.code === "better_offer";
  const better = all.filter(isBetter);
  const rest = all.filter((w) => !isBetter(w));
  const worst = levels.find(([level]) => rest.some((w) => w.level === level && level !== "ok"))?.[0] ?? "caution";
  return (
    <>
      {levels.map(([level, , answer]) => {
        const [first, ...others] = [...rest.filter((w) => w.level === level), ...(level === worst ? better : [])].map((w) => w.text);
        return first && <Verdict key={level} answer={answer} icon={level === "ok" ? "check" : "alert"} title={first}>{others.join(" ")}</Verdict>;
      })}
    </>
  );
}

/** The prices as bars, from low to high. The first one is what is decided. */
export function Amounts({ p: { preview: { amounts, warnings } } }: { p: PreviewProposal }) {
  const most = Math.max(...amounts.map((a) => a.amount.amount));
  if (amounts.length < 2 || most <= 0) return null;
  const color = warnings.some((w) => w.level === "danger") ? "var(--red)" : "var(--accent)";
  return (
    <Section title="Prices">
      <dl class="bars">
        {[...amounts].sort((a, b) => a.amount.amount - b.amount.amount).map((a) => (
          <div key={a.label}>
            <dt>{word(a.label)}</dt>
            <dd><i style={{ "--share": `${Math.round((a.amount.amount / most) * 75)}%`, "--c": a === amounts[0] ? color : "var(--line-strong)" }} /><b class="num">{usd(a.amount.amount / 100)}</b></dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

/** The rows whose text is the name of an object. */
const linked = ["Boat", "Buyer", "Contact"];

function Name({ row }: { row: PreviewProposalRow }) {
  const place = linked.includes(row.label) && row.object_id ? placeOf(row.object_id) : undefined;
  return place ? <a class="link" href={place}>{row.to}</a> : <>{row.to}</>;
}

/** Objects and fields, with what they are and what becomes of them. */
export function Rows({ rows }: { rows: PreviewProposalRow[] }) {
  return (
    <ul class="flips">
      {rows.map((r) => (
        <li key={r.label}>
          <span class="sub">{r.label}</span>
          <span>{r.from !== null && <><del>{r.from}</del><Icon name="arrowRight" /><span class="vh"> becomes </span></>}{r.from !== null ? <b>{r.to}</b> : <Name row={r} />}</span>
        </li>
      ))}
    </ul>
  );
}

export function Conversation({ p }: { p: PreviewProposal }) {
  return (
    <Section title="Conversation">
      <div class="entry-row">
        {p.preview.conversation.map((m) => (
          <div key={m.created_at} class={m.ours ? "msg out" : "msg"}><p>{m.text || "Erased"}</p><small>{m.by} · {word(m.channel)} · {dateTime(m.created_at)}</small></div>
        ))}
      </div>
    </Section>
  );
}

/** The texts of a message that was decided. */
export function Texts({ p }: { p: PreviewProposal }) {
  const names = p.preview.editable;
  if (names.length === 0) return null;
  return (
    <Section title="Text">
      {names.map((name) => (
        <div key={name} class="msg out"><p>{p.edits[name] ?? String(p.arguments.body?.[name] ?? "")}</p>{p.edits[name] !== undefined && <small>Proposed: {String(p.arguments.body?.[name] ?? "")}</small>}</div>
      ))}
    </Section>
  );
}

const around = 24; // characters before and after a change

/** What an edit changed, with a few words around it. */
export function Edit({ from, to }: { from: string; to: string }) {
  let start = 0;
  while (start < from.length && from[start] === to[start]) start++;
  let end = 0;
  while (end < Math.min(from.length, to.length) - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end++;
  // Whole words, so that the change can be read.
  const cut = start > around ? from.indexOf(" ", start - around) + 1 : 0;
  const before = (cut > 0 ? "…" : "") + from.slice(Math.min(cut, start), start);
  const rest = from.slice(from.length - end);
  const after = end > around ? rest.slice(0, around).replace(/\S*$/, "") + "…" : rest;
  const quote = (text: string) => <>“{before}<mark>{text.slice(start, text.length - end)}</mark>{after}”</>;
  return <>Proposed: {quote(from)} Yours: {quote(to)}</>;
}
