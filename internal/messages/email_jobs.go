package messages

import (
	"context"
	"errors"
	"io"

	"slipway/internal/platform/blobs"
)

// maxPhoto limits the bytes of a photo in an email.
const maxPhoto = 1 << 20

// render reads the photo and writes the email. A photo that was just deleted is left out.
func (a *API) render(ctx context.Context, e *email) error {
	if e.photo != "" {
		file, err := a.Blobs.Open(ctx, e.photo+"/card")
		switch {
		case errors.Is(err, blobs.ErrNotFound):
		case err != nil:
			return err
		default:
			defer file.Close()
			photo, err := io.ReadAll(io.LimitReader(file, maxPhoto+1))
			if err != nil {
				return err
			}
			if len(photo) <= maxPhoto {
				e.letter.Boat.Photo = photo
			}
		}
	}
	return e.letter.Write(&e.Message)
}
