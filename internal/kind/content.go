package kind

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/kind/recognize"
	"lukasa.dev/internal/memory"
)

// ContentVersion is the number of what [ReadContent], [Entities] and
// [TextEntities] return. It is raised whenever the same event may give another
// result, so that indexes that store it are rebuilt.
const ContentVersion = 4

const (
	// MaxContent is the most bytes of the text of a [Content]. A longer text is
	// cut between two characters, without a mark.
	MaxContent = 256 << 10
	// MaxTitle is the most bytes of its title. A longer title is also at the
	// beginning of the text.
	MaxTitle = 1 << 10
)

// Content is the text of an event for search: its own words and none of the engine's. It
// contains no control characters except line breaks, and none that hide or reorder text.
type Content struct {
	Title string // what it is about: a tool, a file, a command, a question
	Text  string
	// Speaker is the speaker of the text, which then begins with the name and a colon: the
	// speaker of its metadata, or the name at the beginning of a message.
	Speaker string
}

// ReadContent returns what an event says in its own words.
//
// The known members of a type come first and without their names. All others follow in
// their order with their names: "seat_class economy, passengers 2". A string that holds
// JSON is read as JSON. The following are left out: ids that only link events; duration
// and success; counts of zero; text that was typed into a browser; members that are
// called password, token or the like; data that is not text; flags in the result of a
// tool that say how it ran, and all booleans in the result of a command; and the begin
// or end of a turn, a session, a context or a sub-agent.
//
// Of the metadata, title and topic belong to the title, and summary, url and path to the
// text. The speaker precedes a text that does not begin with the name.
func ReadContent(ev *hmx.Event) Content {
	s := search(ev)
	defer s.release()
	return s.content()
}

// said has the members with the words of a type of event.
type said struct {
	title, text []field
	// omit are the names of members that are not searchable.
	omit []string
}

// saidBy is the table, in the order of rows; the last is every other type.
var saidBy = [len(rows) + 1]said{
	{text: []field{fText, fAttachments}, omit: []string{"role"}},
	{title: []field{fTool}, text: []field{fArguments}, omit: []string{"call_id"}},
	{title: []field{fTool}, text: []field{fResult}, omit: []string{"call_id", "success", "is_error", "isError", "duration_ms"}},
	{title: []field{fPath}, text: []field{fOldPath, fOperation, fDiff}, omit: []string{"lines_added", "lines_removed", "cwd", "success"}},
	{title: []field{fCommand, fFramework}, text: []field{fFailures, fOutput}, omit: []string{"success", "duration_ms", "cwd"}},
	{title: []field{fCommand}, text: []field{fStdout, fStderr, fOutput}, omit: []string{"success", "duration_ms", "cwd"}},
	{title: []field{fURL}, text: []field{fAction, fSelector}, omit: []string{"success", "duration_ms", "value"}},
	{title: []field{fMethod, fURL}, text: []field{fResponse}, omit: []string{"success", "duration_ms"}},
	{title: []field{fQuestion}, text: []field{fChosen, fReasoning}, omit: []string{"confidence"}},
	{title: []field{fErrorType}, text: []field{fMessage, fStack}, omit: []string{"recoverable"}},
	{title: []field{fSubject}, text: []field{fText}},
	{title: []field{fSubject}, text: []field{fFrom, fTo, fReason}},
	{text: []field{fComment, fSignal}, omit: []string{"target_event_id"}},
	{},
}

// secrets are the names of members whose values must not be searchable, in lower case
// and without underscores and hyphens.
var secrets = recognize.IndexWords("password passwd passphrase pwd secret secretkey clientsecret apikey accesstoken refreshtoken authtoken bearertoken idtoken sessiontoken authorization privatekey credentials cvv")

// span is a piece of the event's own text, between names of members.
type span struct {
	start, end int
	// prose says that it consists of sentences, rather than of a value.
	prose bool
}

// maxSpans is how many pieces are kept for the search for names.
const maxSpans = 1024

// searcher reads one event for search. It is reused.
type searcher struct {
	r     *reader
	out   []byte
	spans []span
	// inner is JSON from a string.
	inner page
	found recognize.Found
	// quote keeps every character as it is, and leaves the speaker out. whole says that
	// the title is not cut.
	quote, whole bool
}

