package migrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"lukasa.dev/internal/fault"
)

// How many values of a source are read to detect its format, after how many certain values
// of the named format the detection stops, and how many bytes it needs.
const (
	mostLooked  = 64
	fewLooked   = 8
	leastLooked = 16
)

// OtherFormat is the cause of an error for a source that is not of the format that was named.
type OtherFormat struct {
	// Named is the format that was named.
	Named Format
	// Looks is the format that the source has instead; empty if it has no known format.
	Looks Format
	why   string
}

// Error implements error.
func (o *OtherFormat) Error() string {
	text := "this is not " + o.Named.What()
	if o.Looks != "" {
		return text + ": it looks like " + o.Looks.What()
	}
	return text + ": " + o.why
}

// fault returns it with the advice.
func (o *OtherFormat) fault(fix string) error {
	if fix == "" {
		fix = "name the file that the program writes; docs/import.md says which"
		if o.Looks != "" {
			fix = "use --from " + string(o.Looks)
		}
	}
	return fault.New(fault.InvalidDocument, o.Error()).WithCause(o).WithFix(fix)
}

// What describes a source of the format in a few words.
func (f Format) What() string {
	switch f {
	case ClaudeCode:
		return "a transcript of Claude Code"
	case Codex:
		return "a rollout of Codex"
	case GeminiCLI:
		return "a session of Gemini CLI"
	case OpenCode:
		return "an export of OpenCode"
	case OpenAIChat:
		return "messages of OpenAI's chat completions"
	case ChatGPTExport:
		return "a ChatGPT export"
	case AnthropicMessages:
		return "messages of Anthropic's Messages API"
	case MCPMemory:
		return "a file of the MCP memory server"
	case BasicMemory:
		return "a note of Basic Memory"
	case Mem0:
		return "memories of mem0"
	case Engram:
		return "an export of engram"
	case OTLP:
		return "traces of OpenTelemetry"
	case HMX:
		return "events of HMX"
	}
	return string(f)
}

// Check reads the beginning of a source, and returns the error with the cause [OtherFormat] that
// [Read] would return if nothing there has the shape of the format. It returns nil if it cannot
// decide, such as for an empty source or one that cannot be read. It consumes the source.
func Check(f Format, src Source) error {
	r := &run{format: f, src: src}
	text, err := r.open()
	if err != nil {
		return nil // Read reports the error
	}
	return r.check(text)
}

// Detect returns the format of a source by its first bytes, or nothing if they do not tell. It
// consumes the source.
func Detect(src Source) Format {
	r := &run{src: src}
	text, err := r.open()
	if err != nil {
		return ""
	}
	if o, ok := errors.AsType[*OtherFormat](r.check(text)); ok {
		return o.Looks
	}
	return ""
}

// check detects a source of another format before any of it is taken.
func (r *run) check(src *text) error {
	head, err := src.Peek(peekBytes)
	if err != nil && !errors.Is(err, io.EOF) || len(bytes.TrimSpace(head)) < leastLooked {
		return nil // an error of reading shows up when it is read
	}
	if protobuf(head) && unprintable(head) {
		if r.format == OTLP {
			return nil
		}
		if len(bytes.Trim(head, "\x00")) == 0 {
			return (&OtherFormat{Named: r.format, why: "it is all zeros, as a crash may leave a file"}).fault("bring the file back from where it is whole")
		}
		return (&OtherFormat{Named: r.format, Looks: OTLP}).fault("")
	}
	s := &sample{named: r.format, cut: len(head) == peekBytes, counts: map[Format]*[certain + 1]int{}}
	s.look(head)
	if r.format == BasicMemory {
		return s.note()
	}
	if s.pieces == 0 && !s.json {
		o := &OtherFormat{Named: r.format, why: "it is not JSON"}
		if r.noted(head) {
			o.Looks = BasicMemory
		}
		return o.fault("")
	}
	return s.verdict()
}

// unprintable reports whether the beginning of a source is not text.
func unprintable(head []byte) bool {
	head = head[:min(len(head), 4096)]
	for _, c := range head {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return true
		}
	}
	return !utf8.Valid(head[:max(0, len(head)-utf8.UTFMax)])
}

