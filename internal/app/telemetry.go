package app

import (
	"net/http"
	"net/http/pprof"
	"net/netip"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
)

// metrics are the metrics at /metrics.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	attempts *prometheus.HistogramVec
	limited  *prometheus.CounterVec
	replays  prometheus.Counter
	rows     *prometheus.CounterVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "slipway_request_duration_seconds", Help: "Duration of requests, by operation and status.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"operation", "status"}),
		attempts: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "slipway_webhook_attempt_duration_seconds", Help: "Duration of webhook delivery attempts, by outcome.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"delivered"}),
		limited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "slipway_rate_limited_total", Help: "Requests that were rejected because of a rate limit, by whose limit it was.",
		}, []string{"limit"}),
		replays: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "slipway_idempotent_replays_total", Help: "Requests that got the response of an earlier request with the same Idempotency-Key.",
		}),
		rows: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "slipway_import_rows_total", Help: "Rows of imported files, by outcome.",
		}, []string{"outcome"}),
	}
	for _, limit := range []string{limitCredential, limitAddress} {
		m.limited.WithLabelValues(limit) // so that it is 0, not missing
	}
	for _, delivered := range []string{"true", "false"} {
		m.attempts.WithLabelValues(delivered)
	}
	build := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "slipway_build_info", Help: "Always 1. The labels describe the program.",
		ConstLabels: prometheus.Labels{"version": Build, "goversion": runtime.Version()},
	}, func() float64 { return 1 })
	m.registry.MustRegister(m.requests, m.attempts, m.limited, m.replays, m.rows, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// The limits that a request can exceed.
const limitCredential, limitAddress = "credential", "address"

func (m *metrics) observe(h *rest.Handled) {
	m.requests.WithLabelValues(h.Operation, strconv.Itoa(h.Status)).Observe(h.Took.Seconds())
	if h.Replayed {
		m.replays.Inc()
	}
	switch {
	case h.Status != http.StatusTooManyRequests:
	case h.Caller.Env == 0:
		m.limited.WithLabelValues(limitAddress).Inc()
	default:
		m.limited.WithLabelValues(limitCredential).Inc()
	}
}

// imported counts rows of an imported file.
func (m *metrics) imported(outcome string, rows int64) {
	m.rows.WithLabelValues(outcome).Add(float64(rows))
}

func (m *metrics) delivered(ok bool, took time.Duration) {
	m.attempts.WithLabelValues(strconv.FormatBool(ok)).Observe(took.Seconds())
}

// Metrics serves /metrics, and profiles to programs on the same machine: they contain
// pieces of memory, and the metrics of a container are open to its network.
func (a *App) Metrics() http.Handler { return a.metrics.handler() }

func (m *metrics) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", local(pprof.Index))
	mux.HandleFunc("GET /debug/pprof/profile", local(pprof.Profile))
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{EnableOpenMetrics: true}))
	return mux
}

// local hides a handler from other machines.
func local(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		from, err := netip.ParseAddrPort(r.RemoteAddr)
		if err != nil || !from.Addr().Unmap().IsLoopback() {
			http.NotFound(w, r)
			return
		}
		next(w, r)
	}
}

// replicaReads is the metric of the replica.
type replicaReads struct{ db *db.DB }

var readsDesc = prometheus.NewDesc("slipway_replica_reads_total",
	"Reads of API requests by the server that was used: the replica, or the primary because the replica was behind or unavailable.",
	[]string{"server"}, nil)

// Describe lists the metric.
func (r replicaReads) Describe(ch chan<- *prometheus.Desc) { ch <- readsDesc }

// Collect reads the metric.
func (r replicaReads) Collect(ch chan<- prometheus.Metric) {
	used, skipped := r.db.ReplicaReads()
	ch <- prometheus.MustNewConstMetric(readsDesc, prometheus.CounterValue, float64(used), "replica")
	ch <- prometheus.MustNewConstMetric(readsDesc, prometheus.CounterValue, float64(skipped), "primary")
}

// loads are the metrics of admission.
type loads struct{ router *rest.Router }

var (
	inFlight = prometheus.NewDesc("slipway_requests_in_flight", "Requests that the server handles, including those that wait.",
		[]string{"class"}, nil)
	waiting  = prometheus.NewDesc("slipway_requests_waiting", "Requests that wait for others to finish.", []string{"class"}, nil)
	rejected = prometheus.NewDesc("slipway_requests_rejected_total", "Requests that were rejected because too many were being handled.",
		[]string{"class"}, nil)
)

// Describe lists the metrics.
func (loads) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{inFlight, waiting, rejected} {
		ch <- d
	}
}

// Collect returns the current values.
func (l loads) Collect(ch chan<- prometheus.Metric) {
	for _, load := range l.router.Load() {
		ch <- prometheus.MustNewConstMetric(inFlight, prometheus.GaugeValue, float64(load.InFlight), string(load.Class))
		ch <- prometheus.MustNewConstMetric(waiting, prometheus.GaugeValue, float64(load.Waiting), string(load.Class))
		ch <- prometheus.MustNewConstMetric(rejected, prometheus.CounterValue, float64(load.Rejected), string(load.Class))
	}
}
