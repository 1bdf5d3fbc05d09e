package rest

import (
	"context"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"slipway/internal/platform/ratelimit"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

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
	// embeddedWorkers is how many requests work at the same time on SQLite. More would
	// only wait for its writer.
	embeddedWorkers = 32
)

// class is a kind of request that has its own limits, so that it doesn't wait for others.
type class string

const (
	classReads   class = "reads"
	classWrites  class = "writes"
	classHeavy   class = "heavy"   // reads that take long, such as reports
	classUploads class = "uploads" // they take as long as the client needs to send the file
	classUrgent  class = "urgent"  // revocations and received messages
	classPublic  class = "public"  // sign-in and other requests without a credential
	classStreams class = "streams" // they stay open, and do almost nothing
)

// maxStreams is how many streams a server keeps open.
const maxStreams = 8192

// admission decides which requests are handled, which wait and which are rejected.
type admission struct {
	gates map[class]*gate
	turns map[class]*turns
	lines *lines // nil on SQLite, where requests don't wait with a connection

	urgent, streams [][]string // method and segments of the paths of these operations

	maxWait time.Duration // that a request waits for its turn

	seed  maphash.Seed
	mu    sync.Mutex
	known map[uint64]auth.Env // environments by a hash of the credential
}

// maxKnown limits the memory for environments of credentials.
const maxKnown = 10_000

func newAdmission(cfg Config) *admission {
	places := cfg.Limits.Places
	if places == 0 {
		places = DefaultPlaces
	}
	wait := cfg.Limits.Wait
	if wait == 0 {
		wait = DefaultWait
	}
	a := &admission{maxWait: 2 * wait, seed: maphash.MakeSeed(), known: map[uint64]auth.Env{}, gates: map[class]*gate{}, turns: map[class]*turns{}}
	for _, c := range []class{classReads, classWrites, classUploads, classUrgent, classPublic} {
		a.gates[c] = newGate(places)
	}
	a.gates[classStreams] = newGate(maxStreams)

	reads, writes := embeddedWorkers, embeddedWorkers
	if cfg.DB != nil && !cfg.DB.SQLite() {
		a.lines = newLines(maxPerObject)
		reads, writes = cfg.DB.Connections()
		reads, writes = reads-reads/8, writes-writes/8 // the rest is for sign-in, urgent requests and jobs
	}
	reads, writes = min(reads, places), min(writes, places)
	a.turns[classReads] = newTurns(reads, places, wait)
	a.turns[classWrites] = newTurns(writes, places, wait)
	a.turns[classHeavy] = newTurns(max(1, reads/4), maxHeavyWaiting, wait)
	return a
}

// admit rejects requests that the server has no place for, before any work is done for
// them. It comes before authentication, which needs the database.
func (r *Router) admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if _, inside := innerFrom(req.Context()); inside || r.probes[req.URL.Path] {
			next.ServeHTTP(w, req)
			return
		}
		c, caller := r.classOf(req), r.callerOf(req)
		g, t := r.admission.gates[c], r.admission.turns[c]
		if t != nil && t.rejects(caller) || !g.enter(caller) {
			exchangeFrom(req.Context()).flood = true // the log would be the most expensive part
			r.showLimit(w, req)
			r.fail(w, req, busy())
			return
		}
		defer g.leave(caller)
		next.ServeHTTP(w, req)
	})
}

// busy is the response to a request that was not handled. Clients return at different
// times.
func busy() *fault.Error {
	return fault.Unavailable("Too many requests are being handled. Try again later.").
		RetryIn(time.Duration(1+rand.IntN(3)) * time.Second) //nolint:gosec // spreads retries; not a secret
}

// classOf returns the class of a request from what is known without the route.
func (r *Router) classOf(req *http.Request) class {
	switch {
	case !InAPI(req.URL.Path):
		if r.isHook(req) {
			return classUrgent
		}
		return classPublic
	case contains(r.admission.urgent, req):
		return classUrgent
	case contains(r.admission.streams, req):
		return classStreams
	case req.Method == http.MethodGet || req.Method == http.MethodHead:
		return classReads
	}
	kind := req.Header.Get("Content-Type")
	if kind != "" && req.ContentLength != 0 && !strings.HasPrefix(kind, "application/json") {
		return classUploads
	}
	return classWrites
}

