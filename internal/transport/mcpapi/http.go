package mcpapi

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/fault"
)

// Headers of the protocol.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerResume  = "Last-Event-Id"
)

// handler serves one request of a caller over HTTP: a plain one itself, any other by the
// library. No request knows of another one.
type handler struct {
	s       *Server
	from    Caller
	library func(http.ResponseWriter, *http.Request, *caller)
}

// Handler returns the handler of a request of the streamable HTTP transport. A request of
// nobody is answered with status 401. A call ends when the context of its request does; the
// server before the handler ends that with the credential.
func (s *Server) Handler(from Caller) http.Handler { return &handler{s, from, s.library} }

// callerOf returns who makes a request, which is paid for.
func callerOf(from Caller, r *http.Request) *caller {
	c := &caller{who: from.Who, turn: from.Turn, hold: from.Hold, gone: r.Context().Done()}
	c.paid.Store(1)
	return c
}

// ServeHTTP serves one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.from.Who == nil {
		unauthenticated(w)
		return
	}
	c := callerOf(h.from, r)
	if r.Method != http.MethodPost || !isJSON(r.Header.Get("Content-Type")) {
		h.library(w, r, c)
		return
	}
	body, err := readBody(w, r)
	if err != nil {
		refuseBody(w, err)
		return
	}
	doc := h.s.lean.borrow()
	defer h.s.lean.giveBack(doc)
	e, jerr := openBody(doc, body)
	if jerr != nil {
		writeJSON(w, http.StatusBadRequest, answerError(nil, jerr))
		return
	}
	if e.plain && accepts(r.Header.Values("Accept")) && r.Header[headerResume] == nil && h.s.lean.serve(w, r, c, doc, e) {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	h.library(w, r, c)
}

// library hands a request to a server of the library that is made for its caller.
func (s *Server) library(w http.ResponseWriter, r *http.Request, c *caller) {
	sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return (&connection{s, c}).newSDK() }, &mcp.StreamableHTTPOptions{
		Stateless:                    true,
		JSONResponse:                 true,
		Logger:                       slog.New(quiet{s.log.Handler()}),
		MaxRequestBodyBytes:          maxMessage,
		PropagateRequestCancellation: true,
		// Which hosts are ours is known to what stands before the handler.
		DisableLocalhostProtection: true,
	})
	words := &worded{ResponseWriter: w}
	sdk.ServeHTTP(words, r)
	words.end()
}

// openBody parses a body. Of an array it checks each message, and leaves the rest to the
// library.
func openBody(doc *canon.Doc, body []byte) (envelope, *jsonrpc.Error) {
	if flaws := doc.Parse(body); len(flaws) > 0 {
		return envelope{}, broken(flaws)
	}
	if doc.Kind(doc.Root()) != canon.Array {
		return open(doc, doc.Root())
	}
	if n := doc.Len(doc.Root()); n > maxArray {
		return envelope{}, crowded(n)
	}
	first, end := doc.Children(doc.Root())
	for n := first; n < end; n = doc.After(n) {
		if _, jerr := open(doc, n); jerr != nil {
			return envelope{}, jerr
		}
	}
	return envelope{}, nil
}

// promised is how much memory an announced body gets before it arrives.
const promised = 64 << 10

// readBody reads all of a body.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	room := min(max(r.ContentLength, 0), promised) + bytes.MinRead
	body := bytes.NewBuffer(make([]byte, 0, room))
	_, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, maxMessage))
	return body.Bytes(), err
}

// refuseBody answers a request whose body could not be read.
func refuseBody(w http.ResponseWriter, err error) {
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		writeJSON(w, http.StatusRequestEntityTooLarge, answerError(nil,
			invalid("the message has more than %d bytes", maxMessage)))
		return
	}
	if f, ok := errors.AsType[*fault.Error](err); ok { // from the guard in front of the handler
		w.Header().Set("Retry-After", "1")
		writeJSON(w, fault.Lookup(f.Code).HTTP, answerError(nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: complaint(f)}))
		return
	}
	writeJSON(w, http.StatusBadRequest, answerError(nil, invalid("the body ended too early")))
}

// writeJSON writes a complete answer.
func writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// A client that has disconnected gets nothing.
	_, _ = w.Write(body)
}

// unauthenticated answers a request without a caller.
func unauthenticated(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", "Bearer")
	f := fault.New(fault.Unauthenticated, "the request has no credential that is known here")
	writeProblem(w, fault.Lookup(f.Code).HTTP, f)
}

// isJSON reports whether a content type is JSON, in its usual spelling.
func isJSON(mediaType string) bool {
	base, _, _ := strings.Cut(mediaType, ";")
	return strings.EqualFold(strings.TrimSpace(base), "application/json")
}

// accepts reports whether a client accepts both JSON and event streams, as it must.
func accepts(values []string) bool {
	var inJSON, inEvents bool
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			base, _, _ := strings.Cut(part, ";")
			switch strings.ToLower(strings.TrimSpace(base)) {
			case "application/json", "application/*":
				inJSON = true
			case "text/event-stream", "text/*":
				inEvents = true
			case "*/*":
				inJSON, inEvents = true, true
			}
		}
	}
	return inJSON && inEvents
}
