package main

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"slipway/internal/vocab/version"
)

// insertColumns are the columns of the rows of a new hull, one row in each table.
// hull_terms has a row for each term.
var insertColumns = map[string]string{
	"hulls":              hullColumns,
	"hull_pricing":       "env, id, price_usd, original_price_usd, price_hidden, price_type, effective_at, version, updated_at",
	"hull_price_changes": "env, id, hull_id, new_price_usd, actor, at",
	"hull_history":       "env, id, hull_id, to_status, to_location_id, actor, at",
	"audit_entries": "env, id, at, actor_type, actor_id, actor_label, action, target_type, target_id, request_id, ip, user_agent, " +
		"changes, outcome, mark",
	"event_sequences":  "env, object_id, last",
	"outbox":           eventColumns,
	"events":           eventColumns,
	"idempotency_keys": "env, lineage, key, fingerprint, status, header, body, created_at",
}

const eventColumns = "env, id, type, object_id, sequence, request_id, idempotency_key, api_version, data, created_at"

func insertInto(table, columns string) string {
	marks := make([]string, strings.Count(columns, ",")+1)
	for i := range marks {
		marks[i] = "$" + strconv.Itoa(i+1)
	}
	return "INSERT INTO " + table + " (" + columns + ") VALUES (" + strings.Join(marks, ", ") + ")"
}

// hullCreate is the body of a create request.
type hullCreate struct {
	HIN         *string         `json:"hin"`
	Make        string          `json:"make"`
	Model       string          `json:"model"`
	Year        int64           `json:"year"`
	LengthFt    float64         `json:"length_ft"`
	PriceUSD    int64           `json:"price_usd"`
	LocationID  string          `json:"location_id"`
	StockNumber *string         `json:"stock_number"`
	BoatClass   *string         `json:"boat_class"`
	Title       *string         `json:"title"`
	Description *string         `json:"description"`
	ReceivedOn  *string         `json:"received_on"`
	Metadata    json.RawMessage `json:"metadata"`
	Status      string          `json:"status"`
}

func (b *bare) createHull(req *http.Request, k keyRow) ([]byte, int64, error) {
	text, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, 0, err
	}

	var c hullCreate
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, 0, err
	}

	tx, err := b.write.BeginTx(req.Context(), nil)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = tx.Rollback() }() // fails after the commit

	now := time.Now().UTC().Truncate(time.Millisecond)
	h := bareHull{
		Env: k.env, ID: b.ids.New("hull", now), HIN: c.HIN, Make: c.Make, Model: c.Model, Year: c.Year,
		LengthFt: c.LengthFt, PriceUSD: c.PriceUSD,
		Status: c.Status, StockState: "in_stock", LocationID: c.LocationID, CreatedAt: stamp(now), StockNumber: c.StockNumber, Condition: "new", Category: "power",
		BoatClass: c.BoatClass, Title: c.Title, Description: c.Description, Ownership: "owned", HINWarnings: json.RawMessage("[]"),
		PriceType: "asking", timezone: benchZone,
		PublishedChannels: json.RawMessage("[]"), Options: json.RawMessage("[]"), ReceivedOn: c.ReceivedOn, Metadata: c.Metadata, Version: 1, UpdatedAt: stamp(now),
		makeKey: strings.ToLower(c.Make), modelKey: strings.ToLower(c.Model),
	}
	h.derive()

	body, err := encode(h)
	if err != nil {
		return nil, 0, err
	}

	w := writer{ctx: req.Context(), b: b, tx: tx, now: now}
	w.hull(k, h)
	w.records(req, k, h, text, body)
	if w.err == nil {
		w.err = tx.Commit()
	}

	return body, 1, w.err
}

// writer inserts rows until the first error.
type writer struct {
	ctx context.Context //nolint:containedctx // lives as long as the request
	b   *bare
	tx  *sql.Tx
	now time.Time
	err error
}

func (w *writer) insert(table string, args ...any) {
	if w.err != nil {
		return
	}
	for i, a := range args {
		switch v := a.(type) {
		case stamp:
			args[i] = w.at(time.Time(v))
		case *stamp:
			args[i] = nil
		case json.RawMessage:
			if args[i] = nil; v != nil {
				args[i] = string(v)
			}
		}
	}
	_, w.err = w.tx.StmtContext(w.ctx, w.b.inserts[table]).ExecContext(w.ctx, args...) //nolint:sqlclosecheck // ends with its transaction
}

func (w *writer) at(t time.Time) any {
	if w.b.sqlite {
		return t.UnixMilli()
	}
	return t
}

