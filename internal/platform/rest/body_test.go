package rest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"slipway/internal/platform/ratelimit"
	"slipway/internal/vocab/auth"
)

// signIns is a feature with a public endpoint that waits until the test lets it
// continue, and with an endpoint that requires a credential.
type signIns struct {
	entered chan struct{}
	leave   chan struct{}
}

type signInBody struct {
	Name string `json:"name"`
	Tags []int  `json:"tags,omitempty"`
}

func (s signIns) Mount(r *Router) {
	Public(r, http.MethodPost, http.StatusOK, Route{
		Path: "/sign-in", ID: "signIn",
		Summary: "Sign in",
	}, func(context.Context, *struct{ Body signInBody }) (signInBody, error) {
		s.entered <- struct{}{}
		<-s.leave
		return signInBody{}, nil
	})
	Raw(r, http.MethodPost, http.StatusOK, Route{
		Path: "/names", ID: "createName", Needs: auth.AnyCredential,
		Summary: "Create a name",
	}, func(_ context.Context, in *struct{ Body signInBody }) (signInBody, error) { return in.Body, nil })
}

func post(r *Router, path, body string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer live")
	res := httptest.NewRecorder()
	r.ServeHTTP(res, req)
	return res
}

func newSignIns() (signIns, *Router) {
	s := signIns{make(chan struct{}, maxPublicBodies+1), make(chan struct{}, maxPublicBodies+1)}
	return s, New(Config{
		Log: slog.New(slog.DiscardHandler), Limits: ratelimit.Limits{Live: 1000, Test: 1000, Address: 1000, Ceiling: 1000},
		Authenticate: func(context.Context, string) (auth.Principal, error) {
			return auth.Principal{Env: 1, Mode: auth.Live, OriginalID: "key_1"}, nil
		},
	}, s)
}

// A client without a credential can't make the server read or keep large bodies.
func TestLargeBodiesWithoutACredential(t *testing.T) {
	s, r := newSignIns()
	s.leave <- struct{}{}
	fits := fmt.Sprintf(`{"name": %q}`, strings.Repeat("x", 16<<10-12))
	if res := post(r, "/sign-in", fits); res.Code != http.StatusOK {
		t.Errorf("got status %d for a body of %d bytes, want 200", res.Code, len(fits))
	}
	if res := post(r, "/sign-in", fits+" "); res.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("got status %d for a body of %d bytes, want 413", res.Code, len(fits)+1)
	}
	if res := post(r, "/v1/names", fits+" "); res.Code != http.StatusOK {
		t.Errorf("got status %d for the same body with a credential, want 200", res.Code)
	}
}

// Many slow clients without a credential don't use up the memory: the server
// handles a fixed number of their bodies at a time.
func TestManyBodiesWithoutACredential(t *testing.T) {
	s, r := newSignIns()
	var handling sync.WaitGroup
	for range maxPublicBodies {
		handling.Go(func() { post(r, "/sign-in", `{"name": "Ann"}`) })
	}
	for range maxPublicBodies {
		<-s.entered
	}

	res := post(r, "/sign-in", `{"name": "Ann"}`)
	if res.Code != http.StatusTooManyRequests || res.Header().Get("Retry-After") != "1" {
		t.Errorf("got status %d and Retry-After %q for one more body, want 429 and 1", res.Code, res.Header().Get("Retry-After"))
	}
	if res := post(r, "/v1/names", `{"name": "Ann"}`); res.Code != http.StatusOK {
		t.Errorf("got status %d with a credential, want 200", res.Code)
	}

	for range maxPublicBodies + 1 {
		s.leave <- struct{}{}
	}
	handling.Wait()
	if res := post(r, "/sign-in", `{"name": "Ann"}`); res.Code != http.StatusOK {
		t.Errorf("got status %d after the others ended, want 200", res.Code)
	}
}

// A body with thousands of invalid values has a short response.
func TestManyInvalidValues(t *testing.T) {
	_, r := newSignIns()
	res := post(r, "/v1/names", `{"name": "Ann", "tags": ["x"`+strings.Repeat(`, "x"`, 9_999)+`]}`)
	if n := bytes.Count(res.Body.Bytes(), []byte(`"field"`)); res.Code != http.StatusBadRequest || n != maxDetails {
		t.Errorf("got status %d with %d details, want 400 with %d", res.Code, n, maxDetails)
	}
}
