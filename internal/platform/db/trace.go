package db

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"slipway/internal/platform/trace"
)

// trace starts the span of a statement. The text contains no values: they are arguments.
func (d *DB) trace(ctx context.Context, text string) (context.Context, *trace.Span) {
	if trace.From(ctx) == nil {
		return ctx, nil
	}
	ctx, span := trace.Start(ctx, trace.Client, summary(text))
	span.Set("db.system.name", map[bool]string{true: "sqlite", false: "postgresql"}[d.SQLite()])
	span.Set("db.query.text", strings.Join(strings.Fields(text), " "))
	return ctx, span
}

func endSpan(span *trace.Span, err error) {
	if !errors.Is(err, sql.ErrNoRows) {
		span.Fail(err)
	}
	span.End()
}

// summary names a statement by what it does and its first table, such as SELECT hulls.
func summary(text string) string {
	words := strings.Fields(text)
	for i, word := range words[:max(0, len(words)-1)] {
		switch strings.ToUpper(word) {
		case "FROM", "INTO", "UPDATE":
			return strings.ToUpper(words[0]) + " " + strings.Trim(words[i+1], "(),;")
		}
	}
	return strings.ToUpper(words[0])
}
