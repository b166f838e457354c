package hmx

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// FuzzSchemaAgreement checks that the Go rules and the published JSON Schemas agree. The input
// is a script of edits to a valid document, so that nearly every execution reaches the rules
// and not only the parser.
func FuzzSchemaAgreement(f *testing.F) {
	for kind := range byte(3) {
		f.Add(kind, []byte{})
		for edit := range byte(8) {
			f.Add(kind, []byte{edit, 3, 7, edit + 1, 200, 9, 5, 40, 2})
		}
	}
	schemas := map[Kind]*jsonschema.Schema{}
	seeds := map[Kind][]string{}
	for _, k := range Kinds() {
		schemas[k] = compileSchema(f, k)
		seeds[k] = seedDocuments(f, k)
	}
	f.Fuzz(func(t *testing.T, kind byte, script []byte) {
		k := Kinds()[int(kind)%3]
		agree(t, k, schemas[k], mutate(seeds[k], script))
	})
}

// FuzzSchemaAgreementRaw does the same for arbitrary text.
func FuzzSchemaAgreementRaw(f *testing.F) {
	schemas := map[Kind]*jsonschema.Schema{}
	for _, k := range Kinds() {
		schemas[k] = compileSchema(f, k)
		for _, s := range seedDocuments(f, k) {
			f.Add([]byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, k := range Kinds() {
			agree(t, k, schemas[k], data)
		}
	})
}

// agree compares the two verdicts on strict JSON; schemas do not apply to anything else.
func agree(t *testing.T, k Kind, schema *jsonschema.Schema, data []byte) {
	d := borrow()
	defer d.giveBack()
	s := specOf(k)
	d.read(s, data)
	if _, err := Check(k, data); err == nil && (len(d.doc.Flaws()) > 0 || len(d.check.Problems) > 0) {
		t.Fatalf("%s: Check accepts what its shape refuses: %s", k, data)
	}
	if len(d.doc.Flaws()) > 0 || len(d.data) > 64<<10 {
		return // invalid JSON, or large enough for the rules on bytes
	}
	ours := len(d.check.Problems) == 0
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.data))
	if err != nil {
		t.Fatalf("strict JSON that encoding/json does not read: %v\n%s", err, data)
	}
	err = schema.Validate(value)
	if theirs := err == nil; ours != theirs {
		t.Fatalf("%s: Go says valid=%v %v\nschema says valid=%v %v\n%s", k, ours, d.check.Problems, theirs, err, data)
	}
}

