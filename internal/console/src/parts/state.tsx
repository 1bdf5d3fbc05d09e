// What a screen shows while it loads, when there is nothing, and when something went wrong.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ConnectionError, SlipwayError } from "../api.ts";
import type { Shown } from "../load.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { Page } from "./layout.tsx";

/** Gray bars in the place of the content. Shows nothing for the first 150 ms. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  const [visible, setVisible] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setVisible(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return <div class="skeleton" role="status" aria-busy="true" aria-label="Loading">{visible && Array.from({ length: rows }, (_, i) => <i key={i} />)}</div>;
}

/** Nothing to show: one sentence and one action. */
export function Empty({ text, action }: { text: string; action?: ComponentChildren }) {
  return <div class="empty"><p>{text}</p>{action}</div>;
}

/** Says what went wrong and what to do. */
export function ErrorNote({ error, retry }: { error: Error; retry?: () => void }) {
  const known = error instanceof SlipwayError;
  const details = known && error.status !== 422 ? error.details.filter((d) => d.field !== "If-Match") : [];
  return (
    <div class="note bad" role="alert">
      <Icon name="alert" />
      <div>
        <p>{explain(error)}</p>
        {details.length > 0 && <ul>{details.map((d) => <li key={d.field + d.code}>{d.field} {d.message}</li>)}</ul>}
        {known && error.status >= 500 && <p class="muted">Request ID: <span class="mono">{error.requestId}</span></p>}
      </div>
      {retry && <Button small onClick={retry}>Try again</Button>}
    </div>
  );
}

/** Why the console itself didn't do something. The message is for the user. */
export class Refusal extends Error {}

/** Returns a sentence about an error. */
export function explain(error: Error): string {
  if (error instanceof Refusal) return error.message;
  if (error instanceof ConnectionError) return "The server can't be reached. Check your connection.";
  if (!(error instanceof SlipwayError)) return "Something went wrong in the console. Reload the page.";
  if (error.status === 404) return "Not found, or you don't have access.";
  if (error.status === 403) return `${error.message} An owner can change your role.`;
  return error.message.charAt(0).toUpperCase() + error.message.slice(1);
}

/** Shows the content when it is loaded, and until then a skeleton or the error. A whole page has a title for the error. */
export function Loaded<T>(props: { load: Shown<T>; rows?: number; title?: string; children: (data: T) => ComponentChildren }) {
  const { data, error, reload } = props.load;
  const note = error && <ErrorNote error={error} retry={reload} />;
  if (data !== undefined) return <>{note}{props.children(data)}</>;
  if (note) return props.title ? <Page title={props.title}>{note}</Page> : note;
  return <Skeleton {...(props.rows && { rows: props.rows })} />;
}
