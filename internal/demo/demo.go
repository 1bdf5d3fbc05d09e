// Package demo furnishes a dealership that never was, for a first look at the
// service: about two hundred boats and what happened to them in the last year,
// some people who want one, and some who bought.
//
// Everything is entered through the API itself, with the clock set back, so
// that histories, events and the audit log are what they would be. It is the
// same on every start, except for ids, keys and the dates, which follow today.
package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/pquerna/otp/totp"

	"slipway/internal/access"
	"slipway/internal/app"
	"slipway/internal/channels"
	"slipway/internal/dealership"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/wire"
)

// Name is the dealership's.
const Name = "Chesapeake Marine"

const owner = "owner@chesapeakemarine.example"

// rate is generous: a visitor should meet the limits only by trying to.
const rate = 1000

// Summary is what a visitor needs: a key for each environment, with every
// scope, and a location of the test environment to add boats to.
type Summary struct{ TestKey, LiveKey, LocationID string }

// Seed fills the empty service that the settings name. It opens and closes
// it, so that neither the clock nor a thousand log lines are left behind.
func Seed(ctx context.Context, set app.Settings, now time.Time) (Summary, error) {
	return furnish(ctx, set, now, fleet)
}

func furnish(ctx context.Context, set app.Settings, now time.Time, fleet func() []*boat) (w Summary, err error) {
	a, err := app.Open(ctx, set, slog.New(slog.DiscardHandler))
	if err != nil {
		return w, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.Migrate(ctx); err != nil {
		return w, err
	}
	o := &office{App: a, now: now.AddDate(0, 0, -days-1)}
	a.DB.Now = func() time.Time { return o.now }
	test, live, err := o.found(ctx)
	if err != nil {
		return w, err
	}
	var acts []act
	var boats []*boat
	for _, d := range []*desk{live, test} {
		lot := map[string]*boat{}
		for _, b := range fleet() {
			if d == live && b.number%8 != 0 {
				continue // a few will do
			}
			b.desk, lot[b.stockNumber()] = d, b
			acts, boats = append(acts, b.life(now)...), append(boats, b)
		}
		for i, b := range buyers() {
			if d == live && i > 1 {
				break
			}
			b.desk, b.boats = d, lot
			acts = append(acts, b.acts(now)...)
		}
		for _, s := range sales() {
			s.desk, s.boats = d, lot
			acts = append(acts, s.acts(now)...)
		}
	}
	// Ids follow the clock and never go back: what happened first comes first.
	slices.SortStableFunc(acts, func(a, b act) int { return a.at.Compare(b.at) })
	for _, act := range acts {
		if err := o.perform(ctx, act); err != nil {
			return w, err
		}
	}
	o.now = now.Add(-time.Hour)
	for _, b := range boats {
		if err := o.photograph(ctx, b); err != nil {
			return w, err
		}
	}
	return Summary{TestKey: test.key, LiveKey: live.key, LocationID: test.lots["ANN"]}, nil
}

// office enters what happens, at the time when it happens.
type office struct {
	*app.App
	now time.Time
}

// desk is one environment: its credential, and the ids of its locations.
type desk struct {
	key  string
	lots map[string]string
}

// found opens the dealership's two environments.
func (o *office) found(ctx context.Context) (test, live *desk, err error) {
	f, err := access.Bootstrap(ctx, o.DB, o.Box, Name, owner, dealership.Fleet)
	if err != nil {
		return nil, nil, err
	}
	request := access.KeyRequest{Name: "Inventory desk", RateLimit: new(int64(rate))}
	for _, s := range auth.Scopes {
		request.Scopes = append(request.Scopes, s.Scope)
	}
	open := func(mode auth.Mode) (*desk, error) {
		code, err := totp.GenerateCode(f.Owner.TOTPSecret(mode), o.now)
		if err != nil {
			return nil, err
		}
		k, err := access.IssueKeyFromCommandLine(ctx, o.DB, o.Box, f.DealershipID, mode, request, access.Operator{Email: owner, Code: code})
		if err != nil {
			return nil, err
		}
		d := &desk{key: k.Key, lots: map[string]string{}}
		return d, errors.Join(o.rent(ctx, d), o.advertise(ctx, d))
	}
	if test, err = open(auth.Test); err != nil {
		return nil, nil, err
	}
	live, err = open(auth.Live)
	return test, live, err
}

// rent adds the locations.
func (o *office) rent(ctx context.Context, d *desk) error {
	for _, l := range []struct{ code, name, line1, city, postal, phone string }{
		{"ANN", "Annapolis", "410 Severn Avenue", "Annapolis", "21403", "+14105550142"},
		{"BAL", "Baltimore", "2736 Lighthouse Point", "Baltimore", "21224", "+14105550187"},
	} {
		var made struct{ ID string }
		if err := o.send(ctx, d.key, http.MethodPost, "/v1/locations", map[string]any{
			"name": l.name, "code": l.code, "phone": l.phone,
			"address": map[string]any{"line1": l.line1, "city": l.city, "region": "MD", "postal_code": l.postal, "country": "US"},
		}, &made); err != nil {
			return err
		}
		d.lots[l.code] = made.ID
	}
	return nil
}

// advertise opens the channels that show the boats.
func (o *office) advertise(ctx context.Context, d *desk) error {
	for _, c := range []channels.ChannelCreate{
		{Name: "Boat Trader", Kind: "boat_trader", Format: "xml", Filter: &channels.ChannelFilter{Conditions: []string{"new", "demo"}}, AutoPublish: true},
		{Name: "Our website", Kind: "website", Format: "json", AutoPublish: true},
	} {
		if err := o.send(ctx, d.key, http.MethodPost, "/v1/channels", c, nil); err != nil {
			return err
		}
	}
	return nil
}

// photograph gives some boats a picture. Its sizes are made once the service
// runs. The boats of the README's tour are left as they are.
func (o *office) photograph(ctx context.Context, b *boat) error {
	if b.number%12 != 5 {
		return nil
	}
	data, err := b.paint()
	if err != nil {
		return err
	}
	return o.send(ctx, b.desk.key, http.MethodPost, "/v1/hulls/"+b.id+"/photos?caption="+url.QueryEscape(b.model["model"]), photo(data), nil)
}

// photo is a request body that is not JSON.
type photo []byte

func (o *office) perform(ctx context.Context, a act) error {
	o.now = a.at
	if a.buyer != nil {
		return a.buyer.perform(ctx, o, a)
	}
	if a.sale != nil {
		return a.sale.perform(ctx, o, a)
	}
	if a.boat.id != "" {
		return o.send(ctx, a.boat.desk.key, a.method, "/v1/hulls/"+a.boat.id+a.path, a.body, nil)
	}
	var made struct{ ID string }
	err := o.send(ctx, a.boat.desk.key, a.method, "/v1/hulls", a.body, &made)
	a.boat.id = made.ID
	return err
}

// send calls the API in process and reads the answer into out, if given.
func (o *office) send(ctx context.Context, key, method, path string, body, out any) error {
	kind := "application/json"
	text, err := wire.Marshal(body)
	if p, ok := body.(photo); ok {
		kind, text = "image/jpeg", p
	}
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", kind)
	res := &answer{header: http.Header{}}
	o.Handler.ServeHTTP(res, req)
	if res.status >= 300 {
		return fmt.Errorf("%s %s %.500s: %s", method, path, text, res.body.Bytes())
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(res.body.Bytes(), out)
}

// answer keeps a response in memory.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }
