package httpapi

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// freeHead is how many bytes of a head a connection may send without memory from the budget: as
// much as most calls have.
const freeHead = 8 << 10

// errCrowdedHeads says that there is no memory for the head of a call.
var errCrowdedHeads = errors.New("the headers of calls take too much memory")

// Listener returns a listener for the server of [Server.HTTP]. The caller is unknown before the
// head of a call is read, so all connections share one budget for heads, and those that exceed
// it are closed.
func (s *Server) Listener(l net.Listener) net.Listener { return &headListener{l, s.heads} }

type headListener struct {
	net.Listener
	heads *budget
}

// Accept implements net.Listener.
func (l *headListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	h := &headConn{Conn: conn, heads: l.heads}
	h.reading.Store(true)
	return h, nil
}

// headConn is a connection that counts what it reads between calls.
type headConn struct {
	net.Conn
	heads   *budget
	reading atomic.Bool // it reads the head of a call, or nothing

	mu   sync.Mutex
	read int64 // bytes of the head
	held int64 // bytes of the budget
}

// Read implements net.Conn.
func (h *headConn) Read(p []byte) (int, error) {
	n, err := h.Conn.Read(p)
	if n > 0 && h.reading.Load() && !h.count(int64(n)) {
		_ = h.Close() // there is no answer to send
		return 0, errCrowdedHeads
	}
	return n, err
}

// count takes what was read from the budget, and reports whether there was enough.
func (h *headConn) count(n int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.read += n
	want := h.read - freeHead - h.held
	if want <= 0 || !h.reading.Load() {
		return true
	}
	if !h.heads.take("", want) {
		return false
	}
	h.held += want
	return true
}

// Close implements net.Conn.
func (h *headConn) Close() error {
	h.set(false)
	return h.Conn.Close()
}

// CloseWrite ends sending, so that the client reads the answer before it learns that the rest
// of its request is not read.
func (h *headConn) CloseWrite() error {
	if half, ok := h.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// set sets whether a head is being read, and releases what the last one took.
func (h *headConn) set(reading bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reading.Store(reading)
	h.heads.give("", h.held)
	h.read, h.held = 0, 0
}

// headState follows the state of a server's connections.
func headState(conn net.Conn, state http.ConnState) {
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	if h, ok := conn.(*headConn); ok && state != http.StateNew {
		h.set(state == http.StateIdle)
	}
}