var searchers = sync.Pool{New: func() any { return new(searcher) }}

func search(ev *hmx.Event) *searcher {
	s := searchers.Get().(*searcher)
	s.r = borrow(ev)
	s.out, s.spans, s.quote = s.out[:0], s.spans[:0], false
	return s
}

func (s *searcher) release() {
	if s.r != nil {
		s.r.giveBack()
		s.r = nil
	}
	s.found.Forget()
	held := cap(s.out) + s.inner.doc.Footprint() + cap(s.inner.buf)
	s.inner.doc.Reset()
	if held <= keepBytes {
		searchers.Put(s)
	}
}

// content writes title and text, and sets spans to the pieces of the event's own text.
func (s *searcher) content() Content {
	r := s.r
	if r.bit == onStateChange && lifecycle(r.content.str(fSubject)) {
		return Content{}
	}
	_, place := rowOf(r.ev.EventType)
	row := &saidBy[place]
	title, whole := s.title(row)
	s.whole = whole
	s.out, s.spans = s.out[:0], s.spans[:0]
	if !whole {
		for _, f := range row.title {
			s.member(f)
		}
	}
	if r.content.ok {
		for _, f := range row.text {
			s.member(f)
		}
		s.others(row)
	}
	s.fromMetadata(title)
	if len(s.out) > MaxContent {
		s.out = wholeRunes(s.out[:MaxContent])
		for len(s.spans) > 0 && s.spans[len(s.spans)-1].end > len(s.out) {
			s.spans = s.spans[:len(s.spans)-1]
		}
	}
	c := Content{Title: title, Text: string(s.out)}
	s.people(&c)
	return c
}

// title returns the title, and whether it is complete.
func (s *searcher) title(row *said) (string, bool) {
	r := s.r
	for _, f := range row.title {
		s.member(f)
	}
	if len(s.out) == 0 && r.bit&onTools != 0 {
		s.words(r.sourceTool())
	}
	if r.metadata.ok {
		for _, name := range [...]string{"title", "topic"} {
			s.words(r.metadataWord(name))
		}
	}
	for i, c := range s.out {
		if c == '\n' {
			s.out[i] = ' '
		}
	}
	if len(s.out) <= MaxTitle {
		return string(s.out), true
	}
	return string(wholeRunes(s.out[:MaxTitle])), false
}

// metadataWord returns the string of a name in the metadata.
func (r *reader) metadataWord(name string) string {
	n := r.metadata.doc.Member(0, name)
	if n == canon.None {
		return ""
	}
	return r.metadata.strAt(n)
}

// separate begins a new piece of text.
func (s *searcher) separate() {
	if len(s.out) > 0 {
		s.out = append(s.out, '\n')
	}
}

// words appends text that is not part of the content's JSON.
func (s *searcher) words(text string) {
	if text == "" || s.full() {
		return
	}
	before := len(s.out)
	s.separate()
	at := len(s.out)
	s.out = s.clean(append(s.out, text...), at)
	s.close(before, at, true)
}

// close adds the text from at on as a piece, or removes the text since before if the
// piece is empty.
func (s *searcher) close(before, at int, prose bool) {
	if len(s.out) == at {
		s.out = s.out[:before]
		return
	}
	if len(s.spans) < maxSpans {
		s.spans = append(s.spans, span{at, len(s.out), prose})
	}
}

func (s *searcher) full() bool { return len(s.out) >= MaxContent }

// member appends the value of member f of the content, without its name.
func (s *searcher) member(f field) {
	p := &s.r.content
	n := p.at[f]
	if n == 0 || s.full() {
		return
	}
	if f == fURL {
		s.words(recognize.CleanRef(memory.ObjURL, p.str(fURL))) // without a password in it
		return
	}
	before := len(s.out)
	s.separate()
	at := len(s.out)
	switch {
	case f == fAttachments:
		s.attachments(p, n)
	case f == fCommand && p.doc.Kind(n) == canon.Array:
		s.out = s.clean(s.r.gatherWords(s.out, p, n, MaxContent-len(s.out)), at)
		s.out = append(s.out[:at], bytes.TrimLeft(s.out[at:], " ")...)
		s.close(before, at, true)
	default:
		s.value(p, n, true)
	}
	if len(s.out) == at {
		s.out = s.out[:before]
	}
}

