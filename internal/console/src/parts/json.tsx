import type { ComponentChildren } from "preact";

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
