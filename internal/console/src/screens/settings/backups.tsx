// The backups of the installation: when they are made, and whether they succeed. The
// operator of the server sets them up.
import { api, type PreviewBackupRun, type PreviewBackupStatus } from "../../api.ts";
import { bytes, count, when } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { Facts, Section } from "../../parts/layout.tsx";
import { ErrorNote, Skeleton } from "../../parts/state.tsx";
import { Tag } from "../../parts/status.tsx";
import { SettingsPage } from "./page.tsx";

/** Why a backup is not complete, as the end of a sentence. */
export const problemTexts: Record<NonNullable<PreviewBackupRun["problem"]>, string> = {
  disk_full: "the disk is full",
  files_missing: "photos or documents are missing on the server",
  interrupted: "the server stopped",
  damaged: "the archive can't be restored",
  target_unavailable: "the place for backups can't be used",
  other: "the log of the server has the reason",
};

export const useBackups = (load = true) => useLoad(load ? ["backups"] : undefined, () => api.preview.dealership.getBackups(), ["backup"]);

export function BackupSettings() {
  const status = useBackups();
  return (
    <SettingsPage path="backups">
      <div class="content">
        {status.error && <ErrorNote error={status.error} retry={status.reload} />}
        {status.data ? <Backups status={status.data} /> : !status.error && <Skeleton rows={4} />}
      </div>
    </SettingsPage>
  );
}

function Backups({ status }: { status: PreviewBackupStatus }) {
  if (!status.configured) {
    return (
      <Section title="Backups">
        <p>The server makes no backups. Ask the operator of the server to set <code>SLIPWAY_BACKUP_URL</code>.</p>
      </Section>
    );
  }
  const schedule = status.schedule!.includes(":") ? `Each day at ${status.schedule}, in the time zone of the server` : `Every ${status.schedule}`;
  return (
    <>
      <Section title="Backups" action={<Tag tone={status.healthy ? "green" : "red"}>{status.healthy ? "Working" : "Needs attention"}</Tag>}>
        <Facts facts={[
          ["Last backup", status.last_backup ? runText(status.last_backup) : "None yet"],
          ["Last complete backup", status.last_complete?.id !== status.last_backup?.id && status.last_complete && runText(status.last_complete)],
          ["Last restore check", status.last_check ? runText(status.last_check) : "None yet"],
        ]} />
        {!status.healthy && <p class="sub">Ask the operator of the server to run <code>slipway doctor</code>.</p>}
      </Section>
      <Section title="Plan">
        <Facts facts={[
          ["When", schedule],
          ["Where", status.target === "bucket" ? "A bucket" : "A folder of the server"],
          ["Kept for", count(status.keep_days, "day")],
        ]} />
        <p class="sub">The operator of the server sets the plan. Backups don’t contain the master key.</p>
      </Section>
    </>
  );
}

/** Nov 16, 3:00 AM, 312 MB, 1,204 files. */
function runText(run: PreviewBackupRun): string {
  const at = when(run.started_at);
  if (run.state === "running") return `${at}, still running`;
  if (run.state === "failed") return `${at}, failed: ${problemTexts[run.problem ?? "other"]}`;
  const size = `${at}, ${bytes(run.bytes)}, ${count(run.files, "file")}`;
  return run.missing > 0 ? `${size}, ${count(run.missing, "photo or document", "photos or documents")} missing` : size;
}