// attachments appends the names of attachments and where they are.
func (s *searcher) attachments(p *page, n canon.Node) {
	if p.doc.Kind(n) != canon.Array {
		s.value(p, n, true)
		return
	}
	began := len(s.out)
	first, end := p.doc.Children(n)
	for c := first; c < end && !s.full(); c = p.doc.After(c) {
		if p.doc.Kind(c) != canon.Object {
			s.listed(began, p, c)
			continue
		}
		inner, last := p.doc.Children(c)
		for m := inner; m < last; m = p.doc.After(m) {
			switch string(p.doc.Key(m)) {
			case "name", "filename", "file_name", "title", "caption", "alt", "description", "text", "url", "path":
				s.listed(began, p, m)
			}
		}
	}
}

// listed appends a value behind a comma, unless it is the first since began.
func (s *searcher) listed(began int, p *page, n canon.Node) {
	before := len(s.out)
	if before > began {
		s.out = append(s.out, ", "...)
	}
	at := len(s.out)
	if s.value(p, n, false); len(s.out) == at {
		s.out = s.out[:before]
	}
}

// others appends the other members of the content.
func (s *searcher) others(row *said) {
	p := &s.r.content
	first, end := p.doc.Children(0)
	for c := first; c < end && !s.full(); c = p.doc.After(c) {
		if s.omitted(row, c) {
			continue
		}
		before := len(s.out)
		s.separate()
		at := len(s.out)
		s.named(p, c)
		if len(s.out) == at {
			s.out = s.out[:before]
		}
	}
}

// omitted reports whether member c of the content is written already, or must not be
// written.
func (s *searcher) omitted(row *said, c canon.Node) bool {
	p := &s.r.content
	for _, f := range row.title {
		if p.at[f] == c {
			return true
		}
	}
	for _, f := range row.text {
		if p.at[f] == c {
			return true
		}
	}
	key := p.doc.Key(c)
	for _, name := range row.omit {
		if string(key) == name {
			return true
		}
	}
	switch p.doc.Kind(c) {
	case canon.Number:
		switch c {
		case p.at[fPassed], p.at[fFailed], p.at[fSkipped], p.at[fExit]:
			return string(p.doc.Raw(c)) == "0"
		}
	case canon.String:
		if s.r.bit == onBrowserAction && c == p.at[fText] {
			return typing(p.str(fAction))
		}
	}
	return false
}

// typing reports whether an action of a browser enters text, which may be a
// password.
func typing(action string) bool {
	switch recognize.LowerASCII(shorten(action)) {
	case "type", "fill", "input", "enter", "paste", "press", "key", "send_keys", "sendkeys", "keyboard":
		return true
	}
	return false
}

// named appends the name of a member and its value, or nothing.
func (s *searcher) named(p *page, n canon.Node) {
	key := p.doc.Key(n)
	if s.r.runFlag(p, n, key) {
		return
	}
	if secretName(key) || s.r.bit == onBrowserAction && string(key) == "value" {
		return
	}
	before := len(s.out)
	if !plainName(key) {
		s.out = s.clean(append(s.out, wholeRunes(key[:min(len(key), maxKey)])...), before)
		for i := before; i < len(s.out); i++ {
			if s.out[i] == '\n' {
				s.out[i] = ' '
			}
		}
		s.out = append(s.out, ' ')
	}
	at := len(s.out)
	if s.value(p, n, false); len(s.out) == at {
		s.out = s.out[:before]
	}
}

// lifecycle reports whether the subject of a change of state is a part of the agent's own
// run.
func lifecycle(subject string) bool {
	switch subject {
	case "turn", "session", "context", "sub-agent", "subagent":
		return true
	}
	return false
}

// runFlags are the names of booleans that say how a call ran, and are not part of its result.
var runFlags = recognize.IndexWords("interrupted isimage nooutputexpected truncated denied outcome iserror success backgrounded timedout sandboxed cached")

