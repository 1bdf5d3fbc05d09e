package rest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"slipway/internal/vocab/auth"
)

// echoes is a feature with an endpoint that reads a body and then does
// something with its time.
type echoes struct {
	then func(ctx context.Context) error
}

type echo struct {
	Text string `json:"text"`
}

func (e echoes) Mount(r *Router) {
	Raw(r, "POST", 200, Route{
		Path: "/echo", ID: "echo", Needs: auth.AnyCredential,
		Summary: "Repeat",
	}, func(ctx context.Context, in *struct{ Body echo }) (echo, error) { return in.Body, e.then(ctx) })
}

// A client that stops sending in the middle of its body gets an error, also
// behind the compression that wraps the service.
func TestUnfinishedBodyIsCutOff(t *testing.T) {
	cfg := testRouter(newClock()).Config
	cfg.Now = time.Now // the network's clock is the real one
	r := New(cfg, echoes{func(context.Context) error { t.Error("half a body came through"); return nil }})
	r.sendBodyIn = 50 * time.Millisecond
	server := httptest.NewServer(gzhttp.GzipHandler(r))
	t.Cleanup(server.Close)

	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	const half = "POST /v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer live\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{\"text\":"
	if _, err := io.WriteString(conn, half); err != nil {
		t.Fatal(err)
	}
	read := bufio.NewReader(conn)
	res, err := http.ReadResponse(read, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); res.StatusCode != http.StatusBadRequest || err != nil {
		t.Errorf("status %d, %v: got %s; want res.StatusCode = http.StatusBadRequest, no error", res.StatusCode, err, body)
	}
	if n, err := read.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the connection stays: got %v, %v, want the error io.EOF", n, err)
	}
}

// The limit applies to the body only. A handler can take longer.
func TestBodyLimitEndsWithTheBody(t *testing.T) {
	const limit = 50 * time.Millisecond
	cfg := testRouter(newClock()).Config
	cfg.Now = time.Now
	r := New(cfg, echoes{func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(4 * limit): // the network has no clock to inject
			return nil
		}
	}})
	r.sendBodyIn = limit
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/v1/echo", strings.NewReader(`{"text": "a"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer live")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); res.StatusCode != http.StatusOK || err != nil {
		t.Errorf("status %d, %v: got %s; want res.StatusCode = http.StatusOK, no error", res.StatusCode, err, body)
	}
}
