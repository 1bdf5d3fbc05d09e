import type { ComponentChildren } from "preact";
import { word } from "../words.ts";

/** JSON with colors. The text is never markup. */
export function Json({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 2) ?? "null";
  const parts: ComponentChildren[] = [];
  let last = 0;
  for (const token of text.matchAll(/("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi)) {
    const kind = token[2] ? "key" : token[1] ? "str" : "num";
    parts.push(text.slice(last, token.index), <span class={kind}>{token[1] ?? token[0]}</span>, token[2] ?? "");
    last = token.index + token[0].length;
  }
  return <pre class="json" tabIndex={0}>{parts}{text.slice(last)}</pre>;
}

/** The fields that changed, with their values before and after. */
export function Diff({ before, after }: { before: Record<string, unknown>; after: Record<string, unknown> }) {
  return (
    <table class="diff">
      <thead><tr><th scope="col">Field</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>
      <tbody>
        {Object.keys(before).map((name) => (
          <tr key={name}><th scope="row">{word(name)}</th><td><del>{plain(before[name])}</del></td><td><ins>{plain(after[name])}</ins></td></tr>
        ))}
      </tbody>
    </table>
  );
}

function plain(value: unknown): string {
  if (value === null || value === undefined || value === "") return "Empty";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
