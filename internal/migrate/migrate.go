// Package migrate reads what other programs recorded, as events and memories:
// transcripts of coding agents, logs of chats, exports of other memories, traces.
//
// One file holds one format, written to that program's documentation; docs/import.md
// maps the parts of each format to events and memories.
//
// # What is guaranteed
//
//   - Streaming: a source is read once, front to back. At most [MaxPiece] bytes of it,
//     one line or one element of an array, are held at a time, and a few thousand
//     names of open tool calls.
//   - The same source gives the same events, with the same ids: an id is a hash of the
//     format and of the source's own id of the item, or of its place in the source. A
//     source that grew at its end gives the same and more.
//   - A source of another format is recognised by its first bytes, and none of it is taken.
//   - A bad line does not affect good ones. [Sink.Leave] receives its place and the reason.
//   - Every event obeys the rules of HMX, every memory its own: names are cleaned and long
//     texts cut, and the metadata says what was cut.
//   - Text that people did not write never gets the trust of a user: see [Item.Ceiling].
//   - Unknown fields are skipped. Thoughts of a program, and notes that it wrote for itself,
//     are left out and counted.
//
// # What is not
//
// The package looks nothing up: the [Recorder] and the board decide whether an item is on
// record already. Where a source has no times, [Source.Modified] is used.
package migrate

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/echo"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Format names the program that recorded something, and how it writes it.
type Format string

// The formats.
const (
	ClaudeCode        Format = "claude-code"
	Codex             Format = "codex"
	GeminiCLI         Format = "gemini-cli"
	OpenCode          Format = "opencode"
	OpenAIChat        Format = "openai-chat"
	ChatGPTExport     Format = "chatgpt-export"
	AnthropicMessages Format = "anthropic-messages"
	MCPMemory         Format = "mcp-memory"
	BasicMemory       Format = "basic-memory"
	Mem0              Format = "mem0"
	Engram            Format = "engram"
	OTLP              Format = "otlp"
	HMX               Format = "hmx"
)

// MaxPiece is the size of the longest line, or element of an array, that is read. A longer one
// is skipped without being held in memory.
const MaxPiece = 32 << 20

// Formats lists the formats in the order in which they are documented.
func Formats() []Format {
	return []Format{ClaudeCode, Codex, GeminiCLI, OpenCode, OpenAIChat, ChatGPTExport, AnthropicMessages, MCPMemory, BasicMemory, Mem0, Engram, OTLP, HMX}
}

// ParseFormat returns the format called name.
func ParseFormat(name string) (Format, bool) {
	f := Format(name)
	return f, slices.Contains(Formats(), f)
}

// Wants reports whether a file of a directory is one that the format is written to, by
// its name.
func (f Format) Wants(file string) bool {
	name := strings.TrimSuffix(strings.ToLower(path.Base(file)), ".gz")
	ext := path.Ext(name)
	switch f {
	case ClaudeCode:
		return ext == ".jsonl"
	case Codex:
		return ext == ".jsonl" && strings.HasPrefix(name, "rollout-")
	case GeminiCLI:
		return ext == ".jsonl" || ext == ".json" && strings.HasPrefix(name, "session-")
	case OpenCode:
		return ext == ".json"
	case ChatGPTExport:
		return ext == ".json" && strings.HasPrefix(name, "conversations")
	case BasicMemory:
		return ext == ".md"
	case HMX:
		return ext == ".ndjson" || ext == ".jsonl"
	case OTLP:
		if ext == ".pb" || ext == ".bin" || ext == ".binpb" {
			return true
		}
	}
	return ext == ".json" || ext == ".jsonl" || ext == ".ndjson"
}

// Source is one file or stream.
type Source struct {
	// Name is the base name of the file, which stands in the provenance. A stream
	// has none.
	Name string
	// Path is where it is below the directory that is read, with slashes. It is the
	// name if it was named itself.
	Path string
	// Modified is the time of what the source gives no time for.
	Modified time.Time
	Reader   io.Reader
}

// Options says how a source is read.
type Options struct {
	// Tenant is the tenant of what is made.
	Tenant string
	// Move puts events that name their tenant themselves into Tenant as well.
	Move bool
	// Agent is the agent of spans that name none. Empty means the name of the program in the
	// trace.
	Agent string
	// Project returns what people call the project of a working directory, and its identity.
	// Nil knows none.
	Project func(dir string) (name, id string)
	// Own recognises text that the board handed out, which is left out. Nil recognises none.
	Own *echo.Marker
}

// Item is one unit of a source: an event, or a memory, entity or relation.
type Item struct {
	Event *hmx.Event
	Body  memory.Body
	// Ceiling is the most that the item may be trusted, whichever caller imports it: a prompt
	// that one agent wrote for another is not the word of a person. Zero sets no bound.
	Ceiling record.Trust
	// Retold says that the source may contain the item several times, in other words: the
	// first one stands.
	Retold bool
	// Line is its line in the source, from 1; 0 if lines are not counted.
	Line int
	// Earlier is an id under which earlier versions recorded the same, or empty.
	Earlier string
	// Alias is the name that hooks give the call of the event, if it is not the agent's own name:
	// equal calls have the same alias. Since and Until are when the call began and ended, if that
	// is known.
	Alias        string
	Since, Until time.Time
}

