package mcpapi

import (
	"encoding/json"
	"net/http"
	"strings"

	"lukasa.dev/internal/fault"
)

// writeProblem answers with a problem document, as the HTTP API does.
func writeProblem(w http.ResponseWriter, status int, f *fault.Error) {
	body, err := json.Marshal(map[string]any{
		"type": f.Code.Type(), "title": fault.Lookup(f.Code).Meaning, "status": status,
		"code": f.Code, "detail": f.Error(), "fix": f.Advice(),
	})
	if err != nil {
		body = []byte("{}") // strings always encode
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Del("Content-Length")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has disconnected gets nothing
}

// worded turns the plain-text errors with which the library refuses bad HTTP into problem
// documents. It passes everything else through.
type worded struct {
	http.ResponseWriter
	status int             // of a line that is held back, or 0
	line   strings.Builder // as much of it as is reported
}

// longestLine is how much of a line is reported.
const longestLine = 500

// Unwrap lets [http.ResponseController] find the writer below.
func (w *worded) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *worded) WriteHeader(status int) {
	if status >= 400 && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *worded) Write(p []byte) (int, error) {
	if w.status == 0 {
		return w.ResponseWriter.Write(p)
	}
	w.line.Write(p[:min(len(p), max(longestLine-w.line.Len(), 0))])
	return len(p), nil
}

// end answers with the line that was held back.
func (w *worded) end() {
	if w.status == 0 {
		return
	}
	f := fault.New(codeOf(w.status), strings.ToValidUTF8(strings.TrimSpace(w.line.String()), "?"))
	switch {
	case w.status != http.StatusBadRequest:
	case strings.HasPrefix(f.Error(), "Accept"):
		f = f.WithFix("send `Accept: application/json, text/event-stream`")
	default:
		f = f.WithFix("send one message of JSON-RPC 2.0, as the streamable HTTP transport of MCP specifies")
	}
	writeProblem(w.ResponseWriter, w.status, f)
}

// codeOf returns the fault code for a status of the library.
func codeOf(status int) fault.Code {
	switch {
	case status == http.StatusMethodNotAllowed:
		return fault.WrongMethod
	case status == http.StatusUnsupportedMediaType:
		return fault.WrongMedia
	case status == http.StatusRequestEntityTooLarge:
		return fault.TooLarge
	case status == http.StatusForbidden:
		return fault.NotPermitted
	case status == http.StatusNotFound:
		return fault.NotFound
	case status >= 500:
		return fault.Internal
	}
	return fault.InvalidArgument
}
