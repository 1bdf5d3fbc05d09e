package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// plots returns the plots that this run has numbers for, by the names of their files.
func (r *report) plots() map[string]chart {
	all := map[string]chart{}
	for _, d := range duels {
		if !d.bare {
			continue
		}
		c := chart{title: d.title + ": throughput by connections", x: "Connections", y: "Requests per second", doubling: true}
		ours, theirs := line{name: "Slipway", style: "slipway"}, line{name: "PocketBase", style: "pocketbase"}
		bare := line{name: "bare server", style: "bare"}
		for _, result := range r.duels {
			if result.duel.name != d.name {
				continue
			}
			x := float64(result.connections)
			ours.points = append(ours.points, point{x, result.ours.rate()})
			theirs.points = append(theirs.points, point{x, result.theirs.rate()})
			bare.points = append(bare.points, point{x, result.bare.rate()})
		}
		if c.lines = []line{ours, theirs, bare}; len(ours.points) > 1 {
			all["throughput-"+d.name+".svg"] = c
		}
	}

	if len(r.levels) > 1 {
		ours, theirs := line{name: "Slipway", style: "slipway"}, line{name: "PocketBase", style: "pocketbase"}
		for _, l := range r.levels {
			x := float64(l.rows)
			ours.points = append(ours.points, point{x, quantile(l.ours.took, 0.5).Seconds() * 1000})
			theirs.points = append(theirs.points, point{x, quantile(l.theirs.took, 0.5).Seconds() * 1000})
		}
		all["page-depth.svg"] = chart{title: "Cost of a page by its depth", x: "Hulls before the page", y: "Milliseconds (p50) for 50 hulls",
			lines: []line{ours, theirs}}
	}

	if len(r.steps) > 1 {
		good, goal := line{name: "goodput", style: "slipway"}, line{name: "goal", style: "goal"}
		for _, s := range r.steps {
			if s.database != "sqlite" {
				continue
			}
			good.points = append(good.points, point{s.rate, s.goodput()})
		}
		for _, p := range []point{good.points[0], good.points[len(good.points)-1]} {
			goal.points = append(goal.points, point{p.x, minGoodput * r.peakGoodput("sqlite")})
		}
		all["goodput.svg"] = chart{title: "Goodput by offered load", x: "Offered requests per second, up to 4 times the capacity",
			y: "Accepted requests per second", lines: []line{good, goal}}
	}
	return all
}

// publish writes the plots and updates the tables in performance.md.
func (r *report) publish(folder string) error {
	if err := os.MkdirAll(filepath.Join(folder, "plots"), 0o755); err != nil {
		return err
	}
	for name, c := range r.plots() {
		if err := os.WriteFile(filepath.Join(folder, "plots", name), []byte(c.svg()), 0o644); err != nil {
			return err
		}
	}

	path := filepath.Join(folder, "performance.md")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	updated := r.fill(string(text), time.Now())
	return os.WriteFile(path, []byte(updated), 0o644) //nolint:gosec // a folder that the user names
}

var block = regexp.MustCompile(`(?s)<!-- results: ([^>]+) -->\n.*?<!-- end -->`)

// fill replaces the tables between comments. A table that this run has no numbers for
// stays.
func (r *report) fill(text string, now time.Time) string {
	return block.ReplaceAllStringFunc(text, func(found string) string {
		name := block.FindStringSubmatch(found)[1]
		for _, t := range r.tables() {
			if t.title != name || len(t.rows) == 0 {
				continue
			}
			return fmt.Sprintf("<!-- results: %s -->\n\n%s\n\n%s\nMeasured on %s: %s.\n\n<!-- end -->", name, t.note, t.markdown(),
				now.Format("January 2, 2006"), r.machine())
		}
		return found
	})
}

// markdown returns the rows as Markdown.
func (t table) markdown() string {
	var b strings.Builder
	for i, row := range append([][]string{t.columns}, t.rows...) {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
		}
	}
	return b.String()
}
