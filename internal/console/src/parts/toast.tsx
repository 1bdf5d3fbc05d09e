import { useEffect } from "preact/hooks";
import { SlipwayError } from "../api.ts";
import { useKeys } from "../keys.ts";
import { IconButton } from "./button.tsx";
import { Refusal, explain } from "./state.tsx";
import { createStore, useStore } from "./store.ts";

interface Message {
  id: number;
  text: string;
  bad?: boolean;
  undo?: (() => void) | undefined;
}

const messages = createStore<Message[]>([]);
let lastId = 0;

function add(message: Omit<Message, "id">): void {
  messages.set([...messages.get().slice(-2), { ...message, id: ++lastId }]);
}

function remove(id: number): void {
  messages.set(messages.get().filter((m) => m.id !== id));
}

/** Says what was done: "Boat archived." */
export function toast(text: string, undo?: () => void): void {
  add({ text, undo });
}

/** Says what was done, and offers to undo it. undo takes it back with a new request. */
export function toastUndo(text: string, undo: () => Promise<unknown>, undone: string): void {
  const refused = (error: unknown) => {
    const stale = error instanceof SlipwayError && error.details.some((d) => d.code === "stale");
    toastError(stale ? new Refusal("It has changed since. You can't undo this anymore.") : error);
  };
  toast(text, () => void undo().then(() => toast(undone), refused));
}

/** Says why an action failed. Use it as .catch(toastError) if no form can show the error. */
export function toastError(error: unknown): void {
  add({ text: explain(error as Error), bad: true });
}

/** Shows the messages. The shell renders it once. */
export function Toasts() {
  const all = useStore(messages);
  const last = all.filter((m) => m.undo).at(-1);
  useKeys({ z: last && (() => (remove(last.id), last.undo!())) });
  return <div class="toasts" role="status" aria-live="polite">{all.map((m) => <Toast key={m.id} message={m} />)}</div>;
}

function Toast({ message: { id, text, bad, undo } }: { message: Message }) {
  useEffect(() => {
    const timer = setTimeout(() => remove(id), undo || bad ? 10_000 : 5_000);
    return () => clearTimeout(timer);
  }, [id]);
  return (
    <div class={bad ? "toast bad" : "toast"}>
      <span>{text}</span>
      {undo && <button type="button" class="link" onClick={() => (remove(id), undo())}>Undo</button>}
      <IconButton icon="close" label="Dismiss" onClick={() => remove(id)} />
    </div>
  );
}
