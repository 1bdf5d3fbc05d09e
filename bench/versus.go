package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The goals for writes, compared with PocketBase.
const (
	minVersusAlone = 0.7 // one connection
	minVersus      = 1.0 // sixteen connections
)

var (
	inTable = []int{1, 16}
	inPlot  = []int{1, 2, 4, 8, 16, 32}
)

// duel is a type of request that is compared with PocketBase.
type duel struct {
	name, title string
	write       bool
	connections []int
	bare        bool // the bare server has it too
	status      int  // of Slipway and the bare server; PocketBase returns 200
	ours        func(ctx context.Context, base string, v *versus) (*http.Request, error)
	theirs      func(ctx context.Context, v *versus) (*http.Request, error)
}

var duels = []duel{
	{"get", "GET one hull", false, inPlot, true, http.StatusOK,
		func(ctx context.Context, base string, v *versus) (*http.Request, error) {
			return v.request(ctx, http.MethodGet, base+"/v1/hulls/"+anyOf(v.hulls), nil)
		},
		func(ctx context.Context, v *versus) (*http.Request, error) {
			return v.record(ctx, http.MethodGet, "/"+anyOf(v.records), nil)
		}},
	{"list", "list 50 hulls", false, inTable, false, http.StatusOK, ourPage(0), theirPage(0)},
	{"far", "list 50 hulls at the far end", false, inTable, false, http.StatusOK, ourPage(1), theirPage(1)},
	{"create", "POST a hull", true, inPlot, true, http.StatusCreated,
		func(ctx context.Context, base string, v *versus) (*http.Request, error) {
			req, err := v.request(ctx, http.MethodPost, base+"/v1/hulls", v.newHull())
			if err == nil {
				req.Header.Set("Idempotency-Key", uuid.NewString())
			}
			return req, err
		},
		func(ctx context.Context, v *versus) (*http.Request, error) {
			return v.record(ctx, http.MethodPost, "", v.newRecord())
		}},
	{"update", "PATCH the description", true, inTable, false, http.StatusOK,
		func(ctx context.Context, base string, v *versus) (*http.Request, error) {
			return v.request(ctx, http.MethodPatch, base+"/v1/hulls/"+anyOf(v.editable), newText())
		},
		func(ctx context.Context, v *versus) (*http.Request, error) {
			return v.record(ctx, http.MethodPatch, "/"+anyOf(v.records), newText())
		}},
}

func (d duel) cell(n int) string { return fmt.Sprintf("pocketbase/%s/%d", d.name, n) }

// duelNames returns the names of all numbers, for -only.
func duelNames() (names []string) {
	for _, d := range duels {
		for _, n := range d.connections {
			names = append(names, d.cell(n))
		}
	}
	return append(names, "pocketbase/depth")
}

func anyOf(ids []string) string { return ids[rand.IntN(len(ids))] }

// newText is an edit of a hull.
func newText() map[string]any {
	return map[string]any{"description": fmt.Sprintf("%06d %s", rand.IntN(1_000_000), strings.Repeat("One owner, serviced every spring. ", 9))}
}

// ourPage is the page after a fraction of the hulls, found with a cursor.
func ourPage(depth float64) func(context.Context, string, *versus) (*http.Request, error) {
	return func(ctx context.Context, base string, v *versus) (*http.Request, error) {
		query := url.Values{"limit": {"50"}}
		if skip := v.rowsBefore(depth); skip > 0 {
			query.Set("starting_after", v.all[len(v.all)-skip]) // the oldest hull is the first of all
		}
		return v.request(ctx, http.MethodGet, base+"/v1/hulls?"+query.Encode(), nil)
	}
}

// theirPage is the same page of PocketBase, which has page numbers. It is sorted by
// the rowid, its fastest order, and doesn't count the rows.
func theirPage(depth float64) func(context.Context, *versus) (*http.Request, error) {
	return func(ctx context.Context, v *versus) (*http.Request, error) {
		return v.record(ctx, http.MethodGet, fmt.Sprintf("?perPage=50&skipTotal=1&sort=-@rowid&page=%d", v.rowsBefore(depth)/50+1), nil)
	}
}

// rowsBefore returns how many hulls to skip. The last page is full, also without
// archived hulls.
func (v *versus) rowsBefore(depth float64) int { return int(depth*float64(len(v.all)-200)) / 50 * 50 }

