package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"slipway/internal/vocab/id"
	"slipway/internal/vocab/wire"
)

// bare shows the minimum cost of these endpoints. It is written by hand with
// net/http and database/sql for exactly the requests of this benchmark.
//
// It reads the API key, finds it in the database and compares its hash. It runs
// the SQL of the service for the hull, the list and the search, with prepared
// statements and pools of the same size. It scans into a struct, writes the same
// bytes with encoding/json, and sets ETag and Content-Length. Create is one
// transaction, equally durable, with the same rows in the same tables.
//
// It doesn't validate parameters or bodies except for decoding them. It has no
// rate limits, scopes, versions, request IDs, logs, metrics, timeouts, compression,
// panic recovery, paging, filters or error kinds, and it copies JSON columns as
// text. Create doesn't check the HIN, the location, duplicates or a repeated
// Idempotency-Key. It doesn't encrypt the response that it stores, and it marks
// the audit entry with a plain hash.
type bare struct {
	write, read              *sql.DB
	sqlite                   bool
	ids                      *id.Source
	byKey, byID, list        *sql.Stmt
	countWord, terms, byTerm *sql.Stmt
	asSent                   func(query string) string
	inserts                  map[string]*sql.Stmt
}

const (
	keyColumns = "env, id, public_id, hash, name, scopes, rate_limit, lineage, pin, created_by, created_at, last_used_at, expires_at, " +
		"revoked_at, rotated_to, dealership_id, mode"
	hullColumns = "env, id, hin, make, model, year, length_ft, price_usd, status, stock_state, location_id, created_at, stock_number, condition, category, " +
		"boat_class, title, description, ownership, hin_country, hin_warnings, hin_absent_reason, price_type, price_hidden, msrp_usd, " +
		"photo_count, published_channels, hold, order_number, expected_on, options, received_on, sold_at, archived_at, previous_hull_id, metadata, version, updated_at, " +
		"timezone, status_before, deal_id, make_key, model_key"

	findKey = "SELECT " + keyColumns + ` FROM (
		SELECT k.*, d.id AS dealership_id, d.mode FROM api_keys k JOIN dealerships d ON d.env = k.env WHERE k.public_id = $1) AS found`
	findHull   = "SELECT " + hullColumns + " FROM hulls WHERE env = $1 AND id = $2"
	listHulls  = "SELECT {h.cols} FROM hulls h WHERE h.env = $1 AND h.archived_at IS NULL ORDER BY h.id DESC LIMIT $2"
	countTerms = "SELECT COUNT(*) FROM (SELECT 1 FROM hull_terms WHERE env = $1 AND term >= $2 AND term < $3 LIMIT $4) AS counted"
	termsIn    = `
		WITH RECURSIVE found (term) AS (
			SELECT * FROM (SELECT term FROM hull_terms WHERE env = $1 AND term >= $2 AND term < $3 ORDER BY term LIMIT 1) AS first
			UNION ALL
			SELECT (SELECT term FROM hull_terms WHERE env = $4 AND term > found.term AND term < $5 ORDER BY term LIMIT 1)
			FROM found WHERE found.term IS NOT NULL
		)
		SELECT term FROM found WHERE term IS NOT NULL LIMIT $6`
	listByTerm = `SELECT {h.cols} FROM hull_terms t JOIN hulls h ON h.env = t.env AND h.id = t.id
		WHERE h.env = $1 AND h.archived_at IS NULL
		AND EXISTS (SELECT 1 FROM hull_terms x WHERE x.env = $2 AND x.id = h.id AND x.term >= $3 AND x.term < $4)
		AND t.env = $5 AND t.term = $6 ORDER BY t.id DESC LIMIT $7`
)

// withColumns replaces {h.cols} in a query by the columns of hulls h.
func withColumns(query string) string {
	return strings.ReplaceAll(query, "{h.cols}", "h."+strings.ReplaceAll(hullColumns, ", ", ", h."))
}

func newBare(ctx context.Context, d database) (*bare, error) {
	b := &bare{sqlite: d.name == "sqlite", ids: id.NewSource(), asSent: d.asSent, inserts: map[string]*sql.Stmt{}}
	var err error
	if b.write, b.read, err = d.open(); err != nil {
		return nil, err
	}
	for query, stmt := range map[string]**sql.Stmt{
		findKey: &b.byKey, findHull: &b.byID, listHulls: &b.list, countTerms: &b.countWord, termsIn: &b.terms, listByTerm: &b.byTerm,
	} {
		if *stmt, err = b.read.PrepareContext(ctx, d.asSent(withColumns(query))); err != nil { //nolint:sqlclosecheck // lives as long as its pool
			return nil, err
		}
	}
	for table, columns := range insertColumns {
		if b.inserts[table], err = b.write.PrepareContext(ctx, d.asSent(insertInto(table, columns))); err != nil { //nolint:sqlclosecheck // lives as long as its pool
			return nil, err
		}
	}
	return b, nil
}

