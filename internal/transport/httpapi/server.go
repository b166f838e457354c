package httpapi

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"lukasa.dev/internal/api"
	"lukasa.dev/internal/transport/httpapi/admit"
)

// Server serves the table. Make one with [New].
type Server struct {
	o         Options
	limits    Limits
	keys      keys
	near      *admit.Neighbours
	routes    *routes
	openapi   []byte
	held      *budget // bytes of bodies
	heads     *budget // bytes of heads of calls
	calls     *budget
	streams   *budget
	unpackers *unpackers
	packers   *packers
	bodies    sync.Pool
	answers   sync.Pool
	serial    atomic.Uint64
	prefix    string // of request ids
	// stop gives up what is still under way. onStop has a function called then, unless what it
	// returns is called before.
	stop   func()
	onStop func(f func()) (drop func() bool)

	mu      sync.Mutex
	open    int           // running calls and streams
	leaving bool          // no more are admitted
	leave   chan struct{} // closed when leaving
	idle    chan struct{} // closed when leaving and nothing is running
}

// New returns a server. Board and Keys are required.
func New(o Options) *Server {
	if o.operations == nil {
		o.operations = api.Operations()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	l := o.Limits.withDefaults()
	s := &Server{
		o: o, limits: l, keys: o.Keys, near: admit.NewNeighbours(o.Hosts, o.Origins),
		held: newBudget(l.HeldBytes), heads: newBudget(l.HeldBytes / 2), calls: newBudget(int64(l.Calls)), streams: newBudget(int64(l.Streams)),
		unpackers: newUnpackers(), packers: newPackers(),
		leave: make(chan struct{}), idle: make(chan struct{}),
	}
	stopped, stop := context.WithCancel(context.Background())
	s.stop, s.onStop = stop, func(f func()) func() bool { return context.AfterFunc(stopped, f) }
	s.bodies.New = func() any { return new([]byte) }
	s.answers.New = func() any { return new(bytes.Buffer) }
	var seed [6]byte
	_, _ = rand.Read(seed[:]) // never fails
	s.prefix = hex.EncodeToString(seed[:]) + "-"
	s.routes = s.route()
	s.openapi = document(o.operations, o.Version)
	return s
}

// HTTP returns a server for listeners from [Server.Listener], with limits and timeouts set. It
// logs calls that fail before they are parsed.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    4 * s.limits.HeaderBytes, // excess gets a problem document, and not plain text
		ConnState:         headState,
		ErrorLog:          slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
	}
}

// ServeHTTP answers a call.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := s.begin(w, r)
	defer c.end()
	if err := c.outside(); err != nil {
		c.fail(err)
		return
	}
	s.routes.serve(c)
}

// enter admits a call, unless the server is draining.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leaving {
		return false
	}
	s.open++
	return true
}

// exit ends what enter admitted.
func (s *Server) exit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open--; s.open == 0 && s.leaving {
		close(s.idle)
	}
}

// draining reports whether the server is shutting down.
func (s *Server) draining() bool {
	select {
	case <-s.leave:
		return true
	default:
		return false
	}
}

// Drain admits no more calls, tells streams to end, and returns when everything that is running
// is acknowledged or refused. When ctx ends before that, the rest is given up: none of it was
// acknowledged, unless the client has the acknowledgement. The server answers health checks
// meanwhile.
func (s *Server) Drain(ctx context.Context) error {
	s.mu.Lock()
	if !s.leaving {
		s.leaving = true
		close(s.leave)
		if s.open == 0 {
			close(s.idle)
		}
	}
	s.mu.Unlock()
	select {
	case <-s.idle:
		s.stop()
		return nil
	case <-ctx.Done():
		s.stop()
		return ctx.Err()
	}
}
