package jobs

import (
	"context"
	"database/sql"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivertype"

	"slipway/internal/platform/db"
)

// inserted is the driver of River for SQLite, with notifications about new jobs inside
// of the process. River's own driver writes them to a table and reads it 20 times a
// second, which is most of the work of an idle server.
type inserted struct {
	*riversqlite.Driver
	db     *db.DB
	queues chan string
}

func newInserted(d *db.DB, pool *sql.DB) *inserted {
	return &inserted{riversqlite.New(pool), d, make(chan string, 64)}
}

// GetExecutor returns what River runs its statements with.
func (d *inserted) GetExecutor() riverdriver.Executor { return executor{d.Driver.GetExecutor(), d.db} }

// executor looks for jobs before it takes them. Taking them is a long statement that
// needs the writer, also if there are none.
type executor struct {
	riverdriver.Executor
	db *db.DB
}

// JobGetAvailable takes jobs of a queue.
func (e executor) JobGetAvailable(ctx context.Context, params *riverdriver.JobGetAvailableParams) ([]*rivertype.JobRow, error) {
	some, err := db.Read(ctx, e.db, func(ctx context.Context, tx *db.Tx) (bool, error) {
		return db.One[bool](ctx, tx, `SELECT EXISTS (SELECT 1 FROM river_job WHERE state = ? AND queue = ?)`,
			string(rivertype.JobStateAvailable), params.Queue)
	})
	if err != nil || !some {
		return nil, err
	}
	return e.Executor.JobGetAvailable(ctx, params)
}

// notify makes River look for jobs in a queue.
func (d *inserted) notify(queue string) {
	select {
	case d.queues <- queue:
	default: // River will look anyway
	}
}

// SupportsListenNotify is false, so that River doesn't write notifications.
func (d *inserted) SupportsListenNotify() bool { return false }

// GetListener returns what River listens to.
func (d *inserted) GetListener(*riverdriver.GetListenenerParams) riverdriver.Listener {
	return listener{d.queues}
}

// listener returns the notifications.
type listener struct{ queues <-chan string }

// insertTopic is the topic of notifications about new jobs.
const insertTopic = "river_insert"

// WaitForNotification returns the next notification.
func (l listener) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case queue := <-l.queues:
		return &riverdriver.Notification{Topic: insertTopic, Payload: payloadOf(queue)}, nil
	}
}

// payloadOf returns the notification about new jobs in a queue.
func payloadOf(queue string) string { return `{"queue":"` + queue + `"}` }

// The rest of the interface is for a connection, which there is none of.

func (l listener) Close(context.Context) error            { return nil }
func (l listener) Connect(context.Context) error          { return nil }
func (l listener) Listen(context.Context, string) error   { return nil }
func (l listener) Ping(context.Context) error             { return nil }
func (l listener) Schema() string                         { return "" }
func (l listener) SetAfterConnectExec(string)             {}
func (l listener) Unlisten(context.Context, string) error { return nil }
