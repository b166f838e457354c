package node

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"
	"sync"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/intake"
	"lukasa.dev/internal/quota"
	"lukasa.dev/internal/transport/httpapi"
	"lukasa.dev/internal/transport/mcpapi"
)

// Options are the options of a node besides its configuration.
type Options struct {
	// Log receives log records. Nil means none.
	Log *slog.Logger
	// Version is the version of the program.
	Version string
	// WitnessDir is where signed checkpoints are remembered; see [lukasa.Options].
	WitnessDir string
	// Progress receives the progress of a long opening.
	Progress func(done, total uint64)
}

// Node is a running server. Make one with [Start].
type Node struct {
	config Config
	o      Options
	log    *slog.Logger

	board     *lukasa.Board
	keys      *auth.Store
	quotas    *quota.Book
	gate      *intake.Gate
	api       *httpapi.Server
	metrics   *metrics
	tracing   *tracing
	consumers []*consumer
	tokenFile string

	servers   []*http.Server
	address   net.Addr // of the first listener
	failed    chan error
	serving   sync.WaitGroup
	consuming sync.WaitGroup
	halt      context.CancelFunc // of consumers
	atClose   []func(context.Context)
	closing   sync.Once
	closed    error
}

// note names the holder of the directory to other processes that find it in use.
const note = "lukasa serve"

// Start opens the board and starts to serve. When it returns, calls are answered.
func Start(ctx context.Context, c Config, o Options) (*Node, error) {
	n := &Node{config: c, o: o, log: o.Log, failed: make(chan error, 4), metrics: newMetrics()}
	if n.log == nil {
		n.log = slog.New(slog.DiscardHandler)
	}
	mem := c.share()
	mem.limit()
	if err := n.open(ctx, mem); err != nil {
		return nil, errors.Join(err, n.abandon())
	}
	if err := n.serve(ctx, mem); err != nil {
		return nil, errors.Join(err, n.abandon())
	}
	n.consume()
	return n, nil
}

// compiled logs and counts a compile that the board began by itself.
func (n *Node) compiled(tenant string, err error) {
	outcome := compileDone
	if err != nil {
		outcome = compileFailed
		n.log.Error("compile failed, and is tried again", "tenant", tenant, "error", err)
	}
	n.metrics.compiles.WithLabelValues(outcome).Inc()
}

// open opens the board and the stores in it.
func (n *Node) open(ctx context.Context, mem shares) (err error) {
	c := &n.config
	n.board, err = lukasa.OpenContext(ctx, c.Data, lukasa.Options{
		WitnessDir: n.o.WitnessDir, CacheBytes: mem.cache, RecallBytes: mem.recall, Note: note, Progress: n.o.Progress,
		KeepSecrets:  c.KeepSecrets,
		CutOwn:       true,
		CompileAfter: lukasa.CompileAfter{Events: c.CompileEvents, Quiet: time.Duration(c.CompileQuiet), Compiled: n.compiled},
	})
	if errors.Is(err, fault.Locked) {
		return fault.From(err).WithFix("stop the process that has it open, or name another directory with --data; commands work while a server has it open")
	}
	if err != nil {
		return err
	}
	token, file, err := bootstrap(c.Data, c.Token)
	if err != nil {
		return err
	}
	n.tokenFile = file
	if n.keys, err = auth.Open(ctx, n.board, auth.StoreOptions{Bootstrap: token}); err != nil {
		return err
	}
	n.quotas = quota.New(quota.Options{Default: quota.Limits{
		RequestsPerSecond: c.RequestsPerSecond, EventsPerSecond: c.EventsPerSecond, BytesPerSecond: c.BytesPerSecond,
		MaxRecords: c.MaxRecords, MaxBytes: c.MaxBytes,
	}})
	if err := n.quotas.Attach(ctx, n.board); err != nil {
		return err
	}
	n.gate = intake.New(n.board, intake.Options{Window: time.Duration(c.ReorderWindow), MaxBytes: int(mem.intake)})
	return n.connect()
}

// serve opens the listeners.
func (n *Node) serve(ctx context.Context, mem shares) (err error) {
	c := &n.config
	agents := mcpapi.New(mcpapi.Options{
		Board: n.board, Keys: n.keys, Quotas: n.quotas, Tools: mcpapi.Set(c.Tools), Log: n.log, Version: n.o.Version,
		Ingested: func(became lukasa.Disposition, bytes int) { n.metrics.ingested(byMCP, httpapi.TakenOne(became, bytes)) },
	})
	n.api = httpapi.New(httpapi.Options{
		Board: n.board, Keys: n.keys, Quotas: n.quotas, Gate: n.gate, Log: n.log, Hosts: c.Hosts, Origins: c.Origins,
		Limits:  httpapi.Limits{BodyBytes: int64(c.MaxBody), HeldBytes: mem.bodies, Calls: c.MaxCalls, Streams: c.MaxStreams},
		Extra:   map[string]func(httpapi.Caller) http.Handler{"/mcp": func(c httpapi.Caller) http.Handler { return agents.Handler(mcpapi.Caller(c)) }},
		Observe: n.metrics.observe, Ingested: n.metrics.ingested, Version: n.o.Version,
	})
	server := n.api.HTTP()
	if c.Traces != "" {
		if n.tracing, err = startTracing(c.Traces, n.o.Version); err != nil {
			return err
		}
		server.Handler = n.tracing.around(server.Handler)
	}
	if c.TLSCert != "" {
		cert, err := openCertificate(c.TLSCert, c.TLSKey, n.log)
		if err != nil {
			return err
		}
		server.TLSConfig = cert.config()
	}
	listener, err := n.listen("listen", c.Listen)
	if err != nil {
		return err
	}
	n.address = listener.Addr()
	n.begin(server, n.api.Listener(listener))
	n.metrics.registry.MustRegister(newState(n))
	if c.Metrics != "" {
		if err := n.side("metrics", c.Metrics, map[string]http.Handler{"/metrics": n.metrics.handler()}); err != nil {
			return err
		}
	}
	if c.Pprof != "" {
		return n.side("pprof", c.Pprof, profiles())
	}
	return nil
}

