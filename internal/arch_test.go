// Package internal contains no code, only this test of its structure.
package internal

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// may lists what each package can import from this module. A new arrow is one
// line here, where a reviewer sees it; a package that is not listed fails the
// test. The three sections are the three levels of the tree: features at the
// top, then platform/, then vocab/.
var may = map[string][]string{
	// vocab: pure, importable by all
	"vocab/assist":    {},
	"vocab/auth":      {"vocab/enum"},
	"vocab/cell":      {},
	"vocab/effect":    {"vocab/auth", "vocab/enum"},
	"vocab/enum":      {},
	"vocab/family":    {},
	"vocab/fault":     {},
	"vocab/hin":       {"vocab/enum"},
	"vocab/id":        {},
	"vocab/lazy":      {},
	"vocab/money":     {"vocab/fault"},
	"vocab/null":      {},
	"vocab/page":      {"vocab/fault", "vocab/id"},
	"vocab/patch":     {"vocab/fault", "vocab/wire"},
	"vocab/phone":     {},
	"vocab/privacy":   {"vocab/auth"},
	"vocab/search":    {},
	"vocab/signature": {},
	"vocab/token":     {"vocab/auth"},
	"vocab/version":   {"vocab/fault"},
	"vocab/wire":      {},

	// platform: what every feature is built on; may use vocab
	"platform/admission":    {"platform/db", "platform/ratelimit"},
	"platform/apidocs":      {"platform/pages"},
	"platform/audit":        {"platform/db", "platform/site"},
	"platform/authlog":      {"platform/audit", "platform/db", "platform/ratelimit", "platform/site"},
	"platform/backup":       {"platform/blobs", "platform/db", "platform/seal"},
	"platform/blobs":        {"platform/db"},
	"platform/db":           {"platform/trace"},
	"platform/db/hookstest": {},
	"platform/events":       {"platform/audit", "platform/db", "platform/trace", "platform/work"},
	"platform/front":        {"platform/pages", "platform/ratelimit"},
	"platform/guides":       {"platform/pages"},
	"platform/images":       {},
	"platform/jobs":         {"platform/db", "platform/trace"},
	"platform/mail":         {"platform/outbox"},
	"platform/outbound":     {},
	"platform/providers":    {"platform/db", "platform/mail", "platform/sms"},
	"platform/outbox":       {},
	"platform/pages":        {},
	"platform/password":     {},
	"platform/pdf":          {},
	"platform/ratelimit":    {"platform/db"},
	"platform/rest":         {"platform/admission", "platform/db", "platform/ratelimit", "platform/seal", "platform/trace"},
	"platform/seal":         {},
	"platform/site":         {"platform/db", "platform/seal"},
	"platform/shards":       {"platform/db"},
	"platform/sms":          {"platform/outbox"},
	"platform/trace":        {},
	"platform/work":         {"platform/db"},

	// parts of features
	"imports/sheet":              {},
	"hulls/photolink":            {},
	"identity/sso/oidc":          {},
	"identity/sso/oidc/oidctest": {"testkit/testkeys"},
	"identity/sso/saml":          {},

	// features: may use platform and vocab, and ask the features listed
	"dealership":      {},
	"views":           {},
	"identity/people": {"dealership"},
	"identity/access": {"dealership", "identity/people"},
	"identity/signin": {"dealership", "identity/access", "identity/people"},
	"identity/sso": {
		"dealership", "identity/access", "identity/people", "identity/signin", "identity/sso/oidc", "identity/sso/saml",
	},
	"identity/scim":     {"dealership", "identity/people", "identity/sso"},
	"identity/oauth":    {"dealership", "identity/access", "identity/people", "identity/signin"},
	"identity/clilogin": {"dealership", "identity/access", "identity/people", "identity/signin"},
	"identity": {
		"dealership", "identity/access", "identity/clilogin", "identity/oauth", "identity/people", "identity/scim", "identity/signin", "identity/sso",
	},
	"hulls":          {"dealership", "hulls/photolink"},
	"photos":         {"hulls", "hulls/photolink"},
	"channels":       {"dealership", "hulls", "identity/people", "photos"},
	"imports":        {"activities", "consent", "contacts", "dealership", "hulls", "imports/sheet", "photos"},
	"consent":        {},
	"contacts":       {"consent"},
	"requestlog":     {},
	"backups":        {},
	"console":        {"dealership", "identity/access", "identity/people", "identity/signin"},
	"console/bundle": {},
	"console/dev":    {"console/bundle"},
	"mcp":            {"identity/access"},
	"leads":          {"consent", "contacts", "dealership", "hulls", "identity/people"},
	"donotcall":      {},
	"messages":       {"consent", "contacts", "dealership", "donotcall", "hulls", "identity/people", "leads"},
	"templates":      {"channels", "consent", "contacts", "dealership", "hulls", "identity/people", "leads"},
	"plans":          {"activities", "consent", "contacts", "leads", "messages", "templates"},
	"campaigns":      {"consent", "contacts", "leads", "messages", "templates"},
	"deals":          {"contacts", "dealership", "hulls", "identity/access", "identity/people", "leads"},
	"finance":        {"contacts", "dealership", "deals", "identity/access"},
	"documents":      {"contacts", "dealership", "deals", "finance", "hulls"},
	"webhooks":       {"dealership", "identity/people"},
	"preview": {
		"contacts", "dealership", "deals", "documents", "finance", "hulls", "identity/access", "identity/people", "leads", "messages",
	},
	"reports":      {"dealership", "deals", "finance", "hulls", "leads", "preview"},
	"appointments": {"consent", "contacts", "dealership", "deals", "hulls", "identity/people", "leads", "messages"},
	"storefront": {
		"appointments", "channels", "consent", "contacts", "dealership", "hulls", "hulls/photolink", "identity/people", "leads", "messages", "photos",
	},
	"activities": {"contacts", "deals", "hulls", "identity/people", "leads"},
	"summaries":  {"activities", "appointments", "contacts", "dealership", "deals", "hulls", "identity/people", "leads"},
	"proposals":  {"contacts", "dealership", "deals", "hulls", "identity/access", "identity/people", "leads"},

	// the top
	"description": {"cli"},
	"app": {
		"activities", "appointments", "backups", "campaigns", "channels", "cli", "console", "contacts", "dealership", "deals", "description", "documents", "donotcall",
		"finance", "hulls", "identity", "identity/access", "imports", "leads", "mcp", "messages", "photos", "plans", "preview", "proposals", "reports", "requestlog", "sdks", "storefront", "summaries", "templates",
		"views", "webhooks",
	},
	"demo":                       {"app", "campaigns", "channels", "dealership", "hulls", "identity/access", "identity/people", "messages"},
	"identity/sso/saml/samltest": {"identity/sso/saml", "testkit/testkeys"},
	"cli":                        {},
	"doctor":                     {"app", "backups"},
	"sdkgen":                     {},
	"sdks":                       {"sdkgen"},
	"testkit": {
		"app", "dealership", "description", "identity/access", "identity/sso", "identity/sso/saml", "photos", "testkit/assert", "testkit/postgres",
		"testkit/testkeys",
	},
	"testkit/assert":                {},
	"testkit/behavior":              {"app", "description", "testkit"},
	"testkit/eventsseen":            {"app"},
	"testkit/faulttest":             {},
	"testkit/pdftext":               {},
	"testkit/testkeys":              {},
	"testkit/testtimes":             {},
	"testkit/mutants":               {},
	"testkit/postgres":              {},
	"testkit/powercut":              {},
	"testkit/postgres/withpostgres": {"testkit/postgres"},
}