// runFlag reports whether a member of a result only says how the call ran: a boolean of that
// name, any boolean of a command's result, or who denied it.
func (r *reader) runFlag(p *page, n canon.Node, key []byte) bool {
	if r.bit != onToolResult {
		return false
	}
	switch p.doc.Kind(n) {
	case canon.True, canon.False:
		if len(key) <= 20 {
			var buf [recognize.MaxWord]byte
			if runFlags()[string(recognize.Fold(buf[:0], key))] {
				return true
			}
		}
		return recognize.ReadTool(r.toolName()).Shell
	case canon.String:
		return string(key) == "denied_by"
	}
	return false
}

// maxKey is the most bytes of the name of a member that are written.
const maxKey = 64

// plainName reports whether a name only says that there is text.
func plainName(key []byte) bool {
	switch string(key) {
	case "text", "output", "content", "result", "results", "stdout", "data", "value", "message", "":
		return true
	}
	return false
}

// secretName reports whether a name says that the value is secret.
func secretName(key []byte) bool {
	if len(key) < 3 || len(key) > 20 {
		return false
	}
	var buf [recognize.MaxWord]byte
	return secrets()[string(recognize.Fold(buf[:0], key))]
}

// value appends the value n: a string as it is, a number or boolean, and the members of an
// object or a list. Prose says that a string consists of sentences.
func (s *searcher) value(p *page, n canon.Node, prose bool) {
	if s.full() {
		return
	}
	switch kind := p.doc.Kind(n); kind {
	case canon.String:
		s.str(p, n, prose)
	case canon.Number, canon.True, canon.False:
		if raw := p.doc.Raw(n); len(raw) <= 64 {
			s.out = append(s.out, raw...)
		}
	case canon.Array:
		began := len(s.out)
		first, end := p.doc.Children(n)
		for c := first; c < end && !s.full(); c = p.doc.After(c) {
			s.listed(began, p, c)
		}
	case canon.Object:
		began := len(s.out)
		first, end := p.doc.Children(n)
		for c := first; c < end && !s.full(); c = p.doc.After(c) {
			before := len(s.out)
			if before > began {
				s.out = append(s.out, ", "...)
			}
			at := len(s.out)
			if s.named(p, c); len(s.out) == at {
				s.out = s.out[:before]
			}
		}
	}
}

// maxValue is the length up to which a string among others is a value rather than
// a text of sentences.
const maxValue = 64

// str appends the string n, or the values of the JSON in it.
func (s *searcher) str(p *page, n canon.Node, prose bool) {
	raw := p.doc.Raw(n)
	body := raw[1 : len(raw)-1]
	if string(body) == "text" || holdsData(body) {
		return // the type of a part, next to the text itself; or no text at all
	}
	at := len(s.out)
	if s.out, _ = appendBody(s.out, body, MaxContent-at); notText(s.out[at:]) {
		s.out = s.out[:at]
		return
	}
	if p != &s.inner && s.openInner(s.out[at:]) {
		s.out = s.out[:at]
		s.value(&s.inner, 0, false)
		return
	}
	s.out = s.clean(s.out, at)
	s.close(at, at, prose || len(s.out)-at > maxValue)
}

// openInner parses text if it is an object or a list.
func (s *searcher) openInner(text []byte) bool {
	if len(text) < 2 {
		return false
	}
	first, last := text[0], text[len(text)-1]
	if !(first == '{' && last == '}' || first == '[' && last == ']') {
		return false
	}
	s.inner.buf = append(s.inner.buf[:0], text...)
	return s.inner.doc.Parse(s.inner.buf) == nil
}

// holdsData reports whether a string is an address that holds the data itself.
func holdsData(body []byte) bool {
	return bytes.HasPrefix(body, []byte("data:")) && bytes.Contains(body[:min(len(body), 128)], []byte(";base64,"))
}