// versus is Slipway, PocketBase and the bare server, each with its own database with
// the same hulls.
type versus struct {
	inventory
	slipway, pocketbase, bare *process
	token                     string   // of PocketBase
	all, hulls, editable      []string // IDs of Slipway, oldest first: all, a part, and those that are for sale
	records                   []string // IDs of PocketBase
}

func (v *versus) request(ctx context.Context, method, address string, body map[string]any) (*http.Request, error) {
	return newJSON(ctx, method, address, "Bearer "+v.key, body)
}

func (v *versus) record(ctx context.Context, method, path string, body map[string]any) (*http.Request, error) {
	return newJSON(ctx, method, v.pocketbase.base+"/api/collections/hulls/records"+path, v.token, body)
}

func newJSON(ctx context.Context, method, address, authorization string, body map[string]any) (*http.Request, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", authorization)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

func (inv inventory) newHull() map[string]any {
	n := created.Add(1)
	body := hullBody("Grady-White", "Freedom 235", inv.locations[0])
	body["status"], body["hin"], body["stock_number"] = "available", newHIN(int(n)), fmt.Sprintf("NEW-%d", n)
	return body
}

// newHIN returns a different HIN for each number.
func newHIN(n int) string {
	text := make([]byte, 5)
	for i := len(text) - 1; i >= 0; i, n = i-1, n/len(serial) {
		text[i] = serial[n%len(serial)]
	}
	return "BNC" + string(text) + "H324"
}

// newRecord also has the values that Slipway sets, so that the rows and the entries
// in the indexes are the same.
func (v *versus) newRecord() map[string]any {
	body := v.newHull()
	for name, value := range map[string]any{
		"make_key": "grady-white", "model_key": "freedom 235", "condition": "used", "category": "power", "ownership": "owned",
		"price_type": "asking", "timezone": "UTC", "version": 1, "hin_country": "US", "hin_warnings": []string{},
		"published_channels": []string{},
	} {
		body[name] = value
	}
	return body
}

// duelResult is one comparison. The bare server is not always part of it.
type duelResult struct {
	duel               duel
	connections        int
	ours, theirs, bare tally
}

// level has the costs of a page at a depth.
type level struct {
	rows         int
	ours, theirs tally
}

// against compares Slipway with PocketBase.
func against(ctx context.Context, o options, r *report) (err error) {
	v, err := openVersus(ctx, o)
	defer func() {
		for _, p := range []*process{v.slipway, v.pocketbase, v.bare} {
			if p != nil && p.command != nil {
				err = errors.Join(err, p.stop())
			}
		}
	}()
	if err != nil {
		return err
	}
	if err := v.checkPages(ctx); err != nil {
		return err
	}

	if err := v.measure(ctx, o, r, false); err != nil {
		return err
	}
	if o.only.MatchString("pocketbase/depth") { // before new rows move the pages
		if err := v.depths(ctx, o, r); err != nil {
			return err
		}
	}
	if err := v.measure(ctx, o, r, true); err != nil {
		return err
	}
	r.versusMemory = append(r.versusMemory, v.slipway.memory(), v.pocketbase.memory())
	return nil
}

// measure measures either the reads or the writes.
func (v *versus) measure(ctx context.Context, o options, r *report, writes bool) error {
	for _, d := range duels {
		for _, n := range d.connections {
			if d.write != writes || !o.only.MatchString(d.cell(n)) {
				continue
			}
			progress("pocketbase: %s, %d connections", d.title, n)
			tallies, err := turns(ctx, n, o.length(), v.sides(d)...)
			if err != nil {
				return err
			}
			result := duelResult{duel: d, connections: n, ours: tallies[0], theirs: tallies[1]}
			if d.bare {
				result.bare = tallies[2]
			}
			r.duels = append(r.duels, result)
		}
	}
	return nil
}

// sides returns what to measure for a type of request.
func (v *versus) sides(d duel) []side {
	ours := func(p *process) side {
		return side{cpu: p.cpu, once: func(ctx context.Context) error {
			req, err := d.ours(ctx, p.base, v)
			if err == nil {
				_, err = send(req, d.status)
			}
			return err
		}}
	}
	if v.pocketbase == nil { // the others compare Slipway with itself
		return []side{ours(v.slipway)}
	}
	theirs := side{cpu: v.pocketbase.cpu, once: func(ctx context.Context) error {
		req, err := d.theirs(ctx, v)
		if err == nil {
			_, err = send(req, http.StatusOK)
		}
		return err
	}}
	sides := []side{ours(v.slipway), theirs}
	if d.bare {
		sides = append(sides, ours(v.bare))
	}
	return sides
}

// depths measures pages from the first to the last.
func (v *versus) depths(ctx context.Context, o options, r *report) error {
	for _, depth := range []float64{0, 0.1, 0.25, 0.5, 0.75, 1} {
		l := level{rows: v.rowsBefore(depth)}
		progress("pocketbase: page after %d hulls", l.rows)
		tallies, err := turns(ctx, 1, o.length()/2, v.sides(duel{status: http.StatusOK, ours: ourPage(depth), theirs: theirPage(depth)})...)
		if err != nil {
			return err
		}
		l.ours, l.theirs = tallies[0], tallies[1]
		r.levels = append(r.levels, l)
	}
	return nil
}

// openVersus fills a database and starts the servers on copies of it.
func openVersus(ctx context.Context, o options) (*versus, error) {
	v := &versus{}
	d := sqliteIn(filepath.Join(o.temp, "versus-slipway"))
	var err error
	if v.inventory, err = seed(ctx, d, o.versusHulls()); err != nil {
		return v, err
	}
	if err := v.readIDs(ctx, d); err != nil {
		return v, err
	}

	copied := filepath.Join(o.temp, "versus-bare")
	if out, err := exec.CommandContext(ctx, "cp", "-r", d.settings.Data, copied).CombinedOutput(); err != nil {
		return v, fmt.Errorf("cp: %w: %s", err, out)
	}
	if v.pocketbase, v.token, err = startPocketBase(ctx, o, filepath.Join(o.temp, "versus-pocketbase"), d.settings.Data); err != nil {
		return v, err
	}
	if v.bare, err = startBare(ctx, copied, allCores()); err != nil {
		return v, err
	}
	if v.slipway, err = startSlipway(ctx, o, d.settings.Data, false); err != nil {
		return v, err
	}

	for page := 1; len(v.records) < small; page++ {
		req, err := v.record(ctx, http.MethodGet, fmt.Sprintf("?perPage=1000&skipTotal=1&fields=id&sort=@rowid&page=%d", page), nil)
		if err != nil {
			return v, err
		}
		body, err := send(req, http.StatusOK)
		if err != nil {
			return v, err
		}
		var list struct{ Items []struct{ ID string } }
		if err := json.Unmarshal(body, &list); err != nil || len(list.Items) == 0 {
			return v, errors.Join(err, errors.New("PocketBase has too few hulls"))
		}
		for _, item := range list.Items {
			v.records = append(v.records, item.ID)
		}
	}
	return v, nil
}

// length is how long to measure each server, per number.
func (o options) length() time.Duration { return time.Duration(o.seconds * float64(time.Second)) }

// versusHulls is the number of hulls: enough for pages with a cost.
func (o options) versusHulls() int { return max(small+1000, o.hulls/10) }

// readIDs reads the IDs of the hulls and closes the database, so that all rows are in
// its main file.
func (v *versus) readIDs(ctx context.Context, d database) (err error) {
	write, read, err := d.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, read.Close(), write.Close()) }()
	if v.all, err = texts(ctx, read, `SELECT id FROM hulls WHERE env = $1 ORDER BY id`, v.env); err != nil {
		return err
	}
	v.hulls = v.all[:small]
	v.editable, err = texts(ctx, read, `SELECT id FROM hulls WHERE env = $1 AND status = 'available' ORDER BY id LIMIT $2`, v.env, small)
	if err != nil {
		return err
	}
	if d.name == "sqlite" {
		_, err = write.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	}
	return err
}

