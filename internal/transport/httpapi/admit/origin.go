// Package admit says which calls a server admits before it looks at their credentials: by the
// host and the origin that a call names, and without a credential in its query.
package admit

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"lukasa.dev/internal/fault"
)

// Neighbours are the hosts and origins that the server accepts.
type Neighbours struct {
	hosts   map[string]bool // in lower case
	origins map[string]bool // as in the header, in lower case
}

// NewNeighbours returns the hosts and origins of a server, which always has the name localhost.
func NewNeighbours(hosts, origins []string) *Neighbours {
	n := &Neighbours{hosts: map[string]bool{"localhost": true}, origins: map[string]bool{}}
	for _, h := range hosts {
		n.hosts[strings.ToLower(strings.Trim(h, "[]"))] = true
	}
	for _, o := range origins {
		n.origins[strings.ToLower(strings.TrimSuffix(o, "/"))] = true
	}
	return n
}

// Check refuses a call with a host that is not the server's, or from an unknown origin. Without
// this check, a page in a user's browser could call a server on the same machine by DNS
// rebinding.
func (n *Neighbours) Check(r *http.Request) error {
	local := localAddress(r)
	host, ok := HostOf(r.Host)
	if !ok || !n.Knows(host, local) {
		return fault.Newf(fault.ForeignOrigin, "Host: %.80q is not a name of this server", r.Host)
	}
	origins := r.Header["Origin"]
	if len(origins) == 0 {
		return nil
	}
	if len(origins) == 1 && n.knowsOrigin(origins[0], local) {
		return nil
	}
	return fault.Newf(fault.ForeignOrigin, "Origin: %.80q may not call this server", strings.Join(origins, ", "))
}

// knowsOrigin reports whether a page of an origin may call the server.
func (n *Neighbours) knowsOrigin(origin string, local netip.Addr) bool {
	origin = strings.ToLower(origin)
	if n.origins[origin] {
		return true
	}
	rest, ok := strings.CutPrefix(origin, "http://")
	if !ok {
		if rest, ok = strings.CutPrefix(origin, "https://"); !ok {
			return false
		}
	}
	host, ok := HostOf(rest)
	return ok && n.Knows(host, local)
}

// Configured reports whether an origin is one of those that may read answers.
func (n *Neighbours) Configured(origin string) bool {
	return origin != "" && n.origins[strings.ToLower(origin)]
}

// Knows reports whether a host is a name of this server: a loopback name, the address of the
// connection, or a configured name.
func (n *Neighbours) Knows(host string, local netip.Addr) bool {
	if n.hosts[host] {
		return true
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.Zone() != "" {
		return false
	}
	addr = addr.Unmap()
	return addr.IsLoopback() || addr == local
}

// localAddress returns the local address of a request's connection.
func localAddress(r *http.Request) netip.Addr {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return netip.Addr{}
	}
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}

// HostOf returns the host of an authority, in lower case, without its port. It refuses an
// authority that has more than host and port.
func HostOf(authority string) (host string, ok bool) {
	host = authority
	if strings.HasPrefix(authority, "[") {
		end := strings.IndexByte(authority, ']')
		if end < 0 {
			return "", false
		}
		host = authority[1:end]
		if !port(authority[end+1:]) || !strings.Contains(host, ":") {
			return "", false
		}
		return strings.ToLower(host), true
	}
	if i := strings.IndexByte(authority, ':'); i >= 0 {
		host = authority[:i]
		if !port(authority[i:]) {
			return "", false
		}
	}
	if host == "" {
		return "", false
	}
	for i := range len(host) {
		switch c := host[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '.', c == '_':
		default:
			return "", false
		}
	}
	return strings.ToLower(host), true
}

// port reports whether a text is empty, or a colon and a port.
func port(s string) bool {
	if s == "" {
		return true
	}
	if s[0] != ':' || len(s) < 2 || len(s) > 6 {
		return false
	}
	for _, c := range []byte(s[1:]) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