// noted reports whether a text that is not JSON looks like a note.
func (r *run) noted(head []byte) bool {
	if ext := path.Ext(strings.TrimSuffix(strings.ToLower(r.src.Name), ".gz")); ext == ".md" || ext == ".markdown" {
		return true
	}
	text := strings.TrimSpace(string(head[:min(len(head), 64<<10)]))
	if strings.HasPrefix(text, "---\n") || strings.HasPrefix(text, "---\r\n") || strings.HasPrefix(text, "# ") || linked().MatchString(text) {
		return true
	}
	for line := range strings.Lines(text) {
		if observed().MatchString(strings.TrimRight(line, "\r\n")) {
			return true
		}
	}
	return false
}

// Levels of certainty that a value has a format.
const (
	fits    = 1 // the reader would take something from it
	likely  = 2 // it has the shape, which another format may have too
	certain = 3 // no other format has this shape
)

// sample is what the first values of a source look like.
type sample struct {
	named  Format
	json   bool // it begins as JSON
	cut    bool // there is more than was peeked at
	open   bool // the text ends within a value
	pieces int
	export bool // it is an export of Lukasa
	// counts has the number of values of each level for each format.
	counts map[Format]*[certain + 1]int
}

// look reads the first values of a source. Of a value that is longer than the peeked bytes, it
// reads the part that is there.
func (s *sample) look(head []byte) {
	begin := skipSpace(head, 0)
	s.json = begin < len(head) && (head[begin] == '{' || head[begin] == '[')
	for at := begin; at < len(head) && !s.enough(); {
		if head[at] != '{' && head[at] != '[' {
			at = nextLine(head, at)
			continue
		}
		next, err := s.values(head[at:])
		if err == nil {
			at = skipSpace(head, at+next)
			continue
		}
		s.open = ended(err)
		if head[at] == '[' {
			s.json = s.json && (s.open || s.pieces > 0 || errors.Is(err, errDeep))
			return // the rest is within the list
		}
		at = nextLine(head, at)
	}
}

// enough reports whether more values would change nothing.
func (s *sample) enough() bool {
	if s.pieces >= mostLooked {
		return true
	}
	c := s.counts[s.named]
	return c != nil && c[certain] >= fewLooked && c[certain] == s.pieces
}

// values takes one value, or the elements of a list, and returns where it ends.
func (s *sample) values(text []byte) (int, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if text[0] == '{' {
		err := s.value(d)
		return int(d.InputOffset()), err
	}
	if _, err := d.Token(); err != nil {
		return 0, err
	}
	for d.More() {
		if err := s.value(d); err != nil {
			return 0, err
		}
		if s.enough() {
			return len(text), nil
		}
	}
	_, err := d.Token()
	return int(d.InputOffset()), err
}

// value takes one value.
func (s *sample) value(d *json.Decoder) error {
	v := shape{}
	err := v.read(d, "", 0)
	// A value that is cut off counts if there is more, or if only one format can begin like it.
	if len(v) > 0 && (err == nil || ended(err) && s.pieces == 0 && (s.cut || v.plain())) {
		s.add(v)
	}
	return err
}

// plain reports whether a value is certainly of a format.
func (v shape) plain() bool {
	return slices.ContainsFunc(Formats(), func(f Format) bool { return v.level(f) == certain })
}

// ended reports whether a value could not be read since the text ends within it.
func ended(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) }

// add counts a value for the formats that have its shape.
func (s *sample) add(v shape) {
	s.pieces++
	s.export = s.export || v["lukasa_export"]
	for _, f := range Formats() {
		if n := v.level(f); n > 0 {
			if s.counts[f] == nil {
				s.counts[f] = &[certain + 1]int{}
			}
			s.counts[f][n]++
		}
	}
}

// best returns the highest level that a format has, and how often.
func (s *sample) best(f Format) (level, count int) {
	c := s.counts[f]
	if c == nil {
		return 0, 0
	}
	for level := certain; level > 0; level-- {
		if c[level] > 0 {
			return level, c[level]
		}
	}
	return 0, 0
}

