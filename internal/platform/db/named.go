package db

import (
	"context"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/lazy"
)

// namedEnv is the last condition of a query of OneNamed.
var namedEnv = lazy.Regexp(` AND (\w+\.)?env = \?`)

// OneNamed returns the row of a credential, which can be in any environment. The query ends
// with a condition for the environment, whose argument OneNamed adds: the one that the
// credential names. Credentials of earlier versions name none, so they are looked up without
// the condition. Some of them seem to name one, so this is also done if nothing was found.
func OneNamed[T any](ctx context.Context, tx *Tx, env auth.Env, query string, args ...any) (T, error) {
	if env != 0 {
		found, err := One[T](ctx, tx, query, append(args[:len(args):len(args)], env)...)
		if !IsNoRows(err) {
			return found, err
		}
	}
	return One[T](ctx, tx, namedEnv().ReplaceAllString(query, ""), args...)
}
