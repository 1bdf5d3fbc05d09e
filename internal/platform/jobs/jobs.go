// Package jobs runs background jobs on SQLite and PostgreSQL.
//
// A job is enqueued in a transaction and only runs if the transaction commits.
// After a crash it can run more than once, so workers must be idempotent.
package jobs

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"

	"slipway/internal/platform/db"
	"slipway/internal/platform/trace"
	"slipway/internal/vocab/auth"
)

// pollEvery is how often each lane looks for jobs without a notification, such as those
// that were scheduled for later.
const pollEvery = 5 * time.Second

// Args are the arguments of a job. Kind identifies its worker.
type Args = river.JobArgs

// HasLane are args whose job runs in a separate lane, so that slow jobs don't delay
// fast ones.
type HasLane interface{ Lane() string }

// The lanes in addition to the default one.
const (
	Heavy   = "heavy"   // jobs that use a CPU core for seconds, such as photos
	Long    = "long"    // jobs that take minutes, such as imports
	Network = "outside" // jobs that wait for other servers
	Mail    = "mail"    // jobs that wait for the mail server
	Texts   = "texts"   // jobs that wait for the provider of text messages
)

// lanes lists the lanes and how many of their jobs run at the same time.
var lanes = []struct {
	name    string
	workers int
}{{river.QueueDefault, 10}, {Heavy, 2}, {Long, 2}, {Network, 8}, {Mail, 4}, {Texts, 4}}

// HasTimeout are args whose job can take longer than a minute.
type HasTimeout interface{ Timeout() time.Duration }

// A job has jobTimeout, or its own timeout, and then windDown to end after its context
// did. If it still has not ended, it runs again, even if its node seems alive. The jobs of
// a node that has stopped run again sooner: see node.
const (
	jobTimeout = time.Minute
	windDown   = time.Minute
)

// Queue enqueues and runs jobs. Add its workers with On and Every, then open it.
// One of the two clients is nil, because the two databases have different types
// of transactions.
type Queue struct {
	Tracer *trace.Tracer // nil if there are no traces

	db       *db.DB
	workers  *river.Workers
	kinds    []string // that have a worker
	periodic []*river.PeriodicJob
	release  []func(ctx context.Context, tx *db.Tx, node string) error // see OnTakeover
	node     *node
	log      *slog.Logger

	sqlite   *river.Client[*sql.Tx]
	inserted *inserted // SQLite only
	postgres *river.Client[pgx.Tx]
}

// New returns a queue without workers. The host is the machine and the address of this
// process: it must be different for processes that run at the same time.
func New(d *db.DB, host string) *Queue {
	return &Queue{db: d, workers: river.NewWorkers(), node: newNode(host)}
}

// On adds the worker of a kind of job. If the args have a field Env, the job runs
// in that environment.
func On[A Args](q *Queue, work func(ctx context.Context, args A) error) {
	river.AddWorker(q.workers, &worker[A]{queue: q, work: work})
	q.kinds = append(q.kinds, (*new(A)).Kind())
}

// Kinds lists the kinds of jobs that have a worker.
func (q *Queue) Kinds() []string { return slices.Clone(q.kinds) }

type worker[A Args] struct {
	river.WorkerDefaults[A]
	queue *Queue
	work  func(ctx context.Context, args A) error
}

func (w *worker[A]) Work(ctx context.Context, job *river.Job[A]) (err error) {
	var from origin
	_ = json.Unmarshal(job.Metadata, &from) // without it, the job has its own trace
	ctx, span := w.queue.Tracer.Root(ctx, trace.Consumer, "job "+job.Kind, from.Traceparent)
	span.Set("slipway.job.kind", job.Kind)
	span.Set("slipway.job.lane", job.Queue)
	span.Set("slipway.job.attempt", job.Attempt)
	defer func() {
		span.Fail(err)
		span.End()
	}()
	if p, ok := any(job.Args).(HasTimeout); ok {
		limited, cancel := context.WithTimeout(ctx, p.Timeout())
		defer cancel()
		ctx = limited
	}
	ctx, release := w.queue.node.guard(ctx)
	defer release()
	err = Run(ctx, w.work, job.Args)
	if l, ok := errors.AsType[later](err); ok {
		return river.JobSnooze(l.RetryIn())
	}
	if _, ok := errors.AsType[final](err); ok {
		w.queue.log.WarnContext(ctx, "job ended with an error and doesn't run again", "kind", job.Kind, "job", job.ID, "err", err)
		return river.JobCancel(err)
	}
	return err
}

// later is an error after which a job runs again at a time. It doesn't count as an attempt.
type later interface {
	error
	RetryIn() time.Duration
}

// final is an error after which a job doesn't run again, because it might have done its work.
type final interface {
	error
	DontRetry()
}

// origin is what a job knows about the request that enqueued it.
type origin struct {
	Traceparent string `json:"traceparent"`
}

