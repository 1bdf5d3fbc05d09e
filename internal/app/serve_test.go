package app

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestServerHasLimits(t *testing.T) {
	a := &App{log: slog.New(slog.DiscardHandler)}
	s := a.server(http.NotFoundHandler())
	for name, c := range map[string]struct{ got, most time.Duration }{
		"headers": {s.ReadHeaderTimeout, 10 * time.Second},
		"reading": {s.ReadTimeout, 2 * time.Minute},
		"writing": {s.WriteTimeout, 2 * time.Minute},
		"idle":    {s.IdleTimeout, 5 * time.Minute},
	} {
		if c.got <= 0 || c.got > c.most {
			t.Errorf("%s: got a limit of %s, want more than 0 and at most %s", name, c.got, c.most)
		}
	}
	if s.MaxHeaderBytes <= 0 || s.MaxHeaderBytes > 64<<10 {
		t.Errorf("got a limit of %d bytes for headers, want more than 0 and at most 64 KiB", s.MaxHeaderBytes)
	}
}

// The server disconnects a client whose headers are slow, incomplete or too large.
func TestSlowAndLargeHeaders(t *testing.T) {
	a := &App{log: slog.New(slog.DiscardHandler)}
	s := a.server(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("request %s reached the handler", r.URL) }))
	s.ReadHeaderTimeout = 100 * time.Millisecond // shorter than usual
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		<-served
	})
	// It is as much as the server reads. It would reset the connection if there was more, and the response could get lost.
	large := "GET / HTTP/1.1\r\nHost: x\r\nX-A: "
	large += strings.Repeat("a", s.MaxHeaderBytes+4096-len(large))
	for name, c := range map[string]struct{ sent, response string }{
		"nothing":            {"", ""},
		"half a line":        {"GET /he", ""},
		"unfinished headers": {"GET / HTTP/1.1\r\nHost: x\r\nX-A: ", ""},
		"headers too large":  {large, "HTTP/1.1 431 "},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(conn, c.sent); err != nil {
				t.Fatal(err)
			}
			// ReadAll returns when the server closes the connection.
			if got, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(got), c.response) {
				t.Errorf("got %q and error %v, want %q", got, err, c.response)
			}
		})
	}
}

func TestCheckReportsAllInvalidSettings(t *testing.T) {
	valid := Settings{Data: "x", Listen: "127.0.0.1:0", BaseURL: "http://localhost", LiveRate: 1, TestRate: 1e6, AddressRate: 25}
	if err := valid.Check(); err != nil {
		t.Fatal(err)
	}
	invalid := Settings{
		DatabaseURL: "mysql://x", Listen: "8080", Metrics: "here", BaseURL: "localhost",
		LiveRate: 0.4, TestRate: 1e7, AddressRate: -1,
	}
	err := invalid.Check()
	if err == nil {
		t.Fatal("got no error for invalid settings")
	}
	for _, name := range []string{"DATA:", "DATABASE_URL", "LISTEN", "METRICS_LISTEN", "BASE_URL", "RATE_LIVE", "RATE_TEST", "RATE_ADDRESS"} {
		if !strings.Contains(err.Error(), "SLIPWAY_"+name) {
			t.Errorf("got error %v, want it to name SLIPWAY_%s", err, name)
		}
	}
}