// callerOf returns which callers share places: an environment, a network, or all
// credentials that no successful request has used lately.
func (r *Router) callerOf(req *http.Request) uint64 {
	if InAPI(req.URL.Path) {
		return uint64(r.admission.envOf(req.Header.Get("Authorization")))
	}
	network, wide := ratelimit.Networks(auth.RequestFrom(req.Context()).IP)
	if wide != "" {
		network = wide
	}
	return maphash.String(r.admission.seed, network)
}

func (a *admission) envOf(credential string) auth.Env {
	key := maphash.String(a.seed, credential)
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.known[key]
}

// remember stores the environment of a valid credential, for callerOf. The credential is
// still checked on each request.
func (a *admission) remember(credential string, env auth.Env) {
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

// addPath records the path of an operation whose class classOf can't tell otherwise.
func (a *admission) addPath(op *Operation) {
	path := append([]string{op.Method}, strings.Split(op.Path, "/")...)
	switch op.work {
	case classUrgent:
		a.urgent = append(a.urgent, path)
	case classStreams:
		a.streams = append(a.streams, path)
	}
}

// contains reports whether one of the paths is the path of a request.
func contains(paths [][]string, req *http.Request) bool {
	for _, p := range paths {
		if p[0] == req.Method && matches(p[1:], req.URL.Path) {
			return true
		}
	}
	return false
}

// matches reports whether a path has these segments. A segment in braces matches any.
func matches(segments []string, path string) bool {
	for i, want := range segments {
		got, rest, more := strings.Cut(path, "/")
		if got != want && !strings.HasPrefix(want, "{") || more != (i < len(segments)-1) {
			return false
		}
		path = rest
	}
	return true
}

// workClass returns the class whose turns the handler of an operation takes.
func workClass(op *Operation) class {
	switch {
	case op.Urgent:
		return classUrgent
	case op.Streams:
		return classStreams
	case op.Accepts.Types != nil:
		return classUploads
	case op.Heavy:
		return classHeavy
	case op.Method == http.MethodGet && !op.Audited:
		return classReads
	}
	return classWrites
}

// start waits until the handler of a request can work, and returns what to call after
// it. A request that changes an object waits for the object first, so that it doesn't
// keep others from working.
func (r *Router) start(ctx context.Context, x *exchange, c class) (done func(), err error) {
	t := r.admission.turns[c]
	if t == nil || x.caller.Env == 0 {
		return func() {}, nil
	}
	leaveLine := func() {}
	if object := x.lockedObject(); c == classWrites && r.admission.lines != nil && object != "" {
		if !r.admission.lines.wait(ctx, object, r.DB.DefaultTimeout) {
			x.flood = true
			return nil, fault.Unavailable("Too many requests change the same object. Try again later.").RetryIn(time.Second)
		}
		leaveLine = func() { r.admission.lines.leave(object) }
	}

	if !t.wait(ctx, uint64(x.caller.Env), r.admission.maxWait) {
		leaveLine()
		x.flood = true
		return nil, busy()
	}
	return func() {
		t.leave()
		leaveLine()
	}, nil
}

// lockedObject returns what concurrent requests would wait for in the database: the first
// object of the path, or "".
func (x *exchange) lockedObject() string {
	if x.object == "" {
		return ""
	}
	return fmt.Sprintf("%d/%s", x.caller.Env, x.object)
}

// firstParam returns the name of the first parameter of a path, or "".
func firstParam(path string) string {
	_, after, _ := strings.Cut(path, "{")
	name, _, _ := strings.Cut(after, "}")
	return name
}

// Load is how many requests of a class the server handles.
type Load struct {
	Class    string
	InFlight int   // including those that wait
	Waiting  int   // for other requests
	Rejected int64 // since the start
}

// Load returns the load of each class, for metrics.
func (r *Router) Load() (all []Load) {
	a := r.admission
	for _, c := range []class{classReads, classWrites, classHeavy, classUploads, classUrgent, classPublic, classStreams} {
		l := Load{Class: string(c)}
		if g := a.gates[c]; g != nil {
			g.mu.Lock()
			l.InFlight, l.Rejected = g.taken, g.rejected
			g.mu.Unlock()
		}
		if t := a.turns[c]; t != nil {
			t.mu.Lock()
			if c == classHeavy {
				l.InFlight = t.working + t.waiting
			}
			l.Waiting, l.Rejected = t.waiting, l.Rejected+t.rejected
			t.mu.Unlock()
		}
		if a.lines != nil && c == classWrites {
			l.Waiting += a.lines.waiting()
			a.lines.mu.Lock()
			l.Rejected += a.lines.rejected
			a.lines.mu.Unlock()
		}
		all = append(all, l)
	}
	return all
}
