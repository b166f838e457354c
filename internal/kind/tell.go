package kind

import (
	"math"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/kind/recognize"
	"lukasa.dev/internal/memory"
)

// How many bytes of a piece of content a line shows.
const (
	long  = 300
	mid   = 160
	short = 80
)

// tell writes the line of the event.
func (r *reader) tell() {
	switch r.bit {
	case onMessage:
		r.tellMessage()
	case onToolCall:
		r.tellCall()
	case onToolResult:
		r.tellResult()
	case onFileEdit:
		r.tellEdit()
	case onTestRun:
		r.tellTests()
	case onCommandExec:
		r.tellCommand()
	case onBrowserAction:
		r.tellBrowser()
	case onAPIResult:
		r.tellAPI()
	case onDecision:
		r.tellDecision()
	case onError:
		r.tellError()
	case onObservation:
		r.line.word("observed")
		r.quote(" ", fSubject, short)
		r.quote(": ", fText, long)
	case onStateChange:
		r.tellChange()
	case onFeedback:
		r.tellFeedback()
	default:
		r.tellOther()
	}
}

// quote writes lead and member f of the content in quotes, unless it is empty.
func (r *reader) quote(lead string, f field, limit int) bool {
	return r.quoteAt(lead, r.content.at[f], limit)
}

func (r *reader) quoteAt(lead string, n canon.Node, limit int) bool {
	if n == 0 {
		return false
	}
	c := &r.content
	if c.doc.Kind(n) == canon.String {
		text, more := r.bytes(c, n, 2*limit)
		return r.line.quoted(lead, text, limit, more)
	}
	r.scratch = r.gather(r.scratch[:0], c, n, 2*limit)
	return r.line.quoted(lead, r.scratch, limit, len(r.scratch) >= 2*limit)
}

func (r *reader) tellMessage() {
	who := "somebody"
	role := r.content.str(fRole)
	for i := range speakers {
		if speakers[i].role == role {
			who = speakers[i].role
		}
	}
	r.line.word(who)
	r.line.word(" said")
	if !r.quote(" ", fText, long) {
		r.line.word(" nothing")
	}
	if r.content.is(fAttachments, canon.Array) {
		if n := r.content.doc.Len(r.content.at[fAttachments]); n > 0 {
			r.count(" with ", int64(n), " attachment")
		}
	}
}

// count writes a number and a noun.
func (r *reader) count(lead string, n int64, thing string) {
	r.line.word(lead)
	r.line.integer(n)
	r.line.word(thing)
	if n != 1 {
		r.line.word("s")
	}
}

// named writes the name of the tool, or other words if it has none.
func (r *reader) named(lead, otherwise string) {
	if name := r.toolName(); name == "" || !r.line.name(lead, name) {
		r.line.word(otherwise)
	}
}

func (r *reader) tellCall() {
	r.line.word("called")
	r.named(" ", " a tool")
	if r.args == nil {
		r.quote(" ", fArguments, long)
		return
	}
	if r.object() {
		return
	}
	each := mid - 40
	if r.args.doc.Len(r.argsIn) == 1 {
		each = long
	}
	r.line.word(" ")
	r.line.json(r, r.args, r.argsIn, lineDepth, each)
}

// object writes the argument of a tool that is a command, a file or an address, and
// then the other arguments that are short.
func (r *reader) object() bool {
	if n := r.argsAt[fCommand]; r.shell && n != 0 {
		if !r.shellLine(" ", r.args, n) {
			return false
		}
		r.others(n)
		return true
	}
	if n := r.argsAt[fPath]; n != 0 && r.onFiles(n) {
		r.others(n)
		return true
	}
	if n := r.argsAt[fURL]; n != 0 {
		ref := r.args.strAt(n)
		if strings.HasPrefix(ref, "file://") {
			return r.onFile(" on ", ref) && r.others(n)
		}
		if ref = recognize.CleanRef(memory.ObjURL, ref); ref != "" && r.line.name(" on ", ref) {
			return r.others(n)
		}
	}
	if n := r.argsAt[fPatch]; n != 0 && r.args.doc.Kind(n) == canon.String && recognize.PatchLike(r.args.doc.Raw(n)) {
		var found [maxListed]recognize.Patched
		lead := " on "
		for _, f := range recognize.ReadPatch(r.text(r.args, n, recognize.MaxPatch), found[:0]) {
			if r.onFile(lead, f.Path) {
				lead = ", "
			}
		}
		return lead != " on " && r.others(n)
	}
	return false
}

