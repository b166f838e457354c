package httpapi

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// routes is the routing table.
type routes struct {
	mux     *http.ServeMux
	methods []string // that exist at all
}

// serving is a handler of a call.
type serving func(c *call)

// ServeHTTP runs the handler for the call that the multiplexer was given.
func (f serving) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := w.(*routed).c
	c.r = r // with the path parameters
	f(c)
}

// routed carries a call through the multiplexer.
type routed struct {
	*answerWriter
	c *call
}

// route makes the routes of the table and of the other handlers.
func (s *Server) route() *routes {
	rs := &routes{mux: http.NewServeMux()}
	methods := map[string]bool{http.MethodGet: true, http.MethodHead: true}
	add := func(method, path, op string, f serving) {
		if method != "" {
			methods[method] = true
			path = method + " " + path
		}
		rs.mux.Handle(path, serving(func(c *call) {
			c.op = op
			f(c)
		}))
	}
	streams := map[string]func(c *call, op *operation.Operation){
		"POST " + eventsPath:    (*call).takeEvents,
		"GET /v1/events/stream": (*call).tail,
		"GET /v1/ingest/ws":     (*call).socket,
		"GET /v1/export":        (*call).export,
		"POST /v1/import":       (*call).takeExport,
		"POST " + tracesPath:    (*call).takeTraces,
	}
	for _, op := range s.o.operations {
		f := (*call).operate
		if op.Stream {
			if f = streams[op.Method+" "+op.Path]; f == nil {
				continue // not over HTTP
			}
		}
		add(op.Method, op.Path, op.Name, func(c *call) { f(c, op) })
	}
	add(http.MethodGet, "/healthz", "healthz", (*call).health)
	add(http.MethodGet, "/readyz", "readyz", (*call).ready)
	add(http.MethodGet, "/openapi.json", "openapi", (*call).describe)
	for at, h := range s.o.Extra {
		add("", at, strings.Trim(at, "/"), func(c *call) { c.extra(h) })
	}
	for at, h := range s.o.Open {
		add("", at, strings.Trim(at, "/"), func(c *call) {
			c.patient()
			h.ServeHTTP(c.w, c.r)
		})
	}
	rs.methods = slices.Sorted(maps.Keys(methods))
	return rs
}

// serve passes a call to its handler.
func (rs *routes) serve(c *call) {
	at := c.r.URL.EscapedPath()
	if clean := path.Clean(at); at == "" || at != clean && at != clean+"/" {
		c.fail(fault.Newf(fault.UnknownRoute, "no operation has the address %.80q", at))
		return
	}
	if rs.has(c.r) {
		rs.mux.ServeHTTP(&routed{c.w, c}, c.r)
		return
	}
	allow := rs.allow(c.r)
	switch {
	case allow == "":
		c.fail(fault.Newf(fault.UnknownRoute, "no operation has the address %.80q", at))
	case c.r.Method == http.MethodOptions:
		c.options(allow)
	default:
		c.w.Header().Set("Allow", allow)
		c.fail(fault.Newf(fault.WrongMethod, "%.20s is not for this address", c.r.Method).WithFix("use " + allow))
	}
}

// has reports whether there is a handler. The multiplexer's own redirects do not count.
func (rs *routes) has(r *http.Request) bool {
	h, _ := rs.mux.Handler(r)
	_, ok := h.(serving)
	return ok
}

// allow returns the methods of a path, or nothing if there is none.
func (rs *routes) allow(r *http.Request) string {
	var list []string
	ask := *r
	for _, m := range rs.methods {
		ask.Method = m
		if rs.has(&ask) {
			list = append(list, m)
		}
	}
	if list == nil {
		return ""
	}
	return strings.Join(append(list, http.MethodOptions), ", ")
}
