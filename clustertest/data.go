package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // RFC 6238
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"time"
)

// createData creates a dealership and a key with the command line of the first node.
func (c *cluster) createData(ctx context.Context) error {
	var dealership struct {
		ID    string `json:"dealership_id"`
		Owner struct {
			Email  string
			Secret string `json:"live_totp_secret"`
		}
	}
	if err := c.slipway(ctx, &dealership, "bootstrap", "--name", "Acme Marine", "--owner", "owner@example.com", "--json"); err != nil {
		return err
	}
	code, err := totp(dealership.Owner.Secret, time.Now())
	if err != nil {
		return err
	}
	var key struct{ Key string }
	err = c.slipwayWith(ctx, code+"\n", &key, "keys", "create", "--dealership", dealership.ID, "--environment", "live", "--json", "--rate-limit", "10000",
		"--scopes", "admin,hulls:read,hulls:write,leads:write,deals:read,deals:write", "--user", dealership.Owner.Email)
	if err != nil {
		return err
	}
	c.load = newLoad(key.Key, "", "")
	return nil
}

// totp returns the code of an authenticator app (RFC 6238).
func totp(secret string, at time.Time) (string, error) {
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, at.Unix()/30) // a hash never fails
	sum := mac.Sum(nil)
	number := binary.BigEndian.Uint32(sum[sum[len(sum)-1]&15:]) & 0x7fffffff
	return fmt.Sprintf("%06d", number%1_000_000), nil
}

// slipway runs a command of Slipway and decodes its output.
func (c *cluster) slipway(ctx context.Context, into any, args ...string) error {
	return c.slipwayWith(ctx, "", into, args...)
}

// slipwayWith does the same with an input, such as a two-factor code.
func (c *cluster) slipwayWith(ctx context.Context, input string, into any, args ...string) error {
	env, err := c.environment(c.nodes[0])
	if err != nil {
		return err
	}
	prefix := []string{"netns", "exec", c.nodes[0].namespace(), "setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"}
	cmd := exec.CommandContext(ctx, "ip", append(append(prefix, c.options.slipway), args...)...)
	cmd.Env, cmd.Dir, cmd.Stdin = env, c.nodes[0].folder, strings.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return fmt.Errorf("slipway %s: %w", args[0], err)
	}
	return json.Unmarshal(out, into)
}

// waitUntilUp waits until HAProxy has found a node, and creates the hull and the buyer of
// the deals.
func (l *load) waitUntilUp(ctx context.Context) error {
	status := 0
	for deadline := time.Now().Add(time.Minute); status != http.StatusOK; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) || ctx.Err() != nil {
			return errors.New("HAProxy has found no node")
		}
		status, _, _ = l.send(ctx, http.MethodGet, "/v1/me", "", nil)
	}
	var err error
	location, err := l.create(ctx, "/v1/locations", map[string]any{"name": "Pier"})
	if err != nil {
		return err
	}
	l.hull, err = l.create(ctx, "/v1/hulls", map[string]any{
		"location_id": location, "hin": "ABC12345B324", "year": 2024, "make": "Grady-White", "model": "Freedom 235",
		"condition": "new", "length_ft": 23.5, "price_usd": 124_900,
	})
	if err != nil {
		return err
	}
	l.buyer, err = l.create(ctx, "/v1/contacts", map[string]any{"last_name": "Bell"})
	return err
}

func (l *load) create(ctx context.Context, path string, body map[string]any) (string, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	status, answer, err := l.send(ctx, http.MethodPost, path, "", text)
	if err != nil {
		return "", err
	}
	if status != http.StatusCreated {
		return "", fmt.Errorf("POST %s: status %d: %s", path, status, answer)
	}
	var created struct{ ID string }
	return created.ID, json.Unmarshal(answer, &created)
}
