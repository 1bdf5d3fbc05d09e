package slipway

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// OAuth is the credential of an app that a dealership installed:
//
//	o := &slipway.OAuth{TokenURL: base + "/oauth/token", ClientID: id, ClientSecret: secret, Tokens: stored, Save: save}
//	c := slipway.New(base, "", slipway.WithCredential(o.Token))
//
// It gets a new access token shortly before the old one expires. Requests that wait for it
// share one refresh. Don't copy it, and don't change its fields after the first request.
type OAuth struct {
	// Token endpoint, such as https://slipway.example.com/oauth/token.
	TokenURL string
	ClientID string
	// Empty for a public app.
	ClientSecret string
	// Install to act for. Only used without a refresh token.
	InstallID string
	// Tokens that you have. Without a refresh token, the app gets tokens with its secret.
	Tokens Tokens
	// Stores new tokens, before the first request uses them. A refresh token works only once,
	// so without this, the app must be allowed again after a restart.
	Save func(ctx context.Context, t Tokens) error
	// Defaults to http.DefaultClient.
	HTTPClient *http.Client

	mu      sync.Mutex
	running *refresh
	now     func() time.Time
	retries *retries
}

// Tokens are an access token and what replaces it.
type Tokens struct {
	AccessToken  string    `json:"access_token"`
	RefreshToken string    `json:"refresh_token,omitempty"`
	ExpiresAt    time.Time `json:"expires_at"`
}

// refresh is a request for new tokens. Its fields can be read after done is closed.
type refresh struct {
	done  chan struct{}
	token string
	err   error
}

// early is how long before its expiration an access token is replaced.
const early = time.Minute

// Token returns an access token that is valid. It is a Credential.
func (o *OAuth) Token(ctx context.Context) (string, error) {
	o.mu.Lock()
	if o.now == nil {
		o.now = time.Now
	}
	if o.Tokens.AccessToken != "" && o.now().Add(early).Before(o.Tokens.ExpiresAt) {
		defer o.mu.Unlock()
		return o.Tokens.AccessToken, nil
	}
	r := o.running
	if r == nil {
		r = &refresh{done: make(chan struct{})}
		o.running = r
		go o.refresh(context.WithoutCancel(ctx), r, o.Tokens)
	}
	o.mu.Unlock()

	select {
	case <-r.done:
		return r.token, r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// refresh gets and stores new tokens. It continues if the request that started it ends,
// because others can be waiting.
func (o *OAuth) refresh(ctx context.Context, r *refresh, old Tokens) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tokens, err := o.request(ctx, old)
	if err == nil && o.Save != nil {
		err = o.Save(ctx, tokens)
	}

	o.mu.Lock()
	defer o.mu.Unlock()
	if tokens.AccessToken != "" {
		o.Tokens = tokens // also if they can't be stored, because the old ones don't work anymore
	}
	r.token, r.err, o.running = tokens.AccessToken, err, nil
	close(r.done)
}

// request asks the token endpoint. If the response was lost, the old refresh token
// returns the same tokens again for 30 seconds.
func (o *OAuth) request(ctx context.Context, old Tokens) (tokens Tokens, err error) {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {o.ClientID}}
	if o.ClientSecret != "" {
		form.Set("client_secret", o.ClientSecret)
	}
	if old.RefreshToken != "" {
		form.Set("grant_type", "refresh_token")
		form.Set("refresh_token", old.RefreshToken)
	} else if o.InstallID != "" {
		form.Set("install_id", o.InstallID)
	}
	policy := o.retries
	if policy == nil {
		policy = &retries{max: 3, sleep: sleep, random: rand.Float64}
	}
	err = policy.do(ctx, func(int) error {
		tokens, err = o.send(ctx, form)
		return err
	}, func() bool { return true })
	if err != nil {
		return Tokens{}, err
	}
	if tokens.RefreshToken == "" {
		tokens.RefreshToken = old.RefreshToken
	}
	return tokens, nil
}

func (o *OAuth) send(ctx context.Context, form url.Values) (Tokens, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.TokenURL, strings.NewReader(form.Encode()))
	if err != nil {
		return Tokens{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	client := o.HTTPClient
	if client == nil {
		client = http.DefaultClient
	}
	start := o.now()
	res, err := client.Do(req)
	if err != nil {
		return Tokens{}, &noResponse{http.MethodPost, o.TokenURL, err}
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return Tokens{}, &noResponse{http.MethodPost, o.TokenURL, err}
	}

	var answer struct {
		Tokens
		ExpiresIn   int64  `json:"expires_in"`
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if res.StatusCode != http.StatusOK {
		if json.Unmarshal(text, &answer) != nil || answer.Error == "" {
			return Tokens{}, parseError(res, text, o.now())
		}
		return Tokens{}, &Error{Status: res.StatusCode, Code: ErrorCode(answer.Error), Message: answer.Description,
			RequestID: res.Header.Get("Request-Id"), RetryAfter: retryAfter(res.Header.Get("Retry-After"), o.now())}
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return Tokens{}, fmt.Errorf("slipway: decode the tokens: %w", err)
	}
	answer.ExpiresAt = start.Add(time.Duration(answer.ExpiresIn) * time.Second)
	return answer.Tokens, nil
}
