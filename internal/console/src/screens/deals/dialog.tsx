import type { ComponentChildren } from "preact";
import type { FormState, Values } from "../../form.tsx";
import { FormDialog } from "../contacts/people.tsx";

/** A form in a dialog. Closing it discards the input. */
export function DealDialog<V extends Values>(props: { title: string; wide?: boolean; form: FormState<V>; submit: string; onClose: () => void; children: ComponentChildren }) {
  const close = () => {
    props.form.reset();
    props.onClose();
  };
  return <FormDialog {...props} onClose={close} />;
}