// seedDocuments returns valid documents of kind k, with every optional field and every type of
// content.
func seedDocuments(t testing.TB, k Kind) []string {
	switch k {
	case KindEvent:
		seeds := []string{
			string(example(t, "event-message")), string(example(t, "event-tool-call")), string(example(t, "event-error")),
		}
		base := `{"hmx_version":"HMX-1.0","event_id":"e","event_type":"TYPE","agent_id":"a","tenant_id":"t","session_id":"s",` +
			`"timestamp":"2026-03-14T03:00:00+01:00","sequence":0,"content":CONTENT,"metadata":{},"trace_id":"","correlation_id":"c",` +
			`"parent_event_id":"p","embeddings":[0.5,-1e-3],"salience":1,"source":"x","provenance_ref":"r","tags":["a"],"ttl_seconds":0}`
		for kind, content := range map[string]string{
			"message":     `{"role":"system","text":"t","attachments":[{"type":"image","url":"u","more":1}],"other":[]}`,
			"tool_call":   `{"tool_name":"n","arguments":{"a":1},"call_id":"c"}`,
			"tool_result": `{"tool_name":"n","call_id":"c","result":{},"success":true,"duration_ms":0.5}`,
			"decision":    `{"question":"q","chosen_option":"o","alternatives":["a"],"reasoning":"r","confidence":0.5}`,
			"error":       `{"error_type":"t","message":"m","stack":"s","recoverable":false}`,
			"feedback":    `{"signal":"correction","target_event_id":"e","comment":"c"}`,
			"file_edit":   `{"path":7}`,
		} {
			seeds = append(seeds, strings.NewReplacer("TYPE", kind, "CONTENT", content).Replace(base))
		}
		slices.Sort(seeds)
		return seeds
	case KindArtifact:
		seeds := []string{string(example(t, "artifact-task-schema")), string(example(t, "artifact-decision-policy"))}
		base := `{"hmx_version":"HMX-1.0","artifact_id":"a","artifact_type":"TYPE","title":"t","summary":"","content":CONTENT,"confidence":0,` +
			`"status":"superseded","source_events":[],"source_memory_ids":["m"],"version":2,"created_at":"2026-03-14T03:00:00Z",` +
			`"content_hash":"0000000000000000000000000000000000000000000000000000000000000000","metadata":{},"tenant_id":"t","agent_id":"a",` +
			`"superseded_by":"b","supersedes":"c","validity_scope":{"tenant_ids":["t"],"agent_ids":[],"tags":["x"],` +
			`"time_range":{"start":"2026-01-01T00:00:00Z","end":"2027-01-01T00:00:00Z"},"conditions":["c"]},"tags":[],"observed_count":0,` +
			`"success_rate":1,"updated_at":"2026-03-14T03:00:00z"}`
		for kind, content := range map[string]string{
			"failure_playbook":  `{"failure_pattern":"f","trigger_conditions":[],"symptoms":["s"],"recovery_steps":[],"prevention_strategies":[],"severity":"high"}`,
			"causal_pattern":    `{"cause":"c","effect":"e","direction":"forward","strength":0.25,"conditions":[],"counterexamples":[]}`,
			"strategy_template": `{"goal":"g","phases":[{"order":1,"name":"n","description":"d","tools_used":[],"success_criteria":[]}],"applicability_conditions":[],"estimated_complexity":"low"}`,
			"x-acme-thing":      `{"anything":null}`,
		} {
			seeds = append(seeds, strings.NewReplacer("TYPE", kind, "CONTENT", content).Replace(base))
		}
		slices.Sort(seeds)
		return seeds
	}
	full := strings.Replace(string(example(t, "pack")), `"metadata": {},`, `"metadata": {}, "tenant_id":"t","agent_id":"a","session_id":"s",`+
		`"decision_constraints":[{"artifact_id":"a","condition":"c","constraint":"k","confidence":0.92,"override_allowed":true}],`+
		`"fingerprint_priors":{},"tags":["x"],`, 1)
	return []string{string(example(t, "pack")), full}
}

