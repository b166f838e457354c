package memory_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/document"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// checkError checks every error: from the catalogue, UTF-8, short enough to read, and without
// deceptive characters.
func checkError(t *testing.T, err error) {
	t.Helper()
	switch fault.CodeOf(err) {
	case fault.InvalidArgument, fault.InvalidDocument, fault.TooLarge:
	default:
		t.Errorf("the code is %q: %v", fault.CodeOf(err), err)
	}
	text := err.Error()
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		t.Errorf("an error with bad characters: %q", text)
	}
	if len(text) > 64<<10 {
		t.Errorf("an error of %d bytes", len(text))
	}
	if bad, ok := errors.AsType[*document.InvalidError](err); ok {
		for _, p := range bad.Problems {
			if p.Rule == "" || p.Fix == "" {
				t.Errorf("a problem without rule or fix: %+v", p)
			}
		}
	}
}

func TestBadInput(t *testing.T) {
	const u = `"lukasa://t/memory/a"`
	long := strings.Repeat("x", 2000)
	many := func(n int, item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	for _, tc := range []struct {
		kind record.Kind
		json string
		want []string // parts of the error: field, rule, fix
	}{
		{record.Memory, ``, []string{"document", "empty"}},
		{record.Memory, `[]`, []string{"document is an array, but must be an object: give an object"}},
		{record.Memory, `{"text":"x"`, []string{"not strict JSON (syntax)"}},
		{record.Memory, `{"type":"fact","text":"x"} {}`, []string{"trailing-data"}},
		{record.Memory, `{"type":"fact","text":"x","text":"y"}`, []string{"text is not strict JSON (duplicate-key)"}},
		{record.Memory, `{"type":"fact","Text":"x"}`, []string{"Text is not a field of this object; names are exact, with case: write text", "text is empty: give 1 to 65536 bytes"}},
		{record.Memory, `{"type":"fact","text":"x","version":3}`, []string{"version is not a field of this object: remove it, or use one of id, type, key"}},
		{record.Memory, `{"type":"fact","text":"x","data":{"due":"x"}}`, []string{"data.due is not a field of this object: remove it, or use one of subject, predicate, object"}},
		{record.Memory, `{"type":"thought","text":"x","data":{}}`, []string{`type is "thought", which is not a type of memory: use one of identity, fact, preference, belief, event, goal, constraint, capability, pattern`}},
		{record.Memory, `{"text":"x"}`, []string{"type is missing: give a type of memory, one of identity"}},
		{record.Memory, `{"type":"fact","text":" \n "}`, []string{"text is empty"}},
		{record.Memory, `{"type":"fact","text":"` + strings.Repeat("x", memory.MaxText+1) + `"}`, []string{"text has 65537 bytes, but may have at most 65536: shorten it"}},
		{record.Memory, `{"type":"fact","text":null}`, []string{"text is null, but must be a string: leave the field out"}},
		{record.Memory, `{"type":"fact","text":7}`, []string{"text is a number, but must be a string: give a string"}},
		{record.Memory, `{"type":"fact","text":"x","importance":1.5}`, []string{"importance is 1.5, but must be a number from 0 to 1: give a number in that range"}},
		{record.Memory, `{"type":"fact","text":"x","confidence":-0.1}`, []string{"confidence is -0.1"}},
		{record.Memory, `{"type":"fact","text":"x","ttl_seconds":-1}`, []string{"ttl_seconds is -1, but must be from 1 to 3153600000 seconds"}},
		{record.Memory, `{"type":"fact","text":"x","ttl_seconds":1.5}`, []string{"ttl_seconds is", "not a whole number"}},
		{record.Memory, `{"type":"fact","text":"x","validity_scope":[]}`, []string{"validity_scope is an array, but must be an object"}},
		{record.Memory, `{"type":"fact","text":"x","validity_scope":{"condition":["project: a"]}}`, []string{"validity_scope.condition is not a field", "use one of", "conditions"}},
		{record.Memory, `{"type":"fact","text":"x","validity_scope":{"conditions":[""," b",7]}}`, []string{"validity_scope.conditions[2] is a number, but must be a string"}},
		{record.Memory, `{"type":"fact","text":"x","validity_scope":{"conditions":[""," b"]}}`, []string{"validity_scope.conditions[0]", "validity_scope.conditions[1]", "white space"}},
		{record.Memory, `{"type":"fact","text":"x","validity_scope":{"conditions":["` + strings.Repeat("c", memory.MaxCondition+1) + `"]}}`, []string{"validity_scope.conditions[0]", "1024"}},
		{record.Memory, `{"type":"fact","text":"x","validity_scope":{"agent_ids":[` + strings.Repeat(`"a",`, memory.MaxSelectors) + `"a"]}}`, []string{"validity_scope.agent_ids", "64"}},
		{record.Memory, `{"type":"fact","text":"x","validity_scope":{"time_range":{"start":"2026-01-02T00:00:00Z","end":"2026-01-01T00:00:00Z"}}}`, []string{"validity_scope.time_range.end", "before the start", "give a later time"}},
		{record.Memory, `{"type":"fact","text":"x","visibility":"public"}`, []string{"visibility", "use one of private, tenant"}},
		{record.Memory, `{"type":"fact","text":"x","valid_from":"yesterday"}`, []string{"valid_from", "RFC 3339", "2026-03-14T03:00:00.000Z"}},
		{record.Memory, `{"type":"fact","text":"x","valid_from":"2026-01-02T00:00:00Z","valid_until":"2026-01-01T00:00:00Z"}`, []string{"valid_until", "not after valid_from", "give a later time"}},
		{record.Memory, `{"type":"fact","text":"x","key":"a//b"}`, []string{"key", "empty segment", "release/cadence"}},
		{record.Memory, `{"type":"fact","text":"x","key":"/a"}`, []string{"key", "empty segment"}},
		{record.Memory, `{"type":"fact","text":"x","key":" a"}`, []string{"key", "white space", "remove"}},
		{record.Memory, `{"type":"fact","text":"x","key":"a\u0000b"}`, []string{"key has the control character U+0000 at byte 1: leave it out"}},
		{record.Memory, `{"type":"fact","text":"x","key":"a\u202eb"}`, []string{"key has the bidirectional control character U+202E at byte 1"}},
		{record.Memory, `{"type":"fact","text":"x","key":"` + long + `"}`, []string{"key has 2000 bytes", "at most 512: shorten it"}},
		{record.Memory, `{"type":"fact","text":"x","id":"` + long + `"}`, []string{"id has 2000 bytes", "at most 1024"}},
		{record.Memory, `{"type":"fact","text":"x","tags":["b","",7,"a"]}`, []string{"tags[1] is empty", "tags[2] is a number"}},
		{record.Memory, `{"type":"fact","text":"x","tags":` + many(65, `"a"`) + `}`, []string{"tags has 65 items, but may have at most 64: leave some out"}},
		{record.Memory, `{"type":"fact","text":"x","frames":[{"verb":"eat","kind":"soup","ref":""}]}`, []string{`frames[0].verb is "eat", which is not a verb: use one of find, acquire`, `frames[0].kind is "soup", which is not an object kind: use one of service`, "frames[0].ref is empty"}},
		{record.Memory, `{"type":"fact","text":"x","frames":["modify:file=x"]}`, []string{"frames[0] is a string, but must be an object"}},
		{record.Memory, `{"type":"fact","text":"x","sources":["http://x"]}`, []string{"sources[0]", "not a lukasa:// URI", "write lukasa://"}},
		{record.Memory, `{"type":"fact","text":"x","metadata":[]}`, []string{"metadata is an array, but must be an object"}},
		{record.Memory, `{"type":"fact","text":"x","metadata":{"a":1,"a":2}}`, []string{"metadata.a", "duplicate-key"}},
		{record.Memory, `{"type":"fact","text":"x","metadata":{"a":"` + strings.Repeat("x", memory.MaxMetadata) + `"}}`, []string{"metadata has", "at most 65536"}},
		{record.Memory, `{"type":"goal","text":"x","data":{"status":"done"}}`, []string{"data.status", "use one of active, paused, achieved, abandoned"}},
		{record.Memory, `{"type":"constraint","text":"x","data":{"strength":"strict"}}`, []string{"data.strength", "use one of hard, firm, soft"}},
		{record.Memory, `{"type":"event","text":"x","data":{"verb":"eat","outcome":"meh"}}`, []string{"data.verb", "data.outcome", "success, failure, partial, unknown"}},
		{record.Memory, `{"type":"preference","text":"x","data":{"polarity":"up"}}`, []string{"data.polarity", "like, dislike, neutral"}},
		{record.Memory, `{"type":"belief","text":"x","data":{"stance":"so","evidence":"e"}}`, []string{"data.stance", "data.evidence is a string, but must be an array"}},
		{record.Memory, `{"type":"capability","text":"x","data":{"level":"god"}}`, []string{"data.level", "none, basic, good, expert"}},
		{record.Memory, `{"type":"pattern","text":"x","data":{"support":-2}}`, []string{"data.support is -2, but counts from 0"}},
		{record.Edge, `{}`, []string{"from is missing", "to is missing", "kind is missing"}},
		{record.Edge, `{"from":` + u + `,"to":` + u + `,"kind":"supports"}`, []string{"to is the same as from: connect two different records"}},
		{record.Edge, `{"from":` + u + `,"to":"lukasa://t/memory/b","kind":"x-"}`, []string{"kind", "supports, contradicts, derived_from", "x-{vendor}-{kind}"}},
		{record.Edge, `{"from":` + u + `,"to":"lukasa://t/memory/b","kind":"x-{vendor}-{kind}"}`, []string{"kind"}},
		{record.Edge, `{"from":"lukasa://t/thing/a","to":"lukasa://t/memory/b#0","kind":"causes"}`, []string{`from names "thing", which is not a kind of record`, "to has the version"}},
		{record.Entity, `{}`, []string{"name is empty", "type is empty"}},
		{record.Entity, `{"name":"a","type":"b","aliases":["","\u0007"]}`, []string{"aliases[0] is empty", "aliases[1] has the control character U+0007"}},
		{record.Relation, `{"predicate":" x"}`, []string{"from is empty", "to is empty", "predicate", "white space"}},
		{record.Relation, `{"from":"a","to":"b","predicate":"p","weight":2}`, []string{"weight is 2"}},
		{record.Conflict, `{"between":[` + u + `]}`, []string{"between has 1 items, but must have at least 2"}},
		{record.Conflict, `{"between":[` + u + `,` + u + `]}`, []string{"between names the same record twice or more, and no other"}},
		{record.Conflict, `{"between":[` + u + `,"lukasa://t/memory/b"],"winner":` + u + `}`, []string{"winner is given, but the conflict is not resolved"}},
		{record.Conflict, `{"between":[` + u + `,"lukasa://t/memory/b"],"status":"resolved","winner":"lukasa://t/memory/c"}`, []string{"winner is not among between"}},
		{record.Conflict, `{"between":[` + u + `,"lukasa://t/memory/b"],"resolution":"x"}`, []string{"resolution is given, but the conflict is open"}},
		{record.Policy, `{}`, []string{"kind is missing: give a kind of policy, one of instruction, constraint, retention", "text is empty"}},
		{record.Policy, `{"kind":"retention"}`, []string{"retention.kinds has 0 items", "retention.max_age_seconds is 0"}},
		{record.Policy, `{"kind":"retention","retention":{"kinds":["redaction","soup"],"max_age_seconds":1}}`, []string{`retention.kinds[0] is redaction, which is kept for ever`, "retention.kinds[1]"}},
		{record.Policy, `{"kind":"retention","retention":{"kinds":["embedding"],"max_age_seconds":1}}`, []string{"retention.kinds[0] is embedding, which is kept for ever"}},
		{record.Policy, `{"kind":"retention","retention":{"kinds":["memory","event"],"max_age_seconds":1,"action":"tombstone"}}`, []string{"retention.action is tombstone, but an event can only be erased: use erase"}},
		{record.Policy, `{"kind":"retention","scope":{"types":["fact"]},"retention":{"kinds":["memory","entity"],"max_age_seconds":1}}`, []string{"scope.types is given, but only a memory has a type, and retention.kinds has entity: leave it out, or retain memory only"}},
		{record.Policy, `{"kind":"retention","scope":{"types":["fact"],"key_prefix":"a"},"retention":{"kinds":["event"],"max_age_seconds":1}}`, []string{"scope.types is given", "scope.key_prefix is given, but only a memory and a policy have a key, and retention.kinds has event"}},
		{record.Policy, `{"kind":"retention","scope":{"tags":["a"]},"retention":{"kinds":["memory","edge"],"max_age_seconds":1}}`, []string{"scope.tags is given", "retention.kinds has edge"}},
		{record.Policy, `{"kind":"instruction","text":"x","retention":{"kinds":["event"]}}`, []string{"retention is given, but the policy is not of kind retention"}},
		{record.Policy, `{"kind":"instruction","text":"x","priority":5000,"active":"yes"}`, []string{"priority is 5000", "active is a string, but must be a boolean"}},
		{record.Policy, `{"kind":"constraint","text":"x","scope":{"agents":[""],"types":["x"],"tags":[" "],"key_prefix":"/"}}`, []string{"scope.agents[0]", "scope.types[0]", "scope.tags[0]", "scope.key_prefix"}},
		{record.Embedding, `{"target":"lukasa://t/memory/b#2","vector":"0000c07f"}`, []string{"model is empty", "target names a version", "vector[0] is NaN"}},
		{record.Embedding, `{"model":"m","target":"lukasa://t/event/b","vector":"0000"}`, []string{"vector has 2 bytes"}},
		{record.Refinement, `{"target":"lukasa://t/memory/b#2","title":" x","summary":""}`, []string{"model is empty", "target names a memory", `title is " x" with white space`, "summary is empty"}},
		{record.Refinement, `{"model":"m","target":"lukasa://t/artifact/b#2","title":"a\u200bb","summary":"` + strings.Repeat("x", 401) + `"}`, []string{"target names a version", "title has the character U+200B at byte 1, which is not seen", "summary has 401 code points"}},
		{record.Refinement, `{"model":"m","target":"lukasa://t/artifact/b","title":"a\nb","summary":"a\u202eb"}`, []string{"title has the control character U+000A", "summary has the bidirectional control character U+202E"}},
		{record.Embedding, `{"model":"m","target":"lukasa://t/event/b","vector":"00000000"}`, []string{"vector is zero"}},
		{record.Violation, `{"op":"steal","rule":"none","target":"a\u202eb"}`, []string{"scope_id is empty", "agent_id is empty", "op", "put, forget, restore", "rule", "read_only, content", "target", "U+202E"}},
		{record.Feedback, `{"outcome":"unknown","score":3}`, []string{"agent_id is empty", "outcome", "success, failure, partial", "score is 3"}},
		{record.Feedback, `{"agent_id":"a","outcome":"success","profile":{"recency":-0.1,"access":1.5,"importance":"x"}}`, []string{"profile.recency is -0.1, but must be a number from 0 to 1", "profile.access is 1.5", "profile.citations is missing", "profile.importance is a string"}},
		{record.Feedback, `{"agent_id":"a","outcome":"failure","score":0.5}`, []string{"score is 0.5, but the outcome is failure: give a score of 0 or less"}},
		{record.Feedback, `{"agent_id":"a","outcome":"success","score":-0.25}`, []string{"score is -0.25, but the outcome is success: give a score of 0 or more"}},
		{record.Feedback, `{"agent_id":"a","outcome":"success","profile":{}}`, []string{"profile.recency is missing", "profile.access is missing"}},
		{record.Feedback, `{"agent_id":"a","outcome":"success","profile":{"recency":1,"access":1,"citations":1,"importance":1,"similarity":1}}`, []string{"profile.similarity is not a field of this object"}},
		{record.Artifact, `{"artifact_id":"a"}`, []string{"HMX-A"}},
		{record.Event, `{}`, []string{"kind event has no body: use one of memory"}},
		{record.Kind(99), `{}`, []string{"has no body"}},
		{record.Memory, `{"type":"fact","text":"x","metadata":{"a":"` + strings.Repeat("x", 3<<20) + `"}}`, []string{"document has", "at most"}},
	} {
		_, err := memory.Decode(tc.kind, []byte(tc.json))
		short := tc.json[:min(len(tc.json), 120)]
		if err == nil {
			t.Errorf("%v %s is accepted", tc.kind, short)
			continue
		}
		checkError(t, err)
		for _, want := range tc.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v %s: the error does not say %q:\n%v", tc.kind, short, want, err)
			}
		}
	}
}

