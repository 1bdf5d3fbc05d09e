// CSV files, written in the browser.

type Cell = string | number | null;

/** Returns a CSV file. Cells that a spreadsheet would run as a formula start with a quote. */
export function toCsv(rows: Cell[][]): string {
  return rows.map((row) => row.map(escape).join(",") + "\r\n").join("");
}

function escape(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const safe = /^[=+\-@\t\r]/.test(cell) ? "'" + cell : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function downloadCsv(name: string, rows: Cell[][]): void {
  download(name, new Blob(["\ufeff" + toCsv(rows)], { type: "text/csv" }));
}

/** Saves a file on the user's machine. */
export function download(name: string, file: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
