// The Photos tab: add photos by dropping, pasting, choosing or taking them, and put them in order.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, type HullPhoto, type Page, type PreviewHull } from "../../api.ts";
import { count } from "../../format.ts";
import { changed, useLoad, type Load } from "../../load.ts";
import { announce } from "../../parts/announce.ts";
import { Icon } from "../../parts/icon.tsx";
import { Loaded } from "../../parts/state.tsx";
import { useStore } from "../../parts/store.ts";
import { loadStyles } from "../../parts/styles.ts";
import { toastError } from "../../parts/toast.tsx";
import { can } from "../../session.ts";
import { PhotoTile, UploadTile } from "./photo-tiles.tsx";
import { know, onUploaded, upload, uploads } from "./photo-uploads.ts";

await loadStyles("photos.css");

export function BoatPhotos({ boat }: { boat: PreviewHull }) {
  const load = useLoad(["photos", boat.id], () => api.hulls.listPhotos(boat.id, { limit: 100 }), [boat.id, "hull_photo"]);
  return <Loaded load={load}>{({ data }) => <Photos boat={boat} photos={data} load={load} />}</Loaded>;
}

function Photos({ boat, photos, load }: { boat: PreviewHull; photos: HullPhoto[]; load: Load<Page<HullPhoto>> }) {
  const pending = useStore(uploads).filter((u) => u.hullId === boat.id);
  const [over, setOver] = useState(false);
  const [flashing, setFlashing] = useState("");
  const writes = can("hulls:write");
  const add = (files: Iterable<File>) => writes && upload(boat.id, files);
  useEffect(() => know(photos), [photos]);
  useReloadWhileProcessing(photos, load.reload);
  usePaste(add);
  useEffect(() => onUploaded((photo, duplicate) => {
    if (!duplicate) return;
    setFlashing(photo.id);
    announce("This boat already has this photo.");
    setTimeout(() => setFlashing(""), 1500);
  }), []);

  const show = (order: HullPhoto[]) => load.replace({ data: order, has_more: false, next_cursor: null, prev_cursor: null });
  /** Moves a photo, counted from 0. The page shows it immediately. */
  const move = (photo: HullPhoto, to: number) => {
    if (to < 0 || to >= photos.length) return;
    const order = photos.filter((p) => p.id !== photo.id);
    order.splice(to, 0, photo);
    show(order);
    announce(`Photo moved to position ${to + 1} of ${photos.length}.`);
    api.hulls.updatePhoto(boat.id, photo.id, { position: to + 1 }).then(() => changed(boat.id), (error) => {
      load.reload();
      toastError(error);
    });
  };
  const drag = useDrag(photos, show, move);
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    add(event.dataTransfer?.files ?? []);
  };
  return (
    <div
      class={over ? "photos over" : "photos"}
      onDragOver={(e) => (e.preventDefault(), setOver(writes && !!e.dataTransfer?.types.includes("Files")))}
      onDragLeave={(e) => !(e.currentTarget as Element).contains(e.relatedTarget as Node | null) && setOver(false)}
      onDrop={onDrop}
    >
      <div class="tools part">
        <p class="muted" role="status">{summary(photos, pending)}</p>
        {writes && <FileButtons onFiles={add} />}
      </div>
      <ol class="tiles" aria-label="Photos">
        {photos.map((photo, i) => (
          <PhotoTile
            key={photo.id} photo={photo} at={i} total={photos.length} flashing={photo.id === flashing} dragged={drag.id === photo.id}
            onMove={(to) => move(photo, to)} {...(writes && { onPointerDown: (e: PointerEvent) => drag.start(e, photo) })}
          />
        ))}
        {pending.map((u) => <UploadTile key={u.id} upload={u} />)}
        {writes && <li class="tile drop-tile"><Icon name="photo" /><span>Drop or paste photos here</span></li>}
      </ol>
    </div>
  );
}

function summary(photos: HullPhoto[], pending: Array<{ state: string }>): string {
  const ready = photos.filter((p) => p.state === "ready").length;
  const processing = photos.filter((p) => p.state === "processing").length;
  const failed = photos.filter((p) => p.state === "failed").length + pending.filter((u) => u.state === "failed").length;
  const waiting = pending.filter((u) => u.state !== "failed").length;
  return [
    ready || !pending.length ? count(ready, "photo") : "",
    waiting && `${waiting} uploading`,
    processing && `${processing} processing`,
    failed && `${failed} failed`,
  ].filter(Boolean).join(", ");
}

const accepted = "image/jpeg,image/png,image/webp,image/heic";

/** Buttons to choose files and, on a phone, to take a photo. */
function FileButtons({ onFiles }: { onFiles: (files: Iterable<File>) => void }) {
  const input = (label: string, icon: "camera" | "plus", className: string, camera: boolean) => (
    <label class={className}>
      <Icon name={icon} />{label}
      <input
        type="file" class="vh" accept={camera ? "image/*" : accepted} multiple={!camera} {...(camera && { capture: "environment" as const })}
        onChange={(e) => {
          onFiles([...(e.currentTarget.files ?? [])]);
          e.currentTarget.value = "";
        }}
      />
    </label>
  );
  return <div class="acts">{input("Take photo", "camera", "btn camera", true)}{input("Add photos", "plus", "btn primary", false)}</div>;
}

/** The sizes of new photos are created in the background. */
function useReloadWhileProcessing(photos: HullPhoto[], reload: () => void): void {
  useEffect(() => {
    if (!photos.some((p) => p.state === "processing")) return;
    const timer = setTimeout(reload, 1500);
    return () => clearTimeout(timer);
  }, [photos]);
}

function usePaste(add: (files: Iterable<File>) => void): void {
  const current = useRef(add);
  current.current = add;
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => current.current(event.clipboardData?.files ?? []);
    addEventListener("paste", onPaste);
    return () => removeEventListener("paste", onPaste);
  }, []);
}

/** Reorders photos with a mouse, a finger or a pen. HTML drag and drop doesn't work with fingers. */
function useDrag(photos: HullPhoto[], show: (order: HullPhoto[]) => void, move: (photo: HullPhoto, to: number) => void) {
  const [id, setId] = useState("");
  const order = useRef(photos);
  order.current = photos;

  const start = (event: PointerEvent, photo: HullPhoto) => {
    if (event.button !== 0) return;
    const before = order.current;
    const from = { x: event.clientX, y: event.clientY };
    let dragging = false;

    const onMove = (e: PointerEvent) => {
      if (!dragging && Math.hypot(e.clientX - from.x, e.clientY - from.y) < 6) return;
      dragging = true;
      setId(photo.id);
      const over = document.elementFromPoint(e.clientX, e.clientY)?.closest<HTMLElement>("[data-photo]")?.dataset["photo"];
      const to = order.current.findIndex((p) => p.id === over);
      if (to < 0 || over === photo.id) return;
      const next = order.current.filter((p) => p.id !== photo.id);
      next.splice(to, 0, photo);
      order.current = next;
      show(next);
    };
    const end = (cancelled: boolean) => {
      removeEventListener("pointermove", onMove);
      removeEventListener("pointerup", onUp);
      removeEventListener("pointercancel", onCancel);
      setId("");
      const to = order.current.findIndex((p) => p.id === photo.id);
      if (cancelled) show(before);
      else if (dragging && to !== before.indexOf(photo)) move(photo, to);
    };
    const onUp = () => end(false);
    const onCancel = () => end(true);
    addEventListener("pointermove", onMove);
    addEventListener("pointerup", onUp);
    addEventListener("pointercancel", onCancel);
  };
  return { id, start };
}
