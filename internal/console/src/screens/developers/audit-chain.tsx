// Whether the audit log is unchanged. The box is next to every view of the log.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { count, time } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNote } from "../../parts/state.tsx";
import { toastError } from "../../parts/toast.tsx";
import { can } from "../../session.ts";

/** The state of the chain. Screens share it. */
export function useChain() {
  return useLoad(can("admin") ? ["audit chain"] : undefined, () => api.preview.dealership.getAuditChain());
}

export function ChainBox({ short }: { short?: boolean }) {
  const load = useChain();
  const [busy, setBusy] = useState(false);
  const chain = load.data;
  if (!chain) return load.error ? <ErrorNote error={load.error} retry={load.reload} /> : <div class="chainbox waiting" role="status">Checking the chain</div>;
  const check = async () => {
    setBusy(true);
    try {
      load.replace(await api.preview.dealership.checkAuditChain());
    } catch (error) {
      toastError(error);
    }
    setBusy(false);
  };
  const again = <button type="button" class="link" aria-busy={busy} onClick={() => !busy && void check()}>{busy ? "Checking all entries" : chain.complete ? "Check again" : "Check all entries"}</button>;
  if (chain.state === "broken") {
    return (
      <div class="chainbox broken" role="alert">
        <b><Icon name="alert" />The chain is broken</b>
        <p>{sayProblem(chain.problem)} Don’t delete anything. Compare the log with your last backup: run <code>slipway audit verify</code> on the server and on a restored copy.</p>
        {again}
      </div>
    );
  }
  const n = chain.checked + chain.waiting; // new entries are checked too, and linked within seconds
  if (short) return <div class="chainbox" role="status"><b><Icon name="audit" />Chain intact, checked {time(chain.checked_at)}</b></div>;
  return (
    <div class="chainbox" role="status">
      <b><Icon name="audit" />Chain intact</b>
      <p>{chain.complete ? `${count(n, "entry", "entries")}, all checked at ${time(chain.checked_at)}.` : `The newest ${count(n, "entry", "entries")} checked at ${time(chain.checked_at)}.`} No one changed or removed {n === 1 ? "it" : "one"}.</p>
      {again}
    </div>
  );
}

/** The problem without the ID of the entry: Entry 48102 was changed. */
function sayProblem(problem: string | null): string {
  if (!problem) return "";
  const text = problem.replace(/aud_[0-9a-z]+ \(link (\d+)\)/g, "$1").replace(/aud_[0-9a-z]{26}/g, "with the ID $&");
  return text[0]!.toUpperCase() + text.slice(1).replace(/\.?$/, ".");
}