// verdict returns an error if nothing, or next to nothing, is of the named format.
func (s *sample) verdict() error {
	const next = 20 // fewer than one in 20 is next to nothing
	own, n := s.best(s.named)
	looks, level, count := Format(""), fits, 0
	for _, f := range Formats() {
		if l, k := s.best(f); f != s.named && (l > level || l == level && l > fits && k > count) {
			looks, level, count = f, l, k
		}
	}
	o := &OtherFormat{Named: s.named, Looks: looks, why: "nothing in it has that shape"}
	switch {
	case s.export:
		o.Looks, o.why = "", "it is an export of Lukasa"
		return o.fault("leave --from out: `lukasa import FILE` reads it")
	case s.pieces == 0:
		return nil // an empty list, or nothing that is whole
	case looks != "" && (own < level || own == level && n*next < count):
		return o.fault("")
	case own == 0:
		return o.fault("")
	}
	return nil
}

// note is the verdict for notes, which are text of any kind that does not begin as JSON.
func (s *sample) note() error {
	if !s.json || s.pieces == 0 {
		return nil
	}
	if err := s.verdict(); err != nil {
		o, _ := errors.AsType[*OtherFormat](err)
		if o.Looks == "" && !s.export {
			o.why = "it is JSON"
			return o.fault("")
		}
		return err
	}
	return nil
}

func skipSpace(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n') {
		at++
	}
	return at
}

// nextLine returns where the next line begins that is not blank.
func nextLine(text []byte, at int) int {
	i := bytes.IndexByte(text[at:], '\n')
	if i < 0 {
		return len(text)
	}
	return skipSpace(text, at+i)
}

// shape has the paths of the members of a value, without lists: messages.content.type. Members
// called type and role are also there with their values.
type shape map[string]bool

// Bounds of a shape.
const (
	mostNames  = 1024
	deepNames  = 5
	deepValues = 200
	shortWord  = 40
)

var errDeep = errors.New("it is nested too deeply")

// read takes the names of a value.
func (v shape) read(d *json.Decoder, at string, depth int) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if depth > deepValues {
		return errDeep
	}
	if _, ok := token.(json.Delim); !ok && at == "" {
		v[""] = true // a value without names, where an object belongs
	}
	switch t := token.(type) {
	case json.Delim:
		for d.More() {
			inner := at
			if t == '{' {
				name, err := d.Token()
				if err != nil {
					return err
				}
				inner, _ = name.(string)
				if at != "" {
					inner = at + "." + inner
				}
				v.name(inner)
			}
			if err := v.read(d, inner, depth+1); err != nil {
				return err
			}
		}
		_, err = d.Token()
		return err
	case string:
		if last := at[strings.LastIndexByte(at, '.')+1:]; (last == "type" || last == "role") && len(t) <= shortWord {
			v.name(at + "=" + t)
		}
	}
	return nil
}

// name adds a name.
func (v shape) name(s string) {
	if len(v) < mostNames && strings.Count(s, ".") < deepNames && len(s) < 256 {
		v[s] = true
	}
}

// any reports whether one of some names is there.
func (v shape) any(names ...string) bool {
	for _, n := range names {
		if v[n] {
			return true
		}
	}
	return false
}

// all reports whether all of some names are there.
func (v shape) all(names ...string) bool {
	for _, n := range names {
		if !v[n] {
			return false
		}
	}
	return true
}

