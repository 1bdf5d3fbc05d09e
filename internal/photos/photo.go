// Package photos stores the photos of hulls and serves them, also to the public.
package photos

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

const (
	maxPhotos     = 100
	maxPhotoBytes = 25 << 20
	maxCaption    = 500
)

// State is the progress of a photo.
type State string

// The states of a photo.
const (
	photoProcessing State = "processing"
	photoReady      State = "ready"
	photoFailed     State = "failed"
)

var allStates = enum.Of("HullPhotoState", "Whether the sizes of a photo are being created, are ready, or can't be created.",
	photoProcessing, photoReady, photoFailed)

func (State) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allStates.Describe(s)
}

var _ = enum.Part[HullPhoto]("ContentType", "HullPhotoType", "Media type of an uploaded photo.")

var _ = enum.Part[ByVariant]("Variant", "PhotoSize", "Size of a photo.")

// HullPhoto is one photo of a hull.
type HullPhoto struct {
	_ struct{} `doc:"A photo of a hull." columns:"id position is_primary:PRIMARY state width height bytes caption / created_at" privacy:"plain"`

	Env         auth.Env   `json:"-" db:"env"`
	ID          string     `json:"id" db:"id" doc:"Identifies the photo. Starts with pho_." example:"pho_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	HullID      string     `json:"hull_id" db:"hull_id" doc:"Hull that the photo shows."`
	Position    int64      `json:"position" db:"position" doc:"Position in the display order, starting at 1." example:"1"`
	Caption     *string    `json:"caption" db:"caption" doc:"Text to show with the photo. Null if there is none." example:"At the dock"`
	State       State      `json:"state" db:"state" doc:"Whether its sizes are being created, are ready, or can't be created."`
	Problem     *string    `json:"problem" db:"problem" doc:"Why the sizes can't be created. Null unless it failed."`
	SHA256      string     `json:"sha256" db:"sha256" doc:"SHA-256 hash of the uploaded file."`
	ContentType string     `json:"content_type" db:"content_type" enum:"image/jpeg,image/png,image/webp" doc:"Type of the uploaded file, detected from its content."`
	Bytes       int64      `json:"bytes" db:"bytes" doc:"Size of the uploaded file in bytes."`
	Width       int64      `json:"width" db:"width" doc:"Width in pixels, after rotation." example:"4032"`
	Height      int64      `json:"height" db:"height" doc:"Height in pixels, after rotation." example:"3024"`
	IsPrimary   bool       `json:"is_primary" doc:"Whether it is the primary photo of the hull." audit:"-"`
	URLs        *PhotoURLs `json:"urls" doc:"Public links. Null until the photo is ready." audit:"-"`
	Version     int64      `json:"version" db:"version" doc:"Number of the current version. Same as the ETag."`
	CreatedAt   time.Time  `json:"created_at" db:"created_at" doc:"When the photo was uploaded."`
	UpdatedAt   time.Time  `json:"updated_at" db:"updated_at" doc:"When it last changed."`

	Blob         string     `json:"-" db:"blob"`
	Attempts     int64      `json:"-" db:"attempts"`      // that did not finish
	ClaimedUntil *time.Time `json:"-" db:"claimed_until"` // a job handles the photo until then
}

// Revision returns the version.
func (p HullPhoto) Revision() int64 { return p.Version }

// isWaiting reports whether the photo must be processed and no job does it.
func (p HullPhoto) isWaiting(now time.Time) bool {
	return p.State == photoProcessing && (p.ClaimedUntil == nil || !p.ClaimedUntil.After(now))
}

// originalType returns the type of the full-size copy, which is encoded again.
func (p HullPhoto) originalType() string {
	if p.ContentType == "image/png" {
		return p.ContentType
	}
	return "image/jpeg"
}

// PhotoURLs are public links that work for at least a week.
type PhotoURLs struct {
	_     struct{} `doc:"Public links to the sizes of a photo." nullable:"true"`
	Thumb string   `json:"thumb" doc:"Longest side 320 pixels." format:"uri"`
	Card  string   `json:"card" doc:"Longest side 800 pixels." format:"uri"`
	Full  string   `json:"full" doc:"Longest side 2048 pixels." format:"uri"`
}

// HullPhotoPatch changes the caption or the position of a photo.
type HullPhotoPatch struct {
	_ struct{} `doc:"Changes to a photo. Omitted fields keep their values."`

	Caption  patch.Null[string] `json:"caption,omitzero" maxLength:"500" doc:"Text to show with the photo. Null removes it."`
	Position patch.Value[int64] `json:"position,omitzero" minimum:"1" maximum:"100" doc:"New position, starting at 1. The other photos move. A position after the end means the end."`
}

// photoForm is the form fields of an upload.
type photoForm struct {
	caption  *string
	position int64 // 0 for the end
}

// parsePhotoForm reads the fields of a form, or the parameters of a request
// whose body is the file.
func parsePhotoForm(fields map[string]string) (f photoForm, err error) {
	var bad fault.Fields
	if text := strings.TrimSpace(fields["caption"]); text != "" {
		if utf8.RuneCountInString(text) > maxCaption {
			bad.Add("caption", "too_long", "must have at most %d characters", maxCaption)
		}
		f.caption = &text
	}
	if text := fields["position"]; text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err != nil:
			bad.Add("position", "type", "must be a whole number")
		case n < 1:
			bad.Add("position", "minimum", "must be at least 1")
		case n > maxPhotos:
			bad.Add("position", "maximum", "must be at most %d", maxPhotos)
		}
		f.position = n
	}
	return f, bad.Err()
}
