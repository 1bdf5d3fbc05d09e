// Package demo creates a demo dealership: about 200 boats with a history of the
// last year, the leads and deals of the last months, and the staff.
//
// All data is created with API requests at the time of the event, so histories,
// events and the audit log are realistic. The demo is the same on each start,
// except for IDs, keys and dates, which depend on the current time.
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

	"slipway/internal/app"
	"slipway/internal/channels"
	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/identity/access"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/wire"
)

// Name is the name of the dealership.
const Name = "Chesapeake Marine"

const owner = "owner@chesapeakemarine.example"

// rate is the rate limit of the keys. It is high, so that you only reach it on purpose.
const rate = 1000

// Summary contains what the greeting shows: the dealership, a key for each environment, with all
// scopes, a location of the test environment, the path of the website's feed in it, the path of the website, a
// password for the staff, the key of the owner's authenticator app in test, and the email
// addresses of some users by role.
type Summary struct {
	DealershipID, TestKey, LiveKey, LocationID, FeedPath, Website, Salesperson, Password, Authenticator string

	Users []User
}

// User is a user whom you can sign in as.
type User struct{ Role, Email string }

// Seed fills an empty database. It uses its own App, because it changes the clock
// and discards the log.
func Seed(ctx context.Context, set app.Settings, now time.Time) (Summary, error) {
	return seed(ctx, set, now, fleet)
}

