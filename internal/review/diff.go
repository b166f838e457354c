package review

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
)

// ArtifactDiff is the difference of two artifacts.
type ArtifactDiff struct {
	From, To *StoredArtifact
	Changes  []ArtifactDifference
	// EventsAdded and EventsRemoved are how many source events differ.
	EventsAdded, EventsRemoved int
}

// ArtifactDifference is one difference between two artifacts.
type ArtifactDifference struct {
	// Path leads to it: members by their names, items of a list by their topic, such as
	// content.steps[Call deploy].optional. A text that was added to a list, or removed
	// from it, has the path of the list.
	Path string
	Op   DiffOp
	// From and To are the old and the new value, as JSON; nil for none.
	From, To json.RawMessage
}

// DiffOp is the kind of a difference.
type DiffOp string

// The kinds of differences.
const (
	DiffAdd    DiffOp = "add"
	DiffRemove DiffOp = "remove"
	DiffChange DiffOp = "change"
	DiffOrder  DiffOp = "order" // the same items in another order
)

// DiffArtifacts returns the difference of two artifacts. An empty from means the one
// that to supersedes.
func (b *Reviewer) DiffArtifacts(ctx context.Context, tenant, from, to string, v board.View) (*ArtifactDiff, error) {
	var out *ArtifactDiff
	err := b.core.ReadAs(ctx, tenant, v, func(s board.State) error {
		read := func(id string) (*StoredArtifact, error) {
			h, err := findArtifact(s, id)
			if err != nil {
				return nil, err
			}
			return b.artifactOf(s, h)
		}
		new, err := read(to)
		if err != nil {
			return err
		}
		if from == "" {
			if from = new.Artifact.Supersedes.Or(""); from == "" {
				return fault.Newf(fault.InvalidArgument, "artifact %s supersedes none", to).WithFix("name the artifact to compare it with")
			}
		}
		old, err := read(from)
		if err != nil {
			return err
		}
		out = diffArtifacts(old, new)
		return nil
	})
	return out, err
}

// diffArtifacts compares two artifacts without their ids and times, which always differ.
func diffArtifacts(from, to *StoredArtifact) *ArtifactDiff {
	out := &ArtifactDiff{From: from, To: to}
	a, b := from.Artifact, to.Artifact
	for _, x := range []struct {
		path     string
		from, to any
	}{
		{"artifact_type", a.ArtifactType, b.ArtifactType}, {"title", a.Title, b.Title}, {"summary", a.Summary, b.Summary},
		{"confidence", a.Confidence, b.Confidence}, {"observed_count", optional(a.ObservedCount), optional(b.ObservedCount)},
		{"success_rate", optional(a.SuccessRate), optional(b.SuccessRate)}, {"tags", a.Tags, b.Tags},
		{"content", json.RawMessage(a.Content), json.RawMessage(b.Content)},
	} {
		out.compare(x.path, asJSON(x.from), asJSON(x.to))
	}
	had := make(map[string]bool, len(a.SourceEvents))
	for _, id := range a.SourceEvents {
		had[id] = true
	}
	for _, id := range b.SourceEvents {
		if !had[id] {
			out.EventsAdded++
		}
		delete(had, id)
	}
	out.EventsRemoved = len(had)
	return out
}

// optional returns a value, or nil if it is absent.
func optional[T any](x hmx.Opt[T]) any {
	if !x.Set {
		return nil
	}
	return x.Value
}

// asJSON returns a value in its JSON form, with numbers as they are written.
func asJSON(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var out any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&out) != nil {
		return nil
	}
	return out
}

// written returns a value as JSON.
func written(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // cannot fail: it was read from JSON
	return bytes.TrimSpace(b.Bytes())
}

func (d *ArtifactDiff) add(path string, op DiffOp, from, to any) {
	x := ArtifactDifference{Path: path, Op: op}
	if op != DiffAdd {
		x.From = written(from)
	}
	if op != DiffRemove {
		x.To = written(to)
	}
	d.Changes = append(d.Changes, x)
}

// compare records where two values differ.
func (d *ArtifactDiff) compare(path string, from, to any) {
	switch a := from.(type) {
	case map[string]any:
		if b, ok := to.(map[string]any); ok {
			d.compareMembers(path, a, b)
			return
		}
	case []any:
		if b, ok := to.([]any); ok {
			d.compareItems(path, a, b)
			return
		}
	}
	switch {
	case from == nil && to == nil:
	case from == nil:
		d.add(path, DiffAdd, nil, to)
	case to == nil:
		d.add(path, DiffRemove, from, nil)
	case !bytes.Equal(written(from), written(to)):
		d.add(path, DiffChange, from, to)
	}
}

func (d *ArtifactDiff) compareMembers(path string, a, b map[string]any) {
	names := slices.Sorted(maps.Keys(a))
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		d.compare(path+"."+name, a[name], b[name])
	}
}

// compareItems compares lists item by item, matching items by topic. A different order
// counts for steps, phases and lists of words; other lists are sorted by count.
func (d *ArtifactDiff) compareItems(path string, a, b []any) {
	was, is := named(a), named(b)
	var left, right []string
	for _, name := range was.names {
		if _, ok := is.items[name]; ok {
			left = append(left, name)
			d.compare(path+"["+name+"]", was.items[name], is.items[name])
		} else {
			d.add(itemPath(path, name, was.items[name]), DiffRemove, was.items[name], nil)
		}
	}
	for _, name := range is.names {
		if _, ok := was.items[name]; ok {
			right = append(right, name)
		} else {
			d.add(itemPath(path, name, is.items[name]), DiffAdd, nil, is.items[name])
		}
	}
	if ordered(path, b) && !slices.Equal(left, right) {
		d.add(path, DiffOrder, left, right)
	}
}

// itemPath leads to an item that was added or removed. A text is its own name.
func itemPath(path, name string, item any) string {
	if _, ok := item.(string); ok {
		return path
	}
	return path + "[" + name + "]"
}

// ordered reports whether the order of a list matters.
func ordered(path string, list []any) bool {
	if strings.HasSuffix(path, ".steps") || strings.HasSuffix(path, ".phases") {
		return true
	}
	return path != "tags" && !slices.ContainsFunc(list, func(v any) bool { _, ok := v.(string); return !ok })
}

// nameList is a list whose items have distinct names.
type nameList struct {
	names []string
	items map[string]any
}

// named names the items of a list by their topic.
func named(list []any) nameList {
	out := nameList{items: make(map[string]any, len(list))}
	for _, v := range list {
		name := nameOf(v)
		for n := 2; ; n++ {
			if _, taken := out.items[name]; !taken {
				break
			}
			name = nameOf(v) + " " + strconv.Itoa(n)
		}
		out.names, out.items[name] = append(out.names, name), v
	}
	return out
}

// nameOf returns the topic of an item: its description, tool or name, or else everything
// in it that is not a number.
func nameOf(v any) string {
	m, ok := v.(map[string]any)
	if !ok {
		if s, ok := v.(string); ok {
			return s
		}
		return string(written(v))
	}
	for _, member := range []string{"description", "tool", "name", "decision"} {
		if s, ok := m[member].(string); ok {
			return s
		}
	}
	if tools, ok := m["tools"].([]any); ok {
		names := make([]string, len(tools))
		for i, x := range tools {
			names[i] = fmt.Sprint(x)
		}
		return strings.Join(names, ", ")
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		switch x := m[name].(type) {
		case string:
			parts = append(parts, name+" "+x)
		case bool:
			parts = append(parts, name+" "+strconv.FormatBool(x))
		}
	}
	return strings.Join(parts, ", ")
}
