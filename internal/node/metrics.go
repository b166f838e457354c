package node

import (
	"io/fs"
	"net/http"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"lukasa.dev/internal/transport/httpapi"
)

// metrics are the Prometheus metrics of a server. No label value is chosen by a client.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	received *prometheus.CounterVec
	sent     *prometheus.CounterVec
	refusals *prometheus.CounterVec
	compiles *prometheus.CounterVec
	taken    map[httpapi.Way]*taken // by way; the map never changes
}

// Outcomes of a compile.
const (
	compileDone   = "done"
	compileFailed = "failed"
)

// byMCP is the way of events that agents record with a tool.
const byMCP httpapi.Way = "mcp"

// taken counts the dispositions of the events of one way.
type taken struct{ accepted, duplicates, rejected, bytes atomic.Uint64 }

// ingested counts events.
func (m *metrics) ingested(by httpapi.Way, t httpapi.Taken) {
	n := m.taken[by]
	if n == nil {
		return
	}
	n.accepted.Add(uint64(max(t.Accepted, 0)))
	n.duplicates.Add(uint64(max(t.Duplicates, 0)))
	n.rejected.Add(uint64(max(t.Rejected, 0)))
	n.bytes.Add(uint64(max(t.Bytes, 0)))
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		taken:    map[httpapi.Way]*taken{httpapi.ByDocument: {}, httpapi.ByLines: {}, httpapi.BySocket: {}, httpapi.BySpans: {}, byMCP: {}},
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "lukasa_requests_total", Help: "Finished calls, by operation and HTTP status."}, []string{"op", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "lukasa_request_seconds", Help: "How long calls took, by operation.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60},
		}, []string{"op"}),
		received: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "lukasa_received_bytes_total", Help: "Bytes of bodies that came in, by operation."}, []string{"op"}),
		sent:     prometheus.NewCounterVec(prometheus.CounterOpts{Name: "lukasa_sent_bytes_total", Help: "Bytes of answers that went out, by operation."}, []string{"op"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "lukasa_quota_refusals_total", Help: "Calls that a quota refused, by operation."}, []string{"op"}),
		compiles: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "lukasa_compiles_total", Help: "Compiles that the server began by itself, by outcome. One that failed is tried again."}, []string{"outcome"}),
	}
	for _, outcome := range []string{compileDone, compileFailed} {
		m.compiles.WithLabelValues(outcome) // so that it is there before the first
	}
	m.registry.MustRegister(m.requests, m.seconds, m.received, m.sent, m.refusals, m.compiles,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// observe counts a call.
func (m *metrics) observe(op string, status int, took time.Duration, in, out int64) {
	m.requests.WithLabelValues(op, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(op).Observe(took.Seconds())
	m.received.WithLabelValues(op).Add(float64(max(in, 0)))
	m.sent.WithLabelValues(op).Add(float64(max(out, 0)))
	if status == http.StatusTooManyRequests {
		m.refusals.WithLabelValues(op).Inc()
	}
}

// handler serves the metrics.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}

// state is collected on each scrape.
type state struct {
	n *Node

	journal, index, failed                               *prometheus.Desc
	unanswered, waiting, offered, appends, gaps          *prometheus.Desc
	events, bytes                                        *prometheus.Desc
	lag, flying, connected, consumed, dead, failuresDesc *prometheus.Desc
}

func newState(n *Node) *state {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("lukasa_"+name, help, labels, nil)
	}
	return &state{
		n:            n,
		journal:      desc("journal_bytes", "Size of the journal's files."),
		index:        desc("index_bytes", "Size of the index's files."),
		failed:       desc("writes_refused", "1 when writes are refused after a failure of the disk, else 0."),
		unanswered:   desc("intake_unanswered_events", "Events of streams that are on their way to the disk."),
		waiting:      desc("intake_waiting_events", "Of these, those that wait for others of their session."),
		offered:      desc("intake_events_total", "Events that came by streams and brokers."),
		appends:      desc("intake_appends_total", "Groups in which they were recorded; each is one fsync at most."),
		gaps:         desc("intake_after_gap_total", "Events that went on without those before them, when the window was over."),
		events:       desc("ingest_events_total", "Events that came, by the way they came and what became of them.", "transport", "outcome"),
		bytes:        desc("ingest_bytes_total", "Bytes of events that came, by the way they came.", "transport"),
		lag:          desc("broker_lag_messages", "Messages that are not acknowledged yet, as the broker last said.", "broker"),
		flying:       desc("broker_in_flight_messages", "Messages that were fetched and not acknowledged.", "broker"),
		connected:    desc("broker_connected", "1 when there is a connection to the broker, else 0.", "broker"),
		consumed:     desc("broker_messages_total", "Messages by what became of them.", "broker", "outcome"),
		dead:         desc("broker_dead_letters_total", "Messages that became dead letters.", "broker"),
		failuresDesc: desc("broker_failures_total", "Calls of the broker that failed.", "broker"),
	}
}

// Describe implements prometheus.Collector.
func (s *state) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{s.journal, s.index, s.failed, s.unanswered, s.waiting, s.offered, s.appends, s.gaps,
		s.events, s.bytes, s.lag, s.flying, s.connected, s.consumed, s.dead, s.failuresDesc} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (s *state) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	count := func(d *prometheus.Desc, v uint64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	gauge(s.journal, float64(treeSize(filepath.Join(s.n.config.Data, "journal"))))
	gauge(s.index, float64(treeSize(filepath.Join(s.n.config.Data, "index"))))
	gauge(s.failed, one(s.n.board.Failed() != nil))
	g := s.n.gate.Stats()
	gauge(s.unanswered, float64(g.Unanswered))
	gauge(s.waiting, float64(g.Waiting))
	count(s.offered, g.Offered)
	count(s.appends, g.Appends)
	count(s.gaps, g.AfterGap)
	s.ingest(count)
	for _, c := range s.n.consumers {
		b := c.consumer.Stats()
		gauge(s.lag, float64(b.Lag), c.name)
		gauge(s.flying, float64(b.InFlight), c.name)
		gauge(s.connected, one(b.Connected), c.name)
		count(s.consumed, b.Recorded, c.name, "recorded")
		count(s.consumed, b.Duplicates, c.name, "duplicate")
		count(s.consumed, b.Dead, c.name, "dead")
		count(s.dead, b.Dead, c.name)
		count(s.failuresDesc, b.Failures, c.name)
	}
}

// ingest reports the dispositions of events, for brokers by their kind.
func (s *state) ingest(count func(d *prometheus.Desc, v uint64, labels ...string)) {
	type sum struct{ accepted, duplicates, rejected, bytes uint64 }
	all := make(map[string]sum)
	for by, t := range s.n.metrics.taken {
		all[string(by)] = sum{t.accepted.Load(), t.duplicates.Load(), t.rejected.Load(), t.bytes.Load()}
	}
	for _, c := range s.n.consumers {
		b, t := c.consumer.Stats(), all[c.kind]
		all[c.kind] = sum{t.accepted + b.Recorded, t.duplicates + b.Duplicates, t.rejected + b.Dead, t.bytes + b.Received}
	}
	for by, t := range all {
		count(s.events, t.accepted, by, "accepted")
		count(s.events, t.duplicates, by, "duplicate")
		count(s.events, t.rejected, by, "rejected")
		count(s.bytes, t.bytes, by)
	}
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// treeSize returns the total size of the files in a directory. Files that disappear meanwhile
// do not count.
func treeSize(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error { // errors are ignored
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