// allows reports whether one package can import another.
func allows(from, to string) bool {
	if slices.Contains(may[from], to) {
		return true
	}
	switch {
	case strings.HasPrefix(from, "vocab/"):
		return false
	case strings.HasPrefix(from, "platform/"):
		return strings.HasPrefix(to, "vocab/")
	}
	return strings.HasPrefix(to, "vocab/") || strings.HasPrefix(to, "platform/")
}

// layers are the suffixes of files in a feature, and what they may not import.
// A file without a suffix holds rules: no I/O, no clock, no HTTP.
var layers = map[string][]string{
	"_api.go":       {"database/sql", "os"},
	"_store.go":     {"net/http", "os", "github.com/danielgtaylor/huma", "slipway/internal/platform/rest"},
	"_jobs.go":      {"database/sql", "github.com/danielgtaylor/huma", "slipway/internal/platform/rest"},
	"_pages.go":     {"database/sql"},
	"_endpoints.go": {"database/sql"},
	"_client.go":    {"database/sql", "os", "github.com/danielgtaylor/huma"},
	"_worker.go":    {"database/sql", "os", "github.com/danielgtaylor/huma"},
	"_actions.go":   {"database/sql", "net/http", "os", "github.com/danielgtaylor/huma"},
	"": {"context", "database/sql", "net/http", "os", "github.com/danielgtaylor/huma", "slipway/internal/platform/db",
		"slipway/internal/platform/rest", "slipway/internal/platform/jobs"},
}