func TestBadControl(t *testing.T) {
	hash := strings.Repeat("ab", 32)
	for _, tc := range []struct {
		kind record.Kind
		json string
		want []string
	}{
		{record.Memory, `{}`, []string{"is not a control"}},
		{record.Tombstone, `{}`, []string{"kind is missing: use one of event, memory", "id is empty", "version is missing"}},
		{record.Tombstone, `{"kind":"redaction","id":"a","version":1}`, []string{"kind is redaction, which cannot be taken back"}},
		{record.Tombstone, `{"kind":"event","id":"a","version":1}`, []string{"an event has no versions"}},
		{record.Tombstone, `{"kind":"memory","id":"a","version":-1}`, []string{"version", "whole number from 0"}},
		{record.Redaction, `{}`, []string{"targets has 0 items"}},
		{record.Redaction, `{"targets":[{"kind":"event","position":1,"id":"ABCD"}]}`, []string{"targets[0].id", "lower-case hexadecimal"}},
		{record.Redaction, `{"targets":[{"kind":"event","position":1,"id":"abcd"}]}`, []string{"targets[0].id has 2 bytes, but must have 32"}},
		{record.Redaction, `{"targets":[{"kind":"event","position":1,"id":"` + hash + `","content":"` + hash + `"}]}`, []string{"key has 0 bytes"}},
		{record.Redaction, `{"targets":[{"kind":"event","position":1,"id":"` + hash + `"}],"key":"` + hash + `"}`, []string{"key is given, but no target has a content hash"}},
		{record.Redaction, `{"targets":[{"kind":"event","id":"` + hash + `"}]}`, []string{"targets[0].position is missing"}},
		{record.Redaction, `{"targets":[{"kind":"event","position":1,"id":"` + hash + `"},{"kind":"memory","position":1,"id":"` + hash + `"}]}`, []string{"targets[1].position is 1, which an earlier target names too: name each record once"}},
		{record.Expiry, `{"targets":[{"kind":"memory","id":"a","version":1},{"kind":"event","position":0},{"kind":"event","position":0}],"cause":"age"}`, []string{"targets[0].position is missing", "targets[0].id is not a field", "targets[0].version is not a field"}},
		{record.Expiry, `{"targets":[{"kind":"event","position":0},{"kind":"event","position":0},{"kind":"tombstone","position":1}],"cause":"valid_until"}`, []string{"targets[1].position is 0, which an earlier target names too", "targets[2].kind is tombstone", "ttl, retention"}},
		{record.Expiry, `{"targets":[{"kind":"event","position":1}],"cause":"retention"}`, []string{"policy is empty"}},
		{record.Expiry, `{"targets":[{"kind":"event","position":1}],"cause":"ttl","policy":"p"}`, []string{"policy is given"}},
		{record.Transition, `{"artifact_id":"a","from":"archived","to":"draft"}`, []string{"to is draft, which cannot follow archived"}},
		{record.Transition, `{"artifact_id":"a","from":"active","to":"superseded"}`, []string{"superseded_by is empty"}},
		{record.Transition, `{"artifact_id":"a","from":"active","to":"superseded","superseded_by":"a"}`, []string{"superseded_by is the artifact itself"}},
		{record.Transition, `{"artifact_id":"a","from":"draft","to":"active","superseded_by":"b"}`, []string{"superseded_by is given"}},
		{record.Transition, `{"artifact_id":"a","from":"so","to":"active","extra":1}`, []string{"from is", "extra is not a field"}},
	} {
		_, err := memory.DecodeControl(tc.kind, []byte(tc.json))
		if err == nil {
			t.Errorf("%v %s is accepted", tc.kind, tc.json)
			continue
		}
		checkError(t, err)
		for _, want := range tc.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v %s: the error does not say %q:\n%v", tc.kind, tc.json, want, err)
			}
		}
	}
}

