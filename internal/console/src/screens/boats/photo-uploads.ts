// Photos that are being uploaded. They are sent one after the other, so they keep their order. If the connection is
// lost, the upload waits until the browser is online again. Uploads continue when the user goes to another page.
import { api, type HullPhoto } from "../../api.ts";
import { changed } from "../../load.ts";
import { explain } from "../../parts/state.tsx";
import { createStore } from "../../parts/store.ts";

export interface Upload {
  id: number;
  hullId: string;
  file: File;
  /** URL of the file in the browser, to show it. */
  preview: string;
  state: "waiting" | "sending" | "failed";
  /** From 0 to 1. Undefined if the browser can't tell. */
  progress?: number | undefined;
  /** Why it failed. */
  problem?: string;
}

export const uploads = createStore<Upload[]>([]);

/** Called with a photo that is uploaded, and whether the boat already had it. */
type Listener = (photo: HullPhoto, duplicate: boolean) => void;
const listeners = new Set<Listener>();

export function onUploaded(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

let lastId = 0;
let running = false;

/** Uploads files to a boat. */
export function upload(hullId: string, files: Iterable<File>): void {
  const added = [...files].map((file): Upload => ({ id: ++lastId, hullId, file, preview: URL.createObjectURL(file), state: "waiting" }));
  uploads.set([...uploads.get(), ...added]);
  void run();
}

export function tryAgain(id: number): void {
  change(id, { state: "waiting", progress: undefined });
  void run();
}

export function discard(id: number): void {
  const found = uploads.get().find((u) => u.id === id);
  if (found) URL.revokeObjectURL(found.preview);
  uploads.set(uploads.get().filter((u) => u.id !== id));
}

function change(id: number, changes: Partial<Upload>): void {
  uploads.set(uploads.get().map((u) => (u.id === id ? { ...u, ...changes } : u)));
}

async function run(): Promise<void> {
  if (running) return;
  running = true;
  for (let next = first(); next; next = first()) await send(next);
  running = false;
}

function first(): Upload | undefined {
  return uploads.get().find((u) => u.state === "waiting");
}

async function send({ id, hullId, file }: Upload): Promise<void> {
  change(id, { state: "sending" });
  try {
    const scaled = await scale(file);
    const onProgress = (sent: number) => change(id, { progress: sent / scaled.size });
    const photo = await api.hulls.uploadPhoto(hullId, scaled, {}, canShowProgress() ? { onProgress } : {});
    const duplicate = known.has(photo.id);
    known.add(photo.id);
    discard(id);
    changed(hullId);
    for (const listener of listeners) listener(photo, duplicate);
  } catch (error) {
    change(id, { state: "failed", problem: explain(error as Error) });
  }
}

/** IDs of the photos that the boats have. */
const known = new Set<string>();

/** Remembers photos, to notice when one of them is uploaded again. */
export function know(photos: HullPhoto[]): void {
  for (const photo of photos) known.add(photo.id);
}

/** Browsers only report the progress of a body over HTTP/2 and later. */
function canShowProgress(): boolean {
  const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return /^h[23]/.test(page?.nextHopProtocol ?? "");
}

const maxPixels = 4096;

/** Scales a photo down to 4096 pixels, and converts types that the API doesn't accept. Other files stay as they are. */
async function scale(file: File): Promise<Blob> {
  const accepted = /^image\/(jpeg|png|webp)$/.test(file.type);
  const image = await createImageBitmap(file).catch(() => undefined);
  if (!image) return file;
  const factor = Math.min(1, maxPixels / Math.max(image.width, image.height));
  if (factor === 1 && accepted) return file;

  const canvas = new OffscreenCanvas(Math.round(image.width * factor), Math.round(image.height * factor));
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  return canvas.convertToBlob({ type: "image/jpeg", quality: 0.9 });
}
