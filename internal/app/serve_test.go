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
		"headers":  {s.ReadHeaderTimeout, 10 * time.Second},
		"reading":  {s.ReadTimeout, 2 * time.Minute},
		"writing":  {s.WriteTimeout, 2 * time.Minute},
		"idleness": {s.IdleTimeout, 5 * time.Minute},
	} {
		if c.got <= 0 || c.got > c.most {
			t.Errorf("the limit of %s is %s; want c.got > 0, c.got <= %v", name, c.got, c.most)
		}
	}
	if s.MaxHeaderBytes <= 0 || s.MaxHeaderBytes > 64<<10 {
		t.Errorf("headers may have %d bytes; want s.MaxHeaderBytes > 0, s.MaxHeaderBytes <= 64<<10", s.MaxHeaderBytes)
	}
}

// A client that drips its headers, never ends them or sends too many is cut
// off and never reaches the service.
func TestSlowAndLargeHeaders(t *testing.T) {
	a := &App{log: slog.New(slog.DiscardHandler)}
	s := a.server(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s came through", r.URL) }))
	s.ReadHeaderTimeout = 100 * time.Millisecond // as it is, but sooner
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
	for name, c := range map[string]struct{ sent, answer string }{
		"nothing at all":        {"", ""},
		"half a line":           {"GET /he", ""},
		"headers without end":   {"GET / HTTP/1.1\r\nHost: x\r\nX-A: ", ""},
		"headers beyond bounds": {"GET / HTTP/1.1\r\nHost: x\r\nX-A: " + strings.Repeat("a", 64<<10) + "\r\n\r\n", "HTTP/1.1 431 "},
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
			// It ends when the server closes the connection.
			if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), c.answer) {
				t.Errorf("got %q, %v; want no error, string(answer) to start with %q", answer, err, c.answer)
			}
		})
	}
}

func TestSettingsTellEveryMistake(t *testing.T) {
	good := Settings{Data: "x", Listen: "127.0.0.1:0", BaseURL: "http://localhost", LiveRate: 1, TestRate: 1e6, AddressRate: 25}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	err := Settings{DatabaseURL: "mysql://x", Listen: "8080", Metrics: "here", BaseURL: "localhost", LiveRate: 0.4, TestRate: 1e7,
		AddressRate: -1}.Check()
	if err == nil {
		t.Fatal("taken")
	}
	for _, name := range []string{"DATA:", "DATABASE_URL", "LISTEN", "METRICS_LISTEN", "BASE_URL", "RATE_LIVE", "RATE_TEST", "RATE_ADDRESS"} {
		if !strings.Contains(err.Error(), "SLIPWAY_"+name) {
			t.Errorf("SLIPWAY_%s is not named in\n%v; want err.Error() to contain %q", name, err, "SLIPWAY_"+name)
		}
	}
}
