package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"slipway/internal/app"
)

// The goals of an import of 100,000 rows, and of edits while it runs.
var (
	importGoal = map[string]time.Duration{"sqlite": 45 * time.Second, "postgres": time.Minute}
	editGoal   = map[string]time.Duration{"sqlite": 50 * time.Millisecond, "postgres": 20 * time.Millisecond}
)

// contactGoal is the goal of an import of 50,000 contacts.
const contactGoal = time.Minute

const memoryGoal = 256 << 20 // for any file size

// bulk is one import or feed.
type bulk struct {
	database, title string
	rows            int
	took            time.Duration
	peak            uint64 // maximum heap in use
	edits           []time.Duration
	goal            bool
}

// imports measures an import and the feed of the imported hulls.
func imports(ctx context.Context, o options, r *report, d database) (err error) {
	progress("%s: import of %d rows", d.name, o.rows)
	inv, err := bootstrap(ctx, d)
	if err != nil {
		return err
	}
	a, err := app.Open(ctx, d.settings, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.Jobs.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Jobs.Stop(context.WithoutCancel(ctx))) }()
	web := httptest.NewServer(a.Handler)
	defer web.Close()
	c := &importer{base: web.URL, key: inv.key}

	file := importFile(inv, o.rows)
	finish, err := c.edit(ctx, inv)
	if err != nil {
		return err
	}
	took, peak, err := observe(o.profiled(d.name+"-import.pprof", func() error { return c.runImport(ctx, "/v1/hull_imports", file, o.rows) }))
	edits, editErr := finish()
	if err := errors.Join(err, editErr); err != nil {
		return err
	}
	met := took < importGoal[d.name] && peak < memoryGoal && quantile(edits, 0.99) < editGoal[d.name]
	r.bulks = append(r.bulks, bulk{d.name, "import, CSV", o.rows, took, peak, edits, met})

	people := o.rows / 2
	progress("%s: import of %d contacts", d.name, people)
	took, peak, err = observe(o.profiled(d.name+"-contacts.pprof", func() error {
		return c.runImport(ctx, "/v2-preview/contact_imports", contactFile(people), people)
	}))
	if err != nil {
		return err
	}
	r.bulks = append(r.bulks, bulk{d.name, "import of contacts, CSV", people, took, peak, nil, took < contactGoal && peak < memoryGoal})

	var channel struct{ ID string }
	if err := c.call(ctx, http.MethodPost, "/v1/channels", "application/json", []byte(`{"name":"bench","auto_publish":true}`),
		&channel); err != nil {
		return err
	}
	progress("%s: publishing", d.name)
	for {
		n, took, peak, err := c.feed(ctx, channel.ID)
		if err != nil {
			return err
		}
		if n >= o.rows {
			r.bulks = append(r.bulks, bulk{d.name, "feed, JSON", n, took, peak, nil, peak < memoryGoal})
			return nil
		}
		time.Sleep(time.Second)
	}
}

// profiled returns work that also writes a CPU profile, if the options ask for one.
func (o options) profiled(file string, work func() error) func() error {
	if o.cpuProfile == "" {
		return work
	}
	return func() error { return profile(filepath.Join(o.cpuProfile, file), work) }
}

// importFile returns a CSV file with one hull in each row.
func importFile(inv inventory, rows int) []byte {
	var b bytes.Buffer
	b.WriteString("Stock #,HIN,Manufacturer,Model,Year,LOA,Asking Price,Location,Headline,Description\n")
	n := 0
	for n < rows {
		for brand, names := range models {
			for _, model := range names {
				if n++; n > rows {
					break
				}
				fmt.Fprintf(&b, "SN-%07d,%c%c%c%05dB324,%s,%s,2024,23.58,\"$124,900\",%s,%s %s with low hours,\"One owner, kept under a roof, "+
					"serviced every spring.\"\n",
					n, 'A'+n/100_000%26, 'B', 'C', n%100_000, brand, model, inv.locations[n%8], brand, model)
			}
		}
	}
	return b.Bytes()
}