// hull writes the hull, its search terms, its price and its history.
func (w *writer) hull(k keyRow, h bareHull) {
	at, actor := w.at(w.now), fmt.Sprintf(`{"type":"api_key","id":%q,"label":%q}`, k.id, k.name)
	w.insert("hulls", h.Env, h.ID, h.HIN, h.Make, h.Model, h.Year, h.LengthFt, h.PriceUSD, h.Status, h.StockState, h.LocationID, h.CreatedAt, h.StockNumber,
		h.Condition, h.Category, h.BoatClass, h.Title, h.Description, h.Ownership, h.HINCountry, h.HINWarnings, h.HINAbsentReason,
		h.PriceType, h.PriceHidden, h.MSRPUSD, h.PhotoCount, h.PublishedChannels, h.Hold, h.OrderNumber, h.ExpectedOn, h.Options, h.ReceivedOn, h.SoldAt, h.ArchivedAt, h.PreviousHullID, h.Metadata, h.Version, h.UpdatedAt,
		h.timezone, h.statusBefore, h.dealID, h.makeKey, h.modelKey)
	w.terms(h)
	w.insert("hull_pricing", h.Env, h.ID, h.PriceUSD, h.PriceUSD, false, "asking", at, 1, at)
	w.insert("hull_price_changes", h.Env, w.b.ids.New("prc", w.now), h.ID, h.PriceUSD, actor, at)
	w.insert("hull_history", h.Env, w.b.ids.New("hst", w.now), h.ID, h.Status, h.LocationID, actor, at)
}

func (w *writer) terms(h bareHull) {
	if w.err != nil {
		return
	}
	var all []string
	for _, text := range []string{h.Make, h.Model, *h.Title, *h.StockNumber, *h.HIN} {
		for _, chunk := range strings.Fields(strings.ToLower(text)) {
			parts := strings.FieldsFunc(chunk, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
			if all = append(all, parts...); len(parts) > 1 {
				all = append(all, strings.Join(parts, ""))
			}
		}
	}

	slices.Sort(all)
	all = slices.Compact(all)
	query, args := "INSERT INTO hull_terms (env, term, id) VALUES ", []any{h.Env, h.ID}
	for i, word := range all {
		if i > 0 {
			query += ", "
		}
		query += "($1, $" + strconv.Itoa(i+3) + ", $2)"
		args = append(args, word)
	}

	_, w.err = w.tx.ExecContext(w.ctx, query, args...)
}

// records writes the audit entry, the event, and the response for a repeated
// request.
func (w *writer) records(req *http.Request, k keyRow, h bareHull, text, body []byte) {
	at, request, changes := w.at(w.now), w.b.ids.New("req", w.now), w.changes(body)
	mark := sha256.Sum256([]byte(changes))
	w.insert("audit_entries", h.Env, w.b.ids.New("aud", w.now), at, "api_key", k.id, k.name, "hull.created", "hull", h.ID,
		request, "127.0.0.1", req.UserAgent(), changes, "success", mark[:])
	w.insert("event_sequences", h.Env, h.ID, 1)
	key := req.Header.Get("Idempotency-Key")
	w.event(h.Env, w.b.ids.New("evt", w.now), "hull.created", h.ID, 1, request, key,
		version.Latest(), `{"object":`+string(body)+`,"previous":{}}`, at)
	fingerprint := sha256.Sum256(text)
	w.insert("idempotency_keys", h.Env, k.lineage, key, fingerprint[:], http.StatusCreated, `{"ETag":"\"1\""}`, body, at)
}

// event writes the event: to the feed on SQLite, and to the outbox on PostgreSQL.
func (w *writer) event(env int64, id string, columns ...any) {
	row := append([]any{env, id}, columns...)
	if !w.b.sqlite {
		w.insert("outbox", row...)
		return
	}
	w.insert("events", row...)
	if w.err == nil {
		_, w.err = w.tx.ExecContext(w.ctx, "UPDATE event_feeds SET last_id = $1 WHERE env = $2", id, env)
	}
}

// changes returns each field of a new hull with its old value, which is null, and
// its new value.
func (w *writer) changes(body []byte) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		w.err = err
	}
	changes := map[string][2]json.RawMessage{}
	for name, value := range fields {
		if v := string(value); v != "null" && v != "0" && name != "version" && name != "updated_at" && name != "days_in_stock" {
			changes[name] = [2]json.RawMessage{nil, value}
		}
	}
	list, err := json.Marshal(changes)
	if err != nil {
		w.err = err
	}
	return string(list)
}
