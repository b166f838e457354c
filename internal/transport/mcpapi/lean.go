package mcpapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lukasa.dev/hmx/wire"
	"lukasa.dev/internal/canon"
)

// lean answers plain HTTP requests as the library would, at a fraction of the cost. It may
// leave any request to the library; the answers are the same.
type lean struct {
	s *Server
	// revisions are those before the stateless one, newest first.
	revisions []string
	// list and listModern are the results of tools/list, before and since the
	// stateless revision; hello is that of initialize, by revision.
	list, listModern []byte
	hello            map[string][]byte
	// mark is what results have in addition since the stateless revision.
	mark []byte

	docs  *sync.Pool // of *canon.Doc
	sheet *sync.Pool // of *[]byte
}

// keptDoc and keptSheet are the largest buffers that are kept for the next request.
const (
	keptDoc   = 1 << 20
	keptSheet = 1 << 20
)

func newLean(s *Server) lean {
	l := lean{
		s:         s,
		revisions: slices.DeleteFunc(mcp.SupportedProtocolVersions(), func(v string) bool { return v >= stateless }),
		hello:     map[string][]byte{},
		docs:      &sync.Pool{New: func() any { return new(canon.Doc) }},
		sheet:     &sync.Pool{New: func() any { return new([]byte) }},
	}
	for _, v := range l.revisions {
		l.hello[v] = written(&mcp.InitializeResult{
			Capabilities: capabilities(), Instructions: s.o.Tools.instructions(), ProtocolVersion: v, ServerInfo: s.info(),
		})
	}
	list := mcp.ListToolsResult{Tools: []*mcp.Tool{}, Cacheable: mcp.Cacheable{CacheScope: "public"}}
	for _, t := range s.tools {
		list.Tools = append(list.Tools, t.def)
	}
	l.list = written(&list)
	list.ResultType, list.Meta = "complete", mcp.Meta{mcp.MetaKeyServerInfo: s.info()}
	l.listModern = written(&list)
	l.mark = append([]byte(`,"resultType":"complete","_meta":`), written(list.Meta)...)
	return l
}

// written returns v as JSON. It is of a type of the library that always encodes.
func written(v any) []byte {
	data, err := encode(v)
	if err != nil {
		panic(err)
	}
	return data
}

// borrow returns a JSON parser from the pool; giveBack returns it.
func (l *lean) borrow() *canon.Doc { return l.docs.Get().(*canon.Doc) }

func (l *lean) giveBack(doc *canon.Doc) {
	if doc.Footprint() <= keptDoc {
		doc.Reset()
		l.docs.Put(doc)
	}
}

// request is a plain request in progress.
type request struct {
	doc *canon.Doc
	envelope
	// meta is the object of that name among the parameters, or None.
	meta canon.Node
	// modern says that it uses the stateless revision.
	modern bool
}

// serve answers a request, and reports whether it did. If not, nothing was written.
func (l *lean) serve(w http.ResponseWriter, r *http.Request, c *caller, doc *canon.Doc, e envelope) bool {
	q := &request{doc: doc, envelope: e, meta: canon.None}
	if !q.readMeta() || !l.judge(q, r.Header) {
		return false
	}
	switch q.method {
	case "tools/call":
		return l.call(w, r, c, q)
	case "tools/list":
		if q.id == canon.None || !q.only() {
			return false
		}
		if q.modern {
			l.answer(w, q, l.listModern)
		} else {
			l.answer(w, q, l.list)
		}
		return true
	case "ping":
		if q.id == canon.None || q.modern || !q.only() {
			return false
		}
		l.answer(w, q, []byte("{}"))
		return true
	case "initialize":
		return l.initialize(w, q)
	case "notifications/initialized":
		if q.id != canon.None || q.modern || !q.only() {
			return false
		}
		w.WriteHeader(http.StatusAccepted)
		return true
	}
	return false
}

// readMeta finds the metadata of a request, and reports whether its parameters are plain so
// far.
func (q *request) readMeta() bool {
	if q.params == canon.None {
		return true
	}
	if q.doc.Kind(q.params) != canon.Object {
		return false
	}
	q.meta = q.doc.Member(q.params, "_meta")
	return q.meta == canon.None || q.doc.Kind(q.meta) == canon.Object
}

// judge determines the revision of a request, and reports whether the request states it in a
// way that the library would accept.
func (l *lean) judge(q *request, h http.Header) bool {
	said := canon.None
	if q.meta != canon.None {
		said = q.doc.Member(q.meta, mcp.MetaKeyProtocolVersion)
	}
	version := h.Get(headerVersion)
	if version != stateless {
		return said == canon.None && (version == "" || slices.Contains(l.revisions, version))
	}
	q.modern = true
	if said == canon.None || q.doc.Kind(said) != canon.String || q.doc.Text(said) != stateless {
		return false
	}
	if info := q.doc.Member(q.meta, mcp.MetaKeyClientInfo); info != canon.None && !q.plainInfo(info) {
		return false
	}
	can := q.doc.Member(q.meta, mcp.MetaKeyClientCapabilities)
	return can != canon.None && q.plainCapabilities(can) && h.Get(headerMethod) == q.method
}

// plainInfo reports whether the client info has only strings.
func (q *request) plainInfo(n canon.Node) bool {
	return q.doc.Kind(n) == canon.Object && q.each(n, func(c canon.Node) bool { return q.doc.Kind(c) == canon.String })
}

