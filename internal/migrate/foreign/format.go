package foreign

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
)

// Format names the program that recorded something, and how it writes it.
type Format string

// The transcripts of coding agents that also have hooks. A session of one of them may be recorded
// twice.
const (
	ClaudeCode Format = "claude-code"
	Codex      Format = "codex"
	GeminiCLI  Format = "gemini-cli"
	OpenCode   Format = "opencode"
)

// HasHooks reports whether the format is the transcript of an agent that also has hooks, so that
// a session may be recorded twice.
func (f Format) HasHooks() bool {
	switch f {
	case ClaudeCode, Codex, GeminiCLI, OpenCode:
		return true
	}
	return false
}

// HookSource is how the source of an event begins that a hook recorded; the name of the agent
// follows.
const HookSource = "hook/"

// EventID returns the id of an event that is made of what a program recorded: a hash of the
// format and of what the source calls it.
func EventID(f Format, parts ...string) string {
	h := sha256.New()
	for _, p := range append([]string{string(f)}, parts...) {
		_, _ = h.Write(strconv.AppendInt(nil, int64(len(p)), 10)) // a hash takes everything
		_, _ = h.Write([]byte{':'})
		_, _ = h.Write([]byte(p))
	}
	return "imp-" + hex.EncodeToString(h.Sum(nil)[:16])
}

// SaidID returns the id of a message whose turn has a name, from the turn, the role and the text,
// so that a hook and a transcript give it the same id.
// sub is the session of a sub-agent, or empty: the turns of others have names of their own, which
// a copy of the session keeps. n counts equal messages of the turn, from 1.
func SaidID(f Format, sub, turn, role, text string, n int) string {
	return EventID(f, "said", sub, turn, role, strings.TrimSpace(text), strconv.Itoa(n))
}

// Apart gives an event, and its parent, ids that are specific to its session: some agents number
// their tool calls from one in each session, so that the usual id belongs to a call of another
// session.
func Apart(ev *hmx.Event) {
	of := func(id string) string { return EventID("hook", "apart", ev.SessionID, id) }
	ev.EventID = of(ev.EventID)
	if ev.ParentEventID.Set {
		ev.ParentEventID = hmx.Some(of(ev.ParentEventID.Value))
	}
}
