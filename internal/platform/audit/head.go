package audit

import (
	"context"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// Head is the newest link of the chain of an environment. If you keep it outside the
// database, Verify can show that the database wasn't replaced by an older copy.
type Head struct {
	Env  auth.Env
	Link int64
	MAC  string // start of the signature, in hex
}

// headLen is how many bytes of the signature a head contains.
const headLen = 16

func headOf(env auth.Env, link int64, mac []byte) Head {
	return Head{env, link, hex.EncodeToString(mac[:min(len(mac), headLen)])}
}

func (h Head) String() string { return fmt.Sprintf("%d.%d.%s", h.Env, h.Link, h.MAC) }

// FormatHeads returns heads in the form that ParseHeads accepts.
func FormatHeads(heads []Head) string {
	var all []string
	for _, h := range heads {
		all = append(all, h.String())
	}
	return strings.Join(all, ",")
}

var headFormat = regexp.MustCompile(`^([1-9][0-9]{0,17})\.(0|[1-9][0-9]{0,17})\.([0-9a-f]+)$`)

// ParseHeads reads heads that are separated by commas. Of several heads of an
// environment, it returns the one with the highest link.
func ParseHeads(text string) (map[auth.Env]Head, error) {
	heads := map[auth.Env]Head{}
	for one := range strings.SplitSeq(text, ",") {
		one = strings.TrimSpace(one)
		if one == "" {
			continue
		}
		m := headFormat.FindStringSubmatch(one)
		if m == nil {
			return nil, fmt.Errorf("%q is not a head. Copy it from the output of slipway audit head or from the log", one)
		}
		env, _ := strconv.ParseInt(m[1], 10, 64) // the format is checked
		link, _ := strconv.ParseInt(m[2], 10, 64)
		if known, ok := heads[auth.Env(env)]; !ok || known.Link < link {
			heads[auth.Env(env)] = Head{auth.Env(env), link, m[3]}
		}
	}
	return heads, nil
}

// Heads returns the newest link of each environment.
func Heads(ctx context.Context, d *db.DB) ([]Head, error) {
	chains, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]chain, error) {
		return db.All[chain](ctx, tx, `SELECT {cols} FROM audit_chains ORDER BY env`)
	})
	var heads []Head
	for _, c := range chains {
		heads = append(heads, headOf(c.Env, c.LastLink, c.LastMAC))
	}
	return heads, err
}

// Environments returns the numbers of all environments, from the highest number that
// one of the tables contains. Environments are numbered without gaps and are never
// deleted, so one that is missing in a table was removed.
func Environments(ctx context.Context, d *db.DB, tables ...string) ([]auth.Env, error) {
	last, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) (last auth.Env, err error) {
		for _, table := range tables {
			highest, err := db.One[auth.Env](ctx, tx, `SELECT COALESCE(MAX(env), 0) FROM `+table)
			if err != nil {
				return last, err
			}
			last = max(last, highest)
		}
		return last, nil
	})
	var all []auth.Env
	for env := auth.Env(1); env <= last; env++ {
		all = append(all, env)
	}
	return all, err
}
