package photos

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/hulls/photolink"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/images"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/site"
	"slipway/internal/platform/work"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/page"
)

var (
	read  = auth.Require(auth.HullsRead)
	write = auth.Require(auth.HullsWrite)
)

// API serves the photos of hulls.
type API struct {
	DB    *db.DB
	Jobs  *jobs.Queue
	Blobs *blobs.Files
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family(family.Hulls)
	rest.Get(r, rest.Route{
		Path: "/hulls/{hull_id}/photos", ID: "listHullPhotos", Needs: read,
		Summary: "List photos in display order",
		Text:    "Returns all photos of the hull, the primary photo first. Photos that are still being processed or failed are included.",
		Assist:  assist.Read,
	}, a.listPhotos)
	rest.Raw(r, "POST", 201, rest.Route{
		Path: "/hulls/{hull_id}/photos", ID: "uploadHullPhoto", Needs: write,
		Summary: "Upload a photo",
		Text:    "Send a JPEG image of up to 50 megapixels, or a PNG or WebP image of up to 20 megapixels, as the body or as the form field `file`. It can have up to 25 MiB. A JPEG of more than 30 megapixels is stored with half its width and height. The type is detected from the content. The sizes are created in the background. `state` shows the progress. Colors are converted to sRGB. Location, camera and time are removed from the image. HEIC images of iPhones are not supported. A hull can have up to 100 photos.",
		Assist:  assist.Never(assist.Files),
		Accepts: rest.Files{Most: maxPhotoBytes, Types: images.Types(), Fields: []string{"caption", "position"}, Refuses: map[string]string{"image/heic": images.HEIC, "image/heif": images.HEIC}},
		Found:   "The hull already has this photo.",
	}, a.uploadPhoto)
	rest.Patch(r, rest.Route{
		Path: "/hulls/{hull_id}/photos/{photo_id}", ID: "updateHullPhoto", Needs: write,
		Summary: "Change a photo's caption or position",
		Text:    "Omitted fields keep their values. The first photo that is ready is the primary photo of the hull.",
		Assist:  assist.Never(assist.Files),
	}, a.updatePhoto)
	rest.Delete(r, rest.Route{
		Path: "/hulls/{hull_id}/photos/{photo_id}", ID: "deleteHullPhoto", Needs: write,
		Summary: "Delete a photo",
		Text:    "Removes the photo and its files. Its public links stop working shortly after, and the photos after it move up.",
		Assist:  assist.Never(assist.Deletes),
	}, a.deletePhoto)
	rest.Raw(r, "GET", 200, rest.Route{
		Path: "/hulls/{hull_id}/photos/{photo_id}/content", ID: "getHullPhotoContent", Needs: read,
		Summary:  "Download a photo or one of its sizes",
		Text:     "Returns 409 while the sizes are being created.",
		Assist:   assist.Never(assist.Files),
		Produces: []string{"image/jpeg", "image/png"},
	}, a.photoContent)
	rest.Public(r.Family(family.Links), "GET", 200, rest.Route{
		Path: "/media/{pass}/{photo}/{file}", ID: "getMedia",
		Summary:  "Show a photo to the public",
		Text:     "Serves the links in `urls` of a photo and in `primary_photo_url` of a hull. They need no credential and work for at least a week. Links in feeds work as long as the boat is for sale. Expired links return 404.",
		Produces: []string{"image/jpeg"},
	}, a.media)
}