func TestNames(t *testing.T) {
	id := func(s string) error { return memory.CheckID("session_id", s) }
	for _, tc := range []struct {
		name  string
		check func(string) error
		value string
		want  []string // nil if the value is fine
	}{
		{"tenant", memory.CheckTenant, "acme/eu west", nil},
		{"tenant at its limit", memory.CheckTenant, strings.Repeat("x", 255), nil},
		{"tenant too long", memory.CheckTenant, strings.Repeat("x", 256), []string{"tenant has 256 bytes", "at most 255", "shorten"}},
		{"tenant empty", memory.CheckTenant, "", []string{"tenant is empty", "1 to 255"}},
		{"tenant with space", memory.CheckTenant, "acme ", []string{"tenant", "white space", "remove"}},
		{"tenant with wide space", memory.CheckTenant, "\u3000acme", []string{"tenant", "white space", "remove"}},
		{"tenant with NUL", memory.CheckTenant, "a\x00", []string{"tenant", "U+0000", "leave it out"}},
		{"tenant with C1", memory.CheckTenant, "a\u0085b", []string{"tenant", "U+0085"}},
		{"tenant with DEL", memory.CheckTenant, "a\x7fb", []string{"tenant", "U+007F"}},
		{"tenant of 10 KB", memory.CheckTenant, strings.Repeat("\u202e", 3400), []string{"tenant has 10200 bytes"}},
		{"id", id, " a/b\u00a0", nil},
		{"id at its limit", id, strings.Repeat("x", 1024), nil},
		{"id too long", id, strings.Repeat("x", 1025), []string{"session_id has 1025 bytes"}},
		{"id not UTF-8", id, "a\xffb", []string{"session_id", "0xFF", "offset 1", "UTF-8"}},
		{"id with U+FFFD", id, "a\uFFFDb", nil},
		{"actor", memory.CheckActor, "agent-1", nil},
		{"actor empty", memory.CheckActor, "", []string{"actor is empty"}},
		{"key", memory.CheckKey, "release/cadence", nil},
		{"key ends in a slash", memory.CheckKey, "release/", []string{"key", "empty segment"}},
		{"key empty", memory.CheckKey, "", []string{"key is empty"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := tc.check(tc.value)
			if tc.want == nil {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if err == nil {
				t.Fatal("accepted")
			}
			checkError(t, err)
			if len(err.Error()) > 600 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not say %q: %v", want, err)
				}
			}
		})
	}
	for _, r := range []rune{0x061C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069} {
		for _, check := range []func(string) error{memory.CheckTenant, id, memory.CheckActor, memory.CheckKey} {
			err := check("a" + string(r) + "b")
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("U+%04X", r)) {
				t.Errorf("U+%04X: %v", r, err)
			}
		}
	}
}

