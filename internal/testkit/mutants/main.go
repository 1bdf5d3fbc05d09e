// Command mutants plants faults in the code, one at a time, and fails if the tests don't
// notice one. It changes no file: the compiler reads the changed text from another one.
//
//	go run ./internal/testkit/mutants [-run regexp]
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"text/tabwriter"
	"time"
)

// fault is a mistake that someone could make. Its test must fail with it.
type fault struct {
	name string
	file string // from the root of the repository
	old  string // text that the file contains once
	new  string
	pkg  string // package of the test, such as ./tests/app
	test string // pattern for -run
}

func main() {
	only := flag.String("run", "", "only plant the faults whose names match this `regexp`")
	flag.Parse()
	survived, err := run(os.Stdout, *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
	}
	if err != nil || survived > 0 {
		os.Exit(1)
	}
}

// run plants the faults and prints a table. It returns how many survived.
func run(out io.Writer, only string) (survived int, err error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return 0, err
	}
	var chosen []fault
	for _, f := range faults {
		if pattern.MatchString(f.name) {
			chosen = append(chosen, f)
		}
	}
	for _, f := range chosen { // before the first one, because all of them take long
		if _, err := f.plant("."); err != nil {
			return 0, err
		}
	}
	if err := checkWithout(chosen); err != nil {
		return 0, err
	}

	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "FAULT\tFILE\tTEST\tRESULT\tSECONDS") // Flush returns the error
	for _, f := range chosen {
		start := time.Now()
		caught, err := f.isCaught(work)
		if err != nil {
			return survived, fmt.Errorf("%s: %w", f.name, err)
		}
		result := "caught"
		if !caught {
			result = "SURVIVED"
			survived++
		}
		seconds := time.Since(start).Seconds()
		fmt.Fprintf(os.Stderr, "%s: %s\n", f.name, result)
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s %s\t%s\t%.0f\n", f.name, strings.TrimPrefix(f.file, "internal/"), f.pkg, f.test, result, seconds)
	}
	if err := table.Flush(); err != nil {
		return survived, err
	}
	_, err = fmt.Fprintf(out, "%d faults, %d survived\n", len(chosen), survived)
	return survived, err
}

// plant returns the text of the file with the fault.
func (f fault) plant(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, f.file))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), f.old); n != 1 {
		return "", fmt.Errorf("%s: %s contains its text %d times, want once:\n%s", f.name, f.file, n, f.old)
	}
	return strings.Replace(string(text), f.old, f.new, 1), nil
}

// checkWithout runs the tests without a fault: a test that fails anyway finds nothing.
func checkWithout(all []fault) error {
	tests := map[string][]string{}
	var pkgs []string
	for _, f := range all {
		if tests[f.pkg] == nil {
			pkgs = append(pkgs, f.pkg)
		}
		tests[f.pkg] = append(tests[f.pkg], regexp.MustCompile(`^\^?([A-Za-z0-9_]+)`).FindStringSubmatch(f.test)[1])
	}
	for _, pkg := range pkgs {
		fmt.Fprintf(os.Stderr, "%s without faults\n", pkg)
		if out, err := goTest(pkg, "^("+strings.Join(tests[pkg], "|")+")$"); err != nil {
			return fmt.Errorf("%s fails without a fault: %w\n%s", pkg, err, out)
		}
	}
	return nil
}

// isCaught runs the test of a fault with the fault.
func (f fault) isCaught(work string) (bool, error) {
	text, err := f.plant(".")
	if err != nil {
		return false, err
	}
	name, err := filepath.Abs(f.file)
	if err != nil {
		return false, err
	}
	changed, overlay := filepath.Join(work, "changed.go"), filepath.Join(work, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{name: changed}})
	if err != nil {
		return false, err
	}
	if err := errors.Join(os.WriteFile(changed, []byte(text), 0o600), os.WriteFile(overlay, list, 0o600)); err != nil {
		return false, err
	}

	out, err := goTest(f.pkg, f.test, "-overlay", overlay)
	switch {
	case err == nil && strings.Contains(out, "no tests to run"):
		return false, fmt.Errorf("no test of %s matches %s", f.pkg, f.test)
	case err == nil:
		return false, nil
	case !strings.Contains(out, "--- FAIL") && !strings.Contains(out, "\npanic: ") && !strings.HasPrefix(out, "panic: "):
		return false, fmt.Errorf("the test did not run: %w\n%s", err, out)
	}
	return true, nil
}

// goTest runs tests on SQLite.
func goTest(pkg, pattern string, flags ...string) (string, error) {
	args := append([]string{"test", "-count=1", "-failfast", "-ldflags=-w", "-timeout=5m", "-run", pattern}, flags...)
	cmd := exec.Command("go", append(args, pkg)...) //nolint:noctx // ends with the process
	cmd.Env = append(os.Environ(), "SLIPWAY_TEST_ON=sqlite")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
