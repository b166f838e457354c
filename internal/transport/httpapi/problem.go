package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/quota"
)

// problemType is the media type of problems.
const problemType = "application/problem+json"

// maxProblems limits the places of a document that a problem lists.
const maxProblems = 20

// problem is an error as in RFC 9457. The fields after Status are extensions.
type problem struct {
	Type      string        `json:"type"`
	Title     string        `json:"title"`
	Status    int           `json:"status"`
	Detail    string        `json:"detail"`
	Code      fault.Code    `json:"code"`
	Fix       string        `json:"fix"`
	RequestID string        `json:"request_id,omitempty"`
	Field     string        `json:"field,omitempty"`
	Retry     *int          `json:"retry_after,omitempty"` // seconds
	Problems  []hmx.Problem `json:"problems,omitempty"`

	// report is the result of a stream that ended with the problem.
	report *answer.Intake
}

// overloadWait and drainWait are how long a client should wait before it retries.
const (
	overloadWait = time.Second
	drainWait    = 5 * time.Second
)

// later is an error that says when to retry.
type later struct {
	error
	after time.Duration
}

func (l later) Unwrap() error { return l.error }

// newProblem returns an error as a problem.
func newProblem(err error, id string) *problem {
	f := fault.From(err)
	entry := fault.Lookup(f.Code)
	p := &problem{
		Type: entry.Code.Type(), Title: entry.Meaning, Status: entry.HTTP, Detail: f.Error(), Code: entry.Code,
		Fix: f.Advice(), RequestID: id, Field: field(f),
	}
	if entry.Code == fault.Internal {
		p.Detail = entry.Meaning // the details are in the log
	}
	var wait time.Duration
	if w, ok := errors.AsType[*quota.Wait](err); ok {
		wait = max(w.After, time.Second)
	} else if l, ok := errors.AsType[later](err); ok {
		wait = l.after
	} else if entry.Code == fault.Overloaded {
		wait = overloadWait
	}
	if wait > 0 {
		seconds := int(math.Ceil(wait.Seconds()))
		p.Retry = &seconds
	}
	if bad, ok := errors.AsType[*hmx.InvalidError](err); ok {
		p.Problems = bad.Problems[:min(len(bad.Problems), maxProblems)]
	}
	return p
}

// field returns the member of the request that a fault is about, if its detail begins with one.
func field(f *fault.Error) string {
	if bad, ok := errors.AsType[*hmx.InvalidError](f); ok {
		for _, p := range bad.Problems {
			if !p.Warning {
				return p.Pointer
			}
		}
	}
	if f.Code != fault.InvalidArgument && f.Code != fault.InvalidDocument {
		return ""
	}
	name, _, found := strings.Cut(f.Error(), ": ")
	if !found || name == "" {
		return ""
	}
	for _, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-', c == '.', c == '[', c == ']':
		default:
			return ""
		}
	}
	return name
}

// append appends the problem as JSON, followed by the members of the report.
func (p *problem) append(buf []byte) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil { // cannot fail
		return append(buf, `{"type":"about:blank","status":500,"code":"internal"}`...)
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if p.report == nil {
		return append(buf, text...)
	}
	buf = append(append(buf, text[:len(text)-1]...), ',')
	return append(appendIntake(buf, p.report), '}')
}

// fail answers with a problem. It does not wait for the rest of the body.
func (c *call) fail(err error) { c.failWith(newProblem(err, c.id), err) }

// failWith answers with a problem made from an error.
func (c *call) failWith(p *problem, err error) {
	c.refuse(p, err, problemType, append(p.append(nil), '\n'))
}

// refuse answers with a problem that is already encoded.
func (c *call) refuse(p *problem, err error, media string, body []byte) {
	c.cause = err
	if c.w.status != 0 {
		c.broken = true // the answer has begun: only the connection can signal the error
		return
	}
	if !c.bodyDone && c.r.ContentLength != 0 {
		c.hangUp()
	}
	h := c.w.Header()
	h.Del("ETag")
	h.Set("Content-Type", media)
	h.Set("Cache-Control", "no-store")
	if p.Retry != nil {
		h.Set("Retry-After", strconv.Itoa(*p.Retry))
	}
	switch p.Status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="lukasa"`)
	case http.StatusUnsupportedMediaType:
		h.Set("Accept-Encoding", "gzip, zstd")
	}
	c.send(p.Status, body)
}

// send writes an answer.
func (c *call) send(status int, body []byte) {
	c.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	c.w.WriteHeader(status)
	if c.r.Method != http.MethodHead {
		_, _ = c.w.Write(body) // the client may have disconnected
	}
}
