package requestlog

import (
	"context"
	"math"
	"net/http"
	"sync/atomic"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
)

const (
	// maxWaiting limits the entries that wait to be saved. A request never waits for
	// its entry: if the database is slow, entries are dropped and counted.
	maxWaiting = 4096
	// perInsert is how many entries are saved in a transaction.
	perInsert = 500
	// maxBody limits the bodies that are stored.
	maxBody = 16 << 10
)

// Recorder saves entries outside of the requests.
type Recorder struct {
	waiting chan RequestLog
	dropped atomic.Int64
}

// NewRecorder returns a recorder without entries.
func NewRecorder() *Recorder { return &Recorder{waiting: make(chan RequestLog, maxWaiting)} }

// Dropped counts the entries that were not saved.
func (r *Recorder) Dropped() int64 { return r.dropped.Load() }

// Record adds the entry of a request.
func (r *Recorder) Record(h *rest.Handled) {
	if !keeps(h) {
		return
	}
	select {
	case r.waiting <- entryOf(h):
	default:
		r.dropped.Add(1)
	}
}

// Flush saves the entries that wait.
func (r *Recorder) Flush(ctx context.Context, d *db.DB) error {
	for len(r.waiting) > 0 {
		var batch []RequestLog
		for len(batch) < perInsert && len(r.waiting) > 0 {
			batch = append(batch, <-r.waiting)
		}
		_, err := db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (int, error) {
			return 0, insertAll(ctx, tx, batch)
		})
		if err != nil {
			r.dropped.Add(int64(len(batch)))
			return err
		}
	}
	return nil
}

// keeps reports whether a request is stored. Reads that succeed are not: there are
// many, and they change nothing.
func keeps(h *rest.Handled) bool {
	return h.Caller.Env != 0 && (h.Status >= 400 || h.Method != http.MethodGet && h.Method != http.MethodHead)
}

// entryOf returns the entry of a request. Its text is clean, because one entry that
// can't be stored would keep others from being stored.
func entryOf(h *rest.Handled) RequestLog {
	mask := &masker{test: h.Caller.Mode == auth.Test}
	e := RequestLog{
		Env: h.Caller.Env, ID: h.ID, Method: clean(h.Method, 20), Path: clean(rest.SafePath(h.URL.Path), 500),
		Query: clean(mask.query(h.URL.Query(), h.Input), 500), Operation: optional(h.Operation, 100), Status: h.Status,
		DurationMS: math.Round(h.Took.Seconds()*1e5) / 100, ResponseBytes: int64(h.Bytes), Actor: h.Caller.Actor, ActorID: h.Caller.Actor.ID,
		IP: clean(h.IP, 100), UserAgent: clean(h.UserAgent, 200), APIVersion: h.Caller.Version,
		IdempotencyKey: optional(h.IdempotencyKey, 100), Replayed: h.Replayed, ClientRequestID: optional(h.ClientRequestID, 200),
		CreatedAt: h.At.UTC(),
	}
	if h.Status >= 400 && len(h.Body) > 0 {
		if masked := mask.body(h.Body, h.Input); masked != nil && len(h.Body) <= maxBody {
			e.RequestBody = &masked
		}
	}
	if h.Fault != nil {
		e.Error = mask.error(h.Fault)
	}
	return e
}
