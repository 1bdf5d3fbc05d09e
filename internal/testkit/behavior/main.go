// Command behavior writes api/behavior.json: which events each operation emitted in tests, and
// why it was refused. The API reference shows both. Its arguments are the file that tests
// appended to, as named by SLIPWAY_BEHAVIOR_SEEN, and with -update the file to write. Without
// -update, it prints what the tests saw and api/behavior.json doesn't have. It doesn't fail, because
// tests with several clients see other errors in each run.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/app"
	"slipway/internal/description"
	"slipway/internal/testkit"
)

const file = "api/behavior.json"

func main() {
	update := flag.Bool("update", false, "write "+file)
	flag.Parse()
	if err := run(flag.Arg(0), *update); err != nil {
		fmt.Fprintln(os.Stderr, "behavior:", err)
		os.Exit(1)
	}
}

func run(name string, update bool) error {
	all, err := read(name)
	if err != nil {
		return err
	}
	got := collect(all, operationIDs())
	if update {
		text, err := json.MarshalIndent(got, "", " ")
		if err != nil {
			return err
		}
		return os.WriteFile(file, append(text, '\n'), 0o644)
	}

	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var known map[string]description.Behavior
	if err := json.Unmarshal(text, &known); err != nil {
		return err
	}
	events, refusals := missing(known, got)
	if lines := append(events, refusals...); len(lines) > 0 {
		fmt.Printf("Tests saw what %s doesn't have. Run `make behavior` and review the diff.\n\n  %s\n\n", file, strings.Join(lines, "\n  "))
	}
	return nil
}

func read(name string) (all []testkit.Seen, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var s testkit.Seen
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, lines.Err()
}

// operationIDs returns the IDs by method and path. In the preview, they start with "preview.".
func operationIDs() map[string]string {
	ids := map[string]string{}
	for prefix, doc := range map[string]*huma.OpenAPI{"": app.Described().Stable(), "preview.": app.Described().Preview()} {
		for path, item := range doc.Paths {
			for _, o := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
				if o != nil {
					ids[o.Method+" "+path] = prefix + o.OperationID
				}
			}
		}
	}
	return ids
}

// general are codes that every operation can return. The reference explains them once.
var general = []string{
	"bad_request", "unauthenticated", "not_found", "rate_limited", "server_error", "unavailable",
	"required", "unknown_field", "unknown_parameter", "type", "malformed", "format", "pattern", "enum", "minimum", "maximum", "multiple_of",
	"too_short", "too_long", "too_few", "too_many", "unprintable", "cursor", "version", "local_time", "reused", "stale", "scope", "common", "locked",
	"empty", "encoding", "mfa", "other_location",
}

// What one operation did, before it is counted.
type counts struct {
	successes int
	events    map[string][]testkit.Seen  // by type, at most one per request
	refusals  map[string]map[string]bool // messages, by status and code
}

// collect joins responses and events by their requests.
func collect(all []testkit.Seen, ids map[string]string) map[string]description.Behavior {
	by, requests := map[string]*counts{}, map[string]string{}
	for _, s := range all {
		id := ids[s.Method+" "+s.Path]
		if s.Method == "" || id == "" {
			continue
		}
		if by[id] == nil {
			by[id] = &counts{events: map[string][]testkit.Seen{}, refusals: map[string]map[string]bool{}}
		}
		if s.Error != nil {
			by[id].refuse(s)
		} else if requests[s.Request] == "" {
			requests[s.Request] = id
			by[id].successes++
		}
	}
	once := map[string]bool{}
	for _, s := range all {
		id := requests[s.Request]
		if s.Event == "" || id == "" {
			continue
		}
		c := by[id]
		if key := s.Request + s.Event; !once[key] {
			once[key] = true
			c.events[s.Event] = append(c.events[s.Event], s)
		}
	}

	out := map[string]description.Behavior{}
	for id, c := range by {
		if b := c.behavior(); len(b.Events)+len(b.Refusals) > 0 {
			out[id] = b
		}
	}
	return out
}

