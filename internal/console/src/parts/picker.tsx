// A field that searches for an object and chooses one.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { explain } from "./state.tsx";

export interface Choice {
  id: string;
  title: string;
  note: string;
}

/** Searches 150 ms after the last key. The value is the ID of the choice. */
export function Picker(props: {
  label: string;
  placeholder: string;
  /** What is chosen, in words. */
  chosen: ComponentChildren;
  error?: string | undefined;
  search: (q: string, signal: AbortSignal) => Promise<Choice[]>;
  onChoose: (id: string) => void;
}) {
  const id = useId();
  const [text, setText] = useState("");
  const [found, setFound] = useState<Choice[]>();
  const [problem, setProblem] = useState<string>();
  const [at, setAt] = useState(0);

  useEffect(() => {
    setFound(undefined);
    setProblem(undefined);
    setAt(0);
    const q = text.trim();
    if (q.length < 2) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      props.search(q, abort.signal).then(setFound, (e: Error) => !abort.signal.aborted && setProblem(explain(e)));
    }, 150);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);

  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    setText("");
    props.onChoose(choice.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found?.length) setAt((at + step + found.length) % found.length);
    else if (event.key === "Enter" && text) choose(found?.[at]);
    else return;
    event.preventDefault();
  };
  const note = props.error ?? problem;
  if (props.chosen) {
    return (
      <div class="field">
        <span id={id}>{props.label}</span>
        <div class="picked" role="group" aria-labelledby={id}><span>{props.chosen}</span><Button small onClick={() => props.onChoose("")}>Change</Button></div>
        {note && <p class="field-error">{note}</p>}
      </div>
    );
  }
  return (
    <div class="field picker">
      <label for={id}>{props.label}</label>
      <input
        id={id} role="combobox" aria-expanded={!!found} aria-controls={id + "-list"} aria-activedescendant={found?.length ? `${id}-${at}` : undefined}
        aria-invalid={!!note} aria-describedby={note ? id + "-note" : undefined} autocomplete="off" placeholder={props.placeholder}
        value={text} onInput={(e) => setText(e.currentTarget.value)} onKeyDown={onKeyDown}
      />
      {note && <p id={id + "-note"} class="field-error">{note}</p>}
      <ul id={id + "-list"} role="listbox" aria-label={props.label} hidden={!found}>
        {found?.map((choice, i) => (
          <li key={choice.id} id={`${id}-${i}`} role="option" aria-selected={i === at} onPointerMove={() => setAt(i)} onClick={() => choose(choice)}>
            {choice.title}<small>{choice.note}</small>
          </li>
        ))}
        {found?.length === 0 && <li role="option" aria-selected="false" aria-disabled="true">Nothing found.</li>}
      </ul>
    </div>
  );
}