func TestSentinels(t *testing.T) {
	_, verb := memory.ParseVerb("eat")
	_, kind := memory.ParseObjectKind("soup")
	_, both := memory.ParseFrame("eat:soup=x")
	_, deep := memory.Decode(record.Memory, []byte(`{"type":"fact","text":"x","frames":[{"verb":"eat","kind":"soup","ref":"x"}]}`))
	for _, tc := range []struct {
		err        error
		verb, kind bool
	}{{verb, true, false}, {kind, false, true}, {both, true, true}, {deep, true, true}} {
		if errors.Is(tc.err, memory.ErrInvalidVerb) != tc.verb || errors.Is(tc.err, memory.ErrInvalidObjKind) != tc.kind {
			t.Errorf("%v: not told apart", tc.err)
		}
		if !errors.Is(tc.err, fault.InvalidArgument) {
			t.Errorf("%v: not an invalid argument", tc.err)
		}
	}
}

func TestManyProblems(t *testing.T) {
	data := `{"type":"fact","text":"x","tags":[` + strings.TrimSuffix(strings.Repeat(`"",`, 64), ",") + `]}`
	_, err := memory.Decode(record.Memory, []byte(data))
	bad, ok := errors.AsType[*document.InvalidError](err)
	if !ok || len(bad.Problems) != 32 || bad.Omitted != 32 || !strings.HasSuffix(err.Error(), "and 32 more") {
		t.Errorf("64 problems are told as %v", err)
	}
}