// notText reports whether a text is encoded data, such as base64: at least 512 bytes without
// a space, in one line or in lines of one length. Data that is followed by text counts as
// text, and so does a list of names.
func notText(text []byte) bool {
	const (
		enough = 512
		line   = 40 // the shortest line of data
	)
	if len(text) < enough {
		return false
	}
	each := 0 // bytes of a line, once that is known
	for at := 0; at < len(text); {
		n := 0
		for at+n < len(text) && inData(text[at+n]) {
			n++
		}
		at += n
		if at == len(text) {
			return each == 0 || n <= each
		}
		at += len("\n")
		if text[at-1] == '\r' && at < len(text) && text[at] == '\n' {
			at++
		} else if text[at-1] != '\n' {
			return false
		}
		if each == 0 {
			each = n
		}
		if last := at == len(text); each < line || n > each || n < each && !last {
			return false
		}
	}
	return true
}

// inData reports whether a character is one of base64, of files or of addresses.
func inData(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c-'0' < 10 || c == '+' || c == '/' || c == '=' || c == '-' || c == '_'
}

// fromMetadata adds the text of the metadata.
func (s *searcher) fromMetadata(title string) {
	r := s.r
	if !r.metadata.ok {
		return
	}
	if speaker := r.metadataWord("speaker"); !s.quote && speaker != "" && len(s.out) > 0 && len(speaker) <= maxKey && !bytes.HasPrefix(s.out, []byte(speaker)) {
		s.lead(speaker)
	}
	for _, name := range [...]string{"summary", "url", "path"} {
		word := r.metadataWord(name)
		if name == "url" {
			word = recognize.CleanRef(memory.ObjURL, word)
		}
		if word != title {
			s.words(word)
		}
	}
}

// lead puts the speaker before the text.
func (s *searcher) lead(speaker string) {
	head := cleanTail(append(make([]byte, 0, len(speaker)+2), strings.ReplaceAll(speaker, "\n", " ")...), 0)
	if len(head) == 0 {
		return
	}
	head = append(head, ": "...)
	s.out = append(s.out, head...)
	copy(s.out[len(head):], s.out[:len(s.out)-len(head)])
	copy(s.out, head)
	for i := range s.spans {
		s.spans[i].start += len(head)
		s.spans[i].end += len(head)
	}
}

// unclean are the bytes at which a text may need cleaning.
var unclean = func() (table [256]bool) {
	for c := range table {
		table[c] = c < ' ' && c != '\n' || c >= 0x7F
	}
	return table
}()

// clean is cleanTail, unless every character must stay as it is.
func (s *searcher) clean(b []byte, from int) []byte {
	if s.quote {
		return b
	}
	return cleanTail(b, from)
}

// cleanTail cleans b from an index on, in place. Line breaks stay, other control
// characters and unusual spaces become spaces. It removes escape sequences,
// characters that hide or reorder text, and bytes that are not UTF-8.
func cleanTail(b []byte, from int) []byte {
	i := from
	for i < len(b) && !unclean[b[i]] {
		i++
	}
	to := i
	for i < len(b) {
		c := b[i]
		if !unclean[c] {
			b[to] = c
			to++
			i++
			continue
		}
		if c < utf8.RuneSelf {
			i++
			switch {
			case c == '\r':
				if i < len(b) && b[i] == '\n' {
					continue
				}
				c = '\n'
			case c == 0x1B:
				i += escapeLen(b[i:])
				continue
			default:
				c = ' '
			}
			b[to] = c
			to++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		switch {
		case hidden(r), r == utf8.RuneError && size == 1:
		case r == 0x2028, r == 0x2029, r == 0x85:
			b[to] = '\n'
			to++
		case recognize.SpaceLike(r):
			b[to] = ' '
			to++
		default:
			to += copy(b[to:], b[i:i+size])
		}
		i += size
	}
	return b[:to]
}

// escapeLen returns the length of an escape sequence of a terminal, without its
// escape character.
func escapeLen(b []byte) int {
	if len(b) == 0 || b[0] != '[' {
		return 0
	}
	for i := 1; i < min(len(b), 32); i++ {
		if c := b[i]; c >= 0x40 && c <= 0x7E {
			return i + 1
		} else if c < 0x20 || c > 0x7E {
			break
		}
	}
	return 0
}
