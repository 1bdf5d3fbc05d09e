package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/token"
)

// oauthApp is an app that is installed in the live environment.
type oauthApp struct{ id, secret string }

// issueToken requests an access token with the credentials of the app. It has no
// refresh token, so each request does the same work.
func issueToken(ctx context.Context, base string, s *stage) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/oauth/token", strings.NewReader("grant_type=client_credentials"))
	if err == nil {
		req.SetBasicAuth(s.app.id, s.app.secret)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return req, err
}

// installApp creates an app with the service. It inserts the install, because a user
// would have to sign in and allow it.
func (s *stage) installApp(ctx context.Context, b *bare) error {
	body := `{"name": "Bench", "redirect_uris": ["https://bench.example.com"], "scopes": ["hulls:read"]}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.ours+"/v1/apps", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	text, err := send(req, http.StatusCreated)
	if err != nil {
		return err
	}
	var made struct {
		ID           string
		ClientSecret string `json:"client_secret"`
	}
	if err := json.Unmarshal(text, &made); err != nil {
		return err
	}

	s.app = oauthApp{made.ID, made.ClientSecret}
	w := writer{b: b, now: time.Now().UTC()}
	_, err = b.write.ExecContext(ctx, b.asSent(`INSERT INTO installs (env, id, app_env, app_id, scopes, user_id, user_name, version, created_at, updated_at)
		VALUES ($1, $2, $3, $4, '["hulls:read"]', 'usr_bench', 'Ann Bell', 1, $5, $6)`),
		s.env, b.ids.New("inst", w.now), s.env, made.ID, w.at(w.now), w.at(w.now))
	return err
}

const (
	appColumns = "env, id, name, type, redirect_uris, scopes, homepage_url, pin, old_secret_expires_at, secret_hash, old_secret_hash, version, " +
		"created_at, updated_at"
	findClient   = "SELECT " + appColumns + " FROM apps WHERE id = $1"
	findInstalls = `SELECT env, id, scopes, user_id, user_name, dealership_id, mode FROM (SELECT i.*, d.id AS dealership_id, d.mode
		FROM installs i JOIN dealerships d ON d.env = i.env WHERE i.app_env = $1 AND i.app_id = $2 AND (i.id = $3 OR $4 = '')) AS found
		ORDER BY env LIMIT 2`
)

// clientRow is an app as the token endpoint reads it.
type clientRow struct {
	env, version                             int64
	id, name, kind, redirects, scopes, pin   string
	homepage                                 *string
	secretHash, oldSecretHash                []byte
	oldSecretExpiresAt, createdAt, updatedAt any
}

// issue is the token endpoint for client credentials.
func (b *bare) issue(w http.ResponseWriter, req *http.Request) {
	id, secret, _ := req.BasicAuth()
	if err := req.ParseForm(); err != nil || req.PostForm.Get("grant_type") != "client_credentials" {
		http.Error(w, "invalid_request", http.StatusBadRequest)
		return
	}
	var c clientRow
	err := b.byClient.QueryRowContext(req.Context(), id).Scan(&c.env, &c.id, &c.name, &c.kind, &c.redirects, &c.scopes, &c.homepage, &c.pin,
		&c.oldSecretExpiresAt, &c.secretHash, &c.oldSecretHash, &c.version, &c.createdAt, &c.updatedAt)
	given := sha256.Sum256([]byte(secret))
	if err != nil || subtle.ConstantTimeCompare(given[:], c.secretHash) != 1 {
		http.Error(w, "invalid_client", http.StatusUnauthorized)
		return
	}
	body, err := b.insertToken(req, c)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(body)
}

// insertToken writes the token and the audit entry in one transaction.
func (b *bare) insertToken(req *http.Request, c clientRow) ([]byte, error) {
	tx, err := b.write.BeginTx(req.Context(), nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }() // fails after the commit

	var env int64
	var install, scopes, user, userName, dealership, mode string
	row := tx.StmtContext(req.Context(), b.installsOf).QueryRowContext(req.Context(), c.env, c.id, "", "") //nolint:sqlclosecheck // ends with its transaction
	if err := row.Scan(&env, &install, &scopes, &user, &userName, &dealership, &mode); err != nil {
		return nil, err
	}

	now := time.Now().UTC().Truncate(time.Millisecond)
	w := writer{ctx: req.Context(), b: b, tx: tx, now: now}
	text, publicID := token.New(token.Access, auth.Mode(mode))
	hash, tokenID := sha256.Sum256([]byte(text)), b.ids.New("tok", now)
	w.insert("oauth_tokens", env, tokenID, publicID, hash[:], "at", install, scopes, w.at(now), w.at(now.Add(time.Hour)))
	changes := fmt.Sprintf(`{"grant_type":[null,"client_credentials"],"install_id":[null,%q],"scopes":[null,%s]}`, install, scopes)
	mark := sha256.Sum256([]byte(changes))
	w.insert("audit_entries", env, b.ids.New("aud", now), w.at(now), "app", c.id, c.name+" ("+userName+")", "token.granted", "token", tokenID,
		b.ids.New("req", now), "127.0.0.1", req.UserAgent(), changes, "success", mark[:])
	if w.err == nil {
		w.err = tx.Commit()
	}
	if w.err != nil {
		return nil, w.err
	}
	return json.Marshal(map[string]any{
		"access_token": text, "token_type": "Bearer", "expires_in": 3600, "scope": "hulls:read",
		"install_id": install, "environment": mode, "dealership_id": dealership,
	})
}

// checkSameToken fails unless both servers write the same number of rows for a token,
// and the service accepts the tokens of both.
func (s *stage) checkSameToken(ctx context.Context, ask func(string, operation) ([]byte, error), op operation) error {
	for _, base := range []string{s.ours, s.bare} {
		before, err := s.countTokens(ctx)
		if err != nil {
			return err
		}
		response, err := ask(base, op)
		if err != nil {
			return err
		}
		after, err := s.countTokens(ctx)
		if err != nil {
			return err
		}
		if after[0]-before[0] != 1 || after[1]-before[1] != 1 {
			return fmt.Errorf("%s added %d tokens and %d audit entries", base, after[0]-before[0], after[1]-before[1])
		}

		var issued struct {
			AccessToken string `json:"access_token"`
		}
		if err := json.Unmarshal(response, &issued); err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.ours+"/v1/me", nil)
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+issued.AccessToken)
		if me, err := send(req, http.StatusOK); err != nil || !bytes.Contains(me, []byte(s.app.id)) {
			return fmt.Errorf("token of %s: %s: %w", base, me, err)
		}
	}
	return nil
}

func (s *stage) countTokens(ctx context.Context) (n [2]int64, err error) {
	for i, table := range []string{"oauth_tokens", "audit_entries"} {
		if err := s.raw.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+table).Scan(&n[i]); err != nil {
			return n, err
		}
	}
	return n, nil
}
