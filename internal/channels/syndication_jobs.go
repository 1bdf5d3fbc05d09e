package channels

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/outbound"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

const (
	// pushLease is how long a job has a channel for itself.
	pushLease = 5 * time.Minute
	// pushRounds limits one job. PushDue finds the remaining listings.
	pushRounds = 10
	// pushBatch is how many listings are rendered together, pushAtOnce how many
	// are sent at the same time.
	pushBatch  = 20
	pushAtOnce = 4
)

// Work registers the jobs of channels.
func (a *API) Work(q *jobs.Queue) {
	jobs.On(q, a.PushDue)
	jobs.On(q, a.PushChannel)
	jobs.On(q, a.FillChannel)
	jobs.On(q, a.ClearChannel)
	jobs.Every(q, 10*time.Second, PushDue{})
}

// PushDue is the job that finds the channels with queued listings. It runs every
// few seconds and after each publish request.
type PushDue struct{}

// Kind returns the name of the job.
func (PushDue) Kind() string { return "push_due" }

// PushDue starts a job for each of these channels, unless one is running or the
// partner is paused. push_after is both the lease and the pause.
func (a *API) PushDue(ctx context.Context, _ PushDue) error {
	due, err := db.Read(ctx, a.DB, listDueChannels)
	if err != nil || len(due) == 0 {
		return err
	}

	_, err = db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		for _, c := range due {
			leased, err := leaseChannel(ctx, tx, c)
			if err != nil {
				return struct{}{}, err
			}
			if !leased {
				continue
			}
			if err := a.Jobs.Enqueue(ctx, tx, PushChannel{c.Env, c.ID}, tx.Now); err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, nil
	})

	return err
}

// PushChannel is the job that sends the queued listings of a channel.
type PushChannel struct {
	Env       auth.Env `json:"env"`
	ChannelID string   `json:"channel_id"`
}

// Kind returns the name of the job.
func (PushChannel) Kind() string { return "push_channel" }

// Lane keeps slow partners apart from quick jobs.
func (PushChannel) Lane() string { return jobs.Network }

// Timeout is shorter than the lease.
func (PushChannel) Timeout() time.Duration { return pushLease - 10*time.Second }

// PushChannel sends listings until none is due. A partner that is unavailable is
// paused, longer each time. Other channels don't wait for it.
func (a *API) PushChannel(ctx context.Context, job PushChannel) error {
	for range pushRounds {
		c, batch, err := a.dueListings(ctx, job)
		if err != nil || c.PushURL == nil {
			return err // a deleted channel has none
		}
		if len(batch) == 0 {
			return a.leaveChannel(ctx, c, false)
		}
		down, err := a.pushAll(ctx, c, batch)
		if err != nil {
			return err
		}
		if down {
			return a.leaveChannel(ctx, c, true)
		}
	}

	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return endLease(ctx, tx, job.ChannelID)
	})
	return err
}

// due is a listing to send.
type due struct {
	sent    HullSyndication
	body    []byte
	secrets channelSecrets
}

// id is the same for each attempt to send a revision.
func (d due) id() string {
	return fmt.Sprintf("%s-%s-%d", d.sent.ChannelID, d.sent.HullID, d.sent.Revision)
}

// dueListings finds and renders the next listings of a channel.
func (a *API) dueListings(ctx context.Context, job PushChannel) (c Channel, batch []due, err error) {
	batch, err = db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]due, error) {
		if c, err = channels.Find(ctx, tx, job.ChannelID); err != nil {
			if fault.KindOf(err) == fault.KindNotFound {
				err = nil
			}
			return nil, err
		}

		sent, err := listDue(ctx, tx, c)
		if err != nil || len(sent) == 0 {
			return nil, err
		}

		s, err := findShop(ctx, tx)
		if err != nil {
			return nil, err
		}
		secrets, err := c.openSecrets(a.Box)
		if err != nil {
			return nil, err
		}

		var batch []due
		for _, l := range sent {
			h, err := hulls.Find(ctx, tx, l.HullID)
			if err != nil {
				return nil, err
			}
			all, err := listingsOf(ctx, tx, c, s, []hulls.Hull{h})
			if err != nil {
				return nil, err
			}
			all[0].withdrawn, all[0].shop.changed = *l.Action == toWithdraw, latest(h.UpdatedAt, *l.UpdatedAt)
			var body bytes.Buffer
			if err := c.format().render(&body, all[0]); err != nil {
				return nil, err
			}
			batch = append(batch, due{l, body.Bytes(), secrets})
		}

		return batch, nil
	})

	return c, batch, err
}

// pushAll sends a batch and saves the responses. It reports whether the partner
// is unavailable.
func (a *API) pushAll(ctx context.Context, c Channel, batch []due) (down bool, err error) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	next := make(chan due, len(batch))
	for _, d := range batch {
		next <- d
	}
	close(next)

	for range pushAtOnce {
		wg.Go(func() {
			for d := range next {
				mu.Lock()
				stop := down || err != nil
				mu.Unlock()
				if stop {
					return
				}
				reply := a.push(ctx, c, d)
				saved := a.writeAnswer(ctx, d.sent, reply)
				mu.Lock()
				down, err = down || reply.down, errors.Join(err, saved)
				mu.Unlock()
			}
		})
	}
	wg.Wait()

	return down, err
}

