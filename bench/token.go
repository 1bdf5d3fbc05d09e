package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	"slipway/internal/app"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/token"
)

// oauthApp is an installed app.
type oauthApp struct{ id, secret string }

// install registers an app and installs it in the live environment.
func install(ctx context.Context, a *app.App, key string) (o oauthApp, err error) {
	req := httptest.NewRequest(http.MethodPost, "/v1/apps",
		strings.NewReader(`{"name": "Bench", "redirect_uris": ["https://example.com/callback"], "scopes": ["hulls:read", "hulls:write"]}`))
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	a.Handler.ServeHTTP(w, req)
	var created struct {
		ID     string `json:"id"`
		Secret string `json:"client_secret"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &created); err != nil || w.Code != http.StatusCreated {
		return o, fmt.Errorf("POST /v1/apps: %d %s", w.Code, w.Body)
	}

	_, err = db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.Exec(ctx, tx, `INSERT INTO installs (env, id, app_env, app_id, scopes, user_id, user_name, version, created_at, updated_at)
			SELECT env, ?, env, id, scopes, 'usr_bench', 'Ann', 1, created_at, updated_at FROM apps WHERE id = ?`, tx.NewID("inst"), created.ID)
	})
	return oauthApp{created.ID, created.Secret}, err
}

// issueToken requests an access token with client credentials.
func issueToken(ctx context.Context, base string, s *stage) (*http.Request, error) {
	form := url.Values{"grant_type": {"client_credentials"}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/oauth/token", strings.NewReader(form.Encode()))
	if err == nil {
		req.SetBasicAuth(s.app.id, s.app.secret)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return req, err
}

const (
	appColumns = "env, id, name, type, redirect_uris, scopes, homepage_url, pin, old_secret_expires_at, secret_hash, old_secret_hash, " +
		"version, created_at, updated_at"
	findApp     = "SELECT " + appColumns + " FROM apps WHERE id = $1"
	findInstall = `SELECT i.env, i.id, i.scopes, i.user_id, i.user_name, d.id, d.mode
		FROM installs i JOIN dealerships d ON d.env = i.env
		WHERE i.app_env = $1 AND i.app_id = $2 AND (i.id = $3 OR $4 = '') ORDER BY i.env LIMIT 2`
)

// issue is the token endpoint of the bare server: it finds the app, compares the
// secret, and adds the token and the audit entry in one transaction.
func (b *bare) issue(w http.ResponseWriter, req *http.Request) {
	body, err := b.issueToken(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(body)
}

func (b *bare) issueToken(req *http.Request) ([]byte, error) {
	ctx := req.Context()
	id, secret, ok := req.BasicAuth()
	if err := req.ParseForm(); err != nil || !ok || req.PostForm.Get("grant_type") != "client_credentials" {
		return nil, errors.New("invalid request")
	}
	var env, version int64
	var appID, appName, pin string
	var text [4]*string
	var hash, old []byte
	var expires *stamp
	var created, updated stamp
	err := b.app.QueryRowContext(ctx, id).Scan(&env, &appID, &appName, &text[0], &text[1], &text[2], &text[3], &pin, &expires,
		&hash, &old, &version, &created, &updated)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256([]byte(secret)); subtle.ConstantTimeCompare(sum[:], hash) != 1 {
		return nil, errors.New("wrong secret")
	}

	tx, err := b.write.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }() // fails after the commit
	w := writer{ctx: ctx, b: b, tx: tx, now: time.Now().UTC().Truncate(time.Millisecond)}
	var installID, scopes, user, userName, dealership, mode string
	row := tx.StmtContext(ctx, b.install).QueryRowContext(ctx, env, id, "", "") //nolint:sqlclosecheck // ends with its transaction
	if err := row.Scan(&env, &installID, &scopes, &user, &userName, &dealership, &mode); err != nil {
		return nil, err
	}

	access, publicID := token.New(token.Access, auth.Mode(mode))
	tokenID := b.ids.New("tok", w.now)
	w.insert("oauth_tokens", env, tokenID, publicID, token.Hash(access), "at", installID, nil, scopes, w.at(w.now), w.at(w.now.Add(time.Hour)), nil, nil)
	changes := fmt.Sprintf(`{"grant_type":[null,"client_credentials"],"install_id":[null,%q],"scopes":[null,%s]}`, installID, scopes)
	mark := sha256.Sum256([]byte(changes))
	w.insert("audit_entries", env, b.ids.New("aud", w.now), w.at(w.now), "app", appID, appName+" ("+userName+")", "token.granted", "token", tokenID,
		b.ids.New("req", w.now), "127.0.0.1", req.UserAgent(), changes, "success", mark[:])
	if w.err == nil {
		w.err = tx.Commit()
	}
	if w.err != nil {
		return nil, w.err
	}
	return json.Marshal(map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": 3600, "scope": strings.Join([]string{"hulls:read", "hulls:write"}, " "),
		"install_id": installID, "environment": mode, "dealership_id": dealership,
	})
}