// values are the replacements of edits: every kind, the edges of every rule, and the texts that
// some rule allows.
var values = []string{
	`null`, `true`, `false`, `0`, `-0`, `1`, `-1`, `2`, `1.0`, `1e0`, `10e-1`, `0.5`, `1.5`, `1.00000000000000000001`, `-1e-30`, `1e300`,
	`9223372036854775807`, `9223372036854775808`, `9.223372036854775807e18`, `""`, `" "`, `"x"`, `"HMX-1.0"`, `"HMX-10.25"`, `"HMX-1"`, `"HMX-1.0 "`,
	`"hmx-1.0"`, `"HMX-.1"`, `"HMX-1."`, `"HMX-1.0\n"`, `"\u0048MX-1.0"`,
	`"2026-03-14T03:00:00Z"`, `"2026-03-14t03:00:00z"`, `"2026-03-14 03:00:00Z"`, `"2026-03-14T03:00:00"`, `"2026-02-29T03:00:00Z"`, `"2024-02-29T03:00:00Z"`,
	`"2026-03-14T24:00:00Z"`, `"2016-12-31T23:59:60Z"`, `"2016-12-31T23:58:60Z"`, `"2017-01-01T00:59:60+01:00"`, `"2016-12-31T23:59:61Z"`,
	`"2026-03-14T03:00:00.Z"`, `"2026-03-14T03:00:00.1234567890123Z"`, `"2026-03-14T03:00:00+23:59"`, `"2026-03-14T03:00:00-24:00"`, `"2026-03-14T03:00:00+10:60"`,
	`"0000-01-01T00:00:00Z"`, `"9999-12-31T23:59:59Z"`, `"2026-3-14T03:00:00Z"`, `"২০২৬-03-14T03:00:00Z"`,
	`"message"`, `"tool_call"`, `"tool_result"`, `"decision"`, `"error"`, `"feedback"`, `"x-acme-custom"`, `"x-acme"`, `"X-acme-custom"`,
	`"task_schema"`, `"failure_playbook"`, `"decision_policy"`, `"causal_pattern"`, `"strategy_template"`,
	`"user"`, `"User"`, `"positive"`, `"low"`, `"medium"`, `"critical"`, `"forward"`, `"draft"`, `"active"`, `"superseded"`,
	`"core"`, `"facts"`, `"episodes"`, `"episode"`, `"memory"`, `"policy"`, `"artifact"`, `"ranked"`, `"depth_first"`, `"duplicate"`, `"budget_exceeded"`,
	`"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"`, `"Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"`,
	`[]`, `[0]`, `["a"]`, `[null]`, `[{}]`, `[[]]`, `["a",1]`, `{}`, `{"a":1}`, `{"core":{"budget":1,"used":0}}`, `{"nowhere":{"budget":1,"used":0}}`,
	`{"relevance":-1}`, `{"start":"x"}`, `"@NaN@"`, `"@1e999@"`, `"@-Infinity@"`,
}

// notJSON are values that encoding/json does not write; they are inserted afterwards.
var notJSON = strings.NewReplacer(`"@NaN@"`, "NaN", `"@1e999@"`, "1e999", `"@-Infinity@"`, "-Infinity")

var fieldNames = []string{
	"hmx_version", "event_id", "EVENT_ID", "content", "metadata", "tags", "role", "text", "steps", "order", "section", "source_type", "budget",
	"time_range", "supersedes", "superseded_by", "status", "version", "embeddings", "salience", "unknown", "", "time_ref", "rank", "drop_reason",
}

// mutate applies the script to one of the seeds. Three bytes are one edit: what, where (the
// n-th value of the document), and with which value.
func mutate(seeds []string, script []byte) []byte {
	if len(script) == 0 {
		return []byte(seeds[0])
	}
	dec := json.NewDecoder(strings.NewReader(seeds[int(script[0])%len(seeds)]))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		panic(err)
	}
	for script = script[1:]; len(script) >= 3; script = script[3:] {
		target := int(script[1])
		doc, _ = edit(doc, &target, script[0]%6, script[2])
	}
	out, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return []byte(notJSON.Replace(string(out)))
}

// edit walks to the target-th value in document order and changes it there.
func edit(v any, target *int, what, with byte) (out any, done bool) {
	if *target == 0 {
		return change(v, what, with), true
	}
	*target--
	switch c := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(c)) {
			if c[name], done = edit(c[name], target, what, with); done {
				if c[name] == removed {
					delete(c, name)
				}
				return c, true
			}
		}
	case []any:
		for i := range c {
			if c[i], done = edit(c[i], target, what, with); done {
				if c[i] == removed {
					return slices.Delete(c, i, i+1), true
				}
				return c, true
			}
		}
	}
	return v, false
}

type removal struct{}

var removed any = removal{}

func change(v any, what, with byte) any {
	switch c := v.(type) {
	case map[string]any:
		name := fieldNames[int(with)%len(fieldNames)]
		switch what {
		case 0:
			c[name] = json.RawMessage(values[int(with)%len(values)])
			return c
		case 1:
			c[name] = map[string]any{}
			return c
		}
	case []any:
		switch what {
		case 0:
			return append(c, json.RawMessage(values[int(with)%len(values)]))
		case 1:
			for range 70 { // beyond the limit on tags
				c = append(c, "tag")
			}
			return c
		}
	}
	if what == 2 {
		return removed
	}
	return json.RawMessage(values[int(with)%len(values)])
}
