package memory_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func at(text string) hmx.Time {
	t, err := hmx.ParseTime(text)
	if err != nil {
		panic(err)
	}
	return t
}

func thing(kind record.Kind, id string) memory.URI {
	return memory.URI{Tenant: "acme", Kind: kind, ID: id}
}

// fullMemory has every field set.
func fullMemory() *memory.Memory {
	return &memory.Memory{
		ID: "m-1", Type: memory.TypeGoal, Key: "release/cadence", Text: "Ship a release every two weeks.",
		Data:       &memory.Goal{Due: at("2026-12-24T18:00:00Z"), Success: "six releases in a quarter"},
		Tags:       []string{"release", "planning", "release"},
		Frames:     []memory.Frame{{Verb: memory.VerbDeliver, Kind: memory.ObjProject, Ref: "lukasa"}},
		Importance: hmx.Some(0.8), Confidence: hmx.Some(0.9),
		ValidFrom: at("2026-01-01T00:00:00Z"), ValidUntil: at("2027-01-01T00:00:00+01:00"), TTLSeconds: 86400,
		Visibility: memory.VisiblePrivate, Forms: memory.Forms{Short: "Two-weekly releases.", Medium: "Ship a release every two weeks."},
		Sources: []memory.URI{thing(record.Event, "e/2"), thing(record.Event, "e 1")}, Metadata: `{ "owner": "ann" }`,
	}
}

// bodies are one of each kind and one memory of each type.
func bodies() map[string]memory.Body {
	all := map[string]memory.Body{
		"memory": fullMemory(),
		"memory_scope": &memory.Memory{
			ID: "m-2", Type: memory.TypeConstraint, Text: "Never push to main directly.", Data: &memory.Constraint{Strength: memory.StrengthHard},
			ValidityScope: hmx.ValidityScope{
				TenantIDs: []string{"acme"}, AgentIDs: []string{"coder", "builder"}, Tags: []string{"git"},
				TimeRange:  hmx.Some(hmx.TimeRange{Start: hmx.Some(at("2026-01-01T00:00:00Z")), End: hmx.Some(at("2027-01-01T00:00:00Z"))}),
				Conditions: []string{"project: github.com/acme/shop", "environment: staging", "project: github.com/acme/shop"},
			},
		},
		"edge": &memory.Edge{ID: "e-1", From: thing(record.Memory, "m-1"), To: thing(record.Memory, "m-2"), EdgeKind: memory.EdgeSupports},
		"entity": &memory.Entity{
			ID: "n-1", Name: "Ann", Type: "person", Aliases: []string{"ann@example.org", "A. Archer"}, Description: "Release manager.",
			Attributes: `{"team":"core"}`, Tags: []string{"people"}, Sources: []memory.URI{thing(record.Event, "e-1")},
		},
		"relation": &memory.Relation{ID: "r-1", From: "n-1", To: "n-2", Predicate: "manages", Weight: hmx.Some(0.25), ValidFrom: at("2026-01-01T00:00:00Z")},
		"conflict": &memory.Conflict{
			ID: "c-1", Between: []memory.URI{thing(record.Memory, "m-2"), thing(record.Memory, "m-1")}, Summary: "Two cadences.",
			Status: memory.ConflictResolved, Resolution: "Ann decided.", Winner: thing(record.Memory, "m-1"),
		},
		"policy": &memory.Policy{ID: "p-1", Key: "safety/push", PolicyKind: memory.PolicyConstraint, Text: "Never push to main.", Strength: memory.StrengthHard, Scope: memory.Scope{Agents: []string{"coder"}, Tags: []string{"git"}}, Priority: 10},
		"policy_retention": &memory.Policy{
			ID: "p-2", PolicyKind: memory.PolicyRetention, Active: hmx.Some(false),
			Retention: memory.Retention{Kinds: []record.Kind{record.Memory, record.Event}, MaxAgeSeconds: 3600, Action: memory.RetainErase},
		},
		"feedback":    &memory.Feedback{ID: "f-1", AgentID: "coder", SessionID: "s-1", Outcome: memory.OutcomeSuccess, Cited: []memory.URI{thing(record.Memory, "m-1")}, Score: hmx.Some(0.5), Profile: hmx.Some(memory.Profile{Recency: 0.75, Importance: 0.5}), Note: "The cadence was known."},
		"artifact":    artifact(),
		"embedding":   memory.NewEmbedding("acme/embed-1", thing(record.Event, "e-1"), 7, []float32{0.5, -1, 0}),
		"refinement":  memory.NewRefinement("acme/chat-1", thing(record.Artifact, "a-1"), 7, "How to deploy", "Read the configuration, deploy, check."),
		"fingerprint": memory.NewFingerprint([]byte(fingerprint(`"words":[]`))),
		"violation":   memory.NewViolation("8a88e3dd7409f195", "coder/tests", memory.OpPut, "lukasa://acme/memory/m-1", memory.RuleExisting),
	}
	for _, typ := range memory.Types() {
		all["memory_"+string(typ)] = &memory.Memory{ID: "m-" + string(typ), Type: typ, Text: "Something."}
	}
	return all
}

