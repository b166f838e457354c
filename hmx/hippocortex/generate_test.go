package hippocortex

import (
	"math"
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"lukasa.dev/hmx"
)

// awkward are names with a meaning somewhere in a mapping.
var awkward = []string{
	"agent_id", "tenant_id", "agentId", "tenantId", "hmx", "shadowed", "id", "type", "title", "summary", "confidence", "status",
	"evidenceRefs", "sourceMemoryIds", "supersededBy", "tags", "metadata", "content", "payload", "sequence", "eventType", "event_id",
	"droppedItems", "dropped_entries", "assemblyResult", "assembly_metadata", "queryContext", "entries", "hmx_version", "", "ünï/~ \u2028😀",
}

func name(t *rapid.T) string {
	if rapid.Bool().Draw(t, "awkward") {
		return rapid.SampledFrom(awkward).Draw(t, "name")
	}
	return rapid.StringN(0, 6, 12).Draw(t, "name")
}

func text(t *rapid.T) []byte { return quoted(rapid.StringN(0, 8, 24).Draw(t, "text")) }

// scalars are values whose text must survive: digits beyond a double, trailing zeros,
// exponents, escapes.
var scalars = []string{
	"null", "true", "false", "0", "-0", "1.0", "0.50", "1e3", "1E+2", "9007199254740993", "18446744073709551616",
	"123456789012345678901234567890", "-0.1e-7", `""`, `"\u0041\/"`, `"\ud83d\ude00"`, `"\u0000"`, `"é"`,
}

// value draws any JSON value, as text.
func value(t *rapid.T, depth int) []byte {
	kind := rapid.IntRange(0, 4).Draw(t, "kind")
	switch {
	case kind == 0 && depth > 0:
		return objectText(t, depth-1)
	case kind == 1 && depth > 0:
		out := []byte{'['}
		for i := range rapid.IntRange(0, 3).Draw(t, "items") {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, value(t, depth-1)...)
		}
		return append(out, ']')
	case kind == 2:
		return text(t)
	}
	return []byte(rapid.SampledFrom(scalars).Draw(t, "scalar"))
}

// objectText draws an object with any members except the names taken, as text.
func objectText(t *rapid.T, depth int, taken ...string) []byte {
	var out object
	extend(t, &out, depth, taken...)
	return out.text()
}

// extend adds members with any names except those taken.
func extend(t *rapid.T, out *object, depth int, taken ...string) {
	for range rapid.IntRange(0, 5).Draw(t, "members") {
		if n := name(t); !slices.Contains(taken, n) {
			taken = append(taken, n)
			out.add(n, value(t, depth))
		}
	}
}

// maybe adds a member half of the time.
func maybe(t *rapid.T, out *object, name string, draw func(*rapid.T) []byte) {
	if rapid.Bool().Draw(t, name) {
		out.add(name, draw(t))
	}
}

func texts(t *rapid.T) []byte {
	out := []byte{'['}
	for i := range rapid.IntRange(0, 3).Draw(t, "texts") {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, text(t)...)
	}
	return append(out, ']')
}

func fraction(t *rapid.T) []byte {
	return []byte(rapid.SampledFrom([]string{"0", "0.0", "1", "1.00", "0.70", "5e-1", "0.123456789012345678901"}).Draw(t, "fraction"))
}

func count(t *rapid.T) []byte {
	return strconv.AppendInt(nil, rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(0, math.MaxInt64)).Draw(t, "count"), 10)
}

func moment(t *rapid.T) []byte {
	return quoted(rapid.SampledFrom([]string{"2026-03-14T03:00:00.000Z", "2026-03-14t03:00:00z", "2016-12-31T23:59:60Z", "2026-03-14T03:00:00.123456789123+05:30"}).Draw(t, "time"))
}

func id(t *rapid.T) []byte { return quoted(rapid.StringN(1, 6, 18).Draw(t, "id")) }

func anyObject(t *rapid.T) []byte { return objectText(t, 2) }

