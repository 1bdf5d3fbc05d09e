package webhooks

import (
	"context"
	"slices"
	"strings"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

const (
	// streamPoll is how often the feeds are read while there are streams. Events of this
	// server are sent earlier.
	streamPoll = time.Second

	// heartbeatEvery keeps proxies from closing a stream, and ends the stream of a
	// credential that was revoked.
	heartbeatEvery = 25 * time.Second

	// trustFor is how long a stream sends events without looking at its credential again.
	trustFor = time.Second

	// maxMissed is how many missed events a stream sends. If there are more, the client has
	// to read everything again.
	maxMissed = 1000
)

// Streams sends new events to the clients that follow them. Each environment is read once,
// however many clients follow it.
type Streams struct {
	DB        *db.DB
	Heartbeat time.Duration // between checks of the credential and of the connection
	TrustFor  time.Duration // before the credential is checked again when there are events
	MaxMissed int           // how many missed events a stream sends

	hub  hub
	wake chan struct{}
}

// NewStreams returns streams without clients. Call Run to read the feeds.
func NewStreams(d *db.DB) *Streams {
	return &Streams{DB: d, Heartbeat: heartbeatEvery, TrustFor: trustFor, MaxMissed: maxMissed, hub: hub{rooms: map[auth.Env]*room{}}, wake: make(chan struct{}, 1)}
}

// Wake makes Run read the feeds.
func (s *Streams) Wake() { notify(s.wake) }

// Run reads the feeds of the environments that clients follow, until ctx ends.
func (s *Streams) Run(ctx context.Context) {
	poll := time.NewTicker(streamPoll)
	defer poll.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-s.wake:
		case <-poll.C:
		}
		// If the database is not available, the next turn sends what was missed.
		if followed := s.hub.followed(); len(followed) > 0 {
			_ = s.read(ctx, followed)
		}
	}
}

// read sends the events after the given ones. If there are none, it is one query.
func (s *Streams) read(ctx context.Context, followed map[auth.Env]string) error {
	envs := make([]auth.Env, 0, len(followed))
	for env := range followed {
		envs = append(envs, env)
	}
	_, err := db.Read(ctx, s.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		feeds, err := listFeeds(ctx, tx, envs)
		for _, f := range feeds {
			if err != nil || f.LastID <= followed[f.Env] {
				continue
			}
			var added []Change
			added, err = changesAfter(ctx, tx.In(f.Env), followed[f.Env], maxBatch)
			s.hub.send(f.Env, added)
			if len(added) == maxBatch {
				s.Wake()
			}
		}
		return struct{}{}, err
	})
	return err
}

func (a *API) streamEvents(ctx context.Context, in *struct {
	LastEventID string `header:"Last-Event-ID" maxLength:"64" doc:"ID of the last event that you received. You get what came after it." example:"evt_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}) (*rest.Content, error) {
	if in.LastEventID != "" && !strings.HasPrefix(in.LastEventID, "evt_") {
		return nil, fault.BadRequest("Last-Event-ID must be the ID of an event.").Detail("Last-Event-ID", "format", "must start with evt_")
	}
	caller := auth.From(ctx)
	if a.Streams.hub.isFull(caller.Env, caller.OriginalID) {
		return nil, fault.New(fault.KindRateLimited, "You have %d open streams with this credential. Close one first.", maxStreams).RetryIn(a.Streams.Heartbeat)
	}
	last, err := rest.Read(ctx, a.DB, events.Last)
	if err != nil {
		return nil, err
	}
	return &rest.Content{Follow: func(ctx context.Context, out *rest.Stream) error {
		return a.follow(auth.With(ctx, caller), out, in.LastEventID, last)
	}}, nil
}

// follow sends the events after seen, or those that are new if it is "". Last is the
// newest event.
func (a *API) follow(ctx context.Context, out *rest.Stream, seen, last string) error {
	caller := auth.From(ctx)
	f, from := a.Streams.hub.join(caller.Env, caller.OriginalID, last)
	if f == nil {
		return nil
	}
	defer a.Streams.hub.leave(caller.Env, f)
	if seen == "" && from > last { // others got events after this request came, but before it joined them
		seen = last
	}
	send := func(c Change) error {
		if c.ID <= seen {
			return nil
		}
		seen = c.ID
		if !a.canRead(caller, c.Type) {
			return nil
		}
		return out.Send(c.ID, "", c)
	}
	missed, err := a.missed(ctx, seen)
	if err != nil {
		return err
	}
	switch {
	case seen == "":
		seen = from
	case len(missed) == a.Streams.MaxMissed:
		seen = last
		if err := out.Send(seen, "reset", struct{}{}); err != nil {
			return err
		}
	default:
		for _, c := range missed {
			if err := send(c); err != nil {
				return err
			}
		}
	}

	heartbeat := time.NewTicker(a.Streams.Heartbeat)
	defer heartbeat.Stop()
	var again <-chan time.Time // to check the credential after events that were sent without it
	checked := a.DB.Now()
	check := func(ask func(context.Context) (auth.Principal, error)) error {
		caller, err = ask(ctx)
		checked, again = a.DB.Now(), nil
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-out.Stopping:
			return nil
		case <-f.tooSlow:
			return nil
		case <-heartbeat.C:
			if err := check(out.Heartbeat); err != nil {
				return err
			}
		case <-again:
			if err := check(out.Caller); err != nil {
				return err
			}
		case batch := <-f.changes:
			if a.DB.Now().Sub(checked) >= a.Streams.TrustFor {
				if err := check(out.Caller); err != nil {
					return err
				}
			} else if again == nil { // one of these events might have ended the credential
				again = time.After(a.Streams.TrustFor)
			}
			for _, c := range batch {
				if err := send(c); err != nil {
					return err
				}
			}
		}
	}
}

// missed returns the events after one.
func (a *API) missed(ctx context.Context, seen string) ([]Change, error) {
	if seen == "" {
		return nil, nil
	}
	return db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]Change, error) {
		return changesAfter(ctx, tx, seen, a.Streams.MaxMissed)
	})
}

// canRead reports whether a caller can read the events of a type.
func (a *API) canRead(caller auth.Principal, eventType string) bool {
	i := slices.IndexFunc(a.Kinds, func(k events.Kind) bool { return k.Type == eventType })
	return i >= 0 && a.Kinds[i].ReadableBy(caller.Scopes, caller.Version)
}
