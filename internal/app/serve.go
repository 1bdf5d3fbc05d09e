package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/site"
)

const (
	// drainFor gives load balancers time to notice that a node stops.
	drainFor = 500 * time.Millisecond
	// finishFor is how long running requests and jobs can take to finish.
	finishFor = 20 * time.Second
	// keepSnapshot is how long the copy from before an upgrade is kept, even if the server is restarted.
	keepSnapshot = 24 * time.Hour
)

// server returns an HTTP server with a time limit for each phase of a request, so
// that a slow client can't keep a connection open.
func (a *App) server(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       60 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    2 * rest.MaxHeaderBytes, // the router rejects what is larger than half of it
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
	}
}

// Serve migrates the database and serves until ctx ends. Then it stops gracefully:
// it rejects new requests, finishes running ones and closes. Unless ready is nil,
// it is called with the address. On SQLite, it fails if another server uses the data
// folder.
func (a *App) Serve(ctx context.Context, ready func(addr string)) error {
	if !a.DB.SQLite() {
		return a.serve(ctx, ready)
	}
	unlock, err := lockFolder(a.settings.Data)
	if err != nil {
		return errors.Join(err, a.Close())
	}
	return errors.Join(a.serve(ctx, ready), unlock())
}

func (a *App) serve(ctx context.Context, ready func(addr string)) error {
	secure, err := a.secure()
	if err != nil {
		return err
	}
	api, err := net.Listen("tcp", a.settings.Listen)
	if err != nil {
		return err
	}

	a.starting.Store(true)
	stopTraces := a.sendTraces(ctx)
	defer stopTraces()
	servers := []*http.Server{a.server(strictTransport(a.settings.BaseURL, a.Handler))}
	failed := make(chan error, 4)
	if a.settings.Metrics != "" {
		l, err := net.Listen("tcp", a.settings.Metrics)
		if err != nil {
			return errors.Join(fmt.Errorf("metrics: %w", err), api.Close())
		}
		m := a.server(a.metrics.handler())
		servers = append(servers, m)
		go func() { failed <- m.Serve(l) }()
	}
	if secure.redirect != nil {
		l, err := net.Listen("tcp", a.settings.redirectListen())
		if err != nil {
			return errors.Join(fmt.Errorf("SLIPWAY_HTTP_REDIRECT: %w", err), api.Close())
		}
		r, limited := a.server(secure.redirect), newListener(l, a.settings.MaxConnections, a.Router.RejectHeaders)
		limited.limit(r)
		servers = append(servers, r)
		go func() { failed <- r.Serve(limited) }()
	}
	limited := newListener(api, a.settings.MaxConnections, a.Router.RejectHeaders)
	limited.limit(servers[0])
	if servers[0].TLSConfig = secure.config; secure.config != nil {
		limited.reject = nil
		go func() { failed <- servers[0].ServeTLS(limited, "", "") }()
	} else {
		go func() { failed <- servers[0].Serve(limited) }()
	}

	work := make(chan struct{})
	go func() {
		defer close(work)
		if err := a.startWork(ctx); err != nil {
			failed <- err
		}
	}()

	if a.DB.Plaintext() {
		a.log.Warn("the connection to PostgreSQL is not encrypted; add sslmode=verify-full to SLIPWAY_DATABASE_URL")
	}
	a.log.Info("serving", "address", api.Addr().String(), "build", Build)
	a.warnAboutAddress(api.Addr().String())
	if ready != nil {
		ready(api.Addr().String())
	}

	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	<-work
	return errors.Join(err, a.stop(servers)) //nolint:contextcheck // ctx is canceled; stopping takes longer
}

// sendTraces sends traces until stop is called, which sends the last ones.
func (a *App) sendTraces(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // requests end after ctx
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		a.Tracer.Run(ctx)
	}()
	return func() {
		cancel()
		<-sent
	}
}

// startWork migrates and starts the jobs as soon as the database is available.
// Until then the API returns 503. It returns an error if the master key is wrong or
// the schema is newer than this version.
func (a *App) startWork(ctx context.Context) error {
	begun := time.Now()
	for {
		err := a.Migrate(ctx)
		if err == nil {
			a.checkMaintenance(ctx) // before the first request
			a.warnIfEmpty(ctx)
			a.starting.Store(false)
			if err := a.DB.RemoveSnapshots(begun.Add(-keepSnapshot)); err != nil {
				a.log.Warn("can't delete the copy of the database from before the last upgrade", "err", err)
			}
			worked := make(chan struct{})
			go func() {
				defer close(worked)
				a.outsideMaintenance(ctx, a.work)
			}()
			copied := make(chan struct{})
			go func() {
				defer close(copied)
				a.copyChanges(ctx)
			}()
			go a.Streams.Run(ctx)
			a.checkNewestEntries(ctx)
			a.requestCertificates(ctx)
			debug.FreeOSMemory() // building the documents of the API takes more memory than serving
			a.upkeep(ctx)
			<-worked
			<-copied
			return nil
		}
		if errors.Is(err, site.ErrMasterKey) || errors.Is(err, db.ErrNewerSchema) || errors.Is(err, ErrNotInstalled) {
			return err
		}
		a.log.Error("can't use the database, retrying", "err", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(2 * time.Second):
		}
	}
}

// work runs jobs and relays events until ctx ends. It stops the jobs during
// maintenance. At shutdown, stop does.
func (a *App) work(ctx context.Context) {
	for {
		err := a.Jobs.Start(context.WithoutCancel(ctx)) // Stop stops them, so running jobs can finish
		if err == nil {
			break
		}
		a.log.Error("can't start the jobs, retrying", "err", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(2 * time.Second):
		}
	}
	a.Relay.Run(ctx)
	if a.maintenance.Load() == nil { // the server stops: stop also waits for requests
		return
	}

	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishFor)
	defer cancel()
	if err := a.Jobs.Stop(stopping); err != nil {
		a.log.Error("can't pause the jobs", "err", err)
	}
}

func (a *App) stop(servers []*http.Server) error {
	a.log.Info("stopping")
	close(a.draining)
	time.Sleep(drainFor)

	ctx, cancel := context.WithTimeout(context.Background(), finishFor)
	defer cancel()
	var errs []error
	for _, s := range servers {
		errs = append(errs, s.Shutdown(ctx))
	}
	errs = append(errs, a.Jobs.Stop(ctx))
	if !a.starting.Load() {
		errs = append(errs, a.Settle(ctx))
	}
	return errors.Join(append(errs, a.Close())...)
}
