package engine_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/compile"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
	"lukasa.dev/internal/testsize"
)

// learned returns a board with compiled sessions.
func learned(t testing.TB, sessions int) *engine.Board {
	t.Helper()
	b := open(t, disk.NewMem(), "data")
	for i := range sessions {
		store(t, b, worked(t, i)...)
	}
	compileNow(t, b, engine.CompileOptions{})
	return b
}

// artifactsOf returns the artifacts of a list.
func artifactsOf(t testing.TB, b *engine.Board, o engine.ArtifactOptions) (list []*hmx.Artifact) {
	t.Helper()
	o.Tenant = "acme"
	for {
		page, err := b.Artifacts(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range page.Artifacts {
			if _, err := x.Artifact.Validate(); err != nil {
				t.Errorf("%s: %v", x.URI, err)
			}
			list = append(list, x.Artifact)
		}
		if o.After = page.Next; o.After == "" {
			return list
		}
	}
}

// decided sets the status of an artifact.
func decided(t testing.TB, b *engine.Board, id string, to hmx.Status) *engine.ArtifactDecided {
	t.Helper()
	out, err := b.DecideArtifact(ctx, user, engine.ArtifactDecision{Tenant: "acme", ID: id, To: to, Reason: "the test says so"})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// draft returns a policy that a person wrote as a draft, which may supersede another.
func draft(t testing.TB, id, supersedes string, version int64, events ...string) *memory.Artifact {
	t.Helper()
	a := compiled(t, id, "How to ship "+id, &hmx.DecisionPolicy{Condition: "Before shipping", Recommendation: "run " + id}, events...)
	a.HMX.Status, a.HMX.Version = hmx.StatusDraft, version
	if supersedes != "" {
		a.HMX.Supersedes = hmx.Some(supersedes)
	}
	return a
}

func TestArtifacts(t *testing.T) {
	b := learned(t, 12)
	active := artifactsOf(t, b, engine.ArtifactOptions{})
	all := artifactsOf(t, b, engine.ArtifactOptions{Any: true, Limit: 3})
	if len(active) == 0 || len(all) < len(active) || len(all) != len(listed(t, b, record.Artifact)) {
		t.Fatalf("%d active of %d", len(active), len(all))
	}
	for _, o := range []engine.ArtifactOptions{
		{Type: hmx.TypeFailurePlaybook}, {Status: hmx.StatusDraft}, {Any: true, MinConfidence: 0.5}, {Tag: "deploy"}, {Type: hmx.TypeTaskSchema, Tag: "deploy", MinConfidence: 0.1},
	} {
		want := 0
		for _, a := range all {
			is := o.Status
			if is == "" {
				is = hmx.StatusActive
			}
			if (o.Type == "" || a.ArtifactType == o.Type) && (o.Any || a.Status == is) && a.Confidence >= o.MinConfidence && (o.Tag == "" || slices.Contains(a.Tags, o.Tag)) {
				want++
			}
		}
		if got := artifactsOf(t, b, o); len(got) != want {
			t.Errorf("%+v: %d, want %d", o, len(got), want)
		}
	}
	for _, o := range []engine.ArtifactOptions{
		{Tenant: "acme", Status: "new"}, {Tenant: "acme", Type: "recipe"}, {Tenant: "acme", MinConfidence: 1.5}, {Tenant: "acme", MinConfidence: math.NaN()}, {Tenant: "acme", Any: true, Status: "draft"},
		{Tenant: "acme", Limit: 1001}, {Tenant: "acme", After: "?"},
	} {
		if _, err := b.Artifacts(ctx, o); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestArtifactDetail(t *testing.T) {
	b := learned(t, 12)
	a := artifactsOf(t, b, engine.ArtifactOptions{Type: hmx.TypeTaskSchema})[0]
	d, err := b.Artifact(ctx, "acme", a.ArtifactID, engine.View{})
	if err != nil {
		t.Fatal(err)
	}
	if !d.HashVerified || d.Events != len(a.SourceEvents) || d.Events == 0 || d.MissingCount != 0 || d.Actor != engine.Compiler || len(d.Changes) != 2 || d.Changes[1].Reason == "" {
		t.Errorf("%+v", d)
	}
	gone := a.SourceEvents[1]
	must(t)(b.Redact(ctx, user, []memory.URI{{Tenant: "acme", Kind: record.Event, ID: gone}}))
	if d, err = b.Artifact(ctx, "acme", a.ArtifactID, engine.View{}); err != nil || d.MissingCount != 1 || d.Missing[0].ID != gone {
		t.Errorf("%+v %v", d, err)
	}
	for id, code := range map[string]fault.Code{"nobody": fault.NotFound, "": fault.InvalidArgument} {
		for what, err := range map[string]error{
			"show": second(b.Artifact(ctx, "acme", id, engine.View{})), "chain": second(b.ArtifactChain(ctx, "acme", id, engine.View{})),
			"diff":   second(b.DiffArtifacts(ctx, "acme", a.ArtifactID, id, engine.View{})),
			"decide": second(b.DecideArtifact(ctx, user, engine.ArtifactDecision{Tenant: "acme", ID: id, To: hmx.StatusActive})),
		} {
			if fault.CodeOf(err) != code {
				t.Errorf("%s %q: %v", what, id, err)
			}
		}
	}
}

// TestArtifactChain follows versions that compiles made, and shows the differences
// between them.
func TestArtifactChain(t *testing.T) {
	b := learned(t, 6)
	first := artifactsOf(t, b, engine.ArtifactOptions{Type: hmx.TypeFailurePlaybook})[0]
	for i := range 30 {
		store(t, b, worked(t, 6+i)...)
		if i%10 == 9 {
			compileNow(t, b, engine.CompileOptions{})
		}
	}
	chain, err := b.ArtifactChain(ctx, "acme", first.ArtifactID, engine.View{})
	if err != nil || len(chain) < 3 {
		t.Fatalf("%d versions, %v", len(chain), err)
	}
	for i, x := range chain {
		last := x.Changes[len(x.Changes)-1]
		a := x.Artifact
		switch {
		case a.Version != int64(i+1), last.Status != a.Status, last.Reason == "", len(x.Changes) < 2:
			t.Errorf("version %d: %+v", i+1, x)
		case i < len(chain)-1 && (last.SupersededBy != chain[i+1].Artifact.ArtifactID || a.SupersededBy.Value != last.SupersededBy || a.Status != hmx.StatusSuperseded):
			t.Errorf("version %d is superseded by %+v", i+1, last)
		}
	}
	newest := chain[len(chain)-1].Artifact
	d, err := b.DiffArtifacts(ctx, "acme", "", newest.ArtifactID, engine.View{})
	if err != nil || d.From.Artifact.ArtifactID != newest.Supersedes.Value || d.EventsAdded == 0 {
		t.Fatalf("%+v %v", d, err)
	}
	found := false
	for _, c := range d.Changes {
		found = found || c.Path == "content.count" && c.Op == engine.DiffChange && string(c.From) != string(c.To)
		if strings.Contains(c.Path, "source_events") || strings.Contains(c.Path, "content_hash") {
			t.Errorf("%+v", c)
		}
	}
	if !found {
		t.Errorf("%+v", d.Changes)
	}
	if _, err := b.DiffArtifacts(ctx, "acme", "", first.ArtifactID, engine.View{}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("the first has none before: %v", err)
	}
	same, err := b.DiffArtifacts(ctx, "acme", newest.ArtifactID, newest.ArtifactID, engine.View{})
	if err != nil || len(same.Changes)+same.EventsAdded+same.EventsRemoved != 0 {
		t.Errorf("%+v %v", same, err)
	}
}

func TestDiffArtifacts(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	store(t, b, stated(t, "e1", 1, "Ship it."), stated(t, "e2", 2, "Ship it again."))
	step := func(what string, optional bool) hmx.TaskStep {
		return hmx.TaskStep{Description: what, Optional: hmx.Some(optional)}
	}
	one := compiled(t, "one", "Shipping", &hmx.TaskSchema{Steps: []hmx.TaskStep{step("build", false), step("test", false), step("ship", false)}, ToolsUsed: []string{"make"}}, "e1")
	two := compiled(t, "two", "Shipping", &hmx.TaskSchema{Steps: []hmx.TaskStep{step("test", true), step("build", false), step("sign", false)}, ToolsUsed: []string{"make", "gpg"}}, "e2")
	for _, a := range []*memory.Artifact{one, two} {
		must(t)(b.Put(ctx, user, "acme", a, engine.AnyVersion()))
	}
	d, err := b.DiffArtifacts(ctx, "acme", "one", "two", engine.View{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range d.Changes {
		got = append(got, fmt.Sprintf("%s %s %s %s", c.Op, c.Path, c.From, c.To))
	}
	want := []string{
		`change content.steps[test].optional false true`,
		`remove content.steps[ship] {"description":"ship","optional":false} `,
		`add content.steps[sign]  {"description":"sign","optional":false}`,
		`order content.steps ["build","test"] ["test","build"]`,
		`add content.tools_used  "gpg"`,
	}
	if !slices.Equal(got, want) || d.EventsAdded != 1 || d.EventsRemoved != 1 {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// TestApprove approves what may be approved, and refuses everything else with a reason.
func TestApprove(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	store(t, b, stated(t, "e1", 1, "Ship it."), stated(t, "e2", 2, "Ship it again."))
	put := func(a *memory.Artifact) {
		t.Helper()
		must(t)(b.Put(ctx, user, "acme", a, engine.AnyVersion()))
	}
	put(draft(t, "v1", "", 1, "e1"))
	if out := decided(t, b, "v1", hmx.StatusActive); out.From != hmx.StatusDraft || out.To != hmx.StatusActive || !out.Superseded.IsZero() {
		t.Errorf("%+v", out)
	}
	put(draft(t, "v2", "v1", 2, "e1", "e2"))
	put(draft(t, "other", "v1", 2, "e1"))
	if out := decided(t, b, "v2", hmx.StatusActive); out.Superseded.ID != "v1" {
		t.Errorf("%+v", out)
	}
	lifecycle(t, b)
	chain, err := b.ArtifactChain(ctx, "acme", "v1", engine.View{})
	if err != nil || len(chain) != 3 || chain[0].Artifact.Status != hmx.StatusSuperseded || chain[0].Changes[2].Actor != user.Actor || chain[0].Changes[2].Reason != "the test says so" {
		t.Errorf("%+v %v", chain, err)
	}
	put(draft(t, "bare", "", 1))
	put(draft(t, "lost", "", 1, "e1", "nowhere"))
	put(draft(t, "low", "v2", 2, "e1"))
	put(draft(t, "fought", "", 1, "e1"))
	must(t)(b.Put(ctx, user, "acme", &memory.Conflict{ID: "c", Between: []memory.URI{uri(record.Artifact, "fought"), uri(record.Artifact, "v2")}, Summary: "They differ."}, engine.AnyVersion()))
	put(draft(t, "away", "", 1, "e1"))
	decided(t, b, "away", hmx.StatusActive)
	decided(t, b, "away", hmx.StatusArchived)
	put(draft(t, "heir", "away", 2, "e1"))
	for _, c := range []struct {
		id     string
		to     hmx.Status
		reason string
		say    string
	}{
		{"bare", "active", "", "names nothing that it was made of"},
		{"lost", "active", "", "1 of the 2 records that it was made of are not on record, such as lukasa://acme/event/nowhere"},
		{"fought", "active", "", "is contradicted: lukasa://acme/conflict/c"},
		{"low", "active", "", "has version 2 but supersedes version 2 (HMX-A/2.1)"},
		{"other", "active", "", "supersedes v1, which does not name it back (HMX-A/7.5)"},
		{"heir", "active", "", "supersedes away, which does not name it back (HMX-A/7.5)"},
		{"v2", "active", "", "artifact v2 is active already"},
		{"v1", "active", "", "an artifact that is superseded cannot become active: superseded is final"},
		{"v1", "archived", "x", "superseded is final"},
		{"other", "archived", "x", "an artifact that is draft cannot become archived: allowed are active, deprecated"},
		{"v2", "deprecated", " ", "reason: there is none"},
		{"v2", "superseded", "x", `to: is "superseded", which cannot be set by hand`},
		{"v2", "archived", strings.Repeat("x", memory.MaxReason+1), "reason: has 4097 bytes"},
	} {
		_, err := b.DecideArtifact(ctx, user, engine.ArtifactDecision{Tenant: "acme", ID: c.id, To: c.to, Reason: c.reason})
		if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(fmt.Sprint(err), c.say) || fault.From(err).Advice() == "" {
			t.Errorf("%s to %s: %v", c.id, c.to, err)
		}
	}
	// A lower tier, and an unexpected version.
	low := engine.Writer{Actor: "bot", Trust: record.Tool}
	if _, err := b.DecideArtifact(ctx, low, engine.ArtifactDecision{Tenant: "acme", ID: "v2", To: "archived", Reason: "x"}); fault.CodeOf(err) != fault.Untrusted {
		t.Errorf("by a tool: %v", err)
	}
	if _, err := b.DecideArtifact(ctx, user, engine.ArtifactDecision{Tenant: "acme", ID: "v2", To: "archived", Reason: "x", Expect: engine.Version(7)}); fault.CodeOf(err) != fault.VersionConflict {
		t.Errorf("at another version: %v", err)
	}
	// A conflict that it won, or that was dismissed, does not count against it.
	must(t)(b.SettleConflict(ctx, user, engine.ConflictSettlement{Tenant: "acme", ID: "c", Winner: uri(record.Artifact, "v2"), Resolution: "v2 is better"}))
	if _, err := b.DecideArtifact(ctx, user, engine.ArtifactDecision{Tenant: "acme", ID: "fought", To: "active"}); !strings.Contains(fmt.Sprint(err), "is contradicted") {
		t.Errorf("it has lost: %v", err)
	}
	must(t)(b.SettleConflict(ctx, user, engine.ConflictSettlement{Tenant: "acme", ID: "c", Winner: uri(record.Artifact, "fought"), Resolution: "it is better after all"}))
	decided(t, b, "fought", hmx.StatusActive)
	lifecycle(t, b)
	sound(t, b)
}

// TestChainsStayWhole refuses what would break a chain, for every writer.
func TestChainsStayWhole(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	store(t, b, stated(t, "e1", 1, "Ship it."))
	try := func(what string, want fault.Code, err error) {
		t.Helper()
		if fault.CodeOf(err) != want {
			t.Errorf("%s: %v", what, err)
		}
	}
	active := func(id, supersedes string, version int64) *memory.Artifact {
		a := draft(t, id, supersedes, version, "e1")
		a.HMX.Status = hmx.StatusActive
		return a
	}
	put := func(a *memory.Artifact) error { return second(b.Put(ctx, user, "acme", a, engine.AnyVersion())) }
	turn := func(id string, to hmx.Status, by string) error {
		return second(b.Transition(ctx, user, engine.Ref{Tenant: "acme", ID: id}, to, by, "", engine.AnyVersion()))
	}
	try("one", "", put(active("a", "", 1)))
	try("another one", "", put(active("b", "", 1)))
	try("two active in a chain", fault.InvalidArgument, put(active("c", "a", 2)))
	try("superseded by one that does not say so", fault.InvalidArgument, turn("a", hmx.StatusSuperseded, "b"))
	try("a proposal", "", put(draft(t, "d", "a", 2, "e1")))
	try("another proposal", "", put(draft(t, "e", "a", 2, "e1")))
	try("activated while the other is active", fault.InvalidArgument, turn("d", hmx.StatusActive, ""))
	try("superseded", "", turn("a", hmx.StatusSuperseded, "d"))
	try("activated", "", turn("d", hmx.StatusActive, ""))
	try("a branch", fault.InvalidArgument, turn("e", hmx.StatusActive, ""))
	try("a cycle", fault.InvalidArgument, turn("d", hmx.StatusSuperseded, "a"))
	try("a lower version", "", put(draft(t, "f", "d", 2, "e1")))
	try("superseded by it", fault.InvalidArgument, turn("d", hmx.StatusSuperseded, "f"))
	try("deprecated", "", turn("f", hmx.StatusDeprecated, ""))
	lifecycle(t, b)
}

// lifecycle fails the test if artifacts break a rule: each is valid in its current state
// and matches its hash, and no chain has a fault or two active artifacts.
func lifecycle(t interface {
	Helper()
	Errorf(string, ...any)
	Fatal(...any)
}, b *engine.Board) {
	t.Helper()
	var all []*hmx.Artifact
	o := engine.ArtifactOptions{Tenant: "acme", Any: true, Limit: 1000, View: engine.View{Now: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}}
	page, err := b.Artifacts(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	keys := make(map[string]string)
	for _, x := range page.Artifacts {
		a := x.Artifact
		if _, err := a.Validate(); err != nil {
			t.Errorf("%s: %v", a.ArtifactID, err)
		}
		d, err := b.Artifact(ctx, "acme", a.ArtifactID, engine.View{})
		if err != nil || !d.HashVerified || d.Changes[len(d.Changes)-1].Status != a.Status {
			t.Errorf("%s: %+v %v", a.ArtifactID, d, err)
		}
		if key, ok := compile.KeyOf(a); ok && a.Status == hmx.StatusActive {
			if keys[key] != "" {
				t.Errorf("%s and %s are both active", keys[key], a.ArtifactID)
			}
			keys[key] = a.ArtifactID
		}
		if !a.TenantID.Set {
			a.TenantID = hmx.Some("acme")
		}
		all = append(all, a)
	}
	if _, faults := hmx.NewChain(all); len(faults) > 0 {
		t.Errorf("%v", faults)
	}
}

// TestPutAwayStays archives and deprecates compiled artifacts, and compiles on: none of
// them comes back, though the counts grow and so the content changes.
func TestPutAwayStays(t *testing.T) {
	for _, to := range []hmx.Status{hmx.StatusArchived, hmx.StatusDeprecated} {
		b := learned(t, 6)
		before := artifactsOf(t, b, engine.ArtifactOptions{})
		for _, a := range before {
			decided(t, b, a.ArtifactID, to)
		}
		for i := range 24 {
			store(t, b, worked(t, 6+i)...)
			compileNow(t, b, engine.CompileOptions{})
		}
		keys := make(map[string]bool)
		for _, a := range before {
			key, _ := compile.KeyOf(a)
			keys[key] = true
		}
		for _, a := range artifactsOf(t, b, engine.ArtifactOptions{}) {
			if key, _ := compile.KeyOf(a); keys[key] {
				t.Errorf("%s: %q came back as %s: %s", to, key, a.ArtifactID, a.Title)
			}
		}
		for _, a := range before {
			if d, err := b.Artifact(ctx, "acme", a.ArtifactID, engine.View{}); err != nil || d.Artifact.Status != to {
				t.Errorf("%s: %+v %v", a.ArtifactID, d, err)
			}
		}
		lifecycle(t, b)
		if again := compileNow(t, b, engine.CompileOptions{Full: true}); len(again.Changes) > 0 {
			t.Errorf("again: %+v", again.Changes)
		}
	}
}

// TestForgottenStays forgets compiled artifacts.
func TestForgottenStays(t *testing.T) {
	b := learned(t, 6)
	a := artifactsOf(t, b, engine.ArtifactOptions{Type: hmx.TypeFailurePlaybook})[0]
	key, _ := compile.KeyOf(a)
	must(t)(b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Artifact, ID: a.ArtifactID}, "no", engine.AnyVersion()))
	if r := compileNow(t, b, engine.CompileOptions{}); len(r.Changes) > 0 {
		t.Errorf("%+v", r.Changes)
	}
	for i := range 12 {
		store(t, b, worked(t, 6+i)...)
	}
	compileNow(t, b, engine.CompileOptions{})
	for _, other := range artifactsOf(t, b, engine.ArtifactOptions{}) {
		if same, _ := compile.KeyOf(other); same == key {
			t.Errorf("it came back as %s", other.ArtifactID)
		}
	}
}

// shipped returns the events of a session that deploys and then calls another tool.
func shipped(t testing.TB, session int, then string) []*hmx.Event {
	t.Helper()
	name, seq := fmt.Sprintf("t%03d", session), int64(0)
	var list []*hmx.Event
	add := func(kind, content string) {
		seq++
		text := fmt.Sprintf(`{"hmx_version":"HMX-1.0","event_id":"%s-%d","event_type":%q,"agent_id":"a1","tenant_id":"acme","session_id":%q,"timestamp":"2026-11-16T%02d:%02d:%02dZ","sequence":%d,"content":%s,"metadata":{}}`,
			name, seq, kind, name, session/60, session%60, seq, seq, content)
		ev, _, err := hmx.DecodeEvent([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, ev)
	}
	add("message", fmt.Sprintf(`{"role":"user","text":"Deploy build %d once more."}`, session))
	for i, tool := range []string{"deploy", then} {
		add("tool_call", fmt.Sprintf(`{"tool_name":%q,"arguments":{"build":%d},"call_id":"c%d"}`, tool, session, i))
		add("tool_result", fmt.Sprintf(`{"tool_name":%q,"call_id":"c%d","success":true,"result":{"text":"done %d"}}`, tool, i, session))
	}
	add("feedback", fmt.Sprintf(`{"rating":"positive","target_event_id":"%s-1"}`, name))
	return list
}

// TestApprovedStays archives a policy, approves a draft with another content, and
// compiles on: the draft stays active, and a further change waits as a draft that would
// supersede it.
func TestApprovedStays(t *testing.T) {
	testsize.Long(t, "it compiles many histories")
	b := learned(t, 6)
	next := 0
	ship := func(n int, then string) {
		t.Helper()
		for range n {
			store(t, b, shipped(t, next, then)...)
			if next++; next%4 == 0 {
				compileNow(t, b, engine.CompileOptions{})
				lifecycle(t, b)
			}
		}
		compileNow(t, b, engine.CompileOptions{})
		if again := compileNow(t, b, engine.CompileOptions{Full: true}); len(again.Changes) > 0 {
			t.Errorf("again: %+v", again.Changes)
		}
		lifecycle(t, b)
	}
	of := func(status hmx.Status) (list []*hmx.Artifact) {
		t.Helper()
		for _, a := range artifactsOf(t, b, engine.ArtifactOptions{Status: status, Type: hmx.TypeDecisionPolicy}) {
			if a.Title == "What follows deploy" {
				list = append(list, a)
			}
		}
		return list
	}
	one := func(status hmx.Status, recommends string) *hmx.Artifact {
		t.Helper()
		list := of(status)
		if len(list) != 1 {
			t.Fatalf("%d are %s", len(list), status)
		}
		if p, _ := list[0].DecisionPolicy(); p.Recommendation != recommends {
			t.Fatalf("it recommends %q, want %q", p.Recommendation, recommends)
		}
		return list[0]
	}
	archived := one(hmx.StatusActive, "check_health")
	decided(t, b, archived.ArtifactID, hmx.StatusArchived)
	ship(12, "notify")
	waiting := one(hmx.StatusDraft, "notify")
	if len(of(hmx.StatusActive)) > 0 || waiting.Supersedes.Set {
		t.Errorf("%+v", waiting)
	}
	ship(8, "notify") // the counts grow
	if again := one(hmx.StatusDraft, "notify"); again.ArtifactID != waiting.ArtifactID {
		t.Errorf("a draft took the place of one that says the same")
	}
	if out := decided(t, b, waiting.ArtifactID, hmx.StatusActive); !out.Superseded.IsZero() {
		t.Errorf("%+v", out)
	}
	ship(16, "notify")
	if again := one(hmx.StatusActive, "notify"); again.ArtifactID != waiting.ArtifactID || len(of(hmx.StatusDraft)) > 0 {
		t.Errorf("what was approved is no longer active")
	}
	ship(80, "page")
	proposed := one(hmx.StatusDraft, "page")
	if one(hmx.StatusActive, "notify"); proposed.Supersedes.Value != waiting.ArtifactID {
		t.Errorf("%+v", proposed.Supersedes)
	}
	if out := decided(t, b, proposed.ArtifactID, hmx.StatusActive); out.Superseded.ID != waiting.ArtifactID {
		t.Errorf("%+v", out)
	}
	ship(4, "page")
	if len(of(hmx.StatusArchived)) != 1 || len(of(hmx.StatusSuperseded)) != 1 {
		t.Errorf("archived %v, superseded %v", of(hmx.StatusArchived), of(hmx.StatusSuperseded))
	}
	// Without its evidence it ends.
	active := one(hmx.StatusActive, "page")
	must(t)(b.Redact(ctx, user, []memory.URI{uri(record.Event, active.SourceEvents[0])}))
	compileNow(t, b, engine.CompileOptions{})
	if d, err := b.Artifact(ctx, "acme", active.ArtifactID, engine.View{}); err != nil || d.Artifact.Status == hmx.StatusActive {
		t.Errorf("without its evidence: %+v %v", d, err)
	}
	chained(t, b)
	lifecycle(t, b)
}

// TestDecideDuringCompile archives an artifact after a compile has planned to supersede
// it: it stays archived, and the next version does not become active.
func TestDecideDuringCompile(t *testing.T) {
	b := learned(t, 6)
	for i := range 12 {
		store(t, b, worked(t, 6+i)...)
	}
	before := artifactsOf(t, b, engine.ArtifactOptions{})
	engine.CompileApart(b, 1)
	compileMeanwhile(t, b, func() {
		for _, a := range before {
			decided(t, b, a.ArtifactID, hmx.StatusArchived)
		}
	})
	lifecycle(t, b)
	keys := make(map[string]bool)
	archived := 0
	for _, a := range before {
		if d, err := b.Artifact(ctx, "acme", a.ArtifactID, engine.View{}); err == nil && d.Artifact.Status == hmx.StatusArchived {
			key, _ := compile.KeyOf(a)
			keys[key] = true
			archived++
		}
	}
	if archived < len(before)-1 {
		t.Fatalf("%d of %d are archived", archived, len(before))
	}
	compileNow(t, b, engine.CompileOptions{})
	for _, a := range artifactsOf(t, b, engine.ArtifactOptions{}) {
		if key, _ := compile.KeyOf(a); keys[key] {
			t.Errorf("%q came back as %s", key, a.ArtifactID)
		}
	}
	lifecycle(t, b)
}

// TestArtifactsUnderAScope shows and changes what a scope allows, and nothing else.
func TestArtifactsUnderAScope(t *testing.T) {
	clock := newClock()
	b := openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: clock.Now})
	store(t, b, stated(t, "e1", 1, "Ship it."))
	for _, id := range []string{"open", "secret"} {
		a := draft(t, id, "", 1, "e1")
		a.HMX.Tags = []string{id}
		must(t)(b.Put(ctx, user, "acme", a, engine.AnyVersion()))
	}
	must(t)(b.Put(ctx, user, "acme", &memory.Conflict{ID: "c", Between: []memory.URI{uri(record.Artifact, "open"), uri(record.Artifact, "secret")}, Summary: "They differ."}, engine.AnyVersion()))
	token := mint(t, b, clock, func(g *scope.Grant) {
		g.Include.All, g.Mode, g.Exclude.Tags, g.Trust = true, scope.Write, []string{"secret"}, record.User
	})
	v, w := engine.View{Scope: token}, engine.Writer{Trust: record.User, Scope: token}
	page, err := b.Artifacts(ctx, engine.ArtifactOptions{Tenant: "acme", Any: true, View: v})
	if err != nil || len(page.Artifacts) != 1 || page.Artifacts[0].URI.ID != "open" {
		t.Errorf("%+v %v", page, err)
	}
	conflict, err := b.Conflict(ctx, "acme", "c", v)
	if err != nil || conflict.Sides[0].Text == "" || conflict.Sides[1].Text != "" {
		t.Errorf("%+v %v", conflict, err)
	}
	for what, err := range map[string]error{
		"show": second(b.Artifact(ctx, "acme", "secret", v)), "chain": second(b.ArtifactChain(ctx, "acme", "secret", v)), "diff": second(b.DiffArtifacts(ctx, "acme", "open", "secret", v)),
	} {
		if fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%s what is hidden: %v", what, err)
		}
	}
	if _, err := b.DecideArtifact(ctx, w, engine.ArtifactDecision{Tenant: "acme", ID: "secret", To: "deprecated", Reason: "x"}); fault.CodeOf(err) != fault.OutOfScope {
		t.Errorf("deprecate what is hidden: %v", err)
	}
	if _, err := b.DecideArtifact(ctx, w, engine.ArtifactDecision{Tenant: "acme", ID: "secret", To: "active"}); fault.CodeOf(err) != fault.OutOfScope {
		t.Errorf("approve what is hidden: %v", err)
	}
	if got := violations(t, b); len(got) != 1 {
		t.Errorf("the violations are %v", got)
	}
	if _, err := b.DecideArtifact(ctx, w, engine.ArtifactDecision{Tenant: "acme", ID: "open", To: "deprecated", Reason: "x"}); err != nil {
		t.Errorf("deprecate what is open: %v", err)
	}
	reads := mint(t, b, clock, func(g *scope.Grant) { g.Include.All = true })
	if _, err := b.DecideArtifact(ctx, engine.Writer{Scope: reads}, engine.ArtifactDecision{Tenant: "acme", ID: "secret", To: "deprecated", Reason: "x"}); fault.CodeOf(err) != fault.OutOfScope {
		t.Errorf("a scope that reads: %v", err)
	}
}

func TestConflicts(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	must(t)(b.Put(ctx, user, "acme", &memory.Memory{ID: "tabs", Type: memory.TypeConstraint, Text: "Always use tabs.", Data: &memory.Constraint{Strength: memory.StrengthFirm}}, engine.AnyVersion()))
	must(t)(b.Put(ctx, user, "acme", &memory.Memory{ID: "spaces", Type: memory.TypeConstraint, Text: "Never use tabs.", Data: &memory.Constraint{Strength: memory.StrengthFirm}}, engine.AnyVersion()))
	compileNow(t, b, engine.CompileOptions{})
	page, err := b.Conflicts(ctx, engine.ConflictOptions{Tenant: "acme"})
	if err != nil || len(page.Conflicts) != 1 {
		t.Fatalf("%+v %v", page, err)
	}
	id := page.Conflicts[0].URI.ID
	x, err := b.Conflict(ctx, "acme", id, engine.View{})
	if err != nil || len(x.Sides) != 2 || x.Sides[0].Text == "" || x.Sides[1].Trust != record.User || x.Sides[0].URI.ID != "spaces" {
		t.Fatalf("%+v %v", x, err)
	}
	for what, s := range map[string]engine.ConflictSettlement{
		"no reason":        {Tenant: "acme", ID: id, Resolution: "  "},
		"a stranger wins":  {Tenant: "acme", ID: id, Winner: uri(record.Memory, "nobody"), Resolution: "x"},
		"dismissed, a win": {Tenant: "acme", ID: id, Winner: uri(record.Memory, "tabs"), Dismiss: true, Resolution: "x"},
	} {
		if _, err := b.SettleConflict(ctx, user, s); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := b.SettleConflict(ctx, user, engine.ConflictSettlement{Tenant: "acme", ID: "nobody", Resolution: "x"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("none: %v", err)
	}
	must(t)(b.SettleConflict(ctx, user, engine.ConflictSettlement{Tenant: "acme", ID: id, Winner: uri(record.Memory, "tabs"), Resolution: "the formatter decides"}))
	compileNow(t, b, engine.CompileOptions{})
	for status, n := range map[memory.ConflictStatus]int{"": 0, memory.ConflictResolved: 1, memory.ConflictDismissed: 0} {
		page, err := b.Conflicts(ctx, engine.ConflictOptions{Tenant: "acme", Status: status})
		if err != nil || len(page.Conflicts) != n {
			t.Errorf("%q: %+v %v", status, page, err)
		}
	}
	if x, err = b.Conflict(ctx, "acme", id, engine.View{}); err != nil || x.Conflict().Winner.ID != "tabs" || x.Conflict().Resolution != "the formatter decides" {
		t.Errorf("%+v %v", x, err)
	}
	must(t)(b.SettleConflict(ctx, user, engine.ConflictSettlement{Tenant: "acme", ID: id, Dismiss: true, Resolution: "one is about tables"}))
	must(t)(b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "tabs"}, "", engine.AnyVersion()))
	if x, err = b.Conflict(ctx, "acme", id, engine.View{}); err != nil || x.Status != "dismissed" || !x.Conflict().Winner.IsZero() || x.Sides[1].State != "forgotten" {
		t.Errorf("%+v %v", x, err)
	}
	if _, err := b.Conflicts(ctx, engine.ConflictOptions{Tenant: "acme", Status: "odd"}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Error(err)
	}
}
