package migrate

import (
	"encoding/json"

	"lukasa.dev/hmx"
)

// Cleaning of foreign texts and values, for packages that read them from other sources than
// files.

// Name returns a text as a name: on one line, without controls of the text direction, not too
// long. If nothing is left, it returns the fallback.
func Name(s, fallback string) string { return name(s, fallback) }

// Content writes the content of an event such that it can be kept. Long texts and lists are
// cut until it fits, and cut says so.
func Content(v map[string]any) (out hmx.Raw, cut bool) { return fit(v, maxContent) }

// Metadata is [Content] for the metadata of an event.
func Metadata(v map[string]any) hmx.Raw {
	out, _ := fit(v, maxMetadata)
	return out
}

// Object returns a value as the object that arguments and results have to be: text that is an
// object in JSON as that object, other values under a name.
func Object(v any, under string) map[string]any { return asObject(v, under) }

// HookSource is how the source of an event begins that a hook recorded; the name of the agent
// follows.
const HookSource = "hook/"

// When reads a time as programs write it.
func When(v any) (hmx.Time, bool) { return when(v) }

// CodexResult reads the result of a tool of Codex, and its outcome if it is stated.
func CodexResult(output json.RawMessage) (map[string]any, hmx.Opt[bool]) {
	return codexOutput(output)
}
