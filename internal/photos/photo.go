// Package photos stores the photos of hulls and serves them, also to the public.
package photos

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

const (
	maxPhotos     = 100
	maxPhotoBytes = 25 << 20
	maxCaption    = 500
)

// The states of a photo.
const (
	photoProcessing = "processing"
	photoReady      = "ready"
	photoFailed     = "failed"
)

// HullPhoto is one photo of a hull.
type HullPhoto struct {
	Env         auth.Env   `json:"-" db:"env"`
	ID          string     `json:"id" db:"id" example:"pho_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	HullID      string     `json:"hull_id" db:"hull_id"`
	Position    int64      `json:"position" db:"position" doc:"Place in the display order, from 1." example:"1"`
	Caption     *string    `json:"caption" db:"caption" example:"At the dock"`
	State       string     `json:"state" db:"state" enum:"processing,ready,failed" doc:"Its sizes are being made, are there, or cannot be made."`
	Problem     *string    `json:"problem" db:"problem" doc:"Why its sizes cannot be made."`
	SHA256      string     `json:"sha256" db:"sha256" doc:"Of the file that was sent."`
	ContentType string     `json:"content_type" db:"content_type" enum:"image/jpeg,image/png,image/webp" doc:"Of the file that was sent, by its content."`
	Bytes       int64      `json:"bytes" db:"bytes" doc:"Size of the file that was sent."`
	Width       int64      `json:"width" db:"width" doc:"In pixels, the right way up." example:"4032"`
	Height      int64      `json:"height" db:"height" example:"3024"`
	IsPrimary   bool       `json:"is_primary" doc:"Whether it is the one that is shown first." audit:"-"`
	URLs        *PhotoURLs `json:"urls" doc:"Links for the public; null until the photo is ready." audit:"-"`
	Version     int64      `json:"version" db:"version"`
	CreatedAt   time.Time  `json:"created_at" db:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at" db:"updated_at"`

	Blob string `json:"-" db:"blob"`
}

// Revision is the photo's version.
func (p HullPhoto) Revision() int64 { return p.Version }

// originalType is that of the copy in full size, which is made anew.
func (p HullPhoto) originalType() string {
	if p.ContentType == "image/png" {
		return p.ContentType
	}
	return "image/jpeg"
}

// PhotoURLs are links that work for everybody, for at least a week.
type PhotoURLs struct {
	_     struct{} `nullable:"true"`
	Thumb string   `json:"thumb" doc:"Longest side 320 pixels." format:"uri"`
	Card  string   `json:"card" doc:"Longest side 800 pixels." format:"uri"`
	Full  string   `json:"full" doc:"Longest side 2048 pixels." format:"uri"`
}

// HullPhotoPatch changes what is said of a photo, or its place.
type HullPhotoPatch struct {
	Caption  patch.Null[string] `json:"caption,omitzero" maxLength:"500"`
	Position patch.Value[int64] `json:"position,omitzero" minimum:"1" maximum:"100" doc:"From 1. The others make room; beyond the last is the last."`
}

// photoForm is what may be said with an upload.
type photoForm struct {
	caption  *string
	position int64 // 0 for the end
}

// readPhotoForm reads the fields of a form, or the parameters of a request
// whose body is the file.
func readPhotoForm(fields map[string]string) (f photoForm, err error) {
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
