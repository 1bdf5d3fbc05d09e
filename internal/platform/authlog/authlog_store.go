package authlog

import (
	"cmp"
	"context"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"time"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/null"
)

// batch is how many events are saved in a transaction.
const batch = 200

// keepMonths is how long refusals are stored, the same as audit entries.
const keepMonths = 13

func (l *Log) save(ctx context.Context, all bool) error {
	rejected, used := l.take(all)
	slices.SortFunc(rejected, func(a, b due) int { return a.first.Compare(b.first) })
	slices.SortFunc(used, func(a, b dueUse) int { return cmp.Or(cmp.Compare(a.env, b.env), cmp.Compare(a.id, b.id)) })

	for len(rejected) > 0 {
		some := rejected[:min(batch, len(rejected))]
		_, err := db.Write(ctx, l.db, func(ctx context.Context, tx *db.Tx) (int, error) { return 0, saveRejections(ctx, tx, some) })
		if err != nil {
			l.restore(rejected)
			return err
		}
		rejected = rejected[len(some):]
	}

	for some := range slices.Chunk(used, batch) {
		_, err := db.Write(ctx, l.db, func(ctx context.Context, tx *db.Tx) (int, error) { return 0, saveUses(ctx, tx, some) })
		if err != nil {
			return err // they are still in memory
		}
		l.markSaved(some)
	}
	return nil
}

func (l *Log) markSaved(used []dueUse) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, u := range used {
		if s := l.uses[u.use]; s != nil {
			s.saved = true
		}
	}
}

func saveRejections(ctx context.Context, tx *db.Tx, rejected []due) error {
	for _, d := range rejected {
		if d.env == 0 {
			if err := insertRefusal(ctx, tx, d); err != nil {
				return err
			}
			continue
		}
		err := audit.RecordFailure(auth.WithRequest(ctx, d.request), tx.In(d.env), "auth.failed", audit.Target{Type: d.kind, ID: d.id}, map[string][2]any{
			"reason": {nil, d.reason}, "times": {nil, d.n}, "first_at": {nil, d.first}, "last_at": {nil, d.last},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Refusal is a rejected credential that matches no environment.
type Refusal struct {
	ID        string    `db:"id" json:"id"`
	FirstAt   time.Time `db:"first_at" json:"first_at"`
	LastAt    time.Time `db:"last_at" json:"last_at"`
	Kind      string    `db:"kind" json:"kind"`
	Subject   string    `db:"subject" json:"subject"`
	Reason    string    `db:"reason" json:"reason"`
	Times     int64     `db:"times" json:"times"`
	IP        *string   `db:"ip" json:"ip"`
	UserAgent *string   `db:"user_agent" json:"user_agent"`
	RequestID *string   `db:"request_id" json:"request_id"`
}

func insertRefusal(ctx context.Context, tx *db.Tx, d due) error {
	return db.Insert(ctx, tx, "auth_refusals", Refusal{
		ID: tx.NewID("ref"), FirstAt: d.first, LastAt: d.last, Kind: d.kind, Subject: subjectOf(d.kind, d.id, site.Of(tx).MAC),
		Reason: d.reason, Times: d.n, IP: null.From(d.request.IP), UserAgent: null.From(d.request.UserAgent), RequestID: null.From(d.request.ID),
	})
}

// maxSubject limits the length of a subject that is not an email address.
const maxSubject = 64

var domainFormat = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,20}$`)

// subjectOf returns how the log shows a credential that matches no environment.
// An address is masked, because people also type passwords into the wrong field.
// The signature shows whether two masked addresses are the same.
func subjectOf(kind, id string, mac func([]byte) []byte) string {
	if id == "" || id == Other || kind != KindUser && !strings.Contains(id, "@") {
		return strings.ToValidUTF8(id[:min(len(id), maxSubject)], "")
	}
	id = strings.ToLower(id)
	mark := hex.EncodeToString(mac([]byte("refused email " + id))[:4])
	local, domain, _ := strings.Cut(id, "@")
	if local == "" || len(domain) > maxSubject || !domainFormat.MatchString(domain) {
		return "*** #" + mark
	}
	return string([]rune(local)[:1]) + "***@" + domain + " #" + mark
}

// saveUses writes an audit entry for each use that no server has recorded yet.
func saveUses(ctx context.Context, tx *db.Tx, used []dueUse) error {
	for _, u := range used {
		n, err := db.Exec(ctx, tx, `INSERT INTO credential_networks (env, credential_id, hour, network) VALUES (?, ?, ?, ?)
			ON CONFLICT (env, credential_id, hour, network) DO NOTHING`, u.env, u.id, u.hour, u.network)
		if err != nil {
			return err
		}
		if n == 0 {
			continue
		}

		changes := map[string][2]any{"hour": {nil, u.hour}}
		if u.network == Other {
			changes["addresses"] = [2]any{nil, "further addresses"}
		}
		ctx := auth.WithRequest(auth.With(ctx, auth.Principal{Env: u.env, Actor: u.actor}), u.request)
		noun := string(u.actor.Type)
		if u.actor.Type == auth.ActorSystem { // only an SSO connection acts as the system with a credential
			noun = KindSSOConnection
		}
		if err := audit.Record(ctx, tx.In(u.env), noun+".used", u.id, changes); err != nil {
			return err
		}
	}
	return nil
}

// Refusals returns the newest rejections that match no environment, from a time
// on, newest first.
func Refusals(ctx context.Context, tx *db.Tx, since time.Time, limit int) ([]Refusal, error) {
	return db.All[Refusal](ctx, tx, `SELECT {cols} FROM auth_refusals WHERE last_at >= ? ORDER BY id DESC LIMIT ?`, since, limit)
}

// Purge deletes refusals after 13 months, and what is only needed for the current
// hour.
func Purge(ctx context.Context, tx *db.Tx) (int64, error) {
	n, err := db.Exec(ctx, tx, `DELETE FROM auth_refusals WHERE last_at < ?`, tx.Now.AddDate(0, -keepMonths, 0))
	if err != nil {
		return 0, err
	}
	networks, err := db.Exec(ctx, tx, `DELETE FROM credential_networks WHERE hour < ?`, tx.Now.Add(-24*time.Hour))
	return n + networks, err
}
