package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"

	"slipway/internal/app"
	"slipway/internal/dealership"
	"slipway/internal/identity/access"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// inventory describes the contents of a filled database.
type inventory struct {
	key       string // of the live environment, which has the hulls
	testKey   string // of the test environment, which has one hull of each kind
	env       int64
	locations []string
}

// models are the boats of the inventory: 8 makes with 5 models each, all equally
// frequent. Of a million hulls, each make has 125,000.
var models = map[string][]string{
	"Grady-White":   {"Freedom 235", "Canyon 306", "Fisherman 216", "Express 330", "Adventure 208"},
	"Boston Whaler": {"Montauk 170", "Outrage 280", "Conquest 285", "Vantage 240", "Realm 350"},
	"Sea Ray":       {"Sundancer 320", "SPX 190", "SLX 280", "SDX 250", "Fly 400"},
	"Bayliner":      {"Element M15", "Trophy T20", "Ciera 8", "DX 2000", "VR4 Bowrider"},
	"Bénéteau":      {"Oceanis 38.1", "Antares 8", "First 27", "Gran Turismo 36", "Swift Trawler 41"},
	"Yamaha":        {"AR195", "212X Wake", "FSH 250", "SX190", "252SE"},
	"Malibu":        {"Wakesetter 23 LSV", "Response TXi", "M220", "Axis A24", "Wakesetter 25 LSV"},
	"Lund":          {"Crossover XS", "Pro-V 1875", "Rebel 1650", "Impact 1775", "Tyee 2075"},
}

const kinds = 40 // boats in models

// seed fills an empty database with n hulls. The service creates one of each
// kind in the test environment. SQL copies them to the live environment, with
// different terms, numbers, locations and statuses. So the rows and search terms
// are like those of the service. The price and status histories are not copied,
// because lists and searches don't read them.
func seed(ctx context.Context, d database, n int) (inventory, error) {
	progress("%s: %d hulls", d.name, n)
	inv, err := bootstrap(ctx, d)
	if err != nil {
		return inv, err
	}

	write, read, err := d.open()
	if err != nil {
		return inv, err
	}
	defer write.Close()
	defer read.Close()

	conn, err := write.Conn(ctx)
	if err != nil {
		return inv, err
	}
	defer conn.Close()
	if err := conn.QueryRowContext(ctx, `SELECT env FROM dealerships WHERE mode = 'live'`).Scan(&inv.env); err != nil {
		return inv, err
	}

	indexes, err := indexesOf(ctx, conn, d)
	if err != nil {
		return inv, err
	}

	statements := append([]string{}, d.bulk...)
	for _, i := range indexes {
		statements = append(statements, "DROP INDEX "+i[0]) // rebuilt from sorted rows, which is much faster
	}

	copies, err := copyStatements(ctx, conn, d, inv, n)
	if err != nil {
		return inv, err
	}

	statements = append(statements, copies...)
	for _, i := range indexes {
		statements = append(statements, i[1])
	}
	for _, s := range append(statements, d.loaded...) {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			return inv, fmt.Errorf("%s: %w", s, err)
		}
	}

	return inv, nil
}

// bootstrap migrates the database and uses the service to create a dealership,
// its locations and one hull of each kind.
func bootstrap(ctx context.Context, d database) (inv inventory, err error) {
	a, err := app.Open(ctx, d.settings, slog.New(slog.DiscardHandler))
	if err != nil {
		return inv, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.Migrate(ctx); err != nil {
		return inv, err
	}

	f, err := access.Bootstrap(ctx, a.DB, a.Box, access.NewDealership{Name: "Bench Marine", Owner: "owner@example.com", Plan: dealership.Standard})
	if err != nil {
		return inv, err
	}

	if inv.key, err = issue(ctx, a, f.DealershipID, auth.Live); err != nil {
		return inv, err
	}

	if inv.testKey, err = issue(ctx, a, f.DealershipID, auth.Test); err != nil {
		return inv, err
	}

	for i := range 9 { // the ninth has few hulls
		location, err := post(a, inv.key, "/v1/locations", map[string]any{"name": "Harbor " + strconv.Itoa(i+1)})
		if err != nil {
			return inv, err
		}
		inv.locations = append(inv.locations, location)
	}

	shop, err := post(a, inv.testKey, "/v1/locations", map[string]any{"name": "Catalog"})
	if err != nil {
		return inv, err
	}

	for brand, names := range models {
		for _, model := range names {
			if _, err := post(a, inv.testKey, "/v1/hulls", hullBody(brand, model, shop)); err != nil {
				return inv, err
			}
		}
	}

	return inv, nil
}

// hullBody returns a hull on order, which needs no HIN. The copies have one.
func hullBody(brand, model, location string) map[string]any {
	return map[string]any{
		"make": brand, "model": model, "year": 2024, "length_ft": 23.58, "price_usd": 124900, "location_id": location, "status": "on_order",
		"title": brand + " " + model + " with low hours", "boat_class": "power-center", "received_on": "2024-05-01",
		"description": strings.Repeat("One owner, kept under a roof, serviced every spring. ", 6),
		"metadata":    map[string]string{"lot": "B-17", "source": "boat show"},
	}
}

func issue(ctx context.Context, a *app.App, dealershipID string, mode auth.Mode) (string, error) {
	return db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (string, error) {
		env, err := dealership.FindEnvironment(ctx, tx, dealershipID, mode)
		if err != nil {
			return "", err
		}
		scopes := []auth.Scope{auth.HullsRead, auth.HullsWrite, auth.LeadsRead, auth.LeadsWrite, auth.DealsRead, auth.DealsWrite, auth.Webhooks, auth.Admin}
		issued, err := access.IssueKey(ctx, tx.In(env.Env), mode, access.KeyRequest{Name: "bench", Scopes: scopes})
		return issued.Key, err
	})
}

// post creates a resource and returns its ID.
func post(a *app.App, key, path string, body any) (string, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	req := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(text))
	req.Header.Set("Authorization", "Bearer "+key)
	w := httptest.NewRecorder()
	a.Handler.ServeHTTP(w, req)
	var created struct{ ID string }
	if err := json.Unmarshal(w.Body.Bytes(), &created); err != nil || w.Code != http.StatusCreated {
		return "", fmt.Errorf("POST %s: %d %s", path, w.Code, w.Body)
	}
	return created.ID, nil
}