// checkPages fails unless both servers return full pages of the same size with the
// same number of fields, give or take those that only one of them has.
func (v *versus) checkPages(ctx context.Context) error {
	for _, depth := range []float64{0, 1} {
		ask := func(req *http.Request, err error) (rows int, fields []string, failed error) {
			if err != nil {
				return 0, nil, err
			}
			body, err := send(req, http.StatusOK)
			if err != nil {
				return 0, nil, err
			}
			var page struct{ Data, Items []map[string]any }
			if err := json.Unmarshal(body, &page); err != nil {
				return 0, nil, err
			}
			all := append(page.Data, page.Items...)
			if len(all) > 0 {
				for name := range all[0] {
					fields = append(fields, name)
				}
			}
			return len(all), fields, nil
		}
		ours, ourFields, err := ask(ourPage(depth)(ctx, v.slipway.base, v))
		if err != nil {
			return err
		}
		theirs, theirFields, err := ask(theirPage(depth)(ctx, v))
		if err != nil {
			return err
		}
		if ours != 50 || theirs != 50 {
			return fmt.Errorf("a page has %d hulls of Slipway and %d of PocketBase, want 50", ours, theirs)
		}
		if missing := slices.DeleteFunc(ourFields, func(name string) bool { return slices.Contains(theirFields, name) }); len(missing) > 3 {
			return fmt.Errorf("PocketBase doesn't return %s", strings.Join(missing, ", "))
		}
	}
	return nil
}

