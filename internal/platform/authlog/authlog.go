// Package authlog records authentication events: rejected credentials, and where
// credentials are used from.
//
// Requests don't write. Events are counted in memory, and Run saves them within 2
// seconds. Rejections of an environment become audit entries. Those that match no
// environment are in the log of the installation, which `slipway audit refusals`
// shows. During a flood, equal rejections are combined, so that they don't fill
// the disk.
package authlog

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"
	"unicode"

	"slipway/internal/platform/db"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Kinds of credentials.
const (
	KindAPIKey        = "api_key"
	KindUser          = "user"
	KindApp           = "app"
	KindSession       = "session"
	KindSSOConnection = "sso_connection"
	KindHook          = "inbound_hook"
	KindLink          = "link"
)

// Other replaces what is not recorded separately during a flood.
const Other = "other"

const (
	// maxOfNetwork is how many rejections of a network are recorded separately
	// within a minute, for each environment. Further ones are summed.
	maxOfNetwork = 20
	// maxOfEnv is the same for all networks together.
	maxOfEnv = 200
	// maxWrites is how often an entry for the same rejection is written within a
	// minute before the minute ends.
	maxWrites = 5
	// maxPending limits the memory while the database is unavailable.
	maxPending = 20_000
	// maxNetworks is how many networks are recorded for a credential within an hour.
	maxNetworks = 100
)

// Rejection is a rejected credential.
type Rejection struct {
	Env  auth.Env // 0 if the credential matches no environment
	Kind string   // of the credential, such as KindAPIKey

	// ID of the credential. If it matches no environment, it is the public part of
	// a token, the email address of a user, which is stored masked, or "".
	ID string

	Err error // the reason
}

// Log collects authentication events and saves them.
type Log struct {
	db *db.DB

	mu       sync.Mutex
	refusals map[refusal]*tally
	counts   map[scope]int
	uses     map[use]*useState
}

// New returns a Log that saves to a database.
func New(d *db.DB) *Log {
	return &Log{db: d, refusals: map[refusal]*tally{}, counts: map[scope]int{}, uses: map[use]*useState{}}
}

// Of returns the Log that is attached to a database.
func Of(d *db.DB) *Log { return db.Attached[*Log](d) }

// Reject is Log.Reject for functions of a transaction, which can run twice. What it records
// doesn't depend on whether the transaction is committed.
func Reject(ctx context.Context, tx *db.Tx, r Rejection) {
	tx.AtEnd(func() { db.Attached[*Log](tx).Reject(ctx, r) })
}

// refusal identifies rejections that are combined.
type refusal struct {
	env      auth.Env
	kind, id string
	reason   string
	network  string
	minute   time.Time
}

// tally counts equal rejections.
type tally struct {
	n           int64 // not saved yet
	first, last time.Time
	request     auth.Request // the first one
	writes      int
}

// scope is what a limit of distinct events applies to.
type scope struct {
	env     auth.Env
	part    string // a network or a credential
	expires time.Time
}

// Reject records that a credential was rejected. The address and the user agent
// are those of the request in ctx.
func (l *Log) Reject(ctx context.Context, r Rejection) {
	now, req := l.db.Now().UTC(), auth.RequestFrom(ctx)
	network, _ := ratelimit.Networks(req.IP)
	minute := now.Truncate(time.Minute)
	k := refusal{r.Env, r.Kind, clean(r.ID), clean(reasonOf(r.Err)), network, minute}

	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.refusals[k]
	if t == nil {
		ofNetwork, ofEnv := scope{r.Env, network, minute.Add(time.Minute)}, scope{r.Env, "", minute.Add(time.Minute)}
		switch {
		case len(l.refusals) >= maxPending:
			k, req = refusal{env: r.Env, kind: r.Kind, id: Other, reason: Other}, auth.Request{}
		case l.counts[ofEnv] >= maxOfEnv:
			k, req = refusal{env: r.Env, kind: r.Kind, id: Other, reason: Other, minute: minute}, auth.Request{}
		case l.counts[ofNetwork] >= maxOfNetwork:
			k = refusal{r.Env, r.Kind, Other, Other, network, minute}
		default:
			l.counts[ofEnv]++
			l.counts[ofNetwork]++
		}
		if t = l.refusals[k]; t == nil {
			t = &tally{}
			l.refusals[k] = t
		}
	}
	if t.n == 0 {
		t.first, t.request = now, req
	}
	t.n, t.last = t.n+1, now
}

