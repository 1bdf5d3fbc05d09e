package rest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"slipway/internal/scope"
)

// echoes is a feature with an endpoint that reads a body.
type echoes struct{}

type echo struct {
	Text string `json:"text"`
}

func (echoes) Mount(r *Router) {
	Act(r, "/echo", "echo", scope.Anyone, "Repeat", func(_ context.Context, in *struct{ Body echo }) (echo, error) { return in.Body, nil })
}

// A client that stops in the middle of its body is told so and cut off, also
// behind the compression that wraps the service.
func TestUnfinishedBodyIsCutOff(t *testing.T) {
	cfg := testRouter(newClock()).Config
	cfg.Now = time.Now // the network's clock is the real one
	r := New(cfg, echoes{})
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
		t.Errorf("status %d, %v: %s", res.StatusCode, err, body)
	}
	if n, err := read.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the connection stays: %v, %v", n, err)
	}
}

// The limit is for one body: a connection that is kept open may send the next
// request later.
func TestBodyLimitEndsWithTheBody(t *testing.T) {
	cfg := testRouter(newClock()).Config
	cfg.Now = time.Now
	r := New(cfg, echoes{})
	r.sendBodyIn = 200 * time.Millisecond
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	read := bufio.NewReader(conn)
	for i := range 2 {
		if i == 1 {
			time.Sleep(300 * time.Millisecond) // longer than the limit: the network has no clock to inject
		}
		const whole = "POST /v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer live\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"text\":\"a\"}"
		if _, err := io.WriteString(conn, whole); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(read, nil)
		if err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
		if body, err := io.ReadAll(res.Body); res.StatusCode != http.StatusOK || err != nil {
			t.Errorf("request %d: status %d, %v: %s", i, res.StatusCode, err, body)
		}
	}
}
