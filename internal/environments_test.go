package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"slipway/internal/testkit/assert"
	"strconv"
	"strings"
	"testing"
)

// An installation can be distributed by environment if no statement of a request reads
// rows of two. See docs/scaling.md.

// crossEnvironment lists the statements without a condition for the environment of
// each table, by a part of their text.
var crossEnvironment = map[string][]string{
	"find the environment of a client ID, a sign-in or a page": { // db.OneNamed finds credentials and links
		"FROM apps WHERE id = ?", "FROM apps a JOIN dealerships d ON d.env = a.env WHERE a.id",
		"FROM sign_in_tickets WHERE hash = ?", "FROM websites WHERE slug = ?",
		"SELECT env FROM sso_connections WHERE id = ?", "FROM sso_domains WHERE domain = ?",
		"FROM users u JOIN dealerships d ON d.env = u.env WHERE u.email", // one person can work at several dealerships
		"FROM dealerships WHERE id = ?",
	},
	"an app is installed in the environments of other dealerships": {"FROM installs"},
	"a background job or a command finds what is due in all environments": {
		"SELECT COALESCE(MAX(env), 0) FROM dealerships",
		"FROM audit_chains ORDER BY env", "SELECT DISTINCT env FROM audit_entries WHERE link IS NULL",
		"FROM outbox WHERE env", "FROM outbox WHERE mark IS NULL", "FROM waiting_work w", "FROM waiting_work WHERE kind = ?",
		"FROM daily_summaries WHERE env > 0", "FROM loose_blobs WHERE due_at", "UPDATE loose_blobs SET doomed",
		"FROM mfa_factors WHERE env IS NOT NULL AND active LIMIT 1", "FROM channels c WHERE c.push_after <= ?",
		"FROM hull_imports WHERE state IN", "FROM hull_imports WHERE env > 0 AND kept_until", "FROM webhooks w WHERE w.status = 'enabled'",
		"UPDATE deliveries SET lease_until = NULL", "UPDATE hull_photos SET claimed_until = NULL WHERE env > 0",
		"UPDATE messages SET lease_until = ? WHERE env > 0", "FROM sso_sessions WHERE env > 0", "FROM sso_connections WHERE env > 0",
		"FROM sso_domains WHERE env > 0", "FROM event_feeds WHERE last_id > relayed_id", "FROM event_feeds WHERE env IN", // of open streams
		"SELECT env FROM webhooks WHERE status = 'enabled'",
		"SELECT blob FROM hull_photos WHERE env > 0", // a backup
	},
	"metrics count the work of all environments": {"FROM webhooks w JOIN deliveries d", "FROM events WHERE env IN (", "SELECT relayed_id FROM event_feeds WHERE env = events.env"},
	"a background job deletes what has expired in all environments": {
		"WHERE expires_at < ?", "WHERE hour < ?", "FROM received_messages WHERE received_at < ?", "DELETE FROM idempotency_keys WHERE created_at <= ?",
	},
}

var (
	sqlTable     = regexp.MustCompile(`\b(?:FROM|JOIN|UPDATE) ([a-z_]+)\b`)
	sqlCondition = regexp.MustCompile(`\benv = `)
	sqlArgument  = regexp.MustCompile(`\benv = (?:\?|[0-9])`)
	createTable  = regexp.MustCompile(`(?s)CREATE TABLE ([a-z_]+) \((.*?)\n\)`)
	envColumn    = regexp.MustCompile(`(?m)^\s+env +BIGINT`)
)

// tablesWithEnv reads the migrations.
func tablesWithEnv(t *testing.T) (tables []string) {
	t.Helper()
	files, err := filepath.Glob("platform/db/migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range createTable.FindAllStringSubmatch(string(text), -1) {
			if envColumn.MatchString(m[2]) {
				tables = append(tables, m[1])
			}
		}
	}
	if len(tables) < 60 {
		t.Fatalf("got %d tables with env, want at least 60", len(tables))
	}
	return tables
}

// crosses reports whether a statement reads a table without a condition for its
// environment. Each table in a join needs one. EXISTS is a condition of another
// statement, which has the argument.
func crosses(statement string, tables []string) bool {
	n := 0
	statement = strings.ReplaceAll(statement, conditions, "env = ? AND ")
	for _, m := range sqlTable.FindAllStringSubmatch(statement, -1) {
		if slices.Contains(tables, m[1]) {
			n++
		}
	}
	inner := strings.HasPrefix(statement, "EXISTS (")
	return n > 0 && (len(sqlCondition.FindAllString(statement, -1)) < n || !inner && !sqlArgument.MatchString(statement))
}

// conditions are those of a db.Where in a statement. They must start with the
// environment. TestConditionsStartWithTheEnvironment checks this.
const conditions = "{conditions}"

