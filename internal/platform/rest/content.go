package rest

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"
)

// Content is a response that is not JSON: a file, served whole or in ranges,
// or a stream that is written as it is generated.
type Content struct {
	Type    string
	Name    string        // the file name for browsers
	ETag    string        // without quotes
	Fresh   time.Duration // how long a cache can use it without revalidation
	Headers map[string]string

	File   io.ReadSeekCloser
	Stream func(w io.Writer) error
	Follow func(ctx context.Context, s *Stream) error // sends events as they happen; see Streams
}

// send writes the content, or 304 if the caller already has it.
func (c *Content) send(w http.ResponseWriter, req *http.Request) {
	if c.Follow != nil {
		c.follow(w, req)
		return
	}
	h := w.Header()
	h.Set("Content-Type", c.Type)
	h.Set("X-Content-Type-Options", "nosniff")
	if c.ETag != "" {
		h.Set("ETag", strconv.Quote(c.ETag))
	}
	h.Set("Cache-Control", "private, max-age="+strconv.Itoa(int(c.Fresh.Seconds())))
	if c.Name != "" {
		h.Set("Content-Disposition", mime.FormatMediaType("inline", map[string]string{"filename": c.Name}))
	}
	for name, value := range c.Headers {
		h.Set(name, value)
	}
	if c.File != nil {
		defer c.File.Close()
		http.ServeContent(w, req, "", time.Time{}, c.File)
		return
	}
	if c.ETag != "" && req.Header.Get("If-None-Match") == strconv.Quote(c.ETag) {
		h.Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.WriteHeader(http.StatusOK)
	if req.Method == http.MethodHead {
		return
	}
	out := &stallWriter{conn: http.NewResponseController(w), w: w}
	if err := c.Stream(out); err != nil {
		// The status is already sent. Closing the connection is the only way to report the failure.
		if out.broken {
			panic(http.ErrAbortHandler)
		}
		panic(errors.Join(http.ErrAbortHandler, err))
	}
}

// stallWriter allows a long response as long as the caller keeps reading.
type stallWriter struct {
	conn   *http.ResponseController
	w      io.Writer
	broken bool // the caller disconnected, or reads too slowly
}

func (s *stallWriter) Write(p []byte) (int, error) {
	_ = s.conn.SetWriteDeadline(time.Now().Add(stallFor)) //nolint:forbidigo // deadlines of connections use the real clock
	n, err := s.w.Write(p)
	s.broken = err != nil
	return n, err
}