// onFiles writes the file n, or the first few of a list of files.
func (r *reader) onFiles(n canon.Node) bool {
	doc := &r.args.doc
	if doc.Kind(n) != canon.Array {
		return r.onFile(" on ", r.args.strAt(n))
	}
	lead, left := " on ", maxListed
	first, end := doc.Children(n)
	for c := first; c < end; c = doc.After(c) {
		if left--; left < 0 {
			if lead != " on " {
				r.line.word(", " + ellipsis)
			}
			break
		}
		at := c
		if doc.Kind(c) == canon.Object {
			at = doc.Member(c, "path")
		}
		if at != canon.None && r.onFile(lead, r.args.strAt(at)) {
			lead = ", "
		}
	}
	return lead != " on "
}

// onFile writes a file, relative to the root of the project if that is known.
func (r *reader) onFile(lead, ref string) bool {
	if clean := recognize.CleanRef(memory.ObjFile, ref); clean != "" {
		ref = clean
		if near, ok := r.near(clean); ok {
			ref = near
		}
	}
	return ref != "" && r.line.path(lead, ref)
}

// The bounds of the further arguments: only a few short scalars are written.
const (
	maxOthers = 5
	maxOther  = 48
)

// others writes the arguments other than shown, as far as they are short scalars.
// It is always true.
func (r *reader) others(shown canon.Node) bool {
	doc := &r.args.doc
	lead, left := " (", maxOthers
	first, end := doc.Children(r.argsIn)
	for c := first; c < end && left > 0; c = doc.After(c) {
		kind, key := doc.Kind(c), doc.Key(c)
		if c == shown || c == r.argsAt[fCwd] || kind == canon.Null || !r.args.scalar(c) || len(key) > maxOther || r.line.room() < 3*maxOther {
			continue
		}
		raw := doc.Raw(c)
		if len(raw) <= len(`""`) && kind == canon.String || len(raw) > maxOther {
			continue
		}
		if !r.line.name(lead, string(key)) {
			continue
		}
		lead = ", "
		left--
		if kind != canon.String {
			r.line.word(" ")
			r.line.word(string(raw))
			continue
		}
		text, more := r.bytes(r.args, c, maxOther)
		r.line.quoted(" ", text, maxOther, more)
	}
	if lead == ", " {
		r.line.word(")")
	}
	return true
}

func (r *reader) tellResult() {
	r.named("", "a tool")
	if r.args != nil {
		r.object()
	}
	switch r.outcome {
	case memory.OutcomeSuccess:
		r.line.word(" succeeded")
	case memory.OutcomeFailure:
		r.line.word(" failed")
	default:
		r.line.word(" answered")
	}
	r.duration()
	r.quote(": ", fResult, long)
}

// Ran returns one line with the outcome of the command that a tool ran: call is the call
// and result its result. It follows the rules of [Facets.Text].
func Ran(call, result *hmx.Event) string {
	r := borrow(call)
	r.judge()
	r.line.max = MaxText
	r.line.word("ran")
	if n := r.argsAt[fCommand]; r.args == nil || n == 0 || !r.shellLine(" ", r.args, n) {
		r.line.word(" a command")
	}
	head := string(r.line.buf)
	r.giveBack()

	r = borrow(result)
	defer r.giveBack()
	r.judge()
	r.line.max = MaxText
	r.line.word(head)
	switch r.outcome {
	case memory.OutcomeSuccess:
		r.line.word(": succeeded")
		r.resultEnd(short)
	case memory.OutcomeFailure:
		r.line.word(": failed")
		r.resultEnd(mid)
	default:
		r.resultEnd(mid)
	}
	return string(r.line.buf)
}