// TestBadGo has errors that only Go code can make.
func TestBadGo(t *testing.T) {
	for name, tc := range map[string]struct {
		body memory.Body
		want string
	}{
		"data of another type": {&memory.Memory{Type: memory.TypeFact, Text: "x", Data: &memory.Goal{}}, "data is that of type goal"},
		"not a number":         {&memory.Memory{Type: memory.TypeFact, Text: "x", Importance: hmx.Some(nan())}, "importance is NaN"},
		"text not UTF-8":       {&memory.Memory{Type: memory.TypeFact, Text: "a\xff"}, "text has the byte 0xFF"},
		"metadata not JSON":    {&memory.Memory{Type: memory.TypeFact, Text: "x", Metadata: "{"}, "metadata is not strict JSON"},
		"metadata not object":  {&memory.Memory{Type: memory.TypeFact, Text: "x", Metadata: "[1]"}, "metadata is an array"},
		"no such kind":         {&memory.Edge{From: memory.URI{Tenant: "t", Kind: 77, ID: "x"}, To: memory.URI{Tenant: "t", Kind: 2, ID: "x"}, EdgeKind: "causes"}, "from names the kind 77"},
		"artifact without id":  {&memory.Artifact{}, "artifact_id"},
		"too large as a whole": {&memory.Memory{Type: memory.TypeFact, Text: strings.Repeat("\x01", memory.MaxText), Sources: farSources(), Metadata: hmx.Raw(`{"a":"` + strings.Repeat("x", 60<<10) + `"}`)}, "memory: document has"},
	} {
		err := memory.Prepare(tc.body)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkError(t, err)
	}
}

func nan() float64 {
	zero := 0.0
	return zero / zero
}

// farSources are the most and the longest sources allowed.
func farSources() []memory.URI {
	var out []memory.URI
	for i := range memory.MaxSources {
		out = append(out, memory.URI{Tenant: "t", Kind: record.Memory, ID: fmt.Sprint(i, strings.Repeat("é", 500))})
	}
	return out
}
