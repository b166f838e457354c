package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/fingerprint"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
	"lukasa.dev/internal/testsize"
)

// printed returns the fingerprint of the tenant acme, or of one of its agents.
func printed(t testing.TB, b *engine.Board, agent string) []byte {
	t.Helper()
	f, err := b.Fingerprint(ctx, engine.FingerprintOptions{Tenant: "acme", Agent: agent})
	if err != nil {
		t.Fatal(err)
	}
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// decoded reads a fingerprint.
func decoded(t testing.TB, data []byte) *fingerprint.Fingerprint {
	t.Helper()
	f, err := fingerprint.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// useful puts feedback of an agent about records.
func useful(t testing.TB, b *engine.Board, id, agent string, outcome memory.Outcome, cited ...memory.URI) {
	t.Helper()
	must(t)(b.Put(ctx, user, "acme", &memory.Feedback{ID: id, AgentID: agent, Outcome: outcome, Cited: cited}, engine.AnyVersion()))
}

func memoryURI(id string) memory.URI {
	return memory.URI{Tenant: "acme", Kind: record.Memory, ID: id}
}

// printBoard is a board with sessions of agents, a compile and feedback.
func printBoard(t testing.TB, fs disk.FS) *engine.Board {
	t.Helper()
	b := openWith(t, "data", small(fs))
	for i := range 12 {
		store(t, b, worked(t, i)...)
	}
	compileNow(t, b, engine.CompileOptions{})
	tagged := fact("cadence", "release/cadence", "Releases are cut every second Tuesday.")
	tagged.Tags = []string{"release", "with space"}
	hidden := fact("mine", "", "Only for the one who wrote it.")
	hidden.Tags, hidden.Visibility = []string{"hidden-tag"}, memory.VisiblePrivate
	must(t)(b.Put(ctx, user, "acme", tagged, engine.AnyVersion()))
	must(t)(b.Put(ctx, user, "acme", hidden, engine.AnyVersion()))
	useful(t, b, "f1", "a1", memory.OutcomeSuccess, memoryURI("cadence"), memoryURI("mine"), eventURI("s001-1"))
	useful(t, b, "f2", "a1", memory.OutcomeSuccess, memoryURI("cadence"))
	useful(t, b, "f3", "a2", memory.OutcomeFailure, memoryURI("cadence"))
	useful(t, b, "f4", "a1", memory.OutcomePartial, memoryURI("cadence"))
	must(t)(b.Put(ctx, outside, "acme", &memory.Feedback{ID: "f5", AgentID: "a1", Outcome: memory.OutcomeSuccess, Cited: []memory.URI{memoryURI("cadence")}}, engine.AnyVersion()))
	return b
}

func TestFingerprint(t *testing.T) {
	fs := disk.NewMem()
	b := printBoard(t, fs)
	data := printed(t, b, "")
	f := decoded(t, data)
	root, err := b.Root(ctx, "acme")
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Origins) != 1 || f.Origins[0].Root != fmt.Sprintf("%x", root.Hash) || f.Origins[0].Size != int64(root.Size) {
		t.Errorf("%+v of %+v", f.Origins, root)
	}
	if f.Behaviour.Tasks != 12 || len(f.Artifacts) == 0 || f.Behaviour.Tools[0].Name != "deploy" || f.Behaviour.Tools[0].Broke != 4 {
		t.Errorf("%+v", f.Behaviour)
	}
	if len(f.Graph.Kinds) == 0 || len(f.Words) == 0 {
		t.Errorf("%+v %+v", f.Graph, f.Words)
	}
	want := fingerprint.Usage{
		Sections: []fingerprint.Use{{Name: "facts", Shown: 3, Used: 2}, {Name: "episodes", Shown: 1, Used: 1}},
		Sources:  []fingerprint.Use{{Name: "memory", Shown: 3, Used: 2}, {Name: "episode", Shown: 1, Used: 1}},
		Tags:     []fingerprint.Use{{Name: "release", Shown: 3, Used: 2}},
		Things:   []fingerprint.Use{{Name: "cadence", Shown: 3, Used: 2}, {Name: "s001-1", Shown: 1, Used: 1}},
	}
	if fmt.Sprint(f.Uses) != fmt.Sprint(want) {
		t.Errorf("%+v", f.Uses)
	}
	// Nothing was written, and a second call gives the same.
	if after, err := b.Root(ctx, "acme"); err != nil || after != root {
		t.Errorf("%+v, before %+v: %v", after, root, err)
	}
	if !bytes.Equal(printed(t, b, ""), data) {
		t.Error("another one the second time")
	}
	sound(t, b)
}

// The same root gives the same bytes: after a restart, without the caches, after a
// rebuild, and where the tenant was imported.
func TestFingerprintRepeats(t *testing.T) {
	testsize.OneGoroutine(t)
	fs := disk.NewMem()
	b := printBoard(t, fs)
	data, own := printed(t, b, ""), printed(t, b, "a1")
	same := func(when string, b *engine.Board) {
		t.Helper()
		if !bytes.Equal(printed(t, b, ""), data) || !bytes.Equal(printed(t, b, "a1"), own) {
			t.Errorf("another one %s", when)
		}
	}
	var out bytes.Buffer
	if _, err := b.Export(ctx, "acme", &out, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = openWith(t, "data", small(fs))
	same("after a restart", b)
	if err := fs.RemoveAll("data/index.traces"); err != nil {
		t.Fatal(err)
	}
	same("without traces", b)
	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	same("after a rebuild", b)
	other := openWith(t, "data", small(disk.NewMem()))
	if _, err := other.Import(ctx, &out, nil); err != nil {
		t.Fatal(err)
	}
	same("where it was imported", other)
	sound(t, b)
	sound(t, other)
}

func TestFingerprintOfAgent(t *testing.T) {
	b := printBoard(t, disk.NewMem())
	list := worked(t, 50)
	for _, ev := range list {
		ev.AgentID = "a2"
	}
	store(t, b, list...)
	one, two := decoded(t, printed(t, b, "a1")), decoded(t, printed(t, b, "a2"))
	if one.Behaviour.Tasks != 12 || two.Behaviour.Tasks != 1 || one.Origins[0].ID == two.Origins[0].ID {
		t.Errorf("%d and %d tasks", one.Behaviour.Tasks, two.Behaviour.Tasks)
	}
	if len(one.Artifacts) == 0 || len(two.Artifacts) != 0 {
		t.Errorf("%d and %d artifacts", len(one.Artifacts), len(two.Artifacts))
	}
	if u := one.Uses.Things; len(u) != 2 || u[0].Used != 2 {
		t.Errorf("%+v", u)
	}
	if u := two.Uses.Things; len(u) != 1 || u[0].Used != 0 {
		t.Errorf("%+v", u)
	}
	for _, agent := range []string{"nobody", "a\x00"} {
		_, err := b.Fingerprint(ctx, engine.FingerprintOptions{Tenant: "acme", Agent: agent})
		if code := fault.CodeOf(err); code != fault.NotFound && code != fault.InvalidArgument {
			t.Errorf("%q: %v", agent, err)
		}
	}
	if _, err := b.Fingerprint(ctx, engine.FingerprintOptions{Tenant: "none"}); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

// Words that are planted in every text field do not occur in it.
func TestFingerprintHasNoText(t *testing.T) {
	b := openWith(t, "data", small(disk.NewMem()))
	for i := range 6 {
		for _, ev := range worked(t, i) {
			text := string(ev.Content)
			for old, with := range map[string]string{"image not found": "canaryerror in line 7", "billing": "billing canaryword%d", "replicas": "canaryresult", "healthy": "canaryhealth"} {
				if strings.Contains(with, "%d") {
					with = fmt.Sprintf(with, i)
				}
				text = strings.ReplaceAll(text, old, with)
			}
			ev.Content = hmx.Raw(text)
			store(t, b, ev)
		}
	}
	compileNow(t, b, engine.CompileOptions{})
	m := fact("m", "canarykey", "A canarytext stands here.")
	m.Tags = []string{"a canarytag here"}
	m.Metadata = `{"canaryfield":"canaryvalue"}`
	must(t)(b.Put(ctx, user, "acme", m, engine.AnyVersion()))
	must(t)(b.Put(ctx, user, "acme", &memory.Entity{ID: "e", Name: "Canaryname", Type: "person", Description: "A canarydescription."}, engine.AnyVersion()))
	must(t)(b.Put(ctx, user, "acme", &memory.Feedback{ID: "f", AgentID: "canaryagent", Outcome: memory.OutcomeSuccess, Cited: []memory.URI{memoryURI("m")}, Note: "A canarynote."}, engine.AnyVersion()))
	data := printed(t, b, "")
	if i := bytes.Index(bytes.ToLower(data), []byte("canary")); i >= 0 {
		t.Errorf("…%s", data[max(0, i-40):min(len(data), i+40)])
	}
	if f := decoded(t, data); len(f.Behaviour.Errors) == 0 || len(f.Uses.Things) == 0 {
		t.Errorf("it has no errors or no uses: %s", data)
	}
}

// An erased record leaves no trace in a fingerprint: it equals that of a board that never
// had it.
func TestFingerprintOfErased(t *testing.T) {
	made := func(more bool) *engine.Board {
		b := openWith(t, "data", small(disk.NewMem()))
		for i := range 6 {
			store(t, b, worked(t, i)...)
		}
		m := fact("kept", "", "Something that is kept.")
		must(t)(b.Put(ctx, user, "acme", m, engine.AnyVersion()))
		useful(t, b, "f1", "a1", memory.OutcomeSuccess, memoryURI("kept"))
		if !more {
			return b
		}
		gone := fact("gone", "", "Something that goes.")
		gone.Tags = []string{"gone-tag"}
		must(t)(b.Put(ctx, user, "acme", gone, engine.AnyVersion()))
		useful(t, b, "f2", "a1", memory.OutcomeSuccess, memoryURI("gone"))
		useful(t, b, "f3", "a1", memory.OutcomeFailure, memoryURI("kept"))
		extra := worked(t, 9)
		store(t, b, extra...)
		printed(t, b, "") // traces are cached
		uris := []memory.URI{memoryURI("gone"), {Tenant: "acme", Kind: record.Feedback, ID: "f3"}}
		for _, ev := range extra {
			uris = append(uris, eventURI(ev.EventID))
		}
		must(t)(b.Redact(ctx, user, uris))
		return b
	}
	want, got := decoded(t, printed(t, made(false), "")), decoded(t, printed(t, made(true), ""))
	got.Origins, want.Origins = nil, nil
	got.Hash, want.Hash = "", ""
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("%+v\nnot\n%+v", got, want)
	}
}

// imported puts a fingerprint.
func imported(t testing.TB, b *engine.Board, w engine.Writer, data []byte, v memory.Visibility) *engine.PutResult {
	t.Helper()
	body := memory.NewFingerprint(data)
	body.Visibility = v
	res, err := b.Put(ctx, w, "acme", body, engine.AnyVersion())
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// praising is a fingerprint by which some sections and tags were always useful, and others
// never.
func praising(t testing.TB, sections, tags map[string]bool) []byte {
	t.Helper()
	var u fingerprint.Usage
	count := func(list *[]fingerprint.Use, of map[string]bool) {
		for name, good := range of {
			use := fingerprint.Use{Name: name, Shown: 50}
			if good {
				use.Used = 50
			}
			*list = append(*list, use)
		}
	}
	count(&u.Sections, sections)
	count(&u.Tags, tags)
	f, err := fingerprint.Make(fingerprint.Input{Tenant: "elsewhere", Uses: u})
	if err != nil {
		t.Fatal(err)
	}
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// guided returns a pack by priors, which must verify and be the same the second time.
func guided(t testing.TB, b *engine.Board, o engine.PackOptions) *engine.Packed {
	t.Helper()
	o.Tenant, o.Query, o.Strategy = "acme", packQuery, hmx.StrategyFingerprintGuided
	p, again := packed(t, b, o), packed(t, b, o)
	if p.Digest != again.Digest {
		t.Errorf("%s, and then %s", p.Digest, again.Digest)
	}
	if o.View.Scope == "" {
		proof, err := b.VerifyPack(ctx, "acme", p.Pack, engine.VerifyPackOptions{})
		if err != nil || len(proof.Problems) > 0 || proof.Remade != engine.RemadeYes {
			t.Errorf("%+v %v", proof, err)
		}
	}
	named := slices.Contains(p.Pack.AssemblyMetadata.RetrievalSources, "fingerprint_priors")
	if named != p.Pack.FingerprintPriors.Set {
		t.Errorf("priors %v, sources %v", p.Pack.FingerprintPriors.Set, p.Pack.AssemblyMetadata.RetrievalSources)
	}
	return p
}

// best returns the section of the entry with the first rank, without pinned ones.
func best(p *engine.Packed) hmx.Section {
	var found *hmx.Entry
	for i := range p.Pack.Entries {
		if e := &p.Pack.Entries[i]; e.Section != hmx.SectionCore && e.Section != hmx.SectionConstraints && e.Section != hmx.SectionGoals && (found == nil || e.Rank < found.Rank) {
			found = e
		}
	}
	return found.Section
}

// Imported priors change which entries come first; without any, the strategy is ranked.
func TestGuidedByFingerprint(t *testing.T) {
	testsize.OneGoroutine(t)
	b, _ := packBoard(t)
	ranked := packed(t, b, engine.PackOptions{Tenant: "acme", Query: packQuery})
	plain := guided(t, b, engine.PackOptions{})
	if plain.Text != ranked.Text || plain.Pack.FingerprintPriors.Set || !strings.Contains(string(plain.Pack.Metadata), "no fingerprint priors") {
		t.Errorf("without priors it is not ranked: %s", plain.Pack.Metadata)
	}
	facts := imported(t, b, user, praising(t, map[string]bool{"facts": true, "episodes": false, "procedures": false}, nil), "")
	one := guided(t, b, engine.PackOptions{})
	if best(one) != hmx.SectionFacts {
		t.Errorf("%s comes first\n%s", best(one), one.Text)
	}
	must(t)(b.Forget(ctx, user, engine.RefOf(facts.URI), "another", engine.AnyVersion()))
	imported(t, b, user, praising(t, map[string]bool{"facts": false, "episodes": true, "procedures": false}, nil), "")
	two := guided(t, b, engine.PackOptions{})
	if best(two) != hmx.SectionEpisodes {
		t.Errorf("%s comes first\n%s", best(two), two.Text)
	}
	// With a small budget, other entries are left.
	others := false
	for budget := 150; budget < 400 && !others; budget += 25 {
		few := guided(t, b, engine.PackOptions{Budget: budget})
		others = few.Text != packed(t, b, engine.PackOptions{Tenant: "acme", Query: packQuery, Budget: budget}).Text
	}
	if !others {
		t.Error("whatever the budget, the text is that of ranked")
	}
	// A pack that does not state its priors, or states priors without having any.
	for _, p := range []*hmx.Pack{copied(t, two.Pack), copied(t, plain.Pack)} {
		list := p.AssemblyMetadata.RetrievalSources
		if p.FingerprintPriors.Set {
			list = list[:len(list)-1]
		} else {
			list = append(list, "fingerprint_priors")
		}
		p.AssemblyMetadata.RetrievalSources = list
		seal(t, p)
		if _, err := b.VerifyPack(ctx, "acme", p, engine.VerifyPackOptions{}); !errors.Is(err, fault.NotProven) || !strings.Contains(err.Error(), "retrieval_sources") {
			t.Errorf("%v: %v", list, err)
		}
	}
	// Priors of the request take precedence, even empty ones.
	none := guided(t, b, engine.PackOptions{Priors: `{}`})
	if none.Pack.FingerprintPriors.Set {
		t.Error(none.Pack.FingerprintPriors.Value)
	}
	sound(t, b)
}

// Tags lead to single records.
func TestGuidedByTags(t *testing.T) {
	b, c := packBoard(t)
	for _, id := range []string{"dull", "praised"} {
		m := fact(id, "", "The deploy of the payment service takes an hour, says "+id+".")
		m.Tags = []string{id}
		must(t)(b.Put(ctx, user, "acme", m, engine.AnyVersion()))
		c.Move(time.Minute)
	}
	rank := func(p *engine.Packed, id string) int64 {
		for _, e := range p.Pack.Entries {
			if e.SourceID == id {
				return e.Rank
			}
		}
		return 1 << 20
	}
	for _, id := range []string{"dull", "praised"} {
		res := imported(t, b, user, praising(t, nil, map[string]bool{id: true}), "")
		p := guided(t, b, engine.PackOptions{})
		other := "praised"
		if id == other {
			other = "dull"
		}
		if rank(p, id) >= rank(p, other) || !strings.Contains(string(p.Pack.FingerprintPriors.Value), `"`+id+`":`) {
			t.Errorf("%s has rank %d, %s has %d: %s", id, rank(p, id), other, rank(p, other), p.Pack.FingerprintPriors.Value)
		}
		must(t)(b.Redact(ctx, user, []memory.URI{res.URI.Head()}))
	}
	if p := guided(t, b, engine.PackOptions{}); p.Pack.FingerprintPriors.Set {
		t.Errorf("erased, and still there: %s", p.Pack.FingerprintPriors.Value)
	}
}

// Without an import the board uses its own feedback.
func TestGuidedByFeedback(t *testing.T) {
	b, _ := packBoard(t)
	for i := range 20 {
		useful(t, b, fmt.Sprint("good", i), "a", memory.OutcomeSuccess, eventURI("talk-1"))
		useful(t, b, fmt.Sprint("bad", i), "a", memory.OutcomeFailure, memoryURI("port"), memory.URI{Tenant: "acme", Kind: record.Artifact, ID: "deploying"})
	}
	p := guided(t, b, engine.PackOptions{})
	if best(p) != hmx.SectionEpisodes || !strings.Contains(string(p.Pack.FingerprintPriors.Value), `"episodes":0.9545`) {
		t.Errorf("%s comes first: %s", best(p), p.Pack.FingerprintPriors.Value)
	}
}

// A fingerprint that is private, hidden by a scope or imported by another agent does not
// guide.
func TestGuidedByWhatIsVisible(t *testing.T) {
	testsize.OneGoroutine(t)
	b, c := packBoard(t)
	coder, other := engine.Writer{Actor: "coder", Trust: record.User}, engine.Writer{Actor: "other", Trust: record.Agent}
	priors := func(o engine.PackOptions) bool { return guided(t, b, o).Pack.FingerprintPriors.Set }
	private := imported(t, b, coder, praising(t, map[string]bool{"facts": true}, nil), memory.VisiblePrivate)
	if !priors(engine.PackOptions{View: engine.View{Agent: "coder"}}) || priors(engine.PackOptions{View: engine.View{Agent: "other"}}) {
		t.Error("what is private guides others, or not its own agent")
	}
	must(t)(b.Redact(ctx, coder, []memory.URI{private.URI.Head()}))
	imported(t, b, other, praising(t, map[string]bool{"episodes": true}, nil), "")
	if !priors(engine.PackOptions{View: engine.View{Agent: "other"}}) || priors(engine.PackOptions{View: engine.View{Agent: "coder"}}) || priors(engine.PackOptions{}) {
		t.Error("what an agent brought in guides others")
	}
	imported(t, b, user, praising(t, map[string]bool{"procedures": true}, nil), "")
	if !priors(engine.PackOptions{}) {
		t.Error("what a user brought in does not guide")
	}
	facts := mint(t, b, c, func(g *scope.Grant) { g.Include.Types = []string{"fact"} })
	more := mint(t, b, c, func(g *scope.Grant) { g.Include.Types = []string{"fact", "fingerprint"} })
	if priors(engine.PackOptions{View: engine.View{Scope: facts}}) || !priors(engine.PackOptions{View: engine.View{Scope: more}}) {
		t.Error("a scope shows what it should not, or hides what it should show")
	}
}

// A pack of the past uses the priors of then.
func TestGuidedInThePast(t *testing.T) {
	b, _ := packBoard(t)
	before, err := b.Root(ctx, "acme")
	if err != nil {
		t.Fatal(err)
	}
	plain := guided(t, b, engine.PackOptions{})
	imported(t, b, user, praising(t, map[string]bool{"facts": true, "episodes": false}, nil), "")
	led := guided(t, b, engine.PackOptions{})
	useful(t, b, "later", "a", memory.OutcomeFailure, memoryURI("port"))
	for size, want := range map[uint64]*engine.Packed{before.Size: plain, before.Size + 1: led} {
		p := guided(t, b, engine.PackOptions{AsOf: engine.AsOf{Position: hmx.Some(size - 1)}})
		if p.Text != want.Text || p.Pack.FingerprintPriors != want.Pack.FingerprintPriors {
			t.Errorf("as of %d: %s", size, p.Pack.FingerprintPriors.Value)
		}
	}
}

func TestImportFingerprint(t *testing.T) {
	testsize.OneGoroutine(t)
	fs := disk.NewMem()
	b := printBoard(t, fs)
	data := printed(t, b, "")
	res := imported(t, b, user, data, "")
	if again := imported(t, b, user, data, ""); !again.Unchanged || again.URI != res.URI {
		t.Errorf("%+v, then %+v", res, again)
	}
	x, err := b.Get(ctx, engine.RefOf(res.URI), engine.View{})
	if err != nil || x.Actor != user.Actor || x.Trust != record.User || !bytes.Equal([]byte(x.Body.(*memory.Fingerprint).Document), data) {
		t.Errorf("%+v %v", x, err)
	}
	// Its own fingerprint makes no difference to the next.
	if f := decoded(t, printed(t, b, "")); fmt.Sprint(f.Uses, f.Artifacts, f.Behaviour) != fmt.Sprint(decoded(t, data).Uses, decoded(t, data).Artifacts, decoded(t, data).Behaviour) {
		t.Error("what was imported is counted as learned here")
	}
	for name, bad := range map[string]string{
		"hash":    strings.Replace(string(data), `"succeeded":`, `"succeeded": 0,"x":`, 1),
		"changed": strings.Replace(string(data), `"tasks":12`, `"tasks":13`, 1),
		"nothing": "", "no object": "[]", "other": `{"lukasa_fingerprint":2}`,
	} {
		if bad == string(data) {
			t.Fatalf("%s: nothing was changed", name)
		}
		if _, err := b.Put(ctx, user, "acme", memory.NewFingerprint([]byte(bad)), engine.AnyVersion()); fault.CodeOf(err) != fault.InvalidDocument && fault.CodeOf(err) != fault.NewerFormat {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A document with the right hash that is not a fingerprint.
	odd := `{"hash":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}`
	if err := memory.NewFingerprint([]byte(odd)).Validate(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Put(ctx, user, "acme", memory.NewFingerprint([]byte(odd)), engine.AnyVersion()); !errors.Is(err, fault.InvalidDocument) {
		t.Error(err)
	}
	// It survives a restart, a rebuild and a transfer, and stays erased.
	var out bytes.Buffer
	if _, err := b.Export(ctx, "acme", &out, nil); err != nil {
		t.Fatal(err)
	}
	other := openWith(t, "data", small(disk.NewMem()))
	if _, err := other.Import(ctx, &out, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = openWith(t, "data", small(fs))
	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	for _, b := range []*engine.Board{b, other} {
		if x, err := b.Get(ctx, engine.RefOf(res.URI), engine.View{}); err != nil || string(x.Body.(*memory.Fingerprint).Document) != string(data) {
			t.Error(err)
		}
		must(t)(b.Redact(ctx, user, []memory.URI{res.URI.Head()}))
		if _, err := b.Put(ctx, user, "acme", memory.NewFingerprint(data), engine.AnyVersion()); !errors.Is(err, fault.Erased) {
			t.Error(err)
		}
		copied := memory.NewFingerprint(data)
		copied.ID = "another"
		if _, err := b.Put(ctx, user, "acme", copied, engine.AnyVersion()); !errors.Is(err, fault.Erased) {
			t.Errorf("under another id: %v", err)
		}
		sound(t, b)
	}
}