// fingerprint returns a document of some members with its hash.
func fingerprint(members string) string {
	sum := sha256.Sum256([]byte("{" + members + "}"))
	return `{"hash":"` + hex.EncodeToString(sum[:]) + `",` + members + "}"
}

func artifact() *memory.Artifact {
	a := &memory.Artifact{HMX: hmx.Artifact{
		ArtifactID: "a-1", Title: "Deploy", Summary: "How to deploy.", Confidence: 0.75, Status: hmx.StatusActive,
		SourceEvents: []string{"e-1", "\x00"}, SourceMemoryIDs: []string{"m-1"}, Version: 2, CreatedAt: at("2026-01-01T00:00:00Z"),
		AgentID: hmx.Some("coder"), Supersedes: hmx.Some("a-0"), Tags: []string{"ops", "", "deploy", "ops"},
		ValidityScope: hmx.Some(hmx.ValidityScope{TimeRange: hmx.Some(hmx.TimeRange{Start: hmx.Some(at("2026-01-01T00:00:00Z"))})}),
	}}
	if err := a.HMX.SetContent(hmx.TaskSchema{ToolsUsed: []string{"kubectl"}}); err != nil {
		panic(err)
	}
	return a
}

func controls() map[string]memory.Control {
	return map[string]memory.Control{
		"tombstone": &memory.Tombstone{Target: record.Memory, ID: "m-1", Version: 3, Reason: "It was wrong."},
		"redaction": &memory.Redaction{
			Targets: []memory.RedactionTarget{{Kind: record.Event, Position: 0, ID: record.Hash{1}, Content: record.Hash{2}}, {Kind: record.Memory, Position: 7, ID: record.Hash{3}}},
			Key:     []byte("0123456789abcdef"),
		},
		"expiry":     &memory.Expiry{Targets: []memory.ExpiryTarget{{Kind: record.Memory, Position: 7}, {Kind: record.Event, Position: 0}}, Cause: memory.CauseRetention, Policy: "p-2"},
		"transition": &memory.Transition{ArtifactID: "a-1", From: hmx.StatusActive, To: hmx.StatusSuperseded, SupersededBy: "a-2", Reason: "A better one."},
	}
}