// dialects may be named only by db, which hides them, and by the drivers' own.
var dialects = []string{"github.com/jackc/pgx", "modernc.org/sqlite"}

const maxLines = 500

func TestArchitecture(t *testing.T) {
	apart, err := filepath.Glob("../tests/*/*.go")
	if err != nil || len(apart) < 100 {
		t.Fatalf("got %d files in tests, %v; want at least 100", len(apart), err)
	}
	for _, file := range append(sources(t), apart...) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(src), "\n"); n > maxLines && !strings.HasSuffix(file, ".gen.go") {
			t.Errorf("%s has %d lines; at %d split it by noun", file, n, maxLines)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		pkg := filepath.ToSlash(filepath.Dir(file))
		if _, known := may[pkg]; !known {
			t.Errorf("%s: package %s is not in the map of this test", file, pkg)
		}
		forbidden := layers[layerOf(file)]
		for _, path := range imports(t, file, src) {
			if ours, ok := strings.CutPrefix(path, "slipway/internal/"); ok && !allows(pkg, ours) {
				t.Errorf("%s imports %s, which %s is not allowed to; see the map of this test", file, ours, pkg)
			}
			if isFeature(pkg) && slices.ContainsFunc(forbidden, func(p string) bool { return strings.HasPrefix(path, p) }) {
				t.Errorf("%s imports %s, which its layer may not", file, path)
			}
			if !strings.HasPrefix(pkg, "testkit") && pkg != "platform/db" && pkg != "platform/jobs" &&
				slices.ContainsFunc(dialects, func(p string) bool { return strings.HasPrefix(path, p) }) {
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
		"site_keys",     // the keys of the installation
		"auth_refusals", // and its log
		"maintenance WHERE id = 1",
		"acme_state", // the certificates of the installation
		"information_schema.tables",
		"river_job", // the queue of all environments
		"job_nodes", // and the servers that work on it
		"pg_notify",
		"provider_outages",            // of the providers of the installation
		"rate_limits",                 // the buckets of credentials and addresses, as hashes
		"backup_runs", "backup_turns", // a backup contains all environments
		"sqlite_schema", `SELECT COUNT(*) FROM "`, // counts all rows of a backup
		"sign_in_tickets WHERE hash = ?",
		"apps WHERE id = ?",
		"sso_connections WHERE id = ?",     // the path of a page finds its environment
		"sso_domains WHERE domain = ?",     // and so does the domain of an email address
		"websites WHERE slug = ?",          // and so does the path of a website
		"SELECT {cols} FROM (SELECT x.*, ", // of a token or code; the rest of the statement names it
		// housekeeping, over all environments
		"DELETE FROM idempotency_keys WHERE created_at",
		"WHERE expires_at < ?",
		"WHERE hour < ?",
		"DELETE FROM received_messages WHERE received_at < ?",
		"loose_blobs WHERE due_at <= ?",
		"loose_blobs SET doomed = TRUE WHERE due_at <= ?",
	}
	for _, file := range sources(t) {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "testkit") || strings.HasPrefix(file, "platform/db/") || strings.HasPrefix(file, "platform/shards/") {
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

// owners lists the feature that owns each table. Other features call its
// functions. Add the tables of a feature here when no other feature reads them.
var owners = map[string]string{
	"api_keys": "identity/access", "api_key_uses": "identity/access", "mfa_challenges": "identity/access", "recovery_codes": "identity/access",
	"email_changes": "identity/people", "invitations": "identity/people", "mfa_factors": "identity/people", "mfa_tokens": "identity/people",
	"roles": "identity/people", "sessions": "identity/people", "user_roles": "identity/people", "users": "identity/people",
	"dealerships": "dealership", "locations": "dealership",
	"sign_in_tickets": "identity/signin", "cli_codes": "identity/clilogin",
	"sso_connections": "identity/sso", "sso_domains": "identity/sso", "sso_identities": "identity/sso", "sso_links": "identity/sso", "sso_logins": "identity/sso", "sso_sessions": "identity/sso",
	"sso_used_messages": "identity/sso", "scim_tokens": "identity/scim", "scim_users": "identity/scim", "scim_groups": "identity/scim",
	"scim_members": "identity/scim",
	"appointments": "appointments", "appointment_users": "appointments", "appointment_reminders": "appointments",
	"campaigns": "campaigns", "campaign_recipients": "campaigns", "lead_segments": "campaigns", "message_templates": "templates",
	"follow_up_plans": "plans", "lead_plans": "plans", "do_not_call_lists": "donotcall", "do_not_call_numbers": "donotcall",
	"websites": "storefront", "website_sends": "storefront", "price_alerts": "storefront",
	"user_calendars": "appointments", "activities": "activities", "proposals": "proposals",
	"apps": "identity/oauth", "installs": "identity/oauth", "oauth_grants": "identity/oauth", "oauth_tokens": "identity/oauth",
}

// Authentication and sign-in join the environment of a credential, because
// another query would slow down every request.
const environmentJoin = "JOIN dealerships d ON d.env = "

var tableName = regexp.MustCompile(`(?:FROM |JOIN |INTO |UPDATE |From\("|(?:Insert|Update)\(ctx, tx, "|Name: +")([a-z_]+)`)

// A feature's SQL names only its own tables. Reports are queries over tables of
// several features, so they can read all of them.
func TestTableOwners(t *testing.T) {
	for _, file := range sources(t) {
		pkg := filepath.ToSlash(filepath.Dir(file))
		if strings.HasSuffix(file, "_test.go") || !isFeature(pkg) || pkg == readOnly {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(src)
		if pkg == "identity/access" || pkg == "identity/people" || pkg == "identity/oauth" {
			text = strings.ReplaceAll(text, environmentJoin, "")
		}
		for _, found := range tableName.FindAllStringSubmatch(text, -1) {
			if owner := owners[found[1]]; owner != "" && owner != pkg {
				t.Errorf("%s: the table %s belongs to %s; call a function of that package", file, found[1], owner)
			}
		}
	}
}

// readOnly is the package that reads tables of other features and never writes.
const readOnly = "reports"

var writing = regexp.MustCompile(`\b(INSERT INTO|UPDATE|DELETE FROM)\b|\bdb\.(Exec|Insert|Update|Write|LockRow)\b|` +
	`\brest\.(Post|Patch|Put|Delete)`)

func TestReportsOnlyRead(t *testing.T) {
	files, err := filepath.Glob(readOnly + "/*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("got %d files, %v; want at least 10", len(files), err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := writing.FindString(string(src)); found != "" && !strings.HasSuffix(file, "_test.go") {
			t.Errorf("%s contains %s; reports only read", file, found)
		}
	}
	for _, text := range []string{"`UPDATE deals SET`", "`DELETE FROM deals`", "`INSERT INTO deals`", "db.Exec(ctx", "rest.PostOK(r"} {
		if !writing.MatchString(text) {
			t.Errorf("%s is not recognized as a write", text)
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
		t.Fatalf("got %d files, %v; want at least 20", len(files), err)
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

// isFeature reports whether a package stands at the top of the tree, below app, or is
// a part of identity.
func isFeature(pkg string) bool {
	return !strings.Contains(strings.TrimPrefix(pkg, "identity/"), "/") && !slices.Contains([]string{"app", "cli", "demo", "description", "doctor", "testkit"}, pkg)
}

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
