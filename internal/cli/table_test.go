package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"slipway/internal/sdkgen"
	"slipway/internal/testkit/assert"
)

// Every operation has a command, a noun with help, and flags whose names are unique.
func TestCommands(t *testing.T) {
	seen := map[*Operation]bool{}
	for _, n := range Nouns() {
		all := commandsOf(n.Name)
		if len(all) == 0 {
			t.Errorf("%s has no commands", n.Name)
		}
		for _, c := range all {
			seen[c.Operation] = true
			if c.next != nil {
				seen[c.next] = true
			}
			var names []string
			for _, f := range c.specs() {
				if slices.Contains(names, f.name) {
					t.Errorf("%s has the flag --%s twice", c.line(), f.name)
				}
				names = append(names, f.name)
				for _, word := range []string{"secret", "password", "token"} {
					if strings.Contains(f.name, word) && f.value != "" {
						t.Errorf("%s has the flag --%s, which other users of the machine could see", c.line(), f.name)
					}
				}
				if f.help == "" {
					t.Errorf("%s --%s has no help", c.line(), f.name)
				}
			}
		}
	}
	for i := range operations {
		if !seen[&operations[i]] {
			t.Errorf("%s has no command; add the noun %s to family.Commands", operations[i].ID, operations[i].Noun)
		}
	}
}

// A table of a list that is expanded is requested from the preview, so the preview must have
// all its filters.
func TestExpandable(t *testing.T) {
	for _, id := range []string{"listLeads", "listDeals"} {
		stable, preview := find(id), find("preview."+id+"V2")
		if e := expandable[stable.Result]; e.path != preview.Path {
			t.Errorf("%s: got the path %s, want %s", id, e.path, preview.Path)
		}
		for _, p := range stable.Params {
			if !slices.ContainsFunc(preview.Params, func(other Param) bool { return other.Name == p.Name }) {
				t.Errorf("%s: the preview has no parameter %s", id, p.Name)
			}
		}
	}
}

// The example of each operation is a valid command line of that operation.
func TestExamples(t *testing.T) {
	for i := range operations {
		op := &operations[i]
		id := op.ID
		if op.Preview {
			id = "preview." + id
		}
		line := Example(id)
		words := splitShell(line)
		if len(words) < 2 || words[1] != op.Noun {
			t.Errorf("%s: got the example %q", id, line)
			continue
		}
		args := words[2:]
		if op.Name != op.Noun {
			args = args[1:]
		}
		at := slices.IndexFunc(commandsOf(op.Noun), func(c command) bool { return c.Name == op.Name })
		c := commandsOf(op.Noun)[at]
		p, err := parseFlags(args, c.specs(), c.line())
		want := len(c.arguments())
		if len(op.Files) > 0 {
			want++
		}
		if err != nil || len(p.args) != want || strings.Contains(line, "<nil>") {
			t.Errorf("%s: got %d arguments and error %v for %q, want %d and none", id, len(p.args), err, line, want)
		}
	}
	for id, want := range map[string]string{
		"listHulls":           "slipway hulls list --status on_order",
		"acceptOffer":         "slipway deals accept-offer deal_01jcqz8t5n8m2x4v6b7c9d0e1f off_01jcqz8t5n8m2x4v6b7c9d0e1f --by buyer",
		"preview.search":      "slipway search freedom",
		"preview.listHullsV2": "slipway hulls list --status on_order --preview",
		"nothing":             "",
	} {
		assert.Equal(t, Example(id), want, id)
	}
	if got := Example("createHull"); !strings.HasPrefix(got, "slipway hulls create --boat-class power-dualconsole --hin US-GRT40912G324 --length-ft 23.58 ") {
		t.Errorf("got %q", got)
	}
}