// level returns how certain it is that a value has a format.
func (v shape) level(f Format) int {
	switch f {
	case ClaudeCode:
		return grade(v["type"] && !v["projectHash"] && (v.any("sessionId", "leafUuid", "parentUuid", "isSidechain") || v.all("messageId", "snapshot")),
			v.any("type=user", "type=assistant", "type=system", "type=summary") && v.any("uuid", "message.content", "summary"), false)
	case Codex:
		return grade(v["payload"] && v.any("type=session_meta", "type=response_item", "type=event_msg", "type=turn_context", "type=compacted") || v["record_type"] || v.all("id", "timestamp", "instructions"),
			v["call_id"] && v["type"] || v.all("type=message", "role") || v.all("type", "payload"), v["type=reasoning"])
	case GeminiCLI:
		return grade(v.all("sessionId", "projectHash") || v.any("$set", "$rewindTo") || v.all("type=gemini", "content"),
			v.all("id", "timestamp", "content", "type=user") && !v.any("uuid", "payload", "sessionId"), v.any("type=info", "type=warning", "type=error") && v["content"])
	case OpenCode:
		return grade(v.all("info.id", "messages.info.id") || v.all("info.id", "info.directory"), v.all("info", "messages"), false)
	case ChatGPTExport:
		return grade(v["mapping"] && v.any("current_node", "conversation_id", "title", "create_time"), false, v["mapping"])
	case MCPMemory:
		return grade(v["name"] && v.any("type=entity", "entityType") || v.all("from", "to") && v.any("type=relation", "relationType") || v.any("entities.entityType", "relations.relationType"),
			v.all("entities", "relations"), v["name"] || v.all("from", "to"))
	case Mem0:
		return grade(v["memory"] && v.any("id", "user_id", "agent_id", "run_id", "hash", "created_at") || v.any("results.memory", "memories.memory", "relations.relationship"),
			v.any("memory", "results.text", "memories.text") || v["source"] && v.any("target", "destination"), v.any("text", "data", "results", "memories"))
	case Engram:
		return grade(v.any("sync_id", "observations.title", "observations.sync_id", "observations.session_id", "sessions.started_at", "prompts.session_id", "prompts.content") ||
			v.all("title", "content") && v.any("topic_key", "project", "session_id") || v["exported_at"] && v.any("sessions", "observations", "prompts"),
			v.all("id", "project", "started_at"), !v["role"] && v.any("content", "title", "started_at"))
	case OTLP:
		return grade(v.any("resourceSpans", "resource_spans"), v.any("resourceLogs", "resourceMetrics"), false)
	case HMX:
		return grade(v["hmx_version"] || v.all("event_id", "event_type"), false, v["event_id"])
	case OpenAIChat, AnthropicMessages:
		return v.chat(f)
	}
	return 0
}

// grade returns the highest level that is true.
func grade(isCertain, isLikely, doesFit bool) int {
	switch {
	case isCertain:
		return certain
	case isLikely:
		return likely
	case doesFit:
		return fits
	}
	return 0
}

// saidAt are the paths of messages in a value that contains some.
var saidAt = []string{
	"", "messages.", "chat_messages.", "message.", "body.messages.", "request.messages.", "request.body.messages.", "response.", "response.body.", "result.message.",
	"choices.message.", "response.choices.message.", "response.body.choices.message.",
}

// chat returns how certain it is that a value has messages of OpenAI's or of Anthropic's API.
// Plain messages belong to both, and messages within another format belong to neither.
func (v shape) chat(f Format) int {
	for _, other := range []Format{ClaudeCode, Codex, GeminiCLI, OpenCode, ChatGPTExport, MCPMemory, Mem0, Engram, OTLP, HMX} {
		if v.level(other) == certain {
			return grade(false, false, v.has("role"))
		}
	}
	own := v.has("tool_calls", "tool_call_id", "function_call", "role=tool", "role=function", "role=developer", "content.type=image_url", "content.type=input_audio", "content.type=refusal", "content.type=file") ||
		v.any("choices", "response.choices", "response.body.choices") || v.all("body.messages", "url")
	if f == AnthropicMessages {
		own = v.has("content.type=tool_use", "content.type=tool_result", "content.type=thinking", "content.type=redacted_thinking", "content.type=server_tool_use", "content.source", "sender") ||
			v.any("chat_messages", "result.message") || v.all("system", "messages") || v.all("type=message", "role=assistant", "stop_reason")
	}
	return grade(own, v.has("role"), false)
}

// has reports whether messages have one of some names.
func (v shape) has(names ...string) bool {
	for _, at := range saidAt {
		for _, n := range names {
			if v[at+n] {
				return true
			}
		}
	}
	return false
}