// push sends one listing.
func (a *API) push(ctx context.Context, c Channel, d due) answer {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, *c.PushURL, bytes.NewReader(d.body))
	if err != nil {
		return answer{verdict: nack, code: "push_url", message: "The channel's push_url is not a URL."}
	}

	req.Header.Set("Content-Type", c.format().mediaType)
	req.Header.Set("User-Agent", "Slipway")
	req.Header.Set("Slipway-Action", string(*d.sent.Action))
	req.Header.Set("Slipway-Hull", d.sent.HullID)
	for name, value := range d.secrets.headers(c, d.id(), a.DB.Now(), d.body) {
		req.Header.Set(name, value)
	}

	res, err := a.Partners.Do(req)
	if errors.Is(err, outbound.ErrPrivateAddress) {
		return answer{verdict: nack, code: "address_refused", message: "The channel's push_url does not resolve to a public address."}
	}
	if err != nil {
		// The error might contain internal addresses.
		return answer{verdict: later, down: true, code: "no_answer", message: "The partner could not be reached or did not respond in time."}
	}
	defer res.Body.Close()

	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return answer{verdict: later, down: true, code: "no_answer", message: "The partner's response was incomplete."}
	}
	return parseAnswer(res.StatusCode, body)
}

func (a *API) writeAnswer(ctx context.Context, sent HullSyndication, reply answer) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (HullSyndication, error) {
		return changeListing(ctx, tx, sent.HullID, sent.ChannelID, func(_ hulls.Hull, l *HullSyndication) error {
			if l.Revision > 0 { // otherwise the channel was deleted
				l.apply(reply, sent, &tx.Now)
			}
			return nil
		})
	})
	return err
}

// leaveChannel ends the lease, immediately or after a pause.
func (a *API) leaveChannel(ctx context.Context, c Channel, down bool) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
		failures, after := int64(0), tx.Now
		if down {
			failures = c.Failures + 1
			after = after.Add(backoff(failures))
		}
		return pauseChannel(ctx, tx, c, failures, after)
	})
	return err
}

// channelBatch is how many hulls are changed in one transaction.
const channelBatch = 100

// FillChannel is the job that publishes the existing hulls to a new channel, and
// follows a change of its filter.
type FillChannel struct {
	Env       auth.Env `json:"env"`
	ChannelID string   `json:"channel_id"`
	Resend    bool     `json:"resend,omitempty"` // all listings, elsewhere or in another form
}

// Kind returns the name of the job.
func (FillChannel) Kind() string { return "fill_channel" }

// Lane keeps large inventories apart from other jobs.
func (FillChannel) Lane() string { return jobs.Long }

// Timeout is enough for a large inventory.
func (FillChannel) Timeout() time.Duration { return time.Hour }

// FillChannel publishes all hulls that match the filter, and withdraws those that no
// longer do. It can run again.
func (a *API) FillChannel(ctx context.Context, job FillChannel) error {
	after := ""
	for {
		ids, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]string, error) {
			c, err := channels.Find(ctx, tx, job.ChannelID)
			if fault.KindOf(err) == fault.KindNotFound {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}

			ids, err := hulls.IDsAfter(ctx, tx, after, channelBatch)
			if err != nil {
				return nil, err
			}

			for _, id := range ids {
				_, err := changeListing(ctx, tx, id, c.ID, func(h hulls.Hull, l *HullSyndication) error {
					field, _ := c.rejects(h)
					isNew := l.Revision == 0 && field == "" && c.AutoPublish
					if isNew || l.Revision > 0 {
						l.Wanted = l.Wanted || isNew
						l.follow(h, c, job.Resend, tx.Now)
					}
					return nil
				})
				if err != nil {
					return nil, err
				}
			}

			return ids, nil
		})
		if err != nil || len(ids) == 0 {
			return err
		}

		after = ids[len(ids)-1]
	}
}

// ClearChannel is the job that deletes the listings of a deleted channel.
type ClearChannel struct {
	Env       auth.Env `json:"env"`
	ChannelID string   `json:"channel_id"`
}

// Kind returns the name of the job.
func (ClearChannel) Kind() string { return "clear_channel" }

// Lane keeps large inventories apart from other jobs.
func (ClearChannel) Lane() string { return jobs.Long }

// Timeout is enough for a large inventory.
func (ClearChannel) Timeout() time.Duration { return time.Hour }

// ClearChannel deletes the listings in batches.
func (a *API) ClearChannel(ctx context.Context, job ClearChannel) error {
	for {
		n, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (int, error) {
			ids, err := listListedHulls(ctx, tx, job.ChannelID)
			if err != nil {
				return 0, err
			}
			for _, id := range ids {
				if err := removeListing(ctx, tx, id, job.ChannelID); err != nil {
					return 0, err
				}
			}
			return len(ids), nil
		})
		if err != nil || n == 0 {
			return err
		}
	}
}