// statements returns the texts of a file. The parts of a concatenation are one text.
// Parts that are not literal are left out.
func statements(t *testing.T, file string) (texts []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var join func(e ast.Expr) string
	join = func(e ast.Expr) string {
		switch e := e.(type) {
		case *ast.BasicLit:
			if e.Kind == token.STRING {
				text, _ := strconv.Unquote(e.Value)
				return text
			}
		case *ast.BinaryExpr:
			return join(e.X) + " " + join(e.Y)
		case *ast.ParenExpr:
			return join(e.X)
		case *ast.CallExpr:
			if method, ok := e.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "String" && len(e.Args) == 0 {
				return conditions
			}
		}
		return ""
	}
	ast.Inspect(f, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		switch e := e.(type) {
		case *ast.BasicLit:
			texts = append(texts, join(e))
			return false
		case *ast.BinaryExpr:
			if text := join(e); text != "" && e.Op == token.ADD {
				texts = append(texts, text)
				return false
			}
		}
		return true
	})
	return texts
}

var isStatement = regexp.MustCompile(`\b(SELECT|UPDATE|DELETE) `)

func TestStatementsNameOneEnvironment(t *testing.T) {
	tables := tablesWithEnv(t)
	unused := map[string]bool{}
	for _, parts := range crossEnvironment {
		for _, part := range parts {
			unused[part] = true
		}
	}

	checked := 0
	for _, file := range sources(t) {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "testkit") || strings.HasPrefix(file, "platform/db/") {
			continue
		}
		for _, text := range statements(t, file) {
			text = strings.Join(strings.Fields(text), " ")
			if !isStatement.MatchString(text) {
				continue
			}
			checked++
			if !crosses(text, tables) {
				continue
			}
			reviewed := false
			for part := range unused {
				if strings.Contains(text, part) {
					reviewed, unused[part] = true, false
				}
			}
			if !reviewed {
				t.Errorf("%s: a statement has no condition for the environment of each table:\n%s", file, text)
			}
		}
	}

	for part, still := range unused {
		if still {
			t.Errorf("no statement contains %q any more", part)
		}
	}
	if checked < 300 {
		t.Errorf("checked %d statements, want at least 300", checked)
	}
}

var firstCondition = regexp.MustCompile(`(?s)(?:var (\w+) db\.Where|(\w+) := &db\.Where\{\})\n(.*?)\n\n`)

// statementHasEnv are first conditions in statements that name the environment before.
var statementHasEnv = []string{`w.And("p.received_on >= ? AND p.received_on <= ?", *p.From, *p.To)`, `w.And(inStock)`,
	`w.AndIf(f.ObjectID != "", "object_id = ?", f.ObjectID)`}

// A db.Where that is not passed to db.Table starts with the environment.
func TestConditionsStartWithTheEnvironment(t *testing.T) {
	for _, file := range sources(t) {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "platform/db/") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(src); strings.Contains(text, ".String()+") && strings.Contains(text, "db.Where") {
			for _, wrong := range withoutEnv(text) {
				t.Errorf("%s: conditions that don't start with the environment:\n%s", file, wrong)
			}
		}
	}
}

// withoutEnv returns the first lines after a new db.Where that don't add the environment.
func withoutEnv(src string) (wrong []string) {
	for _, m := range firstCondition.FindAllStringSubmatch(src+"\n\n", -1) {
		name := m[1] + m[2]
		first := strings.TrimSpace(strings.SplitN(m[3], "\n", 2)[0])
		if ok, _ := regexp.MatchString(`^`+name+`\.And\((?:\w+\+)?"[\w.]*env = \?`, first); !ok && !slices.Contains(statementHasEnv, first) {
			wrong = append(wrong, first)
		}
	}
	return wrong
}

func TestCrossingStatementsAreFound(t *testing.T) {
	tables := []string{"hulls", "deals"}
	for statement, want := range map[string]bool{
		"SELECT id FROM hulls WHERE env = ? AND id = ?":                                             false,
		"SELECT id FROM hulls WHERE id = ?":                                                         true,
		"SELECT id FROM hulls h JOIN deals d ON d.env = h.env AND d.hull_id = h.id":                 true,
		"SELECT id FROM hulls h JOIN deals d ON d.env = h.env AND d.hull_id = h.id WHERE h.env = ?": false,
		"SELECT id FROM hulls h JOIN deals d ON d.hull_id = h.id WHERE h.env = ?":                   true,
		"DELETE FROM deals WHERE created_at < ?":                                                    true,
		"UPDATE hulls SET year = 1 WHERE env = ? AND id IN (SELECT hull_id FROM deals)":             true,
		"SELECT id FROM timelines WHERE cluster = ?":                                                false,
	} {
		assert.Equal(t, crosses(statement, tables), want, statement)
	}
}

func TestWrongConditionsAreFound(t *testing.T) {
	const src = "w := &db.Where{}\n\tw.And(\"h.env = ?\", env)\n\nvar v db.Where\n\tv.And(\"id = ?\", id)\n\n"
	if got := withoutEnv(src); len(got) != 1 || !strings.HasPrefix(got[0], "v.And") {
		t.Errorf("got %q, want the second", got)
	}
}
