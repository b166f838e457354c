package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// operate runs an operation of the table.
func (c *call) operate(op *operation.Operation) {
	if err := c.run(op); err != nil {
		p := newProblem(err, c.id)
		if p.Code == fault.VersionConflict && c.conditional() {
			p.Status = http.StatusPreconditionFailed
		}
		c.failWith(p, err)
	}
}

// run executes the operation, and answers if it succeeds.
func (c *call) run(op *operation.Operation) error {
	c.chore = op.Operators
	if err := c.inside(); err != nil {
		return err
	}
	if err := operation.Allow(op, c.who); err != nil {
		return err
	}
	in, size, err := c.request(op)
	if err != nil {
		return err
	}
	if err := c.take(c.s.calls); err != nil {
		return err
	}
	if err := c.charge(op, size); err != nil {
		return err
	}
	ask := &operation.Call{Board: c.s.o.Board, Who: c.who, Keys: c.s.o.Keys, Quotas: c.s.o.Quotas, Embedder: c.s.o.Embedder,
		Ingested: func(became lukasa.Disposition, bytes int) { c.s.ingested(ByDocument, TakenOne(became, bytes)) }}
	if !op.ReadOnly() {
		if err := c.conditions(ask); err != nil {
			return err
		}
	}
	out, err := op.Run(c.r.Context(), ask, in)
	if err != nil {
		return err
	}
	return c.answer(op, out)
}

// charge counts what an operation records against the tenant's limits.
func (c *call) charge(op *operation.Operation, size int) error {
	if c.s.o.Quotas == nil || c.who.Tenant == "" || !op.Adds() {
		return nil
	}
	return c.s.o.Quotas.Events(c.who.Tenant, 1, int64(size))
}

// request decodes the request, and returns the size of its body.
func (c *call) request(op *operation.Operation) (in any, size int, err error) {
	query, err := c.query(op)
	if err != nil {
		return nil, 0, err
	}
	var body []byte
	if op.Body() {
		if body, err = c.jsonBody(); err != nil {
			return nil, 0, err
		}
		if blank(body) {
			body = nil
		}
	} else if c.r.ContentLength > 0 {
		return nil, 0, fault.Newf(fault.InvalidArgument, "body: %s takes none", op.Name).WithFix("leave it out")
	}
	in, err = op.Decode(body, c.part, func(name string) (string, bool) {
		values, ok := query[name]
		if !ok {
			return "", false
		}
		return values[0], true
	})
	return in, len(body), err
}

// part returns a path parameter.
func (c *call) part(name string) (string, bool) {
	v := c.r.PathValue(name)
	return v, v != ""
}

// query parses the query, and refuses repeated and unknown parameters.
func (c *call) query(op *operation.Operation) (url.Values, error) {
	if c.r.URL.RawQuery == "" {
		return nil, nil
	}
	query, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return nil, fault.New(fault.InvalidArgument, "query: it is not well formed").WithFix("percent-encode special characters").WithCause(err)
	}
	return query, op.CheckQuery(query)
}

// conditional reports whether the call states the version that it expects.
func (c *call) conditional() bool {
	return c.r.Header.Get("If-Match") != "" || c.r.Header.Get("If-None-Match") != ""
}

// conditions reads the version that a write expects.
func (c *call) conditions(ask *operation.Call) error {
	h := c.r.Header
	if none := h.Get("If-None-Match"); none != "" {
		if none != "*" {
			return fault.New(fault.InvalidArgument, "If-None-Match: for a write it can only be *").WithFix("send * to write what is not there yet, or If-Match with the version that is expected")
		}
		ask.IfAbsent = true
	}
	match := h.Get("If-Match")
	if match == "" {
		return nil
	}
	if ask.IfAbsent {
		return fault.New(fault.InvalidArgument, "If-Match: If-None-Match is given too").WithFix("send one of them")
	}
	if match == "*" {
		ask.IfMatch = match
		return nil
	}
	if len(match) < 3 || match[0] != '"' || match[len(match)-1] != '"' || strings.ContainsAny(match[1:len(match)-1], `",`) || len(h["If-Match"]) > 1 {
		return fault.Newf(fault.InvalidArgument, "If-Match: %.80q is not one ETag", match).WithFix(`send one, as an answer had it, such as "3"`)
	}
	ask.IfMatch, _, _ = strings.Cut(match[1:len(match)-1], "-") // the rest identifies the answer
	return nil
}

