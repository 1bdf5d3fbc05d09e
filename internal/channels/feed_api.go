package channels

import (
	"bufio"
	"context"
	"io"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

func (a *API) feed(ctx context.Context, in *ByChannel) (*rest.Content, error) {
	return rest.Read(ctx, a.DB, func(callCtx context.Context, tx *db.Tx) (*rest.Content, error) {
		c, err := channels.Find(callCtx, tx, in.ChannelID)
		if err != nil {
			return nil, err
		}
		return a.feedOf(ctx, callCtx, tx, c)
	})
}

// feedOf returns the feed of a channel. It is written with ctx, after the call.
func (a *API) feedOf(ctx, callCtx context.Context, tx *db.Tx, c Channel) (*rest.Content, error) {
	s, err := findShop(callCtx, tx)
	if err != nil {
		return nil, err
	}
	tag, err := feedTag(callCtx, tx, c, &s)
	if err != nil {
		return nil, err
	}
	return &rest.Content{
		Type: c.format().mediaType, Name: c.ID + "." + c.format().extension, ETag: tag,
		Headers: map[string]string{"Cache-Control": "private, no-cache"}, // revalidate each time with the ETag
		Stream: func(w io.Writer) error {
			buffered := bufio.NewWriterSize(w, 64<<10)
			if err := writeFeed(ctx, a.DB, c, s, buffered); err != nil {
				return err
			}
			return buffered.Flush()
		},
	}, nil
}

// A feed URL can be read so many times in a row, and then once per step. Reading a
// large feed takes seconds.
const (
	feedBurst = 30
	feedStep  = 10 * time.Second
)

// publicFeed is the feed for everyone who has its URL.
func (a *API) publicFeed(ctx context.Context, in *struct {
	Token string `path:"token" maxLength:"100" doc:"Secret part of the URL."`
}) (*rest.Content, error) {
	return rest.Read(ctx, a.DB, func(callCtx context.Context, tx *db.Tx) (*rest.Content, error) {
		c, err := findByToken(callCtx, tx, in.Token)
		if err != nil {
			return nil, err
		}
		if taken := a.Feeds.Take(c.ID, feedBurst, feedStep); taken.Wait > 0 {
			return nil, fault.New(fault.KindRateLimited, "This feed is read too often. Retry after the time in Retry-After.").RetryIn(taken.Wait)
		}

		content, err := a.feedOf(auth.InEnv(ctx, c.Env), callCtx, tx.In(c.Env), c)
		if err == nil {
			content.Headers["Referrer-Policy"], content.Headers["X-Robots-Tag"] = "no-referrer", "noindex"
		}
		return content, err
	})
}

func (a *API) rotateFeedURL(ctx context.Context, tx *db.Tx, in *ByChannel) (Channel, error) {
	var created string
	c, err := changeSecret(ctx, tx, in.ChannelID, "channel.feed_url_created", func(c *Channel) error {
		created = c.newFeedURL(tx)
		return nil
	})
	c.FeedURL = &created
	return c, err
}

func (a *API) revokeFeedURL(ctx context.Context, tx *db.Tx, in *ByChannel) (Channel, error) {
	return changeSecret(ctx, tx, in.ChannelID, "channel.feed_url_revoked", func(c *Channel) error {
		if c.FeedURLCreatedAt == nil {
			return fault.Conflict("The channel has no feed URL.").Detail("feed_url", "state", "does not exist")
		}
		c.FeedHash, c.FeedURLCreatedAt = nil, nil
		return nil
	})
}