// contactFile returns a CSV file with one contact in each row. One of ten has a consent, one of twenty
// an opt-out, and one of four a note.
func contactFile(rows int) []byte {
	var b bytes.Buffer
	b.WriteString("First Name,Last Name,Email,Cell,Address,City,State,Zip,Text Opt-In,Consent Text,Consent Date,Consent Source,Do Not Call,History\n")
	for n := range rows {
		consent, optOut, note := ",,,", "", ""
		if n%10 == 0 {
			consent = "Yes,I agree to texts about my boat,2026-03-04,web form"
		}
		if n%20 == 1 {
			optOut = "Yes"
		}
		if n%4 == 0 {
			note = "Serviced in spring. Wants a bigger boat."
		}
		fmt.Fprintf(&b, "Ann,Bell %d,ann%d@example.com,+1410%07d,12 Dock Street,Annapolis,MD,21401,%s,%s,%s\n", n, n, 2_000_000+n, consent, optOut, note)
	}
	return b.Bytes()
}

type importer struct{ base, key string }

func (c *importer) call(ctx context.Context, method, path, kind string, body []byte, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", kind)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s", method, path, text)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, out)
}

// edit changes a hull 50 times per second until finish is called, which returns how long
// the requests took.
func (c *importer) edit(ctx context.Context, inv inventory) (finish func() ([]time.Duration, error), err error) {
	var hull struct{ ID string }
	body := fmt.Appendf(nil, `{"make":"Lund","model":"Rebel 1650","year":2024,"length_ft":16.7,"price_usd":24900,"location_id":%q,`+
		`"hin_absent_reason":"not_yet_assigned"}`, inv.locations[0])
	if err := c.call(ctx, http.MethodPost, "/v1/hulls", "application/json", body, &hull); err != nil {
		return nil, err
	}

	var (
		wg    sync.WaitGroup
		edits []time.Duration
		done  = make(chan struct{})
		tick  = time.NewTicker(20 * time.Millisecond)
	)
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			start := time.Now()
			body := fmt.Appendf(nil, `{"description":"Edited %d times."}`, len(edits))
			if err = c.call(ctx, http.MethodPatch, "/v1/hulls/"+hull.ID, "application/json", body, &hull); err != nil {
				return
			}
			edits = append(edits, time.Since(start))
		}
	})
	return func() ([]time.Duration, error) {
		close(done)
		wg.Wait()
		tick.Stop()
		return edits, err
	}, nil
}

// runImport imports a file and waits until it is complete.
func (c *importer) runImport(ctx context.Context, path string, file []byte, rows int) error {
	var i struct {
		ID, State string
		Created   int
	}
	if err := c.call(ctx, http.MethodPost, path, "text/csv", file, &i); err != nil {
		return err
	}
	for i.State == "queued" || i.State == "running" {
		time.Sleep(200 * time.Millisecond)
		if err := c.call(ctx, http.MethodGet, path+"/"+i.ID, "", nil, &i); err != nil {
			return err
		}
	}
	if i.State != "completed" || i.Created != rows {
		return fmt.Errorf("the import is %s with %d of %d rows", i.State, i.Created, rows)
	}
	return nil
}

// feed reads a feed and counts its hulls.
func (c *importer) feed(ctx context.Context, channel string) (n int, took time.Duration, peak uint64, err error) {
	took, peak, err = observe(func() error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/v1/channels/"+channel+"/feed", nil)
		if err != nil {
			return err
		}

		req.Header.Set("Authorization", "Bearer "+c.key)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()

		buf := make([]byte, 64<<10)
		for {
			got, err := res.Body.Read(buf)
			n += bytes.Count(buf[:got], []byte("\n")) // one before each hull, and two at the end
			if errors.Is(err, io.EOF) {
				n -= 2
				return nil
			}
			if err != nil {
				return err
			}
		}
	})

	return n, took, peak, err
}

// observe measures how long work takes and how much the heap in use grows at most.
func observe(work func() error) (took time.Duration, peak uint64, err error) {
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapInuse-min(now.HeapInuse, before.HeapInuse))
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	})

	start := time.Now()
	err = work()
	took = time.Since(start)
	close(done)
	wg.Wait()

	return took, peak, err
}