// profiles are the handlers of net/http/pprof.
func profiles() map[string]http.Handler {
	return map[string]http.Handler{
		"/debug/pprof/": http.HandlerFunc(pprof.Index), "/debug/pprof/cmdline": http.HandlerFunc(pprof.Cmdline),
		"/debug/pprof/profile": http.HandlerFunc(pprof.Profile), "/debug/pprof/symbol": http.HandlerFunc(pprof.Symbol),
		"/debug/pprof/trace": http.HandlerFunc(pprof.Trace),
	}
}

func (n *Node) listen(setting, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fault.Newf(fault.BadConfig, "%s: %w", setting, err).WithFix("give an address of this machine that is free, such as 127.0.0.1:8373; port 0 takes any")
	}
	return l, nil
}

// side serves handlers that need no credential, on a listener of their own.
func (n *Node) side(setting, address string, handlers map[string]http.Handler) error {
	mux := http.NewServeMux()
	for path, h := range handlers {
		mux.Handle(path, h)
	}
	l, err := n.listen(setting, address)
	if err != nil {
		return err
	}
	n.log.Info("listening", "for", setting, "address", l.Addr().String())
	n.begin(&http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(n.log.Handler(), slog.LevelDebug)}, l)
	return nil
}

// begin serves a listener.
func (n *Node) begin(s *http.Server, l net.Listener) {
	n.servers = append(n.servers, s)
	n.serving.Go(func() {
		serve := func() error { return s.Serve(l) }
		if s.TLSConfig != nil {
			serve = func() error { return s.ServeTLS(l, "", "") }
		}
		if err := serve(); !errors.Is(err, http.ErrServerClosed) {
			n.failed <- fault.Newf(fault.Internal, "the listener at %s failed: %w", l.Addr(), err)
		}
	})
}

// Board returns the board that is served. It is open until the node is closed.
func (n *Node) Board() *lukasa.Board { return n.board }

// Keys returns the credentials.
func (n *Node) Keys() *auth.Store { return n.keys }

// Quotas returns the limits of tenants.
func (n *Node) Quotas() *quota.Book { return n.quotas }

// TokenFile returns the file with the operator's own token, or nothing if it was
// configured.
func (n *Node) TokenFile() string { return n.tokenFile }

// URL returns the URL of the node on this machine.
func (n *Node) URL() string {
	scheme := "http://"
	if n.config.TLSCert != "" {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(n.address.String())
	if err != nil {
		return scheme + n.address.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if strings.Contains(n.config.Listen, "[::1]") {
			host = "::1"
		}
	}
	return scheme + net.JoinHostPort(host, port)
}

// AtClose registers f to be called after the last network call, before the board is closed. Its
// context ends with the grace period. AtClose must be called before Run.
func (n *Node) AtClose(f func(context.Context)) { n.atClose = append(n.atClose, f) }

// Run serves until ctx is done or a listener fails, and then closes the node.
func (n *Node) Run(ctx context.Context) error {
	var failed error
	select {
	case <-ctx.Done():
		n.log.Info("stopping", "grace", time.Duration(n.config.Grace).String())
	case failed = <-n.failed:
	}
	return errors.Join(failed, n.Close())
}

// Close stops accepting calls, waits for running ones, for at most the grace period, makes
// everything durable and releases the directory. A second call does nothing.
func (n *Node) Close() error {
	n.closing.Do(func() { n.closed = n.close() })
	return n.closed
}

func (n *Node) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(n.config.Grace))
	defer cancel()
	n.stopConsuming()
	if err := n.api.Drain(ctx); err != nil {
		n.log.Warn("some calls were not answered in time", "grace", time.Duration(n.config.Grace).String())
	}
	for _, f := range n.atClose {
		f(ctx)
	}
	for _, s := range n.servers {
		if err := s.Shutdown(ctx); err != nil {
			_ = s.Close() // the rest was told to end before
		}
	}
	n.serving.Wait()
	err := n.abandon()
	if err == nil {
		n.log.Info("stopped")
	}
	return err
}

// abandon releases everything that was opened. It also ends a failed start.
func (n *Node) abandon() error {
	n.stopConsuming()
	for _, s := range n.servers {
		_ = s.Close() // it may be closed already
	}
	n.serving.Wait()
	if n.gate != nil {
		n.gate.Close()
	}
	if n.tracing != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := n.tracing.close(ctx); err != nil {
			n.log.Warn("traces were not sent", "error", err)
		}
	}
	if n.board == nil {
		return nil
	}
	err := n.board.Close()
	n.board = nil
	return err
}
