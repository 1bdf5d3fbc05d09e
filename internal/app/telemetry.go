package app

import (
	"context"
	"net/http"
	"net/http/pprof"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"go.opentelemetry.io/otel/attribute"
	oteltrace "go.opentelemetry.io/otel/trace"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
)

// metrics are the metrics at /metrics.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	attempts *prometheus.HistogramVec
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
	}
	m.registry.MustRegister(m.requests, m.attempts,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) observe(operation string, status int, took time.Duration) {
	m.requests.WithLabelValues(operation, strconv.Itoa(status)).Observe(took.Seconds())
}

func (m *metrics) delivered(ok bool, took time.Duration) {
	m.attempts.WithLabelValues(strconv.FormatBool(ok)).Observe(took.Seconds())
}

func (m *metrics) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	return mux
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
		ch <- prometheus.MustNewConstMetric(inFlight, prometheus.GaugeValue, float64(load.InFlight), load.Class)
		ch <- prometheus.MustNewConstMetric(waiting, prometheus.GaugeValue, float64(load.Waiting), load.Class)
		ch <- prometheus.MustNewConstMetric(rejected, prometheus.CounterValue, float64(load.Rejected), load.Class)
	}
}

// traced sends a span for each request, if a collector is set.
func (a *App) traced(next http.Handler) http.Handler {
	if a.settings.OTLPEndpoint == "" {
		return next
	}
	return hideURL(func(next http.Handler) http.Handler {
		return otelhttp.NewHandler(next, "request", otelhttp.WithTracerProvider(a.tracer()))
	}, next)
}

// hideURL removes what can be a secret from the URL that the tracer sees. The
// handler gets the original URL.
func hideURL(trace func(http.Handler) http.Handler, next http.Handler) http.Handler {
	type original struct{}
	traced := trace(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		restored := req.Clone(req.Context())
		restored.URL, _ = req.Context().Value(original{}).(*url.URL)
		restored.RequestURI = restored.URL.RequestURI()
		next.ServeHTTP(w, restored)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		hidden := req.Clone(context.WithValue(req.Context(), original{}, req.URL))
		hidden.URL = &url.URL{Path: rest.SafePath(req.URL.Path)}
		hidden.RequestURI = hidden.URL.Path
		traced.ServeHTTP(w, hidden)
	})
}

// tracesURL returns the URL for traces: the usual path of a collector, unless
// the setting has a path.
func tracesURL(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil || strings.Trim(u.Path, "/") != "" {
		return endpoint
	}
	return u.JoinPath("v1", "traces").String()
}

func (a *App) tracer() oteltrace.TracerProvider {
	ctx := context.Background() // longer than any request
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(tracesURL(a.settings.OTLPEndpoint)))
	if err != nil {
		a.log.Error("can't send traces", "err", err)
		return noop.NewTracerProvider()
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(resource.NewSchemaless(
		attribute.String("service.name", "slipway"), attribute.String("service.version", Build))))
	a.flush = provider.Shutdown
	return provider
}
