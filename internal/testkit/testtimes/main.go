// Command testtimes runs `go test` without reusing results, prints what it prints, followed by the ten slowest tests
// and packages, and fails if a test failed or took longer than the budget. It runs a few failed tests a second
// time, alone: a test that passes then is listed as unsteady.
//
//	testtimes [-budget .ci/test-budget] -race -- ./...
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "testtimes:", err)
	}
	os.Exit(code)
}

func run(args []string) (code int, err error) {
	var limits budget
	if len(args) > 1 && args[0] == "-budget" {
		text, err := os.ReadFile(args[1])
		if err != nil {
			return 2, err
		}
		if limits, err = parseBudget(string(text)); err != nil {
			return 2, err
		}
		args = args[2:]
	}
	packages := slices.Index(args, "--")
	if packages < 0 {
		return 2, errors.New("usage: testtimes [-budget file] [flags of go test] -- packages")
	}

	flags := args[:packages]
	r, err := goTest(flags, args[packages+1:])
	if err != nil {
		return 1, err
	}
	fmt.Print(r)
	over := limits.exceeded(r)
	for _, line := range over {
		fmt.Println(line)
	}
	if r.failed && r.again() {
		if r.failed, err = stillFail(flags, r.failures); err != nil {
			return 1, err
		}
	}
	if r.failed || len(over) > 0 {
		return 1, nil
	}
	return 0, nil
}

// goTest runs tests and reads their times.
func goTest(flags, packages []string) (*report, error) {
	args := append([]string{"test", "-json", "-count=1", "-ldflags=-w"}, flags...)
	cmd := exec.Command("go", append(args, packages...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r, err := read(out, func(text string) { fmt.Print(text) })
	if err != nil {
		return nil, err
	}
	_ = cmd.Wait() // its state is below
	r.failed = r.failed || !cmd.ProcessState.Success()
	return r, nil
}

// stillFail runs failed tests once more, each alone, and returns whether one fails again.
func stillFail(flags []string, failures []event) (bool, error) {
	for _, f := range failures {
		fmt.Printf("\nAgain, alone: %s.%s\n", f.Package, f.Test)
		r, err := goTest(append(slices.Clone(flags), "-run", "^"+f.Test+"$"), []string{f.Package})
		if err != nil || r.failed {
			return true, err
		}
	}
	for _, f := range failures {
		fmt.Printf("UNSTEADY: %s.%s failed and passed. Find out why before the next change.\n", f.Package, f.Test)
	}
	return false, nil
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
	failures        []event // of tests that aren't parts of others
	broken          bool    // something failed that a second run must not excuse
}

// again returns whether the failures can be a matter of time, so that a second run can tell. A data race, a panic, a
// package that doesn't compile, or many failed tests can't.
func (r *report) again() bool { return !r.broken && len(r.failures) > 0 && len(r.failures) <= 3 }

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
			r.failed, r.broken = true, true
		case "output":
			r.broken = r.broken || strings.Contains(e.Output, "DATA RACE") || strings.HasPrefix(e.Output, "panic: ")
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
				if e.Test != "" && !strings.Contains(e.Test, "/") {
					r.failures = append(r.failures, e)
				}
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
			if limit > 0 && t.seconds > limit {
				over = append(over, fmt.Sprintf("%s took %.1f s. Its budget is %.0f s: make it faster, or change .ci/test-budget.", t.name, t.seconds, limit))
			}
		}
	}
	return over
}
