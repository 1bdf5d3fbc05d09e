package main

import (
	"bytes"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"rsc.io/qr"

	"slipway/internal/app"
	"slipway/internal/testkit/assert"
)

// Each example in the help can be run: the command and its flags exist.
func TestExamples(t *testing.T) {
	count := 0
	for _, leaf := range tree(&commands{}).Leaves() {
		for line := range strings.Lines(leaf.Detail()) {
			line, found := strings.CutPrefix(strings.TrimSpace(line), "slipway ")
			if !found {
				continue
			}
			count++
			line, _, _ = strings.Cut(line, " #")
			line, _, _ = strings.Cut(line, " > ")
			if _, err := tree(&commands{}).Parse(splitShell(line), os.LookupEnv); err != nil {
				t.Errorf("slipway %s: got error %v, want none", line, err)
			}
			if !strings.HasPrefix("slipway "+line, leaf.Line()) {
				t.Errorf("got the example %q in the help of %s, want one of that command", line, leaf.Line())
			}
		}
	}
	if count < 20 {
		t.Errorf("got %d examples, want at least 20", count)
	}
}

var update = flag.Bool("update", false, "rewrite the golden files")

// The list of commands is the same as the one that was reviewed.
func TestGoldenHelp(t *testing.T) {
	const file = "testdata/help.txt"
	var got bytes.Buffer
	if err := printOverview(&got, tree(&commands{})); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got.String() != string(want) {
		t.Errorf("%s is outdated. Run `make sdk` and review the diff. Got error %v and\n%s", file, err, got.String())
	}
}

// splitShell splits a command line with quotes.
func splitShell(line string) (args []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			args = append(args, part)
			continue
		}
		args = append(args, strings.Fields(part)...)
	}
	return args
}

// The flag of a setting has the name of its variable, and older names work.
func TestSettingsHaveTheirNames(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[app.Settings]()) {
		env := f.Tag.Get("env")
		flag := "--" + strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(env, "SLIPWAY_")), "_", "-")
		if _, err := tree(&commands{}).Parse([]string{"serve", flag, "?"}, os.LookupEnv); err != nil && strings.Contains(err.Error(), "unknown flag") {
			t.Errorf("%s: got error %v, want a flag %s; add a name to the field %s", env, err, flag, f.Name)
		}
	}

	var c commands
	if _, err := tree(&c).Parse([]string{"serve", "--smtpurl", "smtp://localhost", "--metrics", ""}, os.LookupEnv); err != nil {
		t.Errorf("got error %v for the old names of flags, want none", err)
	}
	assert.Equal(t, c.SMTPURL, "smtp://localhost")
}

// The QR code in the terminal has the squares of the code.
func TestQRCode(t *testing.T) {
	const uri = "otpauth://totp/Slipway:owner@example.com?secret=JBSWY3DPEHPK3PXP"
	text, err := qrCode(uri)
	if err != nil {
		t.Fatal(err)
	}
	code, err := qr.Encode(uri, qr.L)
	if err != nil {
		t.Fatal(err)
	}

	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		line = strings.TrimSuffix(strings.TrimPrefix(line, "  \x1b[30;107m"), "\x1b[0m")
		for x, r := range []rune(line) {
			for row, black := range []bool{r == '█' || r == '▀', r == '█' || r == '▄'} {
				if at := [2]int{x - quietZone, 2*i + row - quietZone}; black != code.Black(at[0], at[1]) {
					t.Fatalf("got black = %t at %v, want %t", black, at, !black)
				}
			}
		}
	}
	if want := (code.Size + 2*quietZone + 1) / 2; len(lines) != want {
		t.Errorf("got %d lines, want %d", len(lines), want)
	}
}