// splitShell splits a command line with quotes.
func splitShell(line string) (words []string) {
	for i, part := range strings.Split(strings.ReplaceAll(line, `'\''`, "’"), "'") {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}

// The names of commands are those of the SDKs.
func TestNamesOfCommands(t *testing.T) {
	for name, want := range map[string]string{"listPriceChanges": "list-price-changes", "RequestLogs": "request-logs", "createApiKey": "create-api-key"} {
		assert.Equal(t, sdkgen.Kebab(name), want, name)
	}
}

const wantHelp = `Usage: slipway deals accept-offer <deal-id> <offer-id> [flags]

Accept an offer and reserve the hull.
`

// The help of a command has its arguments, flags, scope and an example.
func TestHelp(t *testing.T) {
	var out bytes.Buffer
	s := &Session{Out: &out, Getenv: func(string) string { return "" }}
	if err := Run(t.Context(), s, "deals", []string{"accept-offer", "--help"}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), wantHelp) {
		t.Errorf("got the help\n%s\nwant it to start with\n%s", out.String(), wantHelp)
	}
	for _, want := range []string{
		"Requires the scope deals:write.", "Accepts an ID or a number.", "--if-version=N", "--yes", "-o, --output=FORMAT", "Examples:\n\n    slipway deals accept-offer deal_",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the help doesn't contain %q:\n%s", want, out.String())
		}
	}

	out.Reset()
	if err := Run(t.Context(), s, "hulls", nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"update-channel <channel-id>", "(preview).", "upload-photo <hull-id> <file>"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the list of commands doesn't contain %q:\n%s", want, out.String())
		}
	}
}

// On a narrow terminal, columns are shortened, and the last ones left out. IDs stay whole.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		widths []int
		width  int
		want   []int
	}{
		{[]int{31, 9, 28, 20}, 100, []int{31, 9, 28, 20}},
		{[]int{31, 9, 28, 20}, 80, []int{31, 9, 14, 20}},
		{[]int{31, 9, 28, 20}, 78, []int{31, 9, 12, 20}},
		{[]int{31, 9, 28, 20}, 77, []int{31, 9, 28}},
		{[]int{31, 9, 28, 20}, 20, []int{31, 9}},
	} {
		if got := fit(slices.Clone(c.widths), []bool{true, false, false, true}, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%v in %d: got %v, want %v", c.widths, c.width, got, c.want)
		}
	}
}

func TestDollars(t *testing.T) {
	for _, c := range []struct {
		text   string
		digits int
		want   string
	}{{"0", 0, "$0"}, {"999", 0, "$999"}, {"124900", 0, "$124,900"}, {"1234567890", 2, "$12,345,678.90"}, {"-5", 2, "-$0.05"}, {"x", 0, "x"}} {
		assert.Equal(t, dollars(c.text, c.digits), c.want, c.text)
	}
}

// What a client sent can't control the terminal.
func TestPrintable(t *testing.T) {
	if got := printable("a\x1b[31mb\nc"); got != "a?[31mb c" {
		t.Errorf("got %q", got)
	}
}

// Words complete from the table.
func TestComplete(t *testing.T) {
	s := &Session{Getenv: func(string) string { return "" }, Config: t.TempDir()}
	for line, want := range map[string]string{
		"deals acc":                 "accept-offer",
		"hulls list --stat":         "--status",
		"hulls list --status on":    "on_order on_hold",
		"hulls list -o js":          "json jsonl",
		"hulls create --yea":        "--year",
		"profiles ":                 "list use remove",
		"login --no":                "--no-browser",
		"logout --":                 "--profile --help",
		"hulls list-photos ":        "",
		"search --pro":              "--profile",
		"leads send-message x --ch": "--channel",
	} {
		words := strings.Split(line, " ")
		var got []string
		for _, c := range Complete(t.Context(), s, words[0], words[1:]) {
			got = append(got, c.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", line, got, want)
		}
	}
}

// The command line can wait for all work in the background.
func TestWaiters(t *testing.T) {
	if len(background) == 0 {
		t.Fatal("no operation works in the background")
	}
	for id, path := range background {
		if waits[path] == nil {
			t.Errorf("%s works at %s, which no waiter can follow", id, path)
		}
	}
}
