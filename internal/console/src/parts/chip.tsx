import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { Menu, Popover } from "./menu.tsx";

/** A filter. value is the current choice in words, undefined if the filter is off. */
interface ChipProps {
  label: string;
  value: string | undefined;
  onClear: () => void;
}

function face({ label, value }: ChipProps): ComponentChildren {
  return value === undefined ? <><Icon name="plus" />{label}</> : <>{label}: <b>{value}</b></>;
}

/** A filter with a list of choices. */
export function ChoiceChip(props: ChipProps & { choices: Array<[string, string]>; current: string | undefined; onChoose: (value: string) => void }) {
  const items = props.choices.map(([value, title]) => ({ title, checked: value === props.current, onClick: () => props.onChoose(value) }));
  const clear = props.value !== undefined && { title: "Clear", icon: "close" as const, onClick: props.onClear };
  return <Menu class={props.value === undefined ? "chip" : "chip on"} button={face(props)} items={[...items, clear]} />;
}

/** A filter by text or numbers. Fields have a name, a label and the current value. */
export function InputChip(props: ChipProps & { fields: Array<{ name: string; label: string; value: string; numeric?: boolean }>; onApply: (values: Record<string, string>) => void }) {
  return (
    <Popover class={props.value === undefined ? "chip" : "chip on"} button={face(props)}>
      {(close) => <ChipForm {...props} close={close} />}
    </Popover>
  );
}

function ChipForm(props: Parameters<typeof InputChip>[0] & { close: () => void }) {
  const [values, setValues] = useState(() => Object.fromEntries(props.fields.map((f) => [f.name, f.value])));
  const submit = (event: Event) => {
    event.preventDefault();
    props.close();
    props.onApply(values);
  };
  return (
    <form class="chip-form" onSubmit={submit}>
      {props.fields.map((f) => (
        <label key={f.name} class="field">
          {f.label}
          <input
            value={values[f.name]}
            inputMode={f.numeric ? "decimal" : undefined}
            onInput={(e) => setValues({ ...values, [f.name]: f.numeric ? digits(e.currentTarget.value) : e.currentTarget.value })}
          />
        </label>
      ))}
      <div class="form-end">
        {props.value !== undefined && <Button small onClick={() => (props.close(), props.onClear())}>Clear</Button>}
        <Button small kind="primary" type="submit">Apply</Button>
      </div>
    </form>
  );
}

function digits(text: string): string {
  return text.replace(/[^\d.]/g, "");
}