// Run runs a job now, in the environment of its args if they have one.
func Run[A Args](ctx context.Context, work func(ctx context.Context, args A) error, args A) error {
	if env, ok := envOf(args); ok {
		ctx = auth.InEnv(ctx, env)
	}
	return work(ctx, args)
}

// envOf returns the field Env of the args.
func envOf(args Args) (auth.Env, bool) {
	v := reflect.ValueOf(args)
	if v.Kind() != reflect.Struct {
		return 0, false
	}
	field := v.FieldByName("Env")
	if !field.IsValid() {
		return 0, false
	}
	env, ok := field.Interface().(auth.Env)
	return env, ok
}

// Timeout is when River can run the job again. Work ends the context before. Without
// its own timeout, the job has jobTimeout.
func (w *worker[A]) Timeout(job *river.Job[A]) time.Duration {
	if p, ok := any(job.Args).(HasTimeout); ok {
		return p.Timeout() + windDown
	}
	return 0
}

// Every runs a job at intervals, on one node.
func Every(q *Queue, interval time.Duration, args Args) {
	q.periodic = append(q.periodic, river.NewPeriodicJob(river.PeriodicInterval(interval),
		func() (river.JobArgs, *river.InsertOpts) { return args, options(args) }, &river.PeriodicJobOpts{RunOnStart: true}))
}

// Migrate updates the tables of the queue.
func Migrate(ctx context.Context, d *db.DB, log *slog.Logger) error {
	lite, pg := d.JobPools()
	if d.SQLite() {
		return migrate(ctx, riversqlite.New(lite), log)
	}
	return migrate(ctx, riverpgxv5.New(pg), log)
}

func migrate[Tx any](ctx context.Context, driver riverdriver.Driver[Tx], log *slog.Logger) error {
	m, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: log})
	if err != nil {
		return err
	}
	_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

// Open prepares the queue for jobs. It does not connect to the database yet.
func (q *Queue) Open(log *slog.Logger) (err error) {
	q.log = log
	queues := map[string]river.QueueConfig{}
	for _, l := range lanes {
		queues[l.name] = river.QueueConfig{MaxWorkers: l.workers}
	}
	cfg := &river.Config{
		ID: q.node.id, Logger: log, Workers: q.workers, PeriodicJobs: q.periodic,
		Queues:            queues,
		FetchPollInterval: pollEvery, JobTimeout: jobTimeout, RescueStuckJobsAfter: jobTimeout + windDown,
	}

	lite, pg := q.db.JobPools()
	if q.db.SQLite() {
		q.inserted = newInserted(q.db, lite)
		q.sqlite, err = river.NewClient(q.inserted, cfg)
	} else {
		q.postgres, err = river.NewClient(riverpgxv5.New(pg), cfg)
	}
	return err
}

// Enqueue adds a job. It runs after tx commits, and not before at. If at is not
// in the future, the queue uses its own clock, which can differ from tx.Now.
func (q *Queue) Enqueue(ctx context.Context, tx *db.Tx, args Args, at time.Time) error {
	opts := options(args)
	if parent := trace.Header(ctx); parent != "" {
		opts.Metadata, _ = json.Marshal(origin{parent}) // plain text
	}
	if at.After(tx.Now) { // River checks for scheduled jobs only every few seconds
		opts.ScheduledAt = at
	}
	if q.sqlite != nil {
		// Without cancel, because an interrupted statement would roll back the transaction that writers share.
		res, err := q.sqlite.InsertTx(context.WithoutCancel(ctx), tx.OnSQLite(), args, opts)
		if err == nil && opts.ScheduledAt.IsZero() {
			tx.AfterCommit(func() { q.inserted.notify(res.Job.Queue) })
		}
		return err
	}
	return tx.OnPostgres(ctx, func(ptx pgx.Tx) error {
		_, err := q.postgres.InsertTx(ctx, ptx, args, opts)
		return err
	})
}

func options(args Args) *river.InsertOpts {
	opts := &river.InsertOpts{}
	if l, ok := args.(HasLane); ok {
		opts.Queue = l.Lane()
	}
	return opts
}

// Start runs jobs until Stop.
func (q *Queue) Start(ctx context.Context) error {
	if err := q.join(ctx); err != nil {
		return err
	}
	if q.sqlite != nil {
		return q.sqlite.Start(ctx)
	}
	return q.postgres.Start(ctx)
}

// Stop waits for running jobs until ctx ends, then cancels them.
func (q *Queue) Stop(ctx context.Context) error {
	defer q.leave()
	stop, cancel := q.clients()
	if err := stop(ctx); err == nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	hard, done := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer done()
	return cancel(hard)
}

func (q *Queue) clients() (stop, cancel func(context.Context) error) {
	if q.sqlite != nil {
		return q.sqlite.Stop, q.sqlite.StopAndCancel
	}
	return q.postgres.Stop, q.postgres.StopAndCancel
}