// ByPhoto is the path parameters of a photo.
type ByPhoto struct {
	hulls.ByHull
	PhotoID string `path:"photo_id" doc:"ID of the photo." example:"pho_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) listPhotos(ctx context.Context, tx *db.Tx, in *struct {
	hulls.ByHull
	Limit         int    `query:"limit" minimum:"1" maximum:"100" default:"100" doc:"Number of photos to return."`
	StartingAfter string `query:"starting_after" maxLength:"64" doc:"Returns the photos after this one."`
	EndingBefore  string `query:"ending_before" maxLength:"64" doc:"Returns the photos before this one."`
}) (page.Page[HullPhoto], error) {
	q := page.Query{Limit: in.Limit, StartingAfter: in.StartingAfter, EndingBefore: in.EndingBefore}
	if err := q.Check("pho"); err != nil {
		return page.Page[HullPhoto]{}, err
	}
	h, err := hulls.Find(ctx, tx, in.HullID)
	if err != nil {
		return page.Page[HullPhoto]{}, err
	}
	photos, err := photosOf(ctx, tx, h)
	return pageOfPhotos(photos, q), err
}

// pageOfPhotos returns a page of all photos of a hull. If the photo of the
// cursor was deleted, the page starts at that end again.
func pageOfPhotos(all []HullPhoto, q page.Query) page.Page[HullPhoto] {
	at := slices.IndexFunc(all, func(p HullPhoto) bool { return p.ID == q.Cursor() })
	switch {
	case at >= 0 && q.Backwards():
		rest := slices.Clone(all[:at])
		slices.Reverse(rest)
		return page.New(rest, q, true, db.IDOf[HullPhoto])
	case q.Backwards():
		rest := slices.Clone(all)
		slices.Reverse(rest)
		return page.New(rest, q, false, db.IDOf[HullPhoto])
	}
	return page.New(all[at+1:], q, at >= 0, db.IDOf[HullPhoto])
}

func (a *API) uploadPhoto(ctx context.Context, in *struct {
	hulls.ByHull
	Caption  string `query:"caption" maxLength:"500" doc:"Caption. Use it if the body is the file."`
	Position string `query:"position" maxLength:"10" doc:"Position, starting at 1. Use it if the body is the file. Defaults to the end."`
}) (HullPhoto, error) {
	env := auth.From(ctx).Env
	find := func(ctx context.Context, tx *db.Tx) (hulls.Hull, error) { return hulls.Find(ctx, tx, in.HullID) }
	if _, err := rest.Read(ctx, a.DB, find); err != nil { // before the file is read
		return HullPhoto{}, err
	}

	u := rest.Body(ctx)
	p, err := a.stage(ctx, env, u)
	if err != nil {
		return HullPhoto{}, err
	}
	claimed := false
	defer func() {
		if !claimed {
			a.Blobs.Cancel(ctx, env, p.Blob)
		}
	}()

	fields, err := u.Fields()
	if err != nil {
		return HullPhoto{}, err
	}
	values := map[string]string{"caption": in.Caption, "position": in.Position}
	maps.Copy(values, fields)
	form, err := parsePhotoForm(values)
	if err != nil {
		return HullPhoto{}, err
	}

	p.Caption, p.Position = form.caption, form.position
	out, err := rest.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (HullPhoto, error) {
		claimed = false
		h, err := hulls.FindForUpdate(ctx, tx, in.HullID)
		if err != nil {
			return p, err
		}
		if err := rest.CheckIfMatch(ctx, h.Version); err != nil {
			return p, err
		}
		out, found, err := a.place(ctx, tx, &h, p)
		if found {
			rest.Found(ctx)
		}
		claimed = !found && err == nil
		return out, err
	})
	claimed = claimed && err == nil
	return out, err
}

// Append stores an image as the last photo of a hull, unless the hull already has it.
func (a *API) Append(ctx context.Context, hullID string, image io.Reader) error {
	env := auth.From(ctx).Env
	p, err := a.stage(ctx, env, &limited{image, maxPhotoBytes})
	if err != nil {
		return err
	}
	claimed, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (bool, error) {
		h, err := hulls.FindForUpdate(ctx, tx, hullID)
		if err != nil {
			return false, err
		}
		_, found, err := a.place(ctx, tx, &h, p)
		return !found, err
	})
	if !claimed || err != nil {
		a.Blobs.Cancel(ctx, env, p.Blob)
	}
	return err
}

// limited fails after a number of bytes.
type limited struct {
	r         io.Reader
	remaining int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.remaining -= int64(n); l.remaining < 0 {
		return 0, fault.New(fault.KindTooLarge, "The image is larger than %d bytes.", maxPhotoBytes)
	}
	return n, err
}

// stage stores an uploaded image and returns its photo, which is not inserted yet.
func (a *API) stage(ctx context.Context, env auth.Env, r io.Reader) (HullPhoto, error) {
	sum := sha256.New()
	size := &counting{r: io.TeeReader(r, sum)}
	key, err := a.Blobs.Upload(ctx, env, "photos", "upload", size)
	if err != nil {
		return HullPhoto{}, err
	}
	p, err := a.inspect(ctx, key)
	if err != nil {
		a.Blobs.Cancel(ctx, env, key)
		return HullPhoto{}, err
	}
	p.State, p.Blob, p.SHA256, p.Bytes = photoProcessing, key, hex.EncodeToString(sum.Sum(nil)), size.n
	return p, nil
}

// place adds a staged photo to a locked hull. If the hull already has this file, it
// returns that photo.
func (a *API) place(ctx context.Context, tx *db.Tx, h *hulls.Hull, p HullPhoto) (out HullPhoto, found bool, err error) {
	if same, found, err := samePhoto(ctx, tx, *h, p.SHA256); err != nil || found {
		return same, found, err
	}
	if err := insertPhoto(ctx, tx, h, &p); err != nil {
		return p, false, err
	}
	if err := work.Mark(ctx, tx, work.Photos, tx.Now); err != nil {
		return p, false, err
	}
	return p, false, a.Jobs.Enqueue(ctx, tx, MakeSizes{tx.Env, h.ID, p.ID, p.Blob}, tx.Now)
}

// inspect returns the type and size of an uploaded image.
func (a *API) inspect(ctx context.Context, key string) (p HullPhoto, err error) {
	file, err := a.Blobs.Open(ctx, key+"/upload")
	if err != nil {
		return p, err
	}
	defer file.Close()
	pic, err := images.Inspect(file)
	p.ContentType, p.Width, p.Height = pic.Type, int64(pic.Width), int64(pic.Height)
	return p, err
}

// counting counts the bytes that are read.
type counting struct {
	r io.Reader
	n int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (a *API) updatePhoto(ctx context.Context, tx *db.Tx, in *struct {
	ByPhoto
	Body HullPhotoPatch
}) (HullPhoto, error) {
	h, err := hulls.FindForUpdate(ctx, tx, in.HullID)
	if err != nil {
		return HullPhoto{}, err
	}
	p, err := findPhoto(ctx, tx, h, in.PhotoID)
	if err != nil {
		return p, err
	}
	if err := rest.CheckIfMatch(ctx, p.Version); err != nil {
		return p, err
	}

	before := p
	in.Body.Caption.To(&p.Caption)
	if in.Body.Position.Set {
		if err := movePhoto(ctx, tx, h, &p, in.Body.Position.V); err != nil {
			return p, err
		}
	}
	if err := table.Save(ctx, tx, &p); err != nil {
		return p, err
	}
	if err := photosChanged(ctx, tx, &h); err != nil {
		return p, err
	}

	derive(tx, h, &p)
	return p, events.Emit(ctx, tx, "hull_photo.updated", p.ID, events.Change{Before: before, After: p})
}

func (a *API) deletePhoto(ctx context.Context, tx *db.Tx, in *ByPhoto) (none rest.None, err error) {
	h, err := hulls.FindForUpdate(ctx, tx, in.HullID)
	if err != nil {
		return none, err
	}
	p, err := findPhoto(ctx, tx, h, in.PhotoID)
	if err != nil {
		return none, err
	}
	if err := rest.CheckIfMatch(ctx, p.Version); err != nil {
		return none, err
	}
	if err := deletePhoto(ctx, tx, &h, p); err != nil {
		return none, err
	}
	return none, a.Jobs.Enqueue(ctx, tx, SweepBlobs{}, tx.Now)
}

// ByVariant are the parameters of the file of a photo.
type ByVariant struct {
	ByPhoto
	Variant string `query:"variant" enum:"thumb,card,full,original" default:"original" doc:"Longest side of 320, 800 or 2048 pixels, or the original size."`
}

func (a *API) photoContent(ctx context.Context, in *ByVariant) (*rest.Content, error) {
	p, err := rest.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (HullPhoto, error) {
		h, err := hulls.Find(ctx, tx, in.HullID)
		if err != nil {
			return HullPhoto{}, err
		}
		return findPhoto(ctx, tx, h, in.PhotoID)
	})
	if err != nil {
		return nil, err
	}
	if p.State != photoReady {
		return nil, fault.Conflict("The photo is %s.", p.State).Detail("state", "state", "is %s", p.State).RetryIn(time.Second)
	}

	kind := "image/jpeg"
	if in.Variant == "original" {
		kind = p.originalType()
	}
	file, err := a.Blobs.Open(ctx, p.Blob+"/"+in.Variant)
	if err != nil {
		return nil, err
	}
	name := p.ID + "-" + in.Variant + "." + strings.TrimPrefix(kind, "image/")
	return &rest.Content{Type: kind, Name: name, ETag: p.SHA256[:32] + "-" + in.Variant, Fresh: 24 * time.Hour, File: file}, nil
}

// media serves public links. The content of a key never changes. For a link that
// expires, the signature is enough. Those of feeds don't expire, so it checks that the
// boat is for sale.
func (a *API) media(ctx context.Context, in *struct {
	Pass  string `path:"pass" maxLength:"64" doc:"Signature of the link, which also limits how long it works. Part of the links in urls." example:"1797120000.exampleexampleexample_"`
	Photo string `path:"photo" maxLength:"26" doc:"ID of the stored image, as in the links in urls." example:"01jcqz8t5n8m2x4v6b7c9d0e1f"`
	File  string `path:"file" maxLength:"16" doc:"Size and format of the image, such as card.jpg." example:"card.jpg"`
}) (*rest.Content, error) {
	notFound := fault.New(fault.KindNotFound, "This photo does not exist, or its link has expired.")
	size, jpg := strings.CutSuffix(in.File, ".jpg")
	if !jpg || size == "original" || !slices.Contains(images.Variants, size) || !id.Valid("pho", "pho_"+in.Photo) {
		return nil, notFound
	}

	seconds, ok := photolink.Check(site.Of(a.DB).MAC, in.Pass, in.Photo, a.DB.Now())
	caching := "public, immutable, max-age=" + strconv.FormatInt(seconds, 10)
	if env, hullID, isPublic := photolink.CheckPublic(site.Of(a.DB).MAC, in.Pass, in.Photo); isPublic {
		h, err := db.Read(auth.InEnv(ctx, env), a.DB, func(ctx context.Context, tx *db.Tx) (hulls.Hull, error) {
			return hulls.Find(ctx, tx, hullID)
		})
		if err != nil {
			return nil, err
		}
		ok, caching = h.Status.IsForSale() || h.Status.IsComing() && len(h.PublishedChannels) > 0, "public, max-age=86400"
	}
	if !ok {
		return nil, notFound
	}

	file, err := a.Blobs.Open(ctx, blobs.Key("photos", in.Photo)+"/"+size)
	if errors.Is(err, blobs.ErrNotFound) {
		return nil, notFound
	}
	if err != nil {
		return nil, err
	}

	return &rest.Content{
		Type: "image/jpeg", ETag: in.Photo + "-" + size, File: file,
		Headers: map[string]string{"Cache-Control": caching},
	}, nil
}
