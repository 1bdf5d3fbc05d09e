// Package admission decides which requests a server handles, which wait and which are
// rejected. See decision 29.
package admission

import (
	"context"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Limits are what a server handles at the same time. 0 is the default.
type Limits struct {
	Places int           // requests of a class inside the server
	Wait   time.Duration // how long a request can expect to wait for others
}

// DefaultPlaces is how many requests of a class can be inside the server, and
// DefaultWait how long one can expect to wait for others, unless the settings change it.
const (
	DefaultPlaces = 256
	DefaultWait   = 500 * time.Millisecond
)

const (
	// maxPerObject is how many requests wait to change the same object.
	maxPerObject = 64
	// maxHeavyWaiting is how many heavy requests wait.
	maxHeavyWaiting = 16
)

// EmbeddedWorkers is how many requests work at the same time on SQLite. More would only
// wait for its writer.
const EmbeddedWorkers = 32

// Class is a kind of request that has its own limits, so that it doesn't wait for others.
type Class string

// The classes of requests.
const (
	Reads   Class = "reads"
	Writes  Class = "writes"
	First   Class = "first"   // writes that must not be lost in a flood of others: leads and payments
	Heavy   Class = "heavy"   // reads that take long, such as reports
	Uploads Class = "uploads" // they take as long as the client needs to send the file
	Urgent  Class = "urgent"  // revocations and received messages
	Public  Class = "public"  // sign-in and other requests without a credential
	Streams Class = "streams" // they stay open, and do almost nothing
)

// maxStreams is how many streams a server keeps open.
const maxStreams = 8192

// Control admits the requests of a server.
type Control struct {
	gates map[Class]*gate
	turns map[Class]*turns
	lines *lines // nil on SQLite, where requests don't wait with a connection

	maxWait     time.Duration // that a request waits for its turn
	maxLineWait time.Duration // that a request waits for its object

	seed  maphash.Seed
	mu    sync.Mutex
	known map[uint64]auth.Env // environments by a hash of the credential
}

// maxKnown limits the memory for environments of credentials.
const maxKnown = 10_000

// New returns the control of a server with this database, or with none.
func New(l Limits, d *db.DB) *Control {
	if l.Places == 0 {
		l.Places = DefaultPlaces
	}
	if l.Wait == 0 {
		l.Wait = DefaultWait
	}
	a := &Control{maxWait: 2 * l.Wait, seed: maphash.MakeSeed(), known: map[uint64]auth.Env{}, gates: map[Class]*gate{}, turns: map[Class]*turns{}}
	for _, c := range []Class{Reads, Writes, First, Uploads, Urgent, Public} {
		a.gates[c] = newGate(l.Places)
	}
	a.gates[Streams] = newGate(maxStreams)

	reads, writes, first := EmbeddedWorkers, EmbeddedWorkers, EmbeddedWorkers
	if d != nil && !d.SQLite() {
		a.lines, a.maxLineWait = newLines(maxPerObject), d.DefaultTimeout
		reads, writes = d.Connections()
		reads, writes = reads-reads/8, writes-writes/8 // the rest is for sign-in, urgent requests and jobs
		first = max(1, writes/4)
		writes = max(1, writes-first)
	}
	reads, writes, first = min(reads, l.Places), min(writes, l.Places), min(first, l.Places)
	a.turns[Reads] = newTurns(reads, l.Places, l.Wait)
	a.turns[Writes] = newTurns(writes, l.Places, l.Wait)
	a.turns[First] = newTurns(first, l.Places, l.Wait)
	a.turns[Heavy] = newTurns(max(1, reads/4), maxHeavyWaiting, l.Wait)
	return a
}

// Enter gives a request a place. It reports false if the server has none, or if the request
// would wait too long for its turn.
func (a *Control) Enter(c Class, caller uint64) bool {
	t := a.turns[c]
	return (t == nil || !t.rejects(caller)) && a.gates[c].enter(caller)
}

// Leave ends the place of a request.
func (a *Control) Leave(c Class, caller uint64) { a.gates[c].leave(caller) }

type connectionKey struct{}

// WithConnection returns a context with what ends the place of a request's connection.
func WithConnection(ctx context.Context, leave func()) context.Context {
	return context.WithValue(ctx, connectionKey{}, leave)
}

// LeaveConnection ends the place of a request's connection. A stream keeps its connection for
// hours, and would take the place of another one.
func LeaveConnection(ctx context.Context) {
	if leave, ok := ctx.Value(connectionKey{}).(func()); ok {
		leave()
	}
}

// Busy is the response to a request that was not handled. Clients return at different
// times.
func Busy() *fault.Error {
	return fault.Busy("Too many requests are being handled. Retry after the time in Retry-After.").
		RetryIn(time.Duration(1+rand.IntN(3)) * time.Second) //nolint:gosec // spreads retries; not a secret
}

// CallerWith returns which callers share places: the callers of one environment, or all
// credentials that no successful request has used lately.
func (a *Control) CallerWith(credential string) uint64 {
	key := maphash.String(a.seed, credential)
	a.mu.Lock()
	defer a.mu.Unlock()
	return uint64(a.known[key])
}

// CallerAt returns which callers without a credential share places: the callers in one network.
func (a *Control) CallerAt(address string) uint64 {
	network, wide := ratelimit.Networks(address)
	if wide != "" {
		network = wide
	}
	return maphash.String(a.seed, network)
}

// Remember stores the environment of a valid credential, for CallerWith. The credential is
// still checked on each request.
func (a *Control) Remember(credential string, env auth.Env) {
	key := maphash.String(a.seed, credential)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known[key] == env {
		return
	}
	if len(a.known) >= maxKnown {
		clear(a.known)
	}
	a.known[key] = env
}

// Work is a request that is ready for its handler.
type Work struct {
	Class  Class
	Env    auth.Env // 0 without a credential
	Object string   // that it might change: the first one of its path, or ""
}

// Start waits until the handler of a request can work, and returns what to call after
// it. A request that changes an object waits for the object first, so that it doesn't
// keep others from working.
func (a *Control) Start(ctx context.Context, w Work) (done func(), err error) {
	t := a.turns[w.Class]
	if t == nil || w.Env == 0 {
		return func() {}, nil
	}
	leaveLine := func() {}
	if (w.Class == Writes || w.Class == First) && a.lines != nil && w.Object != "" {
		object := fmt.Sprintf("%d/%s", w.Env, w.Object)
		if !a.lines.wait(ctx, object, a.maxLineWait) {
			return nil, fault.Busy("Too many requests change the same object. Retry after the time in Retry-After.").RetryIn(time.Second)
		}
		leaveLine = func() { a.lines.leave(object) }
	}

	if !t.wait(ctx, uint64(w.Env), a.maxWait) {
		leaveLine()
		return nil, Busy()
	}
	return func() {
		t.leave()
		leaveLine()
	}, nil
}

// Load is how many requests of a class the server handles.
type Load struct {
	Class    Class
	InFlight int   // including those that wait
	Waiting  int   // for other requests
	Rejected int64 // since the start
}

// Load returns the load of each class, for metrics.
func (a *Control) Load() (all []Load) {
	for _, c := range []Class{Reads, Writes, First, Heavy, Uploads, Urgent, Public, Streams} {
		l := Load{Class: c}
		if g := a.gates[c]; g != nil {
			g.mu.Lock()
			l.InFlight, l.Rejected = g.taken, g.rejected
			g.mu.Unlock()
		}
		if t := a.turns[c]; t != nil {
			t.mu.Lock()
			if c == Heavy {
				l.InFlight = t.working + t.waiting
			}
			l.Waiting, l.Rejected = t.waiting, l.Rejected+t.rejected
			t.mu.Unlock()
		}
		if a.lines != nil && c == Writes {
			l.Waiting += a.lines.waiting()
			a.lines.mu.Lock()
			l.Rejected += a.lines.rejected
			a.lines.mu.Unlock()
		}
		all = append(all, l)
	}
	return all
}
