package channels

import (
	"bufio"
	"context"
	"io"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
)

func (a *API) feed(ctx context.Context, in *ByChannel) (*rest.Content, error) {
	return rest.Read(ctx, a.DB, func(callCtx context.Context, tx *db.Tx) (*rest.Content, error) {
		c, err := channels.Find(callCtx, tx, in.ChannelID)
		if err != nil {
			return nil, err
		}

		s, err := findShop(callCtx, tx)
		if err != nil {
			return nil, err
		}

		tag, err := feedTag(callCtx, tx, c, s)
		return &rest.Content{
			Type: mediaTypes[c.Format], Name: c.ID + "." + c.Format, ETag: tag,
			Headers: map[string]string{"Cache-Control": "private, no-cache"}, // revalidate each time with the ETag
			Stream: func(w io.Writer) error {
				buffered := bufio.NewWriterSize(w, 64<<10)
				if err := writeFeed(ctx, a.DB, c, s, buffered); err != nil {
					return err
				}
				return buffered.Flush()
			},
		}, err
	})
}
