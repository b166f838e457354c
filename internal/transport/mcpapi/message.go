package mcpapi

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"lukasa.dev/internal/canon"
)

// Revisions of the protocol with different behaviour here.
const (
	// stateless is the first without sessions: each request names the client and the revision.
	stateless = "2026-07-28"
	// singly is the first in which messages come one by one and not in arrays.
	singly = "2025-06-18"
)

// maxArray is the most messages in one array: they are answered together, and the answers stay
// in memory until the last is done.
const maxArray = 50

// crowded refuses an array with too many messages.
func crowded(n int) *jsonrpc.Error {
	return invalid("the array has %d messages, and at most %d are answered together", n, maxArray)
}

// envelope is a JSON-RPC message, parsed independently of its method.
type envelope struct {
	id     canon.Node // None in notifications
	method string     // empty in answers
	params canon.Node // None without
	// plain says that it is a request or a notification without extra members.
	plain bool
}

// open parses one message. It refuses a message that cannot be answered because it has no valid
// id.
func open(doc *canon.Doc, n canon.Node) (envelope, *jsonrpc.Error) {
	e := envelope{id: canon.None, params: canon.None}
	if doc.Kind(n) != canon.Object {
		return e, invalid("a message is a JSON object, and this is of type %s", doc.Kind(n))
	}
	known := 0
	first, end := doc.Children(n)
	for c := first; c < end; c = doc.After(c) {
		switch string(doc.Key(c)) {
		case "jsonrpc":
			if doc.Kind(c) == canon.String && string(doc.Raw(c)) == `"2.0"` {
				e.plain = true
			}
		case "id":
			if !isID(doc, c) {
				return e, invalid("the id is %s, and should be a string or a whole number from -(2^53-1) to 2^53-1", brief(doc.Raw(c)))
			}
			e.id = c
		case "method":
			if doc.Kind(c) == canon.String {
				e.method = doc.Text(c)
			}
		case "params":
			e.params = c
		default:
			known--
		}
		known++
	}
	e.plain = e.plain && e.method != "" && known == doc.Len(n)
	return e, nil
}

// maxInt is the greatest integer that every JSON reader represents exactly.
const maxInt = 1<<53 - 1

func isID(doc *canon.Doc, n canon.Node) bool {
	switch doc.Kind(n) {
	case canon.String:
		return true
	case canon.Number:
		return doc.Integral(n) && doc.InRange(n, -maxInt, maxInt)
	}
	return false
}

// invalid is the error for JSON that is no message.
func invalid(format string, args ...any) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: " + fmt.Sprintf(format, args...)}
}

// broken is the error for a text that is not strict JSON.
func broken(flaws []canon.Flaw) *jsonrpc.Error {
	f := flaws[0]
	text := fmt.Sprintf("parse error: %s at byte %d", f.Code, f.Offset)
	if f.Pointer != "" {
		text += " (" + f.Pointer + ")"
	}
	if f.Found != "" {
		text += ": found " + f.Found
	}
	if f.Allowed != "" {
		text += ", allowed: " + f.Allowed
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: text}
}

// brief returns the beginning of a JSON text, for an error.
func brief(raw []byte) string {
	const most = 60
	if len(raw) > most {
		return strings.ToValidUTF8(string(raw[:most]), "") + "…"
	}
	return string(raw)
}

// answerError returns the message that answers with an error. The id is as it was written, or
// nil if it is unknown.
func answerError(id []byte, e *jsonrpc.Error) []byte {
	if id == nil {
		id = []byte("null")
	}
	// Encoding an error cannot fail.
	text, _ := json.Marshal(e)
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(b, `,"error":`...)
	b = append(b, text...)
	return append(b, '}')
}
