// Package internal holds no code, only this test of how the packages hang
// together.
package internal

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// may lists what each package may import of ours. A new arrow is one line here,
// for everybody to see; a package that is not listed fails the test.
var may = map[string][]string{
	// vocabulary: pure, importable by all
	"fault":     {},
	"hin":       {},
	"id":        {},
	"phone":     {},
	"terms":     {},
	"metadata":  {"fault"},
	"money":     {"fault"},
	"scope":     {},
	"wire":      {},
	"opt":       {"wire"},
	"page":      {"fault", "id"},
	"principal": {"scope"},
	"version":   {"fault"},

	// platform
	"seal":      {},
	"reference": {},
	"db":        {"fault", "id", "page", "wire"},
	"jobs":      {"db"},
	"audit":     {"db", "id", "page", "principal", "wire"},
	"events":    {"audit", "db", "fault", "id", "page", "principal", "version", "wire"},
	"blobs":     {"db", "fault", "principal"},
	"picture":   {"fault"},
	"mail":      {},
	"outbound":  {"fault"},
	"paper":     {},
	"sms":       {},
	"limit":     {},
	"web":       {},
	"rest":      {"db", "fault", "id", "limit", "principal", "scope", "seal", "version", "wire"},

	// features: each may ask the ones above it
	"dealership": features("jobs"),
	"access":     features("dealership", "jobs", "limit", "mail", "seal", "web"),
	"hulls":      features("blobs", "dealership", "jobs", "metadata", "outbound", "picture", "terms", "wire"),
	"consent":    features("phone"),
	"contacts":   features("consent", "metadata", "phone", "terms"),
	"deals":      features("contacts", "dealership", "hulls", "jobs", "leads", "metadata", "money"),
	"finance":    features("contacts", "dealership", "deals", "hulls", "money", "paper"),
	"leads":      features("consent", "contacts", "dealership", "hulls", "jobs", "mail", "metadata", "phone", "sms", "terms", "web"),
	"webhooks":   features("dealership", "jobs", "outbound", "seal", "wire"),

	// the top
	"app": {
		"access", "audit", "blobs", "contacts", "db", "dealership", "deals", "events", "fault", "finance", "hulls", "jobs", "leads", "mail", "outbound",
		"principal", "reference", "rest", "seal", "sms", "webhooks",
	},
	"demo": {"access", "app", "dealership", "hulls", "principal", "scope", "wire"},

	"testkit":                       {"access", "app", "db", "dealership", "events", "hulls", "principal", "scope", "testkit/postgres"},
	"testkit/postgres":              {},
	"testkit/postgres/withpostgres": {"testkit/postgres"},
}

// features is what every feature may use, and some neighbours.
func features(neighbours ...string) []string {
	return append([]string{"audit", "db", "events", "fault", "hin", "id", "opt", "page", "principal", "rest", "scope", "version"}, neighbours...)
}

// layers are the suffixes of files in a feature, and what they may not import.
// A file without a suffix holds rules: no I/O, no clock, no HTTP.
var layers = map[string][]string{
	"_api.go":   {"database/sql", "os"},
	"_store.go": {"net/http", "os", "github.com/danielgtaylor/huma", "slipway/internal/rest"},
	"_jobs.go":  {"database/sql", "github.com/danielgtaylor/huma", "slipway/internal/rest"},
	"_pages.go": {"database/sql"},
	"":          {"context", "database/sql", "net/http", "os", "github.com/danielgtaylor/huma", "slipway/internal/db", "slipway/internal/rest", "slipway/internal/jobs"},
}

// dialects may be named only by db, which hides them, and by the drivers' own.
var dialects = []string{"github.com/jackc/pgx", "modernc.org/sqlite"}

const maxLines = 500

func TestArchitecture(t *testing.T) {
	for _, file := range sources(t) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(src), "\n"); n > maxLines {
			t.Errorf("%s has %d lines; at %d split it by noun", file, n, maxLines)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		pkg := filepath.ToSlash(filepath.Dir(file))
		allowed, known := may[pkg]
		if !known {
			t.Errorf("%s: package %s is not in the map of this test", file, pkg)
		}
		forbidden := layers[layerOf(file)]
		for _, path := range imports(t, file, src) {
			if ours, ok := strings.CutPrefix(path, "slipway/internal/"); ok && !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s; %s may import only %v", file, ours, pkg, allowed)
			}
			if isFeature(pkg) && slices.ContainsFunc(forbidden, func(p string) bool { return strings.HasPrefix(path, p) }) {
				t.Errorf("%s imports %s, which its layer may not", file, path)
			}
			if !strings.HasPrefix(pkg, "testkit") && pkg != "db" && pkg != "jobs" && slices.ContainsFunc(dialects, func(p string) bool { return strings.HasPrefix(path, p) }) {
				t.Errorf("%s imports %s; only db names a dialect", file, path)
			}
		}
	}
}

// Every query on a request path names the environment first. Credentials are
// how the environment is found; the rest of the list is housekeeping.
func TestEveryQueryNamesTheEnvironment(t *testing.T) {
	without := []string{
		"dealerships WHERE id = ? AND mode = ?", // the command line looks for an environment
		"MAX(env)",
		"k.public_id = ?",
		"invitations WHERE hash = ?", // and so is the link in an invitation
		// housekeeping, over all environments
		"DELETE FROM idempotency_keys WHERE created_at",
		"WHERE expires_at < ?",
		"WHERE hour < ?",
		"loose_blobs WHERE due_at <= ?",
		"loose_blobs SET doomed = TRUE WHERE due_at <= ?",
	}
	for _, file := range sources(t) {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "testkit") || strings.HasPrefix(file, "db/") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, literal := range rawStrings(string(src)) {
			if !strings.Contains(literal, "SELECT ") && !strings.Contains(literal, "DELETE ") && !strings.Contains(literal, "UPDATE ") {
				continue
			}
			if !strings.Contains(literal, "env") && !slices.ContainsFunc(without, func(s string) bool { return strings.Contains(literal, s) }) {
				t.Errorf("%s: a query does not name env:\n%s", file, literal)
			}
		}
	}
}

func sources(t *testing.T) (files []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") && strings.Contains(path, "/") {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	return files
}

func imports(t *testing.T, file string, src []byte) (paths []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, imp := range f.Imports {
		path, _ := strconv.Unquote(imp.Path.Value)
		paths = append(paths, path)
	}
	return paths
}

func isFeature(pkg string) bool { return slices.Contains(may[pkg], "rest") && pkg != "app" }

func layerOf(file string) string {
	for suffix := range layers {
		if suffix != "" && strings.HasSuffix(file, suffix) {
			return suffix
		}
	}
	return ""
}

// rawStrings are the parts between back quotes.
func rawStrings(src string) (literals []string) {
	for i, part := range strings.Split(src, "`") {
		if i%2 == 1 {
			literals = append(literals, part)
		}
	}
	return literals
}