// reasonOf returns the message of an error.
func reasonOf(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Message
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// maxText limits what a client can write to the log, in bytes.
const maxText = 254

// clean returns text that both databases can store. A client must not be able to
// send a credential that can't be saved, because the others are saved with it.
func clean(s string) string {
	s = strings.ToValidUTF8(s[:min(len(s), maxText)], "")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}

// use is the use of a credential from a network within an hour.
type use struct {
	env     auth.Env
	id      string
	network string
	hour    time.Time
}

type useState struct {
	actor   auth.Actor
	request auth.Request // the first one
	saved   bool
}

// Used records that a credential was accepted. The first use from an address in
// each hour becomes an audit entry, such as api_key.used.
func (l *Log) Used(ctx context.Context, env auth.Env, actor auth.Actor) {
	req := auth.RequestFrom(ctx)
	network, _ := ratelimit.Networks(req.IP)
	hour := l.db.Now().UTC().Truncate(time.Hour)
	k := use{env, actor.ID, network, hour}

	l.mu.Lock()
	defer l.mu.Unlock()
	if l.uses[k] != nil {
		return
	}
	networks := scope{env, actor.ID, hour.Add(time.Hour)}
	if l.counts[networks] >= maxNetworks || len(l.uses) >= maxPending {
		k.network, req = Other, auth.Request{}
		if l.uses[k] != nil {
			return
		}
	}
	l.counts[networks]++
	l.uses[k] = &useState{actor: actor, request: req}
}

// Run calls Flush for each tick until ctx ends.
func (l *Log) Run(ctx context.Context, ticks <-chan time.Time, failed func(error)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
			if err := l.Flush(ctx); err != nil && ctx.Err() == nil {
				failed(err)
			}
		}
	}
}

// Flush saves new events. During a flood, it waits until the minute ends.
func (l *Log) Flush(ctx context.Context) error { return l.save(ctx, false) }

// Settle saves all events, in tests and at shutdown.
func (l *Log) Settle(ctx context.Context) error { return l.save(ctx, true) }

// due is a rejection to save.
type due struct {
	refusal
	tally
}

// dueUse is a use to save.
type dueUse struct {
	use
	useState
}

// take returns what must be saved now.
func (l *Log) take(all bool) (rejected []due, used []dueUse) {
	now := l.db.Now().UTC()
	l.mu.Lock()
	defer l.mu.Unlock()
	for k, t := range l.refusals {
		over := all || now.Sub(k.minute) >= time.Minute
		if t.n > 0 && (over || t.writes < maxWrites) {
			rejected = append(rejected, due{k, *t})
			t.n, t.writes = 0, t.writes+1
		}
		if over {
			delete(l.refusals, k)
		}
	}

	for k, s := range l.uses {
		switch {
		case !s.saved:
			used = append(used, dueUse{k, *s})
		case now.Sub(k.hour) >= time.Hour:
			delete(l.uses, k)
		}
	}

	for k := range l.counts {
		if !now.Before(k.expires) {
			delete(l.counts, k)
		}
	}
	return rejected, used
}

// restore adds rejections that could not be saved to the newer ones.
func (l *Log) restore(rejected []due) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range rejected {
		old := d.tally
		if t := l.refusals[d.refusal]; t != nil && t.n > 0 {
			old.n, old.last = old.n+t.n, t.last
		}
		l.refusals[d.refusal] = &old
	}
}