// eventText draws a valid event.
func eventText(t *rapid.T) []byte {
	var e object
	e.add("hmx_version", []byte(rapid.SampledFrom([]string{`"HMX-1.0"`, `"HMX-2.17"`}).Draw(t, "version")))
	e.add("event_id", id(t))
	e.add("event_type", []byte(rapid.SampledFrom([]string{`"observation"`, `"x-acme-a"`, `"unheard of"`}).Draw(t, "type")))
	e.add("agent_id", id(t))
	e.add("tenant_id", id(t))
	e.add("session_id", id(t))
	e.add("timestamp", moment(t))
	e.add("sequence", count(t))
	e.add("content", anyObject(t))
	e.add("metadata", anyObject(t))
	for _, n := range []string{"trace_id", "correlation_id", "parent_event_id", "source", "provenance_ref"} {
		maybe(t, &e, n, text)
	}
	maybe(t, &e, "embeddings", func(t *rapid.T) []byte {
		return []byte(rapid.SampledFrom([]string{"[0]", "[1.50,-2e-3]"}).Draw(t, "vector"))
	})
	maybe(t, &e, "salience", fraction)
	maybe(t, &e, "tags", texts)
	maybe(t, &e, "ttl_seconds", count)
	return e.text()
}

// artifactContent draws the normative fields of one type, and others.
func artifactContent(t *rapid.T, kind string) []byte {
	normative := map[string]map[string]func(*rapid.T) []byte{
		"task_schema":       {"preconditions": texts, "tools_used": texts},
		"failure_playbook":  {"failure_pattern": text, "symptoms": texts},
		"decision_policy":   {"condition": text, "scope": texts},
		"causal_pattern":    {"cause": text, "strength": fraction},
		"strategy_template": {"goal": text, "applicability_conditions": texts},
	}[kind]
	var c object
	for _, n := range slices.Sorted(keys(normative)) {
		maybe(t, &c, n, normative[n])
	}
	extend(t, &c, 2, "preconditions", "tools_used", "failure_pattern", "symptoms", "condition", "scope", "cause", "strength", "goal",
		"applicability_conditions", "steps", "phases")
	return c.text()
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// artifactText draws a valid artifact.
func artifactText(t *rapid.T) []byte {
	kind := rapid.SampledFrom([]string{"task_schema", "failure_playbook", "decision_policy", "causal_pattern", "strategy_template", "x-acme-note"}).Draw(t, "type")
	content := artifactContent(t, kind)
	hash, err := hmx.ContentHash(hmx.Raw(content))
	if err != nil {
		t.Fatalf("content: %v", err)
	}
	superseded, supersedes := rapid.Bool().Draw(t, "superseded"), rapid.Bool().Draw(t, "supersedes")
	status, version := `"active"`, "1"
	if superseded {
		status = `"superseded"`
	}
	if supersedes {
		version = "4611686018427387905"
	}
	var a object
	a.add("hmx_version", []byte(`"HMX-1.0"`))
	a.add("artifact_id", quoted("art"))
	a.add("artifact_type", quoted(kind))
	a.add("title", id(t))
	a.add("summary", text(t))
	a.add("content", content)
	a.add("confidence", fraction(t))
	a.add("status", []byte(status))
	a.add("source_events", texts(t))
	a.add("source_memory_ids", texts(t))
	a.add("version", []byte(version))
	a.add("created_at", moment(t))
	a.add("content_hash", quoted(hash))
	a.add("metadata", anyObject(t))
	maybe(t, &a, "tenant_id", text)
	maybe(t, &a, "agent_id", text)
	if superseded {
		a.add("superseded_by", quoted("newer"))
	}
	if supersedes {
		a.add("supersedes", quoted("older"))
	}
	maybe(t, &a, "validity_scope", func(t *rapid.T) []byte {
		return objectText(t, 2, "tags", "conditions", "tenant_ids", "agent_ids", "time_range")
	})
	maybe(t, &a, "tags", texts)
	maybe(t, &a, "observed_count", count)
	maybe(t, &a, "success_rate", fraction)
	maybe(t, &a, "updated_at", moment)
	return a.text()
}
