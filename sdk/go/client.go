// Package slipway calls the API of a Slipway server.
//
//	c := slipway.New("https://slipway.example.com", os.Getenv("SLIPWAY_KEY"))
//	for h, err := range c.Hulls.List(ctx, slipway.HullListParams{Make: "Grady-White"}) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(h.Year, h.Model, h.PriceUSD)
//	}
//
// Files that end in .gen.go are generated from the OpenAPI description of the API.
package slipway

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// Client calls one environment of a dealership: the one its credential belongs to.
// It is safe for concurrent use.
type Client struct {
	Services
	Preview PreviewServices

	base       string
	credential Credential
	http       *http.Client
	header     http.Header
	timeout    time.Duration
	retries    retries
	pages      pages
	onRequest  func(RequestInfo)
	onResponse func(ResponseInfo)
}

// Credential returns the API key, session token or access token to send with a request.
// It is called for each request, also by several at the same time.
type Credential func(ctx context.Context) (string, error)

// Option configures a Client.
type Option func(*Client)

// New returns a client of the server at a base URL, such as https://slipway.example.com.
// The key is an API key or a session token. For OAuth tokens, see WithCredential. An empty
// key is an error of each request. To send requests without one, use WithCredential with a
// function that returns "".
func New(baseURL, key string, opts ...Option) *Client {
	c := &Client{
		base:       strings.TrimRight(baseURL, "/"),
		credential: keyOf(key),
		header:     http.Header{"Service-Version": {Version}, "User-Agent": {"slipway-go/" + Version}},
		timeout:    time.Minute,
		retries:    retries{max: 3, sleep: sleep, random: rand.Float64},
		onRequest:  func(RequestInfo) {},
		onResponse: func(ResponseInfo) {},
	}
	WithHTTPClient(http.DefaultClient)(c)
	for _, o := range opts {
		o(c)
	}
	c.Services, c.Preview = newServices(c), newPreviewServices(c)
	return c
}

// keyOf returns a credential that is a key. A missing one is an error before the first request.
func keyOf(key string) Credential {
	return func(context.Context) (string, error) {
		if key == "" {
			return "", errors.New("the API key is empty. Is SLIPWAY_KEY set?")
		}
		return key, nil
	}
}

// WithCredential replaces the key of New by a function, such as OAuth.Token.
func WithCredential(credential Credential) Option {
	return func(c *Client) { c.credential = credential }
}

// WithHTTPClient replaces http.DefaultClient, for example to use a proxy. Redirects are
// not followed, because the API doesn't redirect.
func WithHTTPClient(h *http.Client) Option {
	return func(c *Client) {
		own := *h
		own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		c.http = &own
	}
}

// WithMaxRetries sets how often a request is sent again at most. Defaults to 3.
func WithMaxRetries(n int) Option { return func(c *Client) { c.retries.max = n } }

// WithTimeout sets how long to wait for a response, for each attempt. Defaults to one
// minute. Uploads have no time limit unless the request sets one. Downloads must start
// within the limit.
func WithTimeout(d time.Duration) Option { return func(c *Client) { c.timeout = d } }

// WithHeader sends a header with each request.
func WithHeader(name, value string) Option { return func(c *Client) { c.header.Set(name, value) } }

// OnRequest calls a function before each attempt, for logs and traces.
func OnRequest(f func(RequestInfo)) Option { return func(c *Client) { c.onRequest = f } }

// OnResponse calls a function after each attempt, for logs and traces.
func OnResponse(f func(ResponseInfo)) Option { return func(c *Client) { c.onResponse = f } }

// RequestInfo describes an attempt, without the body and the credential.
type RequestInfo struct {
	Method         string
	Path           string // with names instead of IDs, such as /v1/hulls/{hull_id}
	Attempt        int    // starts at 1
	IdempotencyKey string
}

// ResponseInfo describes how an attempt ended.
type ResponseInfo struct {
	RequestInfo
	Status    int    // 0 if there was no response
	RequestID string // include it when you contact support
	Duration  time.Duration
	Err       error // nil if the attempt succeeded
}

// RequestOption changes one request.
type RequestOption func(*requestOptions)

type requestOptions struct {
	header   http.Header
	timeout  *time.Duration
	response **http.Response
	page     *Page
}

func newRequestOptions(opts []RequestOption) requestOptions {
	o := requestOptions{header: http.Header{}}
	for _, option := range opts {
		option(&o)
	}
	return o
}

// IdempotencyKey names a write with a UUID. If you send the request again within 24
// hours, even from another process, nothing changes and you get the first response. By
// default, each write has a new key, which its retries share.
func IdempotencyKey(uuid string) RequestOption { return RequestHeader("Idempotency-Key", uuid) }

// IfVersion fails a write with ErrConflict unless the resource is at this version.
func IfVersion(version int64) RequestOption { return RequestHeader("If-Match", quoteVersion(version)) }

// MFAToken sends the token of a two-factor verification.
func MFAToken(token string) RequestOption { return RequestHeader("MFA-Token", token) }

// RequestHeader sends a header.
func RequestHeader(name, value string) RequestOption {
	return func(o *requestOptions) { o.header.Set(name, value) }
}

// RequestTimeout replaces the time limit of the client, for each attempt. 0 means no limit.
func RequestTimeout(d time.Duration) RequestOption {
	return func(o *requestOptions) { o.timeout = &d }
}

// CaptureResponse stores the response, to read headers such as Request-Id. Its body is
// closed, except that of a download.
func CaptureResponse(to **http.Response) RequestOption {
	return func(o *requestOptions) { o.response = to }
}
