package slipway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// newOAuth is a credential whose token endpoint calls answer with the number of the request.
func newOAuth(t *testing.T, answer func(n int32, w http.ResponseWriter, r *http.Request)) (*OAuth, *atomic.Int32) {
	t.Helper()
	var requests atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(requests.Add(1), w, r) }))
	t.Cleanup(web.Close)
	return &OAuth{TokenURL: web.URL, ClientID: "app_1", ClientSecret: "secret",
		Tokens:     Tokens{AccessToken: "at_0", RefreshToken: "rt_0", ExpiresAt: time.Now()},
		HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		retries:    &retries{max: 3, sleep: func(context.Context, time.Duration) error { return nil }, random: func() float64 { return 1 }},
	}, &requests
}

func issue(n int32, w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintf(w, `{"access_token": "at_%d", "refresh_token": "rt_%d", "expires_in": 3600}`, n, n)
}

// However many requests wait, there is one refresh per expiration.
func TestOneRefresh(t *testing.T) {
	release := make(chan struct{})
	o, requests := newOAuth(t, func(n int32, w http.ResponseWriter, r *http.Request) {
		<-release
		equal(t, r.FormValue("refresh_token"), fmt.Sprintf("rt_%d", n-1), "refresh token")
		issue(n, w, r)
	})
	var saved []Tokens
	o.Save = func(_ context.Context, tokens Tokens) error { saved = append(saved, tokens); return nil }

	// The request that starts the refresh ends before it. The others still get the token.
	first, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.Token(first); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
	var wait sync.WaitGroup
	for range 50 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			token, err := o.Token(t.Context())
			if err != nil || token != "at_1" {
				t.Errorf("got %q, %v; want at_1", token, err)
			}
		}()
	}
	close(release)
	wait.Wait()
	equal(t, requests.Load(), 1, "refreshes")
	equal(t, len(saved), 1, "saved")

	o.now = func() time.Time { return time.Now().Add(59*time.Minute + 1*time.Second) } // a minute early
	token, err := o.Token(t.Context())
	equal(t, []any{token, err, requests.Load()}, []any{"at_2", nil, 2}, "second refresh")
}

func TestRefreshIsRetried(t *testing.T) {
	o, requests := newOAuth(t, func(n int32, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			panic(http.ErrAbortHandler)
		}
		if n == 2 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		equal(t, r.FormValue("refresh_token"), "rt_0", "refresh token")
		issue(n, w, r)
	})
	token, err := o.Token(t.Context())
	equal(t, []any{token, err, requests.Load()}, []any{"at_3", nil, 3}, "token")
}

func TestClientCredentials(t *testing.T) {
	o, _ := newOAuth(t, func(_ int32, w http.ResponseWriter, r *http.Request) {
		equal(t, r.FormValue("grant_type")+r.FormValue("install_id")+r.FormValue("client_secret"), "client_credentialsinst_1secret", "form")
		fmt.Fprint(w, `{"access_token": "at_1", "expires_in": 3600}`)
	})
	o.Tokens, o.InstallID = Tokens{}, "inst_1"
	s := scriptWith(t, []Option{WithCredential(o.Token)}, ok)
	if _, err := s.Contacts.Get(t.Context(), "con_1"); err != nil {
		t.Fatal(err)
	}
	equal(t, s.requests[0].header.Get("Authorization"), "Bearer at_1", "credential")
}

// If the token endpoint doesn't respond, only the refresh is retried.
func TestRefreshFails(t *testing.T) {
	o, requests := newOAuth(t, func(int32, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	s := scriptWith(t, []Option{WithCredential(o.Token)})
	file := File{Content: strings.NewReader("a photo"), ContentType: "image/png"}
	_, err := s.Hulls.UploadPhoto(t.Context(), "hull_1", file, HullUploadPhotoParams{})
	if err == nil {
		t.Fatal("got no error")
	}
	contains(t, err.Error(), "slipway: get a credential: ")
	equal(t, requests.Load(), 4, "refreshes")
}

// A rejected refresh token is an error of the request that needed it. The request is not sent.
func TestRefreshIsRejected(t *testing.T) {
	o, requests := newOAuth(t, func(_ int32, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error": "invalid_grant", "error_description": "The refresh token was revoked."}`)
	})
	s := scriptWith(t, []Option{WithCredential(o.Token)})
	_, err := s.Contacts.Get(t.Context(), "con_1")
	equal(t, errors.Is(err, ErrorCode("invalid_grant")), true, "invalid_grant")
	contains(t, err.Error(), "The refresh token was revoked.")
	equal(t, requests.Load(), 1, "refreshes")
}