func seed(ctx context.Context, set app.Settings, now time.Time, fleet func() []*boat) (w Summary, err error) {
	a, err := app.Open(ctx, set, slog.New(slog.DiscardHandler))
	if err != nil {
		return w, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.Migrate(ctx); err != nil {
		return w, err
	}

	s := &seeder{App: a, started: now, now: now.AddDate(0, 0, -days-1)}
	a.DB.Now = func() time.Time { return s.now }
	password := newPassword()
	test, live, err := s.createDealership(ctx, password)
	if err != nil {
		return w, err
	}

	var requests []request
	var boats []*boat
	for _, e := range []*environment{live, test} {
		byStockNumber, inStock := map[string]*boat{}, []*boat{}
		for _, b := range fleet() {
			if e == live && b.number%8 != 0 {
				continue // the live environment only has a few boats
			}
			b.env, byStockNumber[b.stockNumber()] = e, b
			history := b.requests(now)
			b.added = history[0].at
			requests, boats, inStock = append(requests, history...), append(boats, b), append(inStock, b)
		}
		asking := inquiries(now, inStock)
		leads, deals, err := story()
		if err != nil {
			return w, err
		}
		for i, b := range append(leads, asking...) {
			if e == live && i > 1 {
				break
			}
			b.env, b.boats = e, byStockNumber
			requests = append(requests, b.requests(now)...)
		}
		if e == test {
			requests = append(requests, visits(now, asking)...)
		}
		for _, s := range deals {
			s.env, s.boats = e, byStockNumber
			requests = append(requests, s.requests(now)...)
		}
	}

	// Drawing takes a while, so it is done in the meantime.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pictures := draw(ctx, boats)

	// IDs contain the time and always increase, so the oldest request must be first.
	slices.SortStableFunc(requests, func(a, b request) int { return a.at.Compare(b.at) })
	for _, r := range requests {
		if err := s.run(ctx, r); err != nil {
			return w, err
		}
	}

	s.now = now.Add(-4 * time.Hour) // before what developers did
	for p := range pictures {
		if err := s.addPhoto(ctx, p); err != nil {
			return w, err
		}
	}
	for _, e := range []*environment{live, test} {
		if err := s.addWebsite(ctx, e); err != nil {
			return w, err
		}
	}
	if err := s.addIntegration(ctx, test, boats[len(boats)-1]); err != nil {
		return w, err
	}
	if err := s.addCampaigns(ctx, test); err != nil {
		return w, err
	}
	if err := s.addPlan(ctx, test); err != nil {
		return w, err
	}
	if err := s.addSnippetsAndViews(ctx, test); err != nil {
		return w, err
	}
	if err := s.addProposals(ctx, test); err != nil {
		return w, err
	}
	if err := s.addMailbox(ctx, test, asked(boats, test)); err != nil {
		return w, err
	}
	return Summary{
		DealershipID: s.dealership, TestKey: test.key, LiveKey: live.key, LocationID: test.locations["ANN"], FeedPath: test.feed, Website: test.website, Salesperson: staff[0].email(),
		Password: password, Authenticator: s.authenticator, Users: users(),
	}, nil
}

// seeder sends requests at a time in the past.
type seeder struct {
	*app.App
	started time.Time // the current time

	dealership    string
	authenticator string    // the owner's key in test
	now           time.Time // what the database uses
}

// environment is one environment of the dealership: its API key, the paths of its website and
// of its feed, the IDs of its locations by code, and the IDs of its users by name.
type environment struct {
	env              auth.Env
	mode             auth.Mode
	key, feed        string
	website, channel string // the ID of its channel
	locations, staff map[string]string
}

// createDealership creates the dealership with both environments.
func (s *seeder) createDealership(ctx context.Context, password string) (test, live *environment, err error) {
	f, err := access.Bootstrap(ctx, s.DB, s.Box, access.NewDealership{Name: Name, Owner: owner, Plan: dealership.Fleet})
	if err != nil {
		return nil, nil, err
	}
	s.dealership, s.authenticator = f.DealershipID, f.Owner.TOTPSecret(auth.Test)
	hashes := s.hashPasswords(password)
	in := access.KeyRequest{Name: "Inventory desk", RateLimit: new(int64(rate))}
	for _, s := range auth.Scopes {
		in.Scopes = append(in.Scopes, s.Scope)
	}
	open := func(mode auth.Mode) (*environment, error) {
		code, err := totp.GenerateCode(f.Owner.TOTPSecret(mode), s.now)
		if err != nil {
			return nil, err
		}
		operator := access.Operator{Email: owner, Code: code}
		k, err := access.IssueKeyFromCommandLine(ctx, s.DB, s.Box, access.CommandKey{DealershipID: f.DealershipID, Mode: mode, Key: in, By: operator})
		if err != nil {
			return nil, err
		}
		d, err := db.Read(ctx, s.DB, func(ctx context.Context, tx *db.Tx) (dealership.Dealership, error) {
			return dealership.FindEnvironment(ctx, tx, f.DealershipID, mode)
		})
		if err != nil {
			return nil, err
		}
		e := &environment{env: d.Env, mode: mode, key: k.Key, locations: map[string]string{}, staff: map[string]string{}}
		return e, errors.Join(s.addLocations(ctx, e), s.addStaff(ctx, e, hashes), s.nameOwner(ctx, e), s.addChannels(ctx, e))
	}
	if test, err = open(auth.Test); err != nil {
		return nil, nil, err
	}
	live, err = open(auth.Live)
	return test, live, err
}

func (s *seeder) addLocations(ctx context.Context, e *environment) error {
	for _, l := range []struct{ code, name, line1, city, postal, phone string }{
		{"ANN", "Annapolis", "410 Severn Avenue", "Annapolis", "21403", "+14105550142"},
		{"BAL", "Baltimore", "2736 Lighthouse Point", "Baltimore", "21224", "+14105550187"},
	} {
		var created struct{ ID string }
		if err := s.as(e.key).send(ctx, http.MethodPost, "/v1/locations", object{
			"name": l.name, "code": l.code, "phone": l.phone,
			"address":     object{"line1": l.line1, "city": l.city, "region": "MD", "postal_code": l.postal, "country": "US"},
			"buyer_taxes": []any{object{"region": "DE", "exempt_reason": "Principal use in Delaware"}},
			"default_taxes": []any{
				object{"name": "Maryland vessel excise tax", "rate_percent": "5", "base": "deal", "cap_cents": 1_610_000, "jurisdiction": "Maryland"},
			},
			"trade_tax_credit": true,
		}, &created); err != nil {
			return err
		}
		e.locations[l.code] = created.ID
	}
	return nil
}

func (s *seeder) addChannels(ctx context.Context, e *environment) error {
	for _, c := range []channels.ChannelCreate{
		{
			Name: "Boat Trader", Kind: "boat_trader", Format: "xml", AutoPublish: true,
			Filter: &channels.ChannelFilter{Conditions: []hulls.Condition{"new", "demo"}},
			Rules:  &channels.ChannelRules{PhotosMin: new(int64(3)), Price: true},
		},
		{
			Name: "Our website", Kind: "website", Format: "json", AutoPublish: true, Filter: &channels.ChannelFilter{PreOrders: true},
			ListingURL: new("https://chesapeake-marine.example.com/boats/{stock_number}"),
		},
	} {
		var created channels.Channel
		if err := s.as(e.key).send(ctx, http.MethodPost, "/v1/channels", c, &created); err != nil {
			return err
		}
		u, err := url.Parse(*created.FeedURL)
		if err != nil {
			return err
		}
		e.feed, e.channel = u.Path, created.ID // the address of the demo is not known yet
	}
	return nil
}

// addPhoto adds a photo to a boat. A job creates the sizes when the server runs.
func (s *seeder) addPhoto(ctx context.Context, p picture) error {
	if p.err != nil {
		return p.err
	}
	path := "/v1/hulls/" + p.boat.id + "/photos?caption=" + url.QueryEscape(p.boat.model["model"])
	return s.as(p.boat.env.key).send(ctx, http.MethodPost, path, photo(p.jpeg), nil)
}

// photo is a request body that is not JSON.
type photo []byte

// run sends a request at its time.
func (s *seeder) run(ctx context.Context, r request) error {
	s.now = r.at
	switch {
	case r.buyer != nil:
		return r.buyer.run(ctx, s, r)
	case r.sale != nil:
		return r.sale.run(ctx, s, r)
	case r.visit != nil:
		return r.visit.run(ctx, s, r)
	case r.boat.id != "":
		return s.as(r.boat.env.key).send(ctx, r.method, "/v1/hulls/"+r.boat.id+r.path, r.body, nil)
	}

	var created struct{ ID string }
	err := s.as(r.boat.env.key).send(ctx, r.method, "/v1/hulls", r.body, &created)
	r.boat.id = created.ID
	return err
}

// caller calls the API with a key.
type caller struct {
	seeder *seeder
	key    string
}

func (s *seeder) as(key string) caller { return caller{s, key} }

// send calls the API in this process and decodes the response into out, unless
// out is nil.
func (c caller) send(ctx context.Context, method, path string, body, out any) error {
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
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", kind)
	res := &response{header: http.Header{}}
	c.seeder.Handler.ServeHTTP(res, req)
	if res.status >= 300 {
		return fmt.Errorf("%s %s %.500s: %s", method, path, text, res.body.Bytes())
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(res.body.Bytes(), out)
}

// response stores a response in memory.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *response) Header() http.Header         { return r.header }
func (r *response) WriteHeader(status int)      { r.status = status }
func (r *response) Write(b []byte) (int, error) { return r.body.Write(b) }
