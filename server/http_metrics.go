package server

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Books are what the ledger says of what is not settled.
type Books struct {
	Open        map[string]int // intents, by state
	Undelivered int            // messages to people
}

// Metrics count what is called and what comes of it, for Prometheus.
type Metrics struct {
	registry *prometheus.Registry
	calls    *prometheus.CounterVec
	repeats  *prometheus.CounterVec
	inFlight prometheus.Gauge
	seconds  *prometheus.HistogramVec
}

// NewMetrics makes the metrics. books is read whenever they are looked at.
func NewMetrics(books func(ctx context.Context) (Books, error)) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "counterfoil_calls_total", Help: "Tool calls that were answered, by their outcome.",
		}, []string{"tool", "outcome"}),
		repeats: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "counterfoil_repeats_total",
			Help: "Calls for what had been done already, by the evidence that answered them. Who repeated (the model, the client, its HTTP stack) is not on the wire.",
		}, []string{"tool", "evidence"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "counterfoil_calls_in_flight", Help: "Tool calls that are running.",
		}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "counterfoil_call_duration_seconds", Help: "How long a tool call took.",
			Buckets: []float64{.001, .005, .025, .1, .5, 1, 2.5, 5, 10, 20},
		}, []string{"tool"}),
	}
	m.registry.MustRegister(m.calls, m.repeats, m.inFlight, m.seconds, unsettled{books},
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewGoCollector())
	return m
}

// Middleware counts calls. It belongs outside Recover, whose results count too.
// Only tools of the catalog come by, so a client cannot invent a label.
func (m *Metrics) Middleware() mcpserver.ToolHandlerMiddleware {
	return func(next mcpserver.ToolHandlerFunc) mcpserver.ToolHandlerFunc {
		return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			m.inFlight.Inc()
			defer m.inFlight.Dec()
			took := prometheus.NewTimer(m.seconds.WithLabelValues(req.Params.Name))
			result, err := next(ctx, req)
			took.ObserveDuration()
			m.count(req.Params.Name, result)
			return result, err
		}
	}
}

func (m *Metrics) count(tool string, result *mcp.CallToolResult) {
	said := saidBy(result)
	m.calls.WithLabelValues(tool, said.Outcome).Inc()
	if said.Outcome == "already_performed" {
		m.repeats.WithLabelValues(tool, said.Evidence).Inc()
	}
}

// said is what every result of ours says of itself.
type said struct {
	Outcome  string `json:"outcome"`
	Evidence string `json:"evidence"`
}

func saidBy(result *mcp.CallToolResult) said {
	none := said{Outcome: "none"}
	if result == nil {
		return none
	}
	text, ok := result.StructuredContent.(json.RawMessage)
	var s said
	if !ok || json.Unmarshal(text, &s) != nil || s.Outcome == "" {
		return none
	}
	return s
}

func (m *Metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: writeWithin / 2})
}

// unsettled reads the books when it is looked at.
type unsettled struct {
	books func(ctx context.Context) (Books, error)
}

var (
	openDesc        = prometheus.NewDesc("counterfoil_open_intents", "Intents that are not settled, by state.", []string{"state"}, nil)
	undeliveredDesc = prometheus.NewDesc("counterfoil_outbox_undelivered", "Messages to people that are not delivered yet.", nil, nil)
	readableDesc    = prometheus.NewDesc("counterfoil_ledger_readable", "1 where the ledger could be read just now.", nil, nil)
)

// Describe is of prometheus.Collector.
func (u unsettled) Describe(to chan<- *prometheus.Desc) {
	to <- openDesc
	to <- undeliveredDesc
	to <- readableDesc
}

// Collect is of prometheus.Collector. Where the ledger cannot be read its
// figures are absent: a zero would be a lie.
func (u unsettled) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), readyWithin)
	defer cancel()
	books, err := u.books(ctx)
	if err != nil {
		to <- prometheus.MustNewConstMetric(readableDesc, prometheus.GaugeValue, 0)
		return
	}
	to <- prometheus.MustNewConstMetric(readableDesc, prometheus.GaugeValue, 1)
	to <- prometheus.MustNewConstMetric(undeliveredDesc, prometheus.GaugeValue, float64(books.Undelivered))
	for state, n := range books.Open {
		to <- prometheus.MustNewConstMetric(openDesc, prometheus.GaugeValue, float64(n), state)
	}
}