// plainCapabilities reports whether the client capabilities have the plain form.
func (q *request) plainCapabilities(n canon.Node) bool {
	return q.doc.Kind(n) == canon.Object && q.each(n, func(c canon.Node) bool {
		if q.doc.Kind(c) != canon.Object {
			return false
		}
		switch string(q.doc.Key(c)) {
		case "roots":
			return q.each(c, func(c canon.Node) bool {
				k := q.doc.Kind(c)
				return string(q.doc.Key(c)) == "listChanged" && (k == canon.True || k == canon.False)
			})
		case "sampling", "elicitation":
			return q.each(c, func(c canon.Node) bool { return q.doc.Kind(c) == canon.Object && q.doc.Len(c) == 0 })
		}
		return q.doc.Len(c) == 0
	})
}

// each reports whether ok holds for all members of an object.
func (q *request) each(n canon.Node, ok func(canon.Node) bool) bool {
	first, end := q.doc.Children(n)
	for c := first; c < end; c = q.doc.After(c) {
		if !ok(c) {
			return false
		}
	}
	return true
}

// only reports whether there are no parameters other than metadata and the given names.
func (q *request) only(names ...string) bool {
	return q.params == canon.None || q.each(q.params, func(c canon.Node) bool {
		key := string(q.doc.Key(c))
		return key == "_meta" || slices.Contains(names, key)
	})
}

// initialize answers an initialize request.
func (l *lean) initialize(w http.ResponseWriter, q *request) bool {
	if q.id == canon.None || q.params == canon.None || q.modern || !q.only("protocolVersion", "capabilities", "clientInfo") {
		return false
	}
	version := q.doc.Member(q.params, "protocolVersion")
	info := q.doc.Member(q.params, "clientInfo")
	can := q.doc.Member(q.params, "capabilities")
	if version == canon.None || q.doc.Kind(version) != canon.String ||
		info == canon.None || !q.plainInfo(info) || can == canon.None || !q.plainCapabilities(can) {
		return false
	}
	hello, known := l.hello[q.doc.Text(version)]
	if !known {
		hello = l.hello[l.revisions[0]]
	}
	l.answer(w, q, hello)
	return true
}

// answer writes the answer with a result.
func (l *lean) answer(w http.ResponseWriter, q *request, result []byte) {
	sheet := l.sheet.Get().(*[]byte)
	b := append(q.begin((*sheet)[:0]), result...)
	b = append(b, '}')
	writeJSON(w, http.StatusOK, b)
	l.keep(sheet, b)
}

// keep keeps the buffer of an answer for the next one.
func (l *lean) keep(sheet *[]byte, b []byte) {
	if cap(b) <= keptSheet {
		*sheet = b
		l.sheet.Put(sheet)
	}
}

// begin appends the answer up to its result.
func (q *request) begin(b []byte) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = q.doc.AppendCompact(b, q.id)
	return append(b, `,"result":`...)
}

// call calls a tool. The answer is JSON, unless the call reported progress: then it is the last
// of a stream of events.
func (l *lean) call(w http.ResponseWriter, r *http.Request, c *caller, q *request) bool {
	if q.id == canon.None || q.params == canon.None || !q.only("name", "arguments") {
		return false
	}
	name, args := q.doc.Member(q.params, "name"), q.doc.Member(q.params, "arguments")
	if name == canon.None || q.doc.Kind(name) != canon.String || args != canon.None && q.doc.Kind(args) != canon.Object {
		return false
	}
	t := l.s.named[q.doc.Text(name)]
	if t == nil || q.modern && r.Header.Get(headerName) != t.def.Name {
		return false
	}
	var given []byte
	if args != canon.None {
		given = q.doc.Raw(args)
	}
	events := &events{w: w}
	var tell progress
	if q.meta != canon.None {
		if token := q.doc.Member(q.meta, "progressToken"); token != canon.None {
			if !isID(q.doc, token) {
				return false
			}
			tell = steps(func(done, total uint64, what string) {
				events.send(notice(q.doc.Raw(token), done, total, what))
			})
		}
	}
	l.finish(w, q, events, l.s.call(r.Context(), c, t, given, tell))
	return true
}

// finish writes the outcome of a call.
func (l *lean) finish(w http.ResponseWriter, q *request, events *events, o outcome) {
	sheet := l.sheet.Get().(*[]byte)
	b := append(q.begin((*sheet)[:0]), `{"content":[{"type":"text","text":`...)
	b = canon.AppendQuoted(b, o.text)
	b = append(b, `}]`...)
	if o.data != nil {
		b = append(append(b, `,"structuredContent":`...), o.data...)
	}
	if o.failed {
		b = append(b, `,"isError":true`...)
	}
	if q.modern {
		b = append(b, l.mark...)
	}
	b = append(b, `}}`...)
	if events.begun {
		events.send(b)
	} else {
		writeJSON(w, http.StatusOK, b)
	}
	l.keep(sheet, b)
}

// events is a stream of messages to a client. It starts with the first message.
type events struct {
	w     http.ResponseWriter
	begun bool
}

// send sends a message. A client that has disconnected gets nothing.
func (e *events) send(message []byte) {
	if !e.begun {
		e.begun = true
		h := e.w.Header()
		h.Set("Content-Type", wire.ContentType)
		h.Set("Cache-Control", "no-cache, no-transform")
		e.w.WriteHeader(http.StatusOK)
	}
	if _, err := e.w.Write(wire.AppendBlock(nil, "message", message)); err != nil {
		return
	}
	_ = http.NewResponseController(e.w).Flush()
}

// notice returns a progress notification.
func notice(token []byte, done, total uint64, what string) []byte {
	return written(struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", "notifications/progress", struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress uint64          `json:"progress"`
		Total    uint64          `json:"total,omitempty"`
		Message  string          `json:"message,omitempty"`
	}{token, done, total, what}})
}
