// Command testtimes reads the output of `go test -json`, prints it as `go test` does, followed by the ten slowest tests
// and packages, and fails if a test failed or took longer than the budget.
//
//	go test -json ./... | testtimes .ci/test-budget
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: testtimes budget")
		os.Exit(2)
	}
	text, err := os.ReadFile(os.Args[1])
	var limits budget
	if err == nil {
		limits, err = parseBudget(string(text))
	}
	var r *report
	if err == nil {
		r, err = read(os.Stdin, func(text string) { fmt.Print(text) })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testtimes:", err)
		os.Exit(1)
	}

	fmt.Print(r)
	over := limits.exceeded(r)
	for _, line := range over {
		fmt.Println(line)
	}
	if r.failed || len(over) > 0 {
		os.Exit(1)
	}
}

// event is a line of `go test -json`.
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string // of a package that doesn't compile
	Elapsed                       float64
}

// timing is how long a test or a package took, in seconds. The name of a test starts with its package.
type timing struct {
	name    string
	seconds float64
}

type report struct {
	tests, packages []timing
	failed          bool
}

// read collects the times. It prints the lines about packages, and everything about tests that failed.
func read(in io.Reader, show func(text string)) (*report, error) {
	r, outputs := &report{}, map[string]*strings.Builder{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil { // printed by the go command itself
			show(lines.Text() + "\n")
			continue
		}
		name := e.Package
		if e.Test != "" {
			name += "." + e.Test
		}
		switch e.Action {
		case "build-output":
			show(e.Output)
		case "build-fail":
			r.failed = true
		case "output":
			if e.Test == "" && e.Output != "PASS\n" {
				show(e.Output)
				continue
			}
			if outputs[name] == nil {
				outputs[name] = &strings.Builder{}
			}
			outputs[name].WriteString(e.Output)
		case "pass", "fail", "skip":
			if e.Action == "fail" {
				r.failed = true
				if outputs[name] != nil {
					show(outputs[name].String())
				}
			}
			delete(outputs, name)
			r.add(e, name)
		}
	}
	return r, lines.Err()
}

// add records a time.
func (r *report) add(e event, name string) {
	if e.Test == "" {
		r.packages = append(r.packages, timing{name, e.Elapsed})
		return
	}
	r.tests = append(r.tests, timing{name, e.Elapsed})
}

// String lists the slowest tests and packages.
func (r *report) String() string {
	var b strings.Builder
	for _, list := range []struct {
		title string
		all   []timing
	}{{"Slowest tests", r.tests}, {"Slowest packages", r.packages}} {
		fmt.Fprintf(&b, "\n%s:\n", list.title)
		for _, t := range slowest(list.all, 10) {
			fmt.Fprintf(&b, "%8.1f s  %s\n", t.seconds, t.name)
		}
	}
	return b.String()
}

func slowest(all []timing, n int) []timing {
	all = slices.SortedFunc(slices.Values(all), func(a, b timing) int { return cmp.Compare(b.seconds, a.seconds) })
	return all[:min(n, len(all))]
}

// budget is how long a test or a package can take, in seconds.
type budget struct {
	test, pkg  float64
	exceptions map[string]float64
}

// parseBudget reads lines with a name and seconds. The names "test" and "package" are for those without a line.
func parseBudget(text string) (budget, error) {
	b := budget{exceptions: map[string]float64{}}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 {
			return b, fmt.Errorf("the budget has the line %q, want a name and seconds", strings.TrimSpace(line))
		}
		seconds, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			return b, err
		}
		b.exceptions[fields[0]] = seconds
	}
	b.test, b.pkg = b.exceptions["test"], b.exceptions["package"]
	return b, nil
}

// exceeded returns a sentence for each test and package that took too long.
func (b budget) exceeded(r *report) (over []string) {
	for _, list := range []struct {
		limit float64
		all   []timing
	}{{b.test, r.tests}, {b.pkg, r.packages}} {
		for _, t := range list.all {
			limit := list.limit
			if own, ok := b.exceptions[t.name]; ok {
				limit = own
			}
			if t.seconds > limit {
				over = append(over, fmt.Sprintf("%s took %.1f s. Its budget is %.0f s: make it faster, or change .ci/test-budget.", t.name, t.seconds, limit))
			}
		}
	}
	return over
}