// Close closes the pools and with them the statements.
func (b *bare) Close() error { return errors.Join(b.read.Close(), b.write.Close()) }

func (b *bare) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/hulls/{id}", b.serve(http.StatusOK, b.getHull))
	mux.HandleFunc("GET /v1/hulls", b.serve(http.StatusOK, b.listOrSearch))
	mux.HandleFunc("POST /v1/hulls", b.serve(http.StatusCreated, b.createHull))
	return mux
}

// serve authenticates the request and sends the response of do. An error is a bug
// in the benchmark.
func (b *bare) serve(status int, do func(*http.Request, keyRow) (body []byte, version int64, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		key, err := b.authenticate(req)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		body, version, err := do(req, key)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if version > 0 {
			w.Header().Set("ETag", strconv.Quote(strconv.FormatInt(version, 10)))
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}
}

// keyRow is an API key with its environment.
type keyRow struct {
	env                              int64
	id, publicID, name, lineage, pin string
	hash, scopes, createdBy          []byte
	rateLimit                        *int64
	createdAt                        stamp
	lastUsedAt, expiresAt, revokedAt *stamp
	rotatedTo                        *string
	dealershipID, mode               string
}

func (b *bare) authenticate(req *http.Request) (k keyRow, err error) {
	token, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	if !ok || len(token) < 24 {
		return k, errors.New("no key")
	}
	err = b.byKey.QueryRowContext(req.Context(), token[8:24]).Scan(&k.env, &k.id, &k.publicID, &k.hash, &k.name, &k.scopes, &k.rateLimit,
		&k.lineage, &k.pin, &k.createdBy, &k.createdAt, &k.lastUsedAt, &k.expiresAt, &k.revokedAt, &k.rotatedTo, &k.dealershipID, &k.mode)
	if err != nil {
		return k, err
	}
	if hash := sha256.Sum256([]byte(token)); subtle.ConstantTimeCompare(hash[:], k.hash) != 1 || k.revokedAt != nil || k.expiresAt != nil {
		return k, errors.New("invalid key")
	}
	return k, nil
}

// bareHull is a hull as a row and as JSON.
type bareHull struct {
	Env               int64           `json:"-"`
	ID                string          `json:"id"`
	HIN               *string         `json:"hin"`
	Make              string          `json:"make"`
	Model             string          `json:"model"`
	Year              int64           `json:"year"`
	LengthFt          float64         `json:"length_ft"`
	PriceUSD          int64           `json:"price_usd"`
	Status            string          `json:"status"`
	StockState        string          `json:"stock_state"`
	LocationID        string          `json:"location_id"`
	CreatedAt         stamp           `json:"created_at"`
	StockNumber       *string         `json:"stock_number"`
	Condition         string          `json:"condition"`
	Category          string          `json:"category"`
	BoatClass         *string         `json:"boat_class"`
	Title             *string         `json:"title"`
	Description       *string         `json:"description"`
	Ownership         string          `json:"ownership"`
	HINCountry        *string         `json:"hin_country"`
	HINWarnings       json.RawMessage `json:"hin_warnings"`
	HINAbsentReason   *string         `json:"hin_absent_reason"`
	PriceType         string          `json:"price_type"`
	PriceHidden       bool            `json:"price_hidden"`
	MSRPUSD           *int64          `json:"msrp_usd"`
	PhotoCount        int64           `json:"photo_count"`
	PrimaryPhotoURL   *string         `json:"primary_photo_url"`
	PublishedChannels json.RawMessage `json:"published_channels"`
	Hold              json.RawMessage `json:"hold"`
	OrderNumber       *string         `json:"order_number"`
	ExpectedOn        *string         `json:"expected_on"`
	Options           json.RawMessage `json:"options"`
	ReceivedOn        *string         `json:"received_on"`
	SoldAt            *stamp          `json:"sold_at"`
	ArchivedAt        *stamp          `json:"archived_at"`
	DaysInStock       *int64          `json:"days_in_stock"`
	PreviousHullID    *string         `json:"previous_hull_id"`
	Metadata          json.RawMessage `json:"metadata"`
	Version           int64           `json:"version"`
	UpdatedAt         stamp           `json:"updated_at"`

	timezone             string
	statusBefore, dealID *string
	makeKey, modelKey    string
}

func (h *bareHull) scan(row interface{ Scan(...any) error }) error {
	err := row.Scan(&h.Env, &h.ID, &h.HIN, &h.Make, &h.Model, &h.Year, &h.LengthFt, &h.PriceUSD, &h.Status, &h.StockState, &h.LocationID, &h.CreatedAt,
		&h.StockNumber, &h.Condition, &h.Category, &h.BoatClass, &h.Title, &h.Description, &h.Ownership, &h.HINCountry,
		(*[]byte)(&h.HINWarnings), &h.HINAbsentReason, &h.PriceType, &h.PriceHidden, &h.MSRPUSD, &h.PhotoCount,
		(*[]byte)(&h.PublishedChannels), (*[]byte)(&h.Hold), &h.OrderNumber, &h.ExpectedOn, (*[]byte)(&h.Options), &h.ReceivedOn, &h.SoldAt, &h.ArchivedAt, &h.PreviousHullID,
		(*[]byte)(&h.Metadata), &h.Version, &h.UpdatedAt, &h.timezone, &h.statusBefore, &h.dealID, &h.makeKey, &h.modelKey)
	h.derive()
	return err
}

func (h *bareHull) derive() {
	if h.ReceivedOn == nil {
		return
	}
	until := time.Now()
	if h.SoldAt != nil {
		until = time.Time(*h.SoldAt)
	}
	received, err := time.Parse(time.DateOnly, *h.ReceivedOn)
	zone, known := benchZones[h.timezone]
	if err == nil && known {
		year, month, day := until.In(zone).Date()
		h.DaysInStock = new(max(0, int64(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Sub(received)/(24*time.Hour))))
	}
}

// benchZones has the time zone of the benchmark's only location.
var benchZones = map[string]*time.Location{benchZone: mustLoad(benchZone)}

const benchZone = "America/New_York"

func mustLoad(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

func (b *bare) getHull(req *http.Request, k keyRow) ([]byte, int64, error) {
	var h bareHull
	if err := h.scan(b.byID.QueryRowContext(req.Context(), k.env, req.PathValue("id"))); err != nil {
		return nil, 0, err
	}
	body, err := encode(h)
	return body, h.Version, err
}

// barePage is a first page, newest first.
type barePage struct {
	Data       []bareHull `json:"data"`
	HasMore    bool       `json:"has_more"`
	NextCursor *string    `json:"next_cursor"`
	PrevCursor *string    `json:"prev_cursor"`
}

func (b *bare) listOrSearch(req *http.Request, k keyRow) ([]byte, int64, error) {
	query := req.URL.Query()
	limit, err := strconv.Atoi(query.Get("limit"))
	if err != nil {
		return nil, 0, err
	}
	var p barePage
	if q := query.Get("q"); q == "" {
		p, err = page(req.Context(), limit, b.list, k.env, limit+1)
	} else {
		p, err = b.search(req.Context(), k.env, q, limit)
	}
	if err != nil {
		return nil, 0, err
	}
	body, err := encode(p)
	return body, 0, err
}

// search finds the hulls that have both of two words, with the same steps as the
// service. The rarer word must be a complete term.
func (b *bare) search(ctx context.Context, env int64, q string, limit int) (p barePage, err error) {
	rare, common, _ := strings.Cut(q, " ")
	var counts [2]int
	for i, word := range []string{rare, common} {
		if err := b.countWord.QueryRowContext(ctx, env, word, word+"\U0010FFFF", 2000).Scan(&counts[i]); err != nil {
			return p, err
		}
	}
	if counts[0] > counts[1] {
		rare, common = common, rare
	}
	var term string
	if err := b.terms.QueryRowContext(ctx, env, rare, rare+"\U0010FFFF", env, rare+"\U0010FFFF", 17).Scan(&term); err != nil {
		return p, err
	}
	return page(ctx, limit, b.byTerm, env, env, common, common+"\U0010FFFF", env, term, limit+1)
}

func page(ctx context.Context, limit int, stmt *sql.Stmt, args ...any) (barePage, error) {
	p := barePage{Data: []bareHull{}}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return p, err
	}
	defer rows.Close()
	for rows.Next() {
		var h bareHull
		if err := h.scan(rows); err != nil {
			return p, err
		}
		p.Data = append(p.Data, h)
	}
	if p.HasMore = len(p.Data) > limit; p.HasMore {
		p.Data = p.Data[:limit]
		p.NextCursor = &p.Data[limit-1].ID
	}
	return p, rows.Err()
}

// stamp is a time: TIMESTAMPTZ on PostgreSQL, milliseconds on SQLite.
type stamp time.Time

// Scan reads the column.
func (s *stamp) Scan(src any) error {
	switch v := src.(type) {
	case time.Time:
		*s = stamp(v.UTC())
	case int64:
		*s = stamp(time.UnixMilli(v).UTC())
	default:
		return fmt.Errorf("%T is not a time", src)
	}
	return nil
}

// MarshalJSON writes it as the API does.
func (s stamp) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, len(wire.TimeFormat)+2), '"')
	return append(time.Time(s).AppendFormat(b, wire.TimeFormat), '"'), nil
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}
