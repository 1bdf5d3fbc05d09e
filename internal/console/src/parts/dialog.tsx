import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Button, IconButton } from "./button.tsx";
import { createStore, useStore } from "./store.ts";

/** A dialog that is open for as long as it is rendered. */
export function Dialog(props: { title: string; wide?: boolean; onClose: () => void; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current!;
    dialog.showModal();
    dialog.querySelector<HTMLElement>("input, select, textarea, .primary")?.focus();
    return () => dialog.close();
  }, []);
  return (
    <dialog ref={ref} class={props.wide ? "dialog wide" : "dialog"} aria-labelledby={titleId} onCancel={(e) => (e.preventDefault(), props.onClose())}>
      <header><h2 id={titleId}>{props.title}</h2><IconButton icon="close" label="Close" onClick={props.onClose} /></header>
      {props.children}
    </dialog>
  );
}

interface Question {
  /** Names the object: "Archive 2024 Freedom 235?" */
  title: string;
  text?: string;
  /** Verb and object, such as "Archive boat". */
  action: string;
  danger?: boolean;
  /** The user must type this, for actions that can't be undone. */
  type?: string;
}

const questions = createStore<(Question & { answer: (yes: boolean) => void }) | undefined>(undefined);

/** Asks the user, and returns whether they confirm. */
export function confirm(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    questions.set({
      ...question,
      answer: (yes) => {
        questions.set(undefined);
        resolve(yes);
      },
    });
  });
}

/** Shows the questions of confirm. The shell renders it once. */
export function Confirmation() {
  const question = useStore(questions);
  const [typed, setTyped] = useState("");
  useEffect(() => setTyped(""), [question]);
  if (!question) return null;
  const { title, text, action, danger, type, answer } = question;
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <form class="form" onSubmit={(e) => (e.preventDefault(), (!type || typed === type) && answer(true))}>
        {text && <p>{text}</p>}
        {type && (
          <label class="field">Type {type} to confirm
            <input value={typed} onInput={(e) => setTyped(e.currentTarget.value)} autocomplete="off" />
          </label>
        )}
        <div class="form-end">
          <Button onClick={() => answer(false)}>Cancel</Button>
          <Button type="submit" kind={danger ? "danger" : "primary"} disabled={!!type && typed !== type}>{action}</Button>
        </div>
      </form>
    </Dialog>
  );
}
