package rest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"slipway/internal/vocab/fault"
)

// Hook is a handler for requests that another service sends and signs. The body was
// read completely. An error becomes a response like that of the API.
type Hook func(w http.ResponseWriter, req *http.Request, body []byte) error

// HandleHook serves POST of a path that another service sends requests to. It is
// not part of the described API. The pattern ends with the only parameter.
func (r *Router) HandleHook(pattern string, maxBody int64, h Hook) {
	start, _, _ := strings.Cut(pattern, "{")
	r.hooks[start] = maxBody
	r.handleHook(pattern, maxBody, h)
}

// HandlePost serves POST of a path outside the described API, such as /mcp. Unlike those
// of a hook, its requests wait like those of pages. During maintenance, they are served: the
// handler changes nothing itself, but calls operations.
func (r *Router) HandlePost(path string, maxBody int64, h Hook) {
	r.posts[path] = maxBody
	r.handleHook(path, maxBody, h)
}

// HandleProtocol serves everything below a path outside the described API, for a protocol
// that uses all methods, such as SCIM.
func (r *Router) HandleProtocol(prefix string, maxBody int64, h http.Handler) {
	r.protocols[prefix+"/"] = maxBody
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		r.mux.Method(method, prefix+"/*", h)
	}
}

func (r *Router) handleHook(pattern string, maxBody int64, h Hook) {
	r.mux.Method(http.MethodPost, pattern, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := r.readHook(w, req, maxBody)
		if err == nil {
			err = h(w, req, body)
		}
		if err != nil {
			r.fail(w, req, err)
		}
	}))
}

func (r *Router) readHook(w http.ResponseWriter, req *http.Request, most int64) ([]byte, error) {
	until := time.Now().Add(r.sendBodyIn) //nolint:forbidigo // deadlines of connections use the real clock
	_ = http.NewResponseController(w).SetReadDeadline(until)
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, most))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, fault.New(fault.KindTooLarge, "The body is larger than %d bytes.", most)
	}
	if err != nil {
		return nil, fault.BadRequest("The body could not be read completely.").WithCause(err)
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	req.Body = io.NopCloser(bytes.NewReader(body))
	return body, nil
}

func (r *Router) isHook(req *http.Request) bool {
	for start := range r.hooks {
		if strings.HasPrefix(req.URL.Path, start) {
			return true
		}
	}
	return false
}

// maxPublicBody returns the largest body of a request without a credential.
func (r *Router) maxPublicBody(req *http.Request) int64 {
	for start, most := range r.hooks {
		if strings.HasPrefix(req.URL.Path, start) {
			return most
		}
	}
	for start, most := range r.protocols {
		if strings.HasPrefix(req.URL.Path, start) {
			return most
		}
	}
	if most, ok := r.posts[req.URL.Path]; ok {
		return most
	}
	return maxPublicBody
}