// appender is an answer with its own JSON encoding.
type appender interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// keptAnswer is the largest buffer that is kept for the next answer.
const keptAnswer = 512 << 10

// answer sends the answer of an operation.
func (c *call) answer(op *operation.Operation, out any) error {
	buf := c.s.answers.Get().(*bytes.Buffer)
	buf.Reset()
	defer func() {
		if buf.Cap() <= keptAnswer {
			c.s.answers.Put(buf)
		}
	}()
	media := mediaJSON
	if op.Media != "" {
		media = op.Media
	}
	if err := write(buf, out); err != nil {
		return err
	}
	// Small answers are short-lived, and a write is done: refusing its answer would make the
	// client repeat it.
	if n := buf.Len(); n > keptBody && op.ReadOnly() {
		if err := c.hold(int64(n)); err != nil {
			return err
		}
	}
	h := c.w.Header()
	h.Set("Content-Type", media)
	version := operation.Version(out)
	if op.Method != http.MethodGet {
		h.Set("Cache-Control", "no-store")
		if version > 0 && !op.ReadOnly() {
			h.Set("ETag", `"`+strconv.FormatUint(version, 10)+`"`)
		}
		c.whole(http.StatusOK, buf.Bytes())
		return nil
	}
	c.cached(version, buf.Bytes())
	return nil
}

// write encodes an answer.
func write(buf *bytes.Buffer, out any) error {
	switch out := out.(type) {
	case *operation.Text:
		buf.WriteString(out.Body)
		return nil
	case appender:
		text, err := out.AppendJSON(buf.AvailableBuffer())
		buf.Write(text)
		buf.WriteByte('\n')
		return err
	}
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

// cached sends an answer that the client may cache, unless it has it already. The ETag depends
// on the content, the version of its record, and the compression.
func (c *call) cached(version uint64, body []byte) {
	sum := sha256.Sum256(body)
	name := hex.EncodeToString(sum[:12])
	if version > 0 {
		name = strconv.FormatUint(version, 10) + "-" + name
	}
	if how := c.packing(body); how != identity {
		name += "-" + how.String()
	}
	c.cacheable()
	tag := `"` + name + `"`
	c.w.Header().Set("ETag", tag)
	if c.has(tag) {
		c.w.Header().Add("Vary", "Accept-Encoding")
		c.w.WriteHeader(http.StatusNotModified)
		return
	}
	c.whole(http.StatusOK, body)
}

// cacheable allows the client to cache an answer if it revalidates it each time.
func (c *call) cacheable() {
	h := c.w.Header()
	h.Set("Cache-Control", "private, no-cache")
	h.Add("Vary", "Authorization, X-Lukasa-Tenant, X-Lukasa-Scope")
}

// has reports whether the client states that it has the answer with an ETag.
func (c *call) has(tag string) bool {
	for _, line := range c.r.Header["If-None-Match"] {
		for part := range strings.SplitSeq(line, ",") {
			part = strings.TrimSpace(part)
			if part == "*" || strings.TrimPrefix(part, "W/") == strings.TrimPrefix(tag, "W/") {
				return true
			}
		}
	}
	return false
}

// packing returns the compression of an answer: what the client prefers, if compression is
// worth it.
func (c *call) packing(body []byte) coding {
	if len(body) < packFrom {
		return identity
	}
	return answerCoding(c.r.Header)
}

// whole sends a complete answer.
func (c *call) whole(status int, body []byte) {
	h := c.w.Header()
	h.Add("Vary", "Accept-Encoding")
	if how := c.packing(body); how != identity {
		body = c.s.packers.pack(how, body)
		h.Set("Content-Encoding", how.String())
	}
	c.answerTime(len(body))
	c.send(status, body)
}