// resultEnd quotes the end of the result, where programs print their outcome.
func (r *reader) resultEnd(limit int) {
	if n := r.content.at[fResult]; n != 0 {
		r.scratch = r.gather(r.scratch[:0], &r.content, n, recognize.MaxScan)
		r.end(": ", r.scratch, limit, len(r.scratch) >= recognize.MaxScan)
	}
}

// duration writes how long it took, if the event says so.
func (r *reader) duration() {
	if !r.content.is(fDuration, canon.Number) {
		return
	}
	ms := r.content.doc.Float(r.content.at[fDuration])
	if ms >= 1 && ms < math.MaxInt32 {
		r.line.word(" in ")
		r.line.integer(int64(ms))
		r.line.word(" ms")
	}
}

func (r *reader) tellEdit() {
	r.line.word("edited ")
	if !r.onFile("", r.content.str(fPath)) {
		r.line.word("a file")
	}
	lead := " ("
	if op := r.content.str(fOperation); op != "" && r.line.name(lead, op) {
		lead = ", "
	}
	if old := r.content.str(fOldPath); r.onFile(lead+"from ", old) {
		lead = ", "
	}
	added, some := r.content.integer(fAdded)
	removed, more := r.content.integer(fRemoved)
	if some || more {
		r.line.word(lead + "+")
		r.line.integer(added)
		r.line.word(" -")
		r.line.integer(removed)
		lead = ", "
	}
	if lead == ", " {
		r.line.word(")")
	}
}

// ran writes which command was run.
func (r *reader) ran(otherwise string) {
	r.line.word("ran")
	if n := r.content.at[fCommand]; n == 0 || !r.shellLine(" ", &r.content, n) {
		r.line.word(" " + otherwise)
	}
}

// shellLine writes the command n, a line of shell or a list of words.
func (r *reader) shellLine(lead string, p *page, n canon.Node) bool {
	switch p.doc.Kind(n) {
	case canon.String:
		text, more := r.bytes(p, n, 2*mid)
		return r.line.code(lead, text, mid, more)
	case canon.Array:
		r.scratch = r.gatherWords(r.scratch[:0], p, n, 2*mid)
		return r.line.code(lead, r.scratch, mid, len(r.scratch) >= 2*mid)
	}
	return false
}

// gatherWords appends the strings of list n with blanks between them.
func (r *reader) gatherWords(dst []byte, p *page, n canon.Node, limit int) []byte {
	first, end := p.doc.Children(n)
	for c := first; c < end && len(dst) < limit; c = p.doc.After(c) {
		if p.doc.Kind(c) == canon.String {
			raw := p.doc.Raw(c)
			dst, _ = appendBody(append(dst, ' '), raw[1:len(raw)-1], limit-len(dst))
		}
	}
	return dst
}

func (r *reader) tellTests() {
	r.ran("tests")
	if r.content.at[fCommand] == 0 {
		if name := r.content.str(fFramework); name != "" {
			r.line.name(" with ", name)
		}
	}
	lead := ": "
	for _, c := range [...]struct {
		f    field
		word string
	}{{fPassed, " passed"}, {fFailed, " failed"}, {fSkipped, " skipped"}} {
		n, ok := r.content.integer(c.f)
		if !ok || n == 0 && c.f == fSkipped {
			continue
		}
		r.line.word(lead)
		r.line.integer(n)
		r.line.word(c.word)
		lead = ", "
	}
	switch {
	case lead != ": ":
	case r.outcome == memory.OutcomeSuccess:
		r.line.word(": passed")
	case r.outcome == memory.OutcomeFailure:
		r.line.word(": failed")
	}
	if r.outcome != memory.OutcomeSuccess && !r.quote(": ", fFailures, mid) {
		r.quoteEnd(": ", fOutput, mid)
	}
}

