// A field that finds an object while the user types, such as a boat or a contact. Its value is the ID.
import { useEffect, useId, useState } from "preact/hooks";
import type { FormState, Values } from "../form.tsx";
import { Field } from "./field.tsx";

export interface Choice {
  id: string;
  title: string;
  note?: string | undefined;
}

export function Picker<V extends Values>(props: {
  form: FormState<V>;
  name: keyof V & string;
  label: string;
  hint?: string;
  required?: boolean;
  /** Title of the object that is chosen at first. */
  title?: string | undefined;
  search: (q: string, signal: AbortSignal) => Promise<Choice[]>;
}) {
  const { form, name, search } = props;
  const listId = useId();
  const [text, setText] = useState(props.title ?? "");
  const [found, setFound] = useState<Choice[]>();
  const [at, setAt] = useState(0);

  // Searches 150 ms after the last key, until an object is chosen.
  const query = form.values[name] ? "" : text.trim();
  useEffect(() => {
    const abort = new AbortController();
    setAt(0);
    setFound(undefined);
    if (!query) return;
    const timer = setTimeout(() => search(query, abort.signal).then(setFound, () => undefined), 150);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [query]);

  const type = (value: string) => {
    setText(value);
    form.set(name, "");
  };
  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    setText(choice.title);
    form.set(name, choice.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!found?.length || (!step && event.key !== "Enter")) return;
    if (step) setAt((at + step + found.length) % found.length);
    else choose(found[at]);
    event.preventDefault();
  };
  return (
    <Field {...props}>
      {(control) => (
        <div class="picker">
          <input
            {...control} type="text" role="combobox" autocomplete="off" aria-expanded={!!found} aria-controls={listId}
            aria-activedescendant={found?.[at] && `${listId}-${at}`} placeholder="Type to search" value={text}
            onInput={(e) => type(e.currentTarget.value)} onKeyDown={onKeyDown}
          />
          <ul id={listId} class="menu" role="listbox" aria-label={props.label} hidden={!found}>
            {found?.map((c, i) => (
              <li key={c.id} id={`${listId}-${i}`} role="option" aria-selected={i === at} onClick={() => choose(c)}>{c.title}{c.note && <small>{c.note}</small>}</li>
            ))}
            {found?.length === 0 && <li role="option" aria-selected="false" aria-disabled="true">Nothing found.</li>}
          </ul>
        </div>
      )}
    </Field>
  );
}
