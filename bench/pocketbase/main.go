// Command pocketbase is PocketBase as it ships, with one more command: seed creates
// a collection with the hulls of a Slipway database. The benchmark compares the two
// (see ../versus.go).
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
	"github.com/spf13/cobra"
)

func main() {
	app := pocketbase.New()
	app.RootCmd.AddCommand(&cobra.Command{
		Use: "seed [slipway.db]", Short: "Create the collection hulls from a Slipway database, and print the token of a superuser",
		Args: cobra.ExactArgs(1), SilenceUsage: true,
		RunE: func(cmd *cobra.Command, args []string) error { return seed(cmd.Context(), app, args[0]) },
	})
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}

// seed creates the collection with the columns, rows and indexes of Slipway's table.
// It reads them from the database, so a new migration of Slipway is compared too.
func seed(ctx context.Context, app core.App, source string) (err error) {
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(app.DataDir(), "data.db")+"?_pragma=busy_timeout(10000)&_pragma=synchronous(OFF)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1) // of which the source is attached to
	if _, err := db.ExecContext(ctx, `ATTACH ? AS source`, source); err != nil {
		return err
	}

	columns, err := readColumns(ctx, db)
	if err != nil {
		return err
	}
	hulls := core.NewBaseCollection("hulls")
	for _, c := range columns {
		hulls.Fields.Add(c.field())
	}
	if err := app.Save(hulls); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, copyRows(columns)); err != nil {
		return err
	}

	indexes, err := readIndexes(ctx, db)
	if err != nil {
		return err
	}
	for _, index := range indexes { // after the rows, which is faster
		if _, err := db.ExecContext(ctx, index); err != nil {
			return fmt.Errorf("%s: %w", index, err)
		}
	}
	if err := printToken(app); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`) // reads don't pay for the copy
	return err
}

// column is a column of Slipway's table.
type column struct{ name, kind string }

func readColumns(ctx context.Context, db *sql.DB) (all []column, err error) {
	rows, err := db.QueryContext(ctx, `SELECT name, type FROM pragma_table_info('hulls', 'source') ORDER BY cid`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var c column
		if err := rows.Scan(&c.name, &c.kind); err != nil {
			return nil, err
		}
		if c.name != "env" && c.name != "id" { // PocketBase has its own id
			all = append(all, c)
		}
	}
	return all, rows.Err()
}

var objects = []string{"hin_warnings", "published_channels", "hold", "metadata"} // JSON

func (c column) isTime() bool { return strings.HasSuffix(c.name, "_at") }

func (c column) field() core.Field {
	switch {
	case c.name == "created_at":
		return &core.AutodateField{Name: c.name, OnCreate: true}
	case c.name == "updated_at":
		return &core.AutodateField{Name: c.name, OnCreate: true, OnUpdate: true}
	case c.isTime():
		return &core.DateField{Name: c.name}
	case slices.Contains(objects, c.name):
		return &core.JSONField{Name: c.name}
	case strings.HasPrefix(c.kind, "BOOL"):
		return &core.BoolField{Name: c.name}
	case strings.HasPrefix(c.kind, "BIGINT"), strings.HasPrefix(c.kind, "INT"), strings.HasPrefix(c.kind, "DOUBLE"), c.kind == "REAL":
		return &core.NumberField{Name: c.name}
	}
	return &core.TextField{Name: c.name}
}

// copyRows returns the SQL that copies the rows, oldest first. The rowid is then in
// the order of the creation. The IDs are PocketBase's own, which are random.
func copyRows(columns []column) string {
	names, values := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i], values[i] = c.name, fmt.Sprintf("COALESCE(%s, '')", c.name)
		switch c.field().(type) {
		case *core.JSONField:
			values[i] = c.name
		case *core.NumberField, *core.BoolField:
			values[i] = fmt.Sprintf("COALESCE(%s, 0)", c.name)
		}
		if c.isTime() {
			values[i] = fmt.Sprintf("COALESCE(strftime('%%Y-%%m-%%d %%H:%%M:%%fZ', %s / 1000.0, 'unixepoch'), '')", c.name)
		}
	}
	return fmt.Sprintf(`INSERT INTO main.hulls (%s) SELECT %s FROM source.hulls
		WHERE env = (SELECT env FROM source.dealerships WHERE mode = 'live') ORDER BY id`, strings.Join(names, ", "), strings.Join(values, ", "))
}

var (
	withValue    = regexp.MustCompile(`(\w+) IS NOT NULL`)
	withoutValue = regexp.MustCompile(`(\w+) IS NULL`)
)

// readIndexes returns the definitions of Slipway's indexes without the environment.
// PocketBase has an empty text where Slipway has NULL. They are created with SQL,
// because PocketBase doesn't parse a condition with parentheses.
func readIndexes(ctx context.Context, db *sql.DB) (all []string, err error) {
	rows, err := db.QueryContext(ctx, `SELECT sql FROM source.sqlite_master WHERE type = 'index' AND tbl_name = 'hulls' AND sql IS NOT NULL`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		text = strings.Replace(text, "(env, ", "(", 1)
		text = withValue.ReplaceAllString(text, "$1 != ''")
		all = append(all, withoutValue.ReplaceAllString(text, "$1 = ''"))
	}
	return all, rows.Err()
}

// printToken prints a token of a superuser. Rules are not evaluated for superusers,
// so this is the fastest caller.
func printToken(app core.App) error {
	users, err := app.FindCollectionByNameOrId(core.CollectionNameSuperusers)
	if err != nil {
		return err
	}
	user := core.NewRecord(users)
	user.SetEmail("bench@example.com")
	user.SetRandomPassword()
	if err := app.Save(user); err != nil {
		return err
	}
	token, err := user.NewStaticAuthToken(24 * time.Hour)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]string{"token": token})
}