// HasHooks reports whether the format is the transcript of an agent that also has hooks, so that
// a session may be recorded twice.
func (f Format) HasHooks() bool {
	switch f {
	case ClaudeCode, Codex, GeminiCLI, OpenCode:
		return true
	}
	return false
}

// Reason is why something was left out.
type Reason string

// Reasons that are problems: the item should have been taken.
const (
	Broken     Reason = "broken"       // it cannot be read
	TooLarge   Reason = "too_large"    // it is longer than [MaxPiece]
	Changed    Reason = "changed"      // it is recorded with other content
	Refused    Reason = "refused"      // the board does not take it
	Unreadable Reason = "unreadable"   // a file that cannot be opened or read to its end
	Mistaken   Reason = "other_format" // a file of another format than the one that was named
)

// Reasons to leave an item out on purpose.
const (
	Unfinished Reason = "unfinished" // the end of a source that is still being written
	Thinking   Reason = "thinking"   // what a model thought to itself
	Note       Reason = "note"       // what a program noted for itself
	Empty      Reason = "empty"      // it has no content
	Own        Reason = "own"        // Lukasa had handed it out, or it is about its own tools
	Unknown    Reason = "unknown"    // of an unknown sort
	Branch     Reason = "branch"     // an abandoned branch of a conversation
	Deleted    Reason = "deleted"    // it was deleted in the source
	Forgotten  Reason = "forgotten"  // it was forgotten or expired here
	Erased     Reason = "erased"     // it was erased here, and stays erased
	OtherFile  Reason = "other_file" // a file in a directory that is not of the format
	Link       Reason = "link"       // a symbolic link in a directory
	Garbled    Reason = "garbled"    // bytes that are not UTF-8, in an item that was taken
)

// Problem reports whether something should have been taken and was not.
func (r Reason) Problem() bool {
	switch r {
	case Broken, TooLarge, Changed, Refused, Unreadable, Mistaken:
		return true
	}
	return false
}

// Left is something that was left out.
type Left struct {
	Line   int // from 1; 0 if lines are not counted
	Reason Reason
	Detail string // in one line
}

// Sink takes the items of a source, in order.
type Sink interface {
	// Take takes an item. An error ends the reading.
	Take(context.Context, Item) error
	// Leave receives what was left out.
	Leave(Left)
}

// Read reads a source to its end. It returns an error of the source, of the sink or of ctx;
// errors of single lines go to the sink. A source of another format is an error with the cause
// [OtherFormat], and none of it is taken.
func Read(ctx context.Context, f Format, src Source, o Options, sink Sink) error {
	r := &run{format: f, src: src, o: o, sink: sink, calls: map[string]openCall{}, own: map[string]bool{}, said: map[string]int{}}
	if err := memory.CheckTenant(o.Tenant); err != nil {
		return err
	}
	text, err := r.open()
	if err != nil {
		return r.unreadable(ctx, err)
	}
	read, ok := r.readers()[f]
	if !ok {
		return fault.Newf(fault.InvalidArgument, "format: there is no %q", string(f)).WithFix("use one of docs/import.md")
	}
	if err := r.check(text); err != nil {
		return err
	}
	return r.unreadable(ctx, read(ctx, text))
}

// unreadable gives an error of the source itself a code.
func (r *run) unreadable(ctx context.Context, err error) error {
	if err == nil || err == io.EOF {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	return fault.Wrap(fault.UnreadableInput, err)
}

// readers is the table of formats.
func (r *run) readers() map[Format]func(context.Context, *text) error {
	return map[Format]func(context.Context, *text) error{
		ClaudeCode:        r.claudeCode,
		Codex:             r.codex,
		GeminiCLI:         r.geminiCLI,
		OpenCode:          r.openCode,
		OpenAIChat:        r.openAIChat,
		ChatGPTExport:     r.chatGPTExport,
		AnthropicMessages: r.anthropicMessages,
		MCPMemory:         r.mcpMemory,
		BasicMemory:       r.basicMemory,
		Mem0:              r.mem0,
		Engram:            r.engram,
		OTLP:              r.otlp,
		HMX:               r.hmx,
	}
}

// run is one source being read.
type run struct {
	format Format
	src    Source
	o      Options
	sink   Sink
	calls  map[string]openCall
	// own are calls of Lukasa's own tools, whose results are left out.
	own map[string]bool
	// said counts equal messages of a turn.
	said map[string]int
	// projects are those of the working directories that were met.
	projects map[string][2]string
	// latest is the turn of the last line, of formats whose order is that of time.
	latest *turn
	// peek is how many bytes of the source can be peeked at; 0 means peekBytes.
	peek int
	// resource is the resource of the spans that are being read.
	resource object
}

// stem is the name of the source without what follows the first dot of its end.
func (r *run) stem() string {
	name := strings.TrimSuffix(r.src.Name, ".gz")
	if s := strings.TrimSuffix(name, path.Ext(name)); s != "" {
		return s
	}
	return "stream"
}

// leave passes the sink what was left out.
func (r *run) leave(p place, why Reason, detail string) {
	r.sink.Leave(Left{Line: p.line, Reason: why, Detail: detail})
}
