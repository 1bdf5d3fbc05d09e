package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/wire"
)

// EventStream is the media type of server-sent events.
const EventStream = "text/event-stream"

// Stream is a response that stays open.
type Stream struct {
	Stopping <-chan struct{} // closed when the server is about to stop

	w    http.ResponseWriter
	conn *http.ResponseController
	req  *http.Request
}

// follow sends events until the client disconnects, its credential ends or the server
// stops. A server has thousands of streams, so it needs little memory and no goroutine.
func (c *Content) follow(w http.ResponseWriter, req *http.Request) {
	h := w.Header()
	h.Set("Content-Type", EventStream)
	h.Set("X-Accel-Buffering", "no") // for nginx, which would wait for more
	h.Set(gzhttp.HeaderNoCompression, "1")
	w.WriteHeader(http.StatusOK)
	if req.Method == http.MethodHead {
		return
	}

	s := &Stream{exchangeFrom(req.Context()).router.Draining, w, http.NewResponseController(w), req}
	if err := s.write("retry: 2000\n\n"); err != nil {
		return
	}
	_ = c.Follow(req.Context(), s) // the client connects again and continues where it was
}

// Send sends an event. A client that connects again sends the ID of the last one.
func (s *Stream) Send(id, event string, data any) error {
	text, err := wire.Marshal(data)
	if err != nil {
		return err
	}
	head := ""
	if id != "" {
		head = "id: " + id + "\n"
	}
	if event != "" {
		head += "event: " + event + "\n"
	}
	return s.write(fmt.Sprintf("%sdata: %s\n\n", head, text))
}

// errChanged ends a stream whose credential now belongs to someone else.
var errChanged = errors.New("the credential has changed")

// Caller checks the credential again. It returns the caller, whose scopes can have changed.
func (s *Stream) Caller(ctx context.Context) (auth.Principal, error) {
	x := exchangeFrom(ctx)
	caller, err := x.router.caller(s.req.WithContext(ctx))
	if err == nil && (caller.Env != x.caller.Env || caller.OriginalID != x.caller.OriginalID) {
		err = errChanged
	}
	return caller, err
}

// Heartbeat checks the credential again, and the connection.
func (s *Stream) Heartbeat(ctx context.Context) (auth.Principal, error) {
	caller, err := s.Caller(ctx)
	if err != nil {
		return caller, err
	}
	return caller, s.write(": still connected\n\n")
}

// write sends a part. The server's time limit for responses doesn't apply, but a client
// that doesn't read is disconnected.
func (s *Stream) write(text string) error {
	if err := s.conn.SetWriteDeadline(time.Now().Add(stallFor)); err != nil { //nolint:forbidigo // deadlines of connections use the real clock
		return err
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	if err := s.conn.Flush(); err != nil {
		return err
	}
	return s.conn.SetWriteDeadline(time.Time{})
}