func TestGolden(t *testing.T) {
	for name, b := range bodies() {
		if err := memory.Prepare(b); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		golden(t, name, appendJSON(t, b))
		if _, err := memory.Decode(b.Kind(), appendJSON(t, b)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range controls() {
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		golden(t, name, appendJSON(t, c))
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".json")
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%v; make it with -update", err)
		return
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is written\n%snot\n%s", name, got, want)
	}
}

func TestFacets(t *testing.T) {
	const newYear = 1767225600 * int64(time.Second)
	own := func(kind record.Kind, id string) memory.URI { return memory.URI{Kind: kind, ID: id} }
	base := memory.Facets{ValidFrom: math.MinInt64, ValidUntil: math.MaxInt64, Importance: 0.5, Confidence: 1, Visibility: memory.VisibleTenant}
	with := func(change func(*memory.Facets)) memory.Facets {
		x := base
		change(&x)
		return x
	}
	want := map[string]memory.Facets{
		"memory": {
			Class: "goal", State: "active", Pin: true, Tags: []string{"planning", "release"},
			Frames:    []memory.Frame{{Verb: "deliver", Kind: "project", Ref: "lukasa"}},
			Links:     []memory.Link{{Rel: "derived_from", To: thing(record.Event, "e 1")}, {Rel: "derived_from", To: thing(record.Event, "e/2")}},
			ValidFrom: newYear, ValidUntil: newYear + int64(365*24-1)*int64(time.Hour), TTL: 24 * time.Hour,
			Importance: 0.8, Confidence: 0.9, Visibility: memory.VisiblePrivate,
		},
		"memory_identity":   with(func(x *memory.Facets) { x.Class, x.Pin = "identity", true }),
		"memory_fact":       with(func(x *memory.Facets) { x.Class = "fact" }),
		"memory_preference": with(func(x *memory.Facets) { x.Class, x.State = "preference", "like" }),
		"memory_belief":     with(func(x *memory.Facets) { x.Class, x.State = "belief", "held" }),
		"memory_event":      with(func(x *memory.Facets) { x.Class, x.State = "event", "unknown" }),
		"memory_goal":       with(func(x *memory.Facets) { x.Class, x.State, x.Pin = "goal", "active", true }),
		"memory_constraint": with(func(x *memory.Facets) { x.Class, x.State = "constraint", "firm" }),
		"memory_capability": with(func(x *memory.Facets) { x.Class, x.State = "capability", "good" }),
		"memory_pattern":    with(func(x *memory.Facets) { x.Class = "pattern" }),
		"edge": with(func(x *memory.Facets) {
			x.Class, x.Importance = "supports", 1
			x.Links = []memory.Link{{Rel: "from", To: thing(record.Memory, "m-1")}, {Rel: "to", To: thing(record.Memory, "m-2")}}
		}),
		"entity": with(func(x *memory.Facets) {
			x.Class, x.Tags, x.Names = "person", []string{"people"}, []string{"Ann", "A. Archer", "ann@example.org"}
			x.Links = []memory.Link{{Rel: "derived_from", To: thing(record.Event, "e-1")}}
		}),
		"relation": with(func(x *memory.Facets) {
			x.Class, x.Importance, x.ValidFrom = "manages", 0.25, newYear
			x.Links = []memory.Link{{Rel: "from", To: own(record.Entity, "n-1")}, {Rel: "to", To: own(record.Entity, "n-2")}}
		}),
		"conflict": with(func(x *memory.Facets) {
			x.State = "resolved"
			x.Links = []memory.Link{{Rel: "between", To: thing(record.Memory, "m-1")}, {Rel: "between", To: thing(record.Memory, "m-2")}, {Rel: "winner", To: thing(record.Memory, "m-1")}}
		}),
		"policy": with(func(x *memory.Facets) {
			x.Class, x.State, x.Pin, x.Tags = "constraint", "active", true, []string{"git"}
		}),
		"policy_retention": with(func(x *memory.Facets) { x.Class, x.State = "retention", "inactive" }),
		"feedback": with(func(x *memory.Facets) {
			x.State, x.Agent, x.Session = "success", "coder", "s-1"
			x.Links = []memory.Link{{Rel: "cited", To: thing(record.Memory, "m-1")}}
		}),
		"artifact": with(func(x *memory.Facets) {
			x.Class, x.State, x.Confidence, x.Agent, x.ValidFrom = "task_schema", "active", 0.75, "coder", newYear
			x.Tags = []string{"deploy", "ops"}
			x.Links = []memory.Link{{Rel: "supersedes", To: own(record.Artifact, "a-0")}, {Rel: "derived_from", To: own(record.Event, "e-1")}, {Rel: "derived_from", To: own(record.Memory, "m-1")}}
		}),
	}
	want["embedding"] = with(func(x *memory.Facets) {
		x.Class, x.Links = "acme/embed-1", []memory.Link{{Rel: "of", To: thing(record.Event, "e-1")}}
	})
	want["fingerprint"] = base
	want["memory_scope"] = with(func(x *memory.Facets) { x.Class, x.State, x.Pin, x.Scoped = "constraint", "hard", true, true })
	want["refinement"] = with(func(x *memory.Facets) {
		x.Class, x.Links = "acme/chat-1", []memory.Link{{Rel: "of", To: thing(record.Artifact, "a-1")}}
	})
	want["violation"] = with(func(x *memory.Facets) { x.Class, x.State, x.Agent = "8a88e3dd7409f195", "put", "coder/tests" })
	for name, b := range bodies() {
		b.Normalize()
		if diff := cmp.Diff(want[name], b.Facets()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	hard := &memory.Memory{Data: &memory.Constraint{Strength: memory.StrengthHard}, Text: "x"}
	paused := &memory.Memory{Data: &memory.Goal{Status: memory.GoalPaused}, Text: "x"}
	hard.Normalize()
	paused.Normalize()
	if !hard.Facets().Pin || paused.Facets().Pin {
		t.Error("a hard constraint is pinned, a paused goal is not")
	}
}

func TestCheckLinks(t *testing.T) {
	for name, b := range bodies() {
		b.Normalize()
		if err := memory.CheckLinks("acme", b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := memory.CheckLinks("other", fullMemory())
	if err == nil {
		t.Fatal("a link to another tenant is accepted")
	}
	checkError(t, err)
}

func TestNanos(t *testing.T) {
	for text, want := range map[string]int64{
		"1970-01-01T00:00:00Z":           0,
		"1970-01-01T00:00:00.000000001Z": 1,
		"1969-12-31T23:59:59.999999999Z": -1,
		"0001-01-01T00:00:00Z":           math.MinInt64,
		"9999-12-31T23:59:59Z":           math.MaxInt64,
	} {
		if got := memory.Nanos(at(text)); got != want {
			t.Errorf("%s is %d, want %d", text, got, want)
		}
	}
}

// pinnedMAC must not change, since it recognises erased content.
const pinnedMAC = "f29f008738153a164b564563e8d4289653fbd9f584767affc3dce54fa21d31f8"

func TestErasedContent(t *testing.T) {
	key, other := []byte("0123456789abcdef"), []byte("fedcba9876543210")
	event := func(content string) *hmx.Event {
		return &hmx.Event{EventType: hmx.TypeMessage, EventID: content, Content: hmx.Raw(content)}
	}
	long, ok := memory.EventMAC(key, event(`{"role":"user","text":"my telephone number is 555-0100"}`))
	if !ok {
		t.Fatal("a content of some length has no hash")
	}
	if got := hex.EncodeToString(long[:]); got != pinnedMAC {
		t.Errorf("the hash is %s, want %s", got, pinnedMAC)
	}
	same, _ := memory.EventMAC(key, event(`{ "text": "my telephone number is \u0035\u0035\u0035-0100", "role":"user" }`))
	if same != long {
		t.Error("the order of names and escapes change the hash")
	}
	if keyed, _ := memory.EventMAC(other, event(`{"role":"user","text":"my telephone number is 555-0100"}`)); keyed == long {
		t.Error("the key does not change the hash")
	}
	for _, content := range []string{`{"role":"assistant","text":"ok"}`, `{"role":"user","text":"yes, please"}`, `{"a_very_long_name_of_a_member_indeed":true}`, `{}`, ``, `{"a":`} {
		if _, ok := memory.EventMAC(key, event(content)); ok {
			t.Errorf("%s can be erased for everybody for ever", content)
		}
	}
	a := &memory.Memory{ID: "1", Type: memory.TypeFact, Text: "my telephone number is 555-0100"}
	b := &memory.Memory{ID: "2", Key: "k", Type: memory.TypeFact, Text: a.Text, Tags: []string{"t"}, Importance: hmx.Some(0.9)}
	c := &memory.Memory{ID: "1", Type: memory.TypeBelief, Text: a.Text}
	for _, m := range []*memory.Memory{a, b, c} {
		m.Normalize()
	}
	macA, okA := memory.BodyMAC(key, a)
	macB, _ := memory.BodyMAC(key, b)
	macC, _ := memory.BodyMAC(key, c)
	if !okA || macA != macB || macA == macC {
		t.Error("a memory's hash is over type, text and data, and nothing else")
	}
	seen := map[record.Hash]string{}
	for name, body := range bodies() {
		body.Normalize()
		mac, ok := memory.BodyMAC(key, body)
		if !ok {
			continue
		}
		if twin, known := seen[mac]; known {
			t.Errorf("%s and %s have the same hash", name, twin)
		}
		seen[mac] = name
		body.SetID("another")
		if f, ok := body.(*memory.Feedback); ok {
			f.Profile = hmx.Some(memory.Profile{Recency: 1}) // set by the engine, not the caller
		}
		if again, _ := memory.BodyMAC(key, body); again != mac {
			t.Errorf("%s: the id or the profile changes the hash", name)
		}
	}
	for _, body := range []memory.Body{
		&memory.Memory{Type: memory.TypePreference, Text: "ok, tabs it is"},
		&memory.Feedback{AgentID: "an-agent-with-quite-a-long-name", Outcome: memory.OutcomeSuccess},
	} {
		body.Normalize()
		if _, ok := memory.BodyMAC(key, body); ok {
			t.Errorf("%+v can be erased for everybody for ever", body)
		}
	}
	if len(seen) < 6 {
		t.Errorf("only %d bodies have a hash", len(seen))
	}
}
