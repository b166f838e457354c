package trace

import (
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/trace/jsonpage"
	"lukasa.dev/internal/trace/shapes"
)

// went returns whether an event says that it went wrong, and whether it says so or
// the opposite at all.
func (r *Reader) went(ev *hmx.Event) (broken, known bool) {
	p := &r.content
	if well, ok := p.Truth(0, "success"); ok {
		return !well, true
	}
	if faulty, ok := p.Truth(0, "is_error", "isError"); ok {
		return faulty, true
	}
	if code, ok := r.exitCode(ev); ok {
		return code != 0, true
	}
	switch ev.EventType {
	case hmx.TypeTestRun:
		failed, told := p.Integer(0, "failed")
		passed, _ := p.Integer(0, "passed")
		if failed > 0 || told && passed > 0 {
			return failed > 0, true
		}
	case hmx.TypeAPIResult:
		if status, ok := p.Integer(0, "status_code"); ok {
			return status >= 400, true
		}
	case hmx.TypeToolResult:
		return r.wentInside(p, p.Member(0, "result"))
	}
	return false, false
}

// wentInside is went for the object of a result.
func (r *Reader) wentInside(p *jsonpage.Page, n canon.Node) (broken, known bool) {
	if n == canon.None || p.Doc.Kind(n) != canon.Object {
		return false, false
	}
	if well, ok := p.Truth(n, "success", "ok"); ok {
		return !well, true
	}
	if faulty, ok := p.Truth(n, "is_error", "isError"); ok {
		return faulty, true
	}
	if code, ok := p.Integer(n, "exit_code", "exitCode", "returncode"); ok {
		return code != 0, true
	}
	if status, ok := p.Integer(n, "status_code"); ok {
		return status >= 400, true
	}
	return false, false
}

// exitCode returns the exit code of what was run.
func (r *Reader) exitCode(ev *hmx.Event) (int64, bool) {
	if code, ok := r.content.Integer(0, "exit_code"); ok {
		return code, true
	}
	switch ev.EventType {
	case hmx.TypeCommandExec, hmx.TypeTestRun, hmx.TypeToolResult:
	default:
		return 0, false
	}
	if !strings.Contains(string(ev.Metadata), `xit`) || !r.metadata.OpenObject(string(ev.Metadata)) {
		return 0, false
	}
	return r.metadata.Integer(0, "exit_code", "exitCode")
}

// looksBroken reports whether a result that does not tell how it went reads as an
// error.
func (r *Reader) looksBroken(p *jsonpage.Page, n canon.Node) bool {
	switch p.Doc.Kind(n) {
	case canon.String:
		text := p.At(n)
		if p != &r.inner && r.inner.OpenInner(text) {
			return r.looksBroken(&r.inner, 0)
		}
		return errorBegins(text)
	case canon.Object:
		if c := p.Member(n, "error", "errors", "exception"); c != canon.None && !p.Empty(c) && p.Doc.Kind(c) != canon.False {
			return true
		}
		if p.Doc.Len(n) == 1 {
			if c := p.Member(n, "text", "output", "content", "result", "message"); c != canon.None && p.Doc.Kind(c) == canon.String {
				return r.looksBroken(p, c)
			}
		}
	}
	return false
}

// errorBegins reports whether a text begins as an error does.
func errorBegins(text string) bool {
	text = strings.TrimLeft(text[:min(len(text), 256)], " \t\r\n")
	for _, begin := range [...]string{"Error:", "error:", "ERROR:", "Error ", "Traceback (most recent call last)", "panic:", "fatal:", "FATAL:", "error[", "Exception:", "Uncaught "} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	line, _, _ := strings.Cut(text, "\n")
	return shapes.Exception(line) && strings.Contains(line, ": ")
}

// errorText returns the text at n that says what went wrong: a string, or of an object
// its message with its code before it, or of a list the first that says something.
func (r *Reader) errorText(p *jsonpage.Page, n canon.Node, depth int) string {
	const deepest = 4
	if depth > deepest || !p.Ok {
		return ""
	}
	switch p.Doc.Kind(n) {
	case canon.String:
		text := p.At(n)
		if p != &r.inner && r.inner.OpenInner(text) {
			if inner := r.errorText(&r.inner, 0, depth+1); inner != "" {
				return inner
			}
		}
		return text
	case canon.Array:
		first, end := p.Doc.Children(n)
		tried := 0
		for c := first; c < end && tried < 8; c = p.Doc.After(c) {
			tried++
			if text := r.errorText(p, c, depth+1); strings.TrimSpace(text) != "" {
				return text
			}
		}
	case canon.Object:
		return r.errorObject(p, n, depth)
	}
	return ""
}

// errorObject is errorText for an object.
func (r *Reader) errorObject(p *jsonpage.Page, n canon.Node, depth int) string {
	for _, name := range [...]string{"error", "errors", "exception", "stderr", "message", "error_message", "detail", "details", "reason", "description", "msg", "text", "output", "stdout", "content", "result"} {
		c := p.Member(n, name)
		if c == canon.None || p.Empty(c) {
			continue
		}
		text := r.errorText(p, c, depth+1)
		if strings.TrimSpace(text) == "" {
			continue
		}
		if code := p.Str(n, "error_type", "type", "code", "name", "error_code"); code != "" && len(code) <= 60 && !strings.HasPrefix(text, code) && name != "error" && name != "errors" {
			return code + ": " + text
		}
		return text
	}
	if code, ok := p.Integer(n, "status_code", "status"); ok {
		return "HTTP " + strconv.FormatInt(code, 10)
	}
	if code, ok := p.Integer(n, "exit_code", "exitCode", "returncode"); ok && code != 0 {
		return "exit code " + strconv.FormatInt(code, 10)
	}
	return p.Str(n, "code", "type", "status")
}

// form returns the form of a result. An object that only holds a text is that text,
// and a text that is JSON is what it says.
func (r *Reader) form(p *jsonpage.Page, n canon.Node, depth int) Got {
	switch p.Doc.Kind(n) {
	case canon.Null:
		return GotNothing
	case canon.Array:
		if p.Empty(n) {
			return GotNothing
		}
		return GotList
	case canon.Object:
		if p.Empty(n) {
			return GotNothing
		}
		if depth < 2 && p.Doc.Len(n) == 1 {
			if c := p.Member(n, "text", "output", "content", "result", "results", "data", "value", "stdout", "matches", "items"); c != canon.None {
				return r.form(p, c, depth+1)
			}
		}
		return GotOne
	case canon.String:
		text := p.At(n)
		if p != &r.inner && r.inner.OpenInner(text) {
			return r.form(&r.inner, 0, depth+1)
		}
		if blankText(text) {
			return GotNothing
		}
	}
	return GotText
}

func blankText(text string) bool {
	for i := range len(text) {
		if shapes.Classes[text[i]] != shapes.ClassBlank {
			return false
		}
	}
	return true
}