var varies = regexp.MustCompile(`[0-9"“]|_0`)

func (c *counts) refuse(s testkit.Seen) {
	codes := []string{string(s.Error.Body.Code)}
	if len(s.Error.Body.Details) > 0 {
		codes = nil
		for _, d := range s.Error.Body.Details {
			codes = append(codes, d.Code)
		}
	}
	for _, code := range codes {
		if slices.Contains(general, code) {
			continue
		}
		key := fmt.Sprintf("%d %s", s.Status, code)
		if c.refusals[key] == nil {
			c.refusals[key] = map[string]bool{}
		}
		if m := s.Error.Body.Message; len(codes) == 1 && !varies.MatchString(m) {
			c.refusals[key][m] = true
		}
	}
}

// most is how many examples there are of each kind.
const most = 6

func (c *counts) behavior() (b description.Behavior) {
	for name, all := range c.events {
		e := description.EventSeen{Type: name, Always: len(all) == c.successes}
		for i, s := range all {
			if flip, ok := flipOf(s); ok && !slices.Contains(e.Flips, flip) {
				e.Flips = append(e.Flips, flip)
			}
			var sets []string
			for field := range s.Previous {
				if !slices.Contains([]string{"version", "updated_at", "status", "state"}, field) {
					sets = append(sets, field)
				}
			}
			slices.Sort(sets)
			if i > 0 {
				sets = slices.DeleteFunc(sets, func(f string) bool { return !slices.Contains(e.Sets, f) })
			}
			e.Sets = sets
		}
		slices.SortFunc(e.Flips, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
		b.Events = append(b.Events, e)
	}
	slices.SortFunc(b.Events, func(x, y description.EventSeen) int { // the most frequent first
		return cmp.Or(cmp.Compare(len(c.events[y.Type]), len(c.events[x.Type])), cmp.Compare(x.Type, y.Type))
	})
	for key, messages := range c.refusals {
		var r description.RefusalSeen
		_, _ = fmt.Sscanf(key, "%d %s", &r.Status, &r.Code)
		for m := range messages {
			r.Messages = append(r.Messages, m)
		}
		slices.Sort(r.Messages)
		r.Messages = r.Messages[:min(len(r.Messages), most)]
		b.Refusals = append(b.Refusals, r)
	}
	slices.SortFunc(b.Refusals, func(x, y description.RefusalSeen) int {
		return cmp.Or(cmp.Compare(x.Status, y.Status), cmp.Compare(x.Code, y.Code))
	})
	return b
}

// flipOf returns the status of the object before and after.
func flipOf(s testkit.Seen) (flip [2]string, ok bool) {
	var object map[string]any
	if json.Unmarshal(s.Object, &object) != nil {
		return flip, false
	}
	for _, field := range []string{"status", "state"} {
		before, changed := s.Previous[field].(string)
		after, exists := object[field].(string)
		created := len(s.Previous) == 0 && (object["version"] == nil || object["version"] == 1.0)
		if exists && (changed || created) && before != after {
			return [2]string{before, after}, true
		}
	}
	return flip, false
}

// missing lists what was seen and isn't known.
func missing(known, seen map[string]description.Behavior) (events, refusals []string) {
	for id, b := range seen {
		for _, e := range b.Events {
			if !slices.ContainsFunc(known[id].Events, func(k description.EventSeen) bool { return k.Type == e.Type }) {
				events = append(events, id+" emits "+e.Type)
			}
		}
		for _, r := range b.Refusals {
			if !slices.ContainsFunc(known[id].Refusals, func(k description.RefusalSeen) bool { return k.Code == r.Code && k.Status == r.Status }) {
				refusals = append(refusals, fmt.Sprintf("%s responds %d %s", id, r.Status, r.Code))
			}
		}
	}
	slices.Sort(events)
	slices.Sort(refusals)
	return events, refusals
}
