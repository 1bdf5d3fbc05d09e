package rest

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"slipway/internal/platform/admission"
	"slipway/internal/platform/db"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/version"
)

// limit counts a request against its bucket and sets the rate-limit headers.
func (r *Router) limit(w http.ResponseWriter, bucket string, rate float64) error {
	return limitWith(r.limits, w, bucket, rate)
}

// showLimit sets the rate-limit headers of a response for which the limit doesn't matter.
func (r *Router) showLimit(w http.ResponseWriter, req *http.Request) {
	_ = limitWith(r.unused, w, auth.RequestFrom(req.Context()).IP, r.Limits.Address)
}

func limitWith(l *ratelimit.Limiter, w http.ResponseWriter, bucket string, rate float64) error {
	most := int(rate * ratelimit.BurstSeconds)
	taken := l.Take(bucket, most, time.Duration(float64(time.Second)/rate))
	h := w.Header()
	h["RateLimit-Limit"] = []string{strconv.Itoa(most)} // Go would write Ratelimit
	h["RateLimit-Remaining"] = []string{strconv.Itoa(taken.Remaining)}
	h["RateLimit-Reset"] = []string{strconv.Itoa(int((taken.Reset + time.Second - 1) / time.Second))}
	h["RateLimit-Policy"] = []string{fmt.Sprintf("%d;w=%d", most, ratelimit.BurstSeconds)}
	if taken.Wait > 0 {
		return fault.New(fault.KindRateLimited, "Too many requests. The limit is %g per second.", rate).RetryIn(taken.Wait)
	}
	return nil
}

// authenticate identifies the caller before anything else, so an unauthenticated
// client learns nothing, not even which paths exist.
func (r *Router) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if r.probes[req.URL.Path] {
			r.showLimit(w, req)
			next.ServeHTTP(w, req)
			return
		}
		if err := r.rejectedWrite(req); err != nil {
			r.showLimit(w, req)
			r.fail(w, req, err)
			return
		}
		if !InAPI(req.URL.Path) {
			if err := r.limitAddress(w, req); err != nil {
				exchangeFrom(req.Context()).flood = true
				r.fail(w, req, err)
				return
			}
			r.servePublic(w, req, next)
			return
		}
		if in, inside := innerFrom(req.Context()); inside {
			exchangeFrom(req.Context()).caller = in.caller
			if in.limited {
				if err := r.limit(w, in.caller.OriginalID, in.caller.Rate); err != nil {
					r.fail(w, req, err)
					return
				}
			}
			next.ServeHTTP(w, req)
			return
		}
		caller, err := r.caller(req)
		if err != nil {
			if limited := r.limitAddress(w, req); limited != nil && fault.KindOf(err) == fault.KindUnauthenticated {
				err = limited
				exchangeFrom(req.Context()).flood = true
			}
			r.fail(w, req, err)
			return
		}
		r.admission.Remember(req.Header.Get("Authorization"), caller.Env)
		caller.Rate, caller.Version = r.Limits.Of(caller), version.Pinned(caller.Version)
		exchangeFrom(req.Context()).caller = caller
		w.Header().Set("Service-Version", caller.Version)
		if err := r.limit(w, caller.OriginalID, caller.Rate); err != nil {
			r.fail(w, req, err)
			return
		}
		next.ServeHTTP(w, req)
	})
}

// rejectedWrite returns the response to a request that isn't allowed during
// maintenance, or nil.
func (r *Router) rejectedWrite(req *http.Request) error {
	if r.RejectWrites == nil || req.Method == http.MethodGet || req.Method == http.MethodHead || req.Method == http.MethodOptions {
		return nil
	}
	if _, ok := r.posts[req.URL.Path]; ok { // what it calls is rejected if it writes
		return nil
	}
	return r.RejectWrites()
}

// wideFactor is how many times the limit of an address applies to its IPv6 /48.
const wideFactor = 10

// limitAddress counts a request against the limit of its address. A provider
// assigns whole IPv6 networks, so they share a limit: a /64 has the limit of an
// address, and a /48 has ten times that.
func (r *Router) limitAddress(w http.ResponseWriter, req *http.Request) error {
	network, wide := ratelimit.Networks(r.address(req))
	if wide != "" {
		if err := r.limit(w, "ip "+wide, r.Limits.Address*wideFactor); err != nil {
			return err
		}
	}
	return r.limit(w, "ip "+network, r.Limits.Address)
}

// servePublic serves a request without a credential. It limits how many of their
// bodies are handled at the same time.
func (r *Router) servePublic(w http.ResponseWriter, req *http.Request, next http.Handler) {
	if req.ContentLength == 0 { // it has no body
		next.ServeHTTP(w, req)
		return
	}
	bodies := r.publicBodies
	if r.isHook(req) { // not behind a flood of sign-ins
		bodies = r.hookBodies
	}
	select {
	case bodies <- struct{}{}:
		defer func() { <-bodies }()
		req.Body = http.MaxBytesReader(w, req.Body, r.maxPublicBody(req)+1) // also for forms
		next.ServeHTTP(w, req)
	default:
		r.fail(w, req, admission.Busy().RetryIn(time.Second))
	}
}

func (r *Router) caller(req *http.Request) (auth.Principal, error) {
	scheme, token, ok := strings.Cut(req.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return auth.Principal{}, fault.Unauthenticated("No credential was sent. Use the header Authorization: Bearer sk_test_...")
	}
	return r.Authenticate(req.Context(), token)
}

// logSampler limits the log during a flood. Of the unauthenticated requests over
// the limit, it logs one per second, with the number of suppressed ones.
type logSampler struct {
	mu     sync.Mutex
	until  time.Time
	silent int64
}

// pass reports whether to log this one, and how many were suppressed before it.
func (h *logSampler) pass(now time.Time) (write bool, silent int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now.Before(h.until) && h.until.Sub(now) <= time.Second {
		h.silent++
		return false, 0
	}
	silent, h.silent, h.until = h.silent, 0, now.Add(time.Second)
	return true, silent
}

// ShareLimits shares the rate limits with the other servers.
func (r *Router) ShareLimits(ctx context.Context) error {
	return r.limits.Share(ctx, r.DB, db.SharedClock)
}