// decodeLast decodes the last line of the output of a program.
func decodeLast(out []byte, into any) error {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	return json.Unmarshal(lines[len(lines)-1], into)
}

func (r *report) versusTables() []table {
	t := table{
		title: "Comparison with PocketBase",
		note: "Requests per second, latency in milliseconds, and CPU time of the server's process per request in milliseconds. SQLite. " +
			"Both servers have the same hulls, fields and indexes, and an authenticated caller: an API key for Slipway, and the token of a " +
			"superuser for PocketBase, for which it evaluates no rules. PocketBase is sorted by the rowid, its fastest order, and doesn't " +
			"count the rows. Its settings are as shipped: synchronous=NORMAL doesn't wait for the disk when it commits. " +
			"Both write their logs. Slipway waits for the disk " +
			"(synchronous=FULL), stores the Idempotency-Key with the response, and writes an audit entry and an event. " +
			fmt.Sprintf("Goals: a ratio of at least %.1f for writes with one connection, and %.1f with sixteen.", minVersusAlone, minVersus),
		columns: []string{"operation", "connections", "Slipway/s", "PocketBase/s", "ratio", "goal", "Slipway p50", "Slipway p99",
			"PocketBase p50", "PocketBase p99", "Slipway CPU", "PocketBase CPU"},
	}
	for _, d := range r.duels {
		if !slices.Contains(inTable, d.connections) {
			continue
		}
		by, goal := ratio(d.ours, d.theirs), ""
		if d.duel.write {
			goal = mark(by >= minVersus || d.connections == 1 && by >= minVersusAlone)
		}
		t.rows = append(t.rows, []string{
			d.duel.title, fmt.Sprint(d.connections), fmt.Sprintf("%.0f", d.ours.rate()), fmt.Sprintf("%.0f", d.theirs.rate()),
			fmt.Sprintf("%.2f", by), goal, ms(quantile(d.ours.took, 0.5)), ms(quantile(d.ours.took, 0.99)),
			ms(quantile(d.theirs.took, 0.5)), ms(quantile(d.theirs.took, 0.99)), ms(d.ours.perRequest()), ms(d.theirs.perRequest()),
		})
	}

	size := table{
		title: "Comparison with PocketBase: memory",
		note: "Megabytes of each process after the comparison. Private memory doesn't contain the pages of files, such as the database " +
			"that Slipway maps into memory.",
		columns: []string{"process", "resident", "private"},
	}
	for i, m := range r.versusMemory {
		size.rows = append(size.rows, []string{[]string{"Slipway", "PocketBase"}[i], megabytes(m.rss), megabytes(m.private)})
	}

	pages := table{
		title:   "Comparison with PocketBase: depth",
		note:    "Milliseconds for 50 hulls after a number of others, one connection. Slipway has cursors, and PocketBase has page numbers.",
		columns: []string{"hulls before", "Slipway p50", "Slipway CPU", "PocketBase p50", "PocketBase CPU"},
	}
	for _, l := range r.levels {
		pages.rows = append(pages.rows, []string{fmt.Sprint(l.rows), ms(quantile(l.ours.took, 0.5)), ms(l.ours.perRequest()),
			ms(quantile(l.theirs.took, 0.5)), ms(l.theirs.perRequest())})
	}
	return []table{t, size, pages}
}