// quoteEnd quotes the end of member f, where programs print their outcome.
func (r *reader) quoteEnd(lead string, f field, limit int) {
	n := r.content.at[f]
	if n == 0 || r.content.doc.Kind(n) != canon.String {
		return
	}
	text, more := r.bytes(&r.content, n, recognize.MaxScan)
	r.end(lead, text, limit, more)
}

// end quotes the end of a long text, and all of a short one.
func (r *reader) end(lead string, text []byte, limit int, more bool) {
	if len(text) > 2*limit {
		text, more = text[len(text)-limit:], true
		for len(text) > 0 && text[0]&0xC0 == 0x80 {
			text = text[1:]
		}
	}
	r.line.quoted(lead, text, 2*limit, more)
}

func (r *reader) tellCommand() {
	r.ran("a command")
	if code, ok := r.exitCode(); ok {
		r.line.word(": exit ")
		r.line.integer(code)
	} else if r.outcome == memory.OutcomeFailure {
		r.line.word(": failed")
	}
	first, second := fStdout, fStderr
	if r.outcome == memory.OutcomeFailure {
		first, second = fStderr, fStdout
	}
	if !r.quote(": ", first, mid) && !r.quote(": ", second, mid) {
		r.quote(": ", fOutput, mid)
	}
}

// tellBrowser writes the action and the page. It does not write the typed text, which
// may be a password.
func (r *reader) tellBrowser() {
	r.line.word("browser")
	if action := r.content.str(fAction); action != "" {
		r.line.name(" ", action)
	}
	if url := recognize.CleanRef(memory.ObjURL, r.content.str(fURL)); url != "" {
		r.line.name(" ", url)
	}
	r.quote(" at ", fSelector, short)
	if r.outcome == memory.OutcomeFailure {
		r.line.word(" failed")
	}
}

func (r *reader) tellAPI() {
	if method := r.content.str(fMethod); method == "" || !r.line.name("", method) {
		r.line.word("asked")
	}
	if url := recognize.CleanRef(memory.ObjURL, r.content.str(fURL)); url != "" {
		r.line.name(" ", url)
	}
	if status, ok := r.content.integer(fStatus); ok {
		r.line.word(" answered ")
		r.line.integer(status)
	} else if r.outcome == memory.OutcomeFailure {
		r.line.word(" failed")
	} else {
		r.line.word(" answered")
	}
	r.duration()
	r.quote(": ", fResponse, mid)
}

func (r *reader) tellDecision() {
	r.line.word("decided")
	if !r.quote(" ", fChosen, 120) {
		r.line.word(" something")
	}
	r.quote(" for ", fQuestion, 100)
	r.quote(": ", fReasoning, mid)
}

func (r *reader) tellError() {
	if kind := r.content.str(fErrorType); kind == "" || !r.line.name("", kind) {
		r.line.word("error")
	}
	if !r.quote(": ", fMessage, long) {
		r.quote(": ", fStack, mid)
	}
}

func (r *reader) tellChange() {
	if !r.quote("", fSubject, short) {
		r.line.word("something")
	}
	r.line.word(" changed")
	r.quote(" from ", fFrom, short)
	r.quote(" to ", fTo, short)
	r.quote(": ", fReason, mid)
}

func (r *reader) tellFeedback() {
	r.line.word("user feedback")
	if signal := r.content.str(fSignal); signal != "" {
		r.line.name(" ", signal)
	}
	r.quote(": ", fComment, long)
}

func (r *reader) tellOther() {
	if !r.line.name("", string(r.ev.EventType)) {
		r.line.word("something happened")
	}
	if r.content.ok {
		r.scratch = r.gather(r.scratch[:0], &r.content, 0, 2*long)
		r.line.quoted(": ", r.scratch, long, len(r.scratch) >= 2*long)
	}
}
