// Who is signed in, and what they can do.
import type { Mode } from "./router.ts";

export type Scope =
  | "hulls:read"
  | "hulls:write"
  | "leads:read"
  | "leads:write"
  | "deals:read"
  | "deals:write"
  | "webhooks"
  | "admin";

export interface Session {
  environment: Mode;
  /** Environments that the user can switch to. */
  environments: Mode[];
  user: { id: string; name: string; email: string };
  roles: string[];
  scopes: Scope[];
  /** Whether the user can make exceptions to rules and book money that leaves. */
  manager: boolean;
  /** The roles that have each scope. */
  able: Partial<Record<Scope, string[]>>;
  dealership: { id: string; name: string; plan: string; timezone: string; lost_reasons: string[] };
  account_url: string;
  /** The form that ends all sessions of this browser. */
  sign_out: { action: string; token: string };
  /** ID of the newest event. What the page loads is not older. */
  last_event: string;
}

/** The session. The page contains it. */
export const session: Session = JSON.parse(document.getElementById("session")?.textContent ?? "{}");

/** Reports whether the user has a scope. Screens follow scopes, never names of roles. */
export function can(scope: Scope): boolean {
  return session.scopes.includes(scope);
}

/** Says why an action is disabled and who can do it, or undefined if the user has one of the scopes. */
export function whyNot(...scopes: Scope[]): string | undefined {
  if (scopes.some(can)) return undefined;
  return `Your role can't do this. Someone with the role ${rolesWith(...scopes)} can.`;
}

const either = new Intl.ListFormat("en-US", { type: "disjunction" });

/** The roles that have one of the scopes: owner, manager, or marketing. */
export function rolesWith(...scopes: Scope[]): string {
  return either.format([...new Set(scopes.flatMap((s) => session.able[s] ?? ["owner"]))].slice(0, 5));
}

export function signOut(): void {
  const form = document.createElement("form");
  form.method = "post";
  form.action = session.sign_out.action;
  const token = document.createElement("input");
  token.type = "hidden";
  token.name = "form_token";
  token.value = session.sign_out.token;
  form.append(token);
  document.body.append(form);
  form.submit();
}

/** Opens the same screen in the other environment. Objects don't exist there, so their IDs are left out. */
export function switchTo(other: Mode, screen: string): void {
  location.assign(`/console/${other}/${screen}`);
}

