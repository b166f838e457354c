package memories

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/memory"
)

// lost names what the version before the one that was put had, and this one has
// not because no flag said it. What cannot be read is not compared: the write
// stands without it.
func lost(v *ask.Visit, put *answer.Write) []string {
	if put.Unchanged || put.Version < 2 {
		return nil
	}
	version := func(n uint64) *lukasa.Memory {
		u := put.URI.Head()
		u.Version = n
		out, err := v.Ask(context.WithoutCancel(v.Cmd.Context()), "resolve", map[string]any{"name": u.String()}, "name")
		found, ok := out.(*answer.Resolved)
		if err != nil || !ok || found.Thing == nil {
			return nil
		}
		m, err := lukasa.DecodeMemory(found.Thing.Body)
		if err != nil {
			return nil
		}
		return m
	}
	before, now := version(put.Version-1), version(put.Version)
	if before == nil || now == nil {
		return nil
	}
	return losses(before, now, v.Cmd.Flags().Changed)
}

// losses is lost for two memories; said reports whether a flag was given.
func losses(before, now *lukasa.Memory, said func(flag string) bool) []string {
	var list []string
	add := func(flag string, lost bool, format string, args ...any) {
		if lost && !said(flag) {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	add("type", before.Type != now.Type, "type %s", before.Type)
	if before.Type == now.Type || !said("type") { // another type has other fields
		list = append(list, lostFields(before, now, said)...)
	}
	tags := slices.DeleteFunc(slices.Clone(before.Tags), func(tag string) bool { return slices.Contains(now.Tags, tag) })
	add("tag", len(tags) > 0, "%s", namedList("tag", tags))
	var frames []string
	for _, f := range before.Frames {
		if !slices.Contains(now.Frames, f) {
			frames = append(frames, f.String())
		}
	}
	add("frame", len(frames) > 0, "%s", namedList("frame", frames))
	importance, confidence := before.Importance.Or(memory.DefaultImportance), before.Confidence.Or(memory.DefaultConfidence)
	add("importance", importance != now.Importance.Or(memory.DefaultImportance), "importance %v", importance)
	add("confidence", confidence != now.Confidence.Or(memory.DefaultConfidence), "confidence %v", confidence)
	add("valid-from", before.ValidFrom.String() != "" && now.ValidFrom.String() == "", "valid from %s", before.ValidFrom)
	add("valid-until", before.ValidUntil.String() != "" && now.ValidUntil.String() == "", "valid until %s", before.ValidUntil)
	add("condition", before.Facets().Scoped && !now.Facets().Scoped, "validity scope")
	add("ttl", before.TTLSeconds > 0 && now.TTLSeconds == 0, "TTL %v", time.Duration(before.TTLSeconds)*time.Second)
	add("visibility", before.Visibility != now.Visibility, "visibility %s", before.Visibility)
	add("source", len(before.Sources) > 0 && len(now.Sources) == 0, "%s", term.Counted(len(before.Sources), "source"))
	add("metadata", len(before.Metadata) > 0 && len(now.Metadata) == 0, "metadata") // there is no such flag
	return list
}

// namedList writes names after what they are names of.
func namedList(what string, names []string) string {
	if len(names) != 1 {
		what += "s"
	}
	return what + " " + strings.Join(names, " and ")
}

// lostFields is losses for the fields of a memory's type.
func lostFields(before, now *lukasa.Memory, said func(flag string) bool) []string {
	old, current := typedFields(before), typedFields(now)
	var list []string
	for _, name := range slices.Sorted(maps.Keys(old)) {
		own := (name == "strength" || name == "status") && said(name)
		if string(old[name]) == string(current[name]) || own || said("data-json") {
			continue
		}
		value := string(old[name])
		var word string
		if json.Unmarshal(old[name], &word) == nil {
			value = word
		}
		list = append(list, name+" "+term.Preview(value, 40))
	}
	return list
}

// typedFields returns the fields of a memory's type as they are written.
func typedFields(m *lukasa.Memory) map[string]json.RawMessage {
	text, err := m.AppendJSON(nil)
	if err != nil {
		return nil
	}
	var body struct {
		Data map[string]json.RawMessage `json:"data"`
	}
	if json.Unmarshal(text, &body) != nil {
		return nil
	}
	return body.Data
}
