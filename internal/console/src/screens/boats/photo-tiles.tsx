// A photo of a boat, and a photo that is being uploaded.
import { useState } from "preact/hooks";
import { api, localPath, type HullPhoto } from "../../api.ts";
import { changed } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Tag } from "../../parts/status.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { can } from "../../session.ts";
import { discard, tryAgain, type Upload } from "./photo-uploads.ts";

interface TileProps {
  photo: HullPhoto;
  /** Position, from 0. */
  at: number;
  total: number;
  flashing: boolean;
  dragged: boolean;
  onMove: (to: number) => void;
  onPointerDown?: (event: PointerEvent) => void;
}

export function PhotoTile({ photo, at, total, flashing, dragged, onMove, onPointerDown }: TileProps) {
  const writes = can("hulls:write");
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!event.altKey || !step || !writes) return;
    event.preventDefault();
    onMove(at + step);
  };
  const label = `Photo ${at + 1} of ${total}${photo.caption ? `: ${photo.caption}` : ""}`;
  return (
    <li class={["tile", flashing && "flash", dragged && "dragged"].filter(Boolean).join(" ")} data-photo={photo.id} onKeyDown={onKeyDown}>
      <div class="tile-photo" tabIndex={0} role="img" aria-label={label} aria-keyshortcuts="Alt+ArrowLeft Alt+ArrowRight" onPointerDown={onPointerDown}>
        {photo.urls ? <img src={localPath(photo.urls.card)} alt="" draggable={false} /> : <span class="tile-state">{photo.state === "failed" ? photo.problem : "Processing"}</span>}
        <span class="tile-number">{at === 0 ? "Cover" : at + 1}</span>
        {photo.state === "failed" && <Tag tone="red">Failed</Tag>}
      </div>
      {writes && (
        <Menu
          class="btn square tile-menu" label={`Actions of photo ${at + 1}`} align="end" button={<Icon name="more" />}
          items={[
            at > 0 && { title: "Move to first", icon: "star", onClick: () => onMove(0) },
            at > 0 && { title: "Move left", icon: "arrowLeft", onClick: () => onMove(at - 1) },
            at < total - 1 && { title: "Move right", icon: "arrowRight", onClick: () => onMove(at + 1) },
            { title: "Delete", icon: "trash", onClick: () => void remove(photo, at) },
          ]}
        />
      )}
      <Caption photo={photo} readOnly={!writes} />
    </li>
  );
}

async function remove(photo: HullPhoto, at: number): Promise<void> {
  if (!(await confirm({ title: `Delete photo ${at + 1}?`, text: "You can't undo this.", action: "Delete photo", danger: true }))) return;
  try {
    await api.hulls.deletePhoto(photo.hull_id, photo.id);
    changed(photo.hull_id);
    toast("Photo deleted.");
  } catch (error) {
    toastError(error);
  }
}

/** The caption. It is saved when the user leaves the field. */
function Caption({ photo, readOnly }: { photo: HullPhoto; readOnly: boolean }) {
  const [text, setText] = useState<string>();
  const saved = photo.caption ?? "";
  const save = () => {
    if (text === undefined || text.trim() === saved) return setText(undefined);
    api.hulls.updatePhoto(photo.hull_id, photo.id, { caption: text.trim() || null }).then(() => {
      changed(photo.hull_id);
      setText(undefined);
    }, toastError);
  };
  if (readOnly) return saved ? <p class="tile-caption">{saved}</p> : null;
  return (
    <input
      class="tile-caption" aria-label="Caption" placeholder="Add a caption" maxLength={500} value={text ?? saved}
      onInput={(e) => setText(e.currentTarget.value)} onBlur={save}
      onKeyDown={(e) => {
        if (e.key === "Enter") e.currentTarget.blur();
        if (e.key === "Escape") setText(undefined);
      }}
    />
  );
}

export function UploadTile({ upload }: { upload: Upload }) {
  const { id, file, preview, state, progress, problem } = upload;
  return (
    <li class="tile" aria-busy={state !== "failed"}>
      <div class="tile-photo">
        <img class="faded" src={preview} alt="" onError={(e) => (e.currentTarget.hidden = true)} />
        {state === "failed" ? <Tag tone="red">Failed</Tag> : <progress aria-label={`Upload of ${file.name}`} {...(progress !== undefined && { value: progress })} />}
      </div>
      <p class="tile-note">{state === "failed" ? problem : state === "waiting" ? `${file.name} is waiting` : file.name}</p>
      {state === "failed" && (
        <div class="form-end start"><Button small onClick={() => tryAgain(id)}>Try again</Button><Button small kind="quiet" onClick={() => discard(id)}>Remove</Button></div>
      )}
    </li>
  );
}
