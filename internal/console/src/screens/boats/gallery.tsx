import { useState } from "preact/hooks";
import { api, localPath, type PreviewHull } from "../../api.ts";
import { useLoad } from "../../load.ts";
import { Icon } from "../../parts/icon.tsx";
import { Photo } from "../../parts/photo.tsx";
import { href } from "../../router.ts";
import { can } from "../../session.ts";

/** The photos, with the first one large. */
export function Gallery({ boat }: { boat: PreviewHull }) {
  const { data } = useLoad(boat.photo_count ? ["photos", boat.id] : undefined, () => api.hulls.listPhotos(boat.id, { limit: 100 }), [boat.id, "hull_photo"]);
  const [at, setAt] = useState(0);
  const ready = data?.data.filter((p) => p.urls) ?? [];
  const shown = ready[at]?.urls;
  return (
    <>
      <div class="hero">
        {shown ? <span class="thumb large"><img src={localPath(shown.card)} alt={ready[at]?.caption ?? ""} /></span> : <Photo boat={boat} large />}
        {ready.length > 1 && <span class="n">{at + 1} of {ready.length}</span>}
      </div>
      <div class="film">
        {ready.slice(0, 4).map((p, i) => (
          <button key={p.id} type="button" aria-label={`Show photo ${i + 1}`} aria-current={i === at ? "true" : undefined} onClick={() => setAt(i)}>
            <img src={localPath(p.urls!.thumb)} alt="" />
          </button>
        ))}
        {can("hulls:write") && <a class="drop" href={href(`boats/${boat.id}/photos`)} aria-label="Add photos" title="Add photos"><Icon name="photo" /></a>}
      </div>
    </>
  );
}
