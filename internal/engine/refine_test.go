package engine_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/refine"
	"lukasa.dev/internal/scope"
)

// chatServer is a language model behind a server with the real protocol. Its title of
// an artifact is the existing one, in brackets.
type chatServer struct {
	*httptest.Server
	requests atomic.Int64
	down     atomic.Bool // answers 503
	refused  string      // what contains it is refused
	before   func(data string)
	mu       sync.Mutex
	data     []string // the received data
}

func newChatServer(t testing.TB) *chatServer {
	s := &chatServer{refused: "poison"}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

func (s *chatServer) answer(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	var q struct {
		Messages []struct{ Content string }
	}
	var of struct{ Title, Type string }
	err := json.NewDecoder(r.Body).Decode(&q)
	if err == nil && len(q.Messages) == 2 {
		err = json.Unmarshal([]byte(q.Messages[1].Content), &of)
	}
	switch {
	case s.down.Load():
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	case err != nil || r.URL.Path != "/v1/chat/completions" || len(q.Messages) != 2:
		http.Error(w, "what?", http.StatusNotFound)
		return
	case strings.Contains(q.Messages[1].Content, s.refused):
		http.Error(w, `{"error":{"message":"I do not read that"}}`, http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.data = append(s.data, q.Messages[1].Content)
	s.mu.Unlock()
	if s.before != nil {
		s.before(q.Messages[1].Content)
	}
	text, _ := json.Marshal(map[string]string{"title": "\x1b[1m[" + of.Title + "]\u202e", "summary": "A " + of.Type + "."})
	_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": string(text)}}}})
}

// refiner returns a client of the server that does not wait between attempts.
func (s *chatServer) refiner(t testing.TB, model string) *refine.Remote {
	t.Helper()
	r, err := refine.NewRemote(refine.Options{
		BaseURL: s.URL + "/v1", Model: model, Retries: -1, Breaker: refine.Breaker{Failures: 1000},
		Sleep: func(context.Context, time.Duration) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// refiningBoard is a board with artifacts and a language model beside it.
type refiningBoard struct {
	*aging
	server *chatServer
	model  refine.Refiner
}

func newRefiningBoard(t *testing.T) *refiningBoard {
	s := newChatServer(t)
	a := &refiningBoard{newAging(t), s, s.refiner(t, "chat")}
	for i := range 9 {
		store(t, a.b, worked(t, i)...)
	}
	compileNow(t, a.b, engine.CompileOptions{})
	return a
}

// active returns the ids of the active artifacts.
func (a *refiningBoard) active() (ids []string) {
	a.Helper()
	for _, x := range listed(a.T, a.b, record.Artifact) {
		if x.Status == "active" && x.Actor == engine.Compiler {
			ids = append(ids, x.URI.ID)
		}
	}
	if len(ids) < 3 {
		a.Fatalf("only %d artifacts are active", len(ids))
	}
	return ids
}

// refine refines and compares the counts.
func (a *refiningBoard) refine(o engine.RefineOptions, done, failed, left int) *engine.RefineReport {
	a.Helper()
	if o.Refiner == nil {
		o.Refiner = a.model
	}
	got, err := a.b.Refine(ctx, user, "acme", o)
	if err != nil || got.Done != done || got.Failed != failed || got.Left != left {
		a.Fatalf("refined %+v, not %d done, %d failed, %d left: %v", got, done, failed, left, err)
	}
	return got
}

// of returns what a model wrote for an artifact.
func (a *refiningBoard) of(id string) *engine.Refined {
	a.Helper()
	got, err := a.b.Refinement(ctx, engine.Ref{Tenant: "acme", ID: id}, engine.View{})
	if err != nil {
		a.Fatal(err)
	}
	return got
}

// own returns the original title of an artifact.
func (a *refiningBoard) own(id string) string {
	a.Helper()
	x, err := a.b.Get(ctx, engine.Ref{Tenant: "acme", Kind: record.Artifact, ID: id}, engine.View{})
	if err != nil {
		a.Fatal(err)
	}
	return x.Body.(*memory.Artifact).HMX.Title
}

// sound checks the board, also after a rebuild, a restart and an import, without the
// server, with the same titles.
func (a *refiningBoard) sound() {
	a.Helper()
	a.server.Close()
	titles := func() (list []string) {
		for _, x := range listed(a.T, a.b, record.Artifact) {
			if r := a.of(x.URI.ID); r != nil {
				list = append(list, fmt.Sprintf("%s %+v", x.URI.ID, *r))
			}
		}
		return list
	}
	want, root := titles(), a.root()
	same := func(where string) {
		a.Helper()
		sound(a.T, a.b)
		if got := titles(); !slices.Equal(got, want) || a.root() != root {
			a.Fatalf("%s: %q, and before %q", where, got, want)
		}
	}
	same("as it is")
	if err := a.b.Rebuild(ctx, nil); err != nil {
		a.Fatal(err)
	}
	same("made anew")
	if err := a.b.Close(); err != nil {
		a.Fatal(err)
	}
	a.open()
	same("opened again")
	var out, again bytes.Buffer
	must(a.T)(a.b.Export(ctx, "acme", &out, nil))
	lines := out.String()
	a.fs = disk.NewMem()
	a.open()
	must(a.T)(a.b.Import(ctx, &out, nil))
	same("imported")
	must(a.T)(a.b.Export(ctx, "acme", &again, nil))
	if _, rest, _ := strings.Cut(lines, "\n"); !strings.HasSuffix(again.String(), rest) { // the first line names the directory
		a.Error("exported again, it is another one")
	}
}

// root returns the state of the tenant.
func (a *refiningBoard) root() engine.Root {
	a.Helper()
	root, err := a.b.Root(ctx, "acme")
	if err != nil {
		a.Fatal(err)
	}
	return root
}

// TestRefine: titles are written once and stay, and nothing else changes.
func TestRefine(t *testing.T) {
	a := newRefiningBoard(t)
	ids := a.active()
	a.put(user, artifact(t, "acme", "by-hand", "somebody's own"))
	must(t)(a.b.Transition(ctx, user, engine.Ref{Tenant: "acme", ID: "by-hand"}, "active", "", "it is time", engine.AnyVersion()))
	before := knowledge(t, a.b, false)
	pack := func() string {
		p, err := a.b.Pack(ctx, engine.PackOptions{Tenant: "acme", Query: "how is the billing service deployed", Budget: 2000})
		if err != nil {
			t.Fatal(err)
		}
		entries, err := json.Marshal(p.Pack.Entries)
		if err != nil {
			t.Fatal(err)
		}
		return string(entries)
	}
	entries := pack()
	var told []uint64
	a.refine(engine.RefineOptions{Limit: 1, Progress: func(done, total uint64) { told = append(told, done, total) }}, 1, 0, len(ids)-1)
	if !slices.Equal(told, []uint64{1, 1}) {
		t.Errorf("told %v", told)
	}
	a.refine(engine.RefineOptions{Parallel: 3}, len(ids)-1, 0, 0)
	asked := a.server.requests.Load()
	root := a.root()
	a.refine(engine.RefineOptions{}, 0, 0, 0)
	if a.server.requests.Load() != asked || a.root() != root {
		t.Error("the server was asked again, or something was written")
	}
	for _, id := range ids {
		got := a.of(id)
		if got == nil || got.Title != "["+a.own(id)+"]" || !strings.HasPrefix(got.Summary, "A ") || got.Model != "chat" || got.Trust != record.External || got.Written.IsZero() {
			t.Errorf("%s: %+v", id, got)
		}
	}
	if a.of("by-hand") != nil {
		t.Error("what somebody wrote was sent")
	}
	if after := knowledge(t, a.b, false); after != before {
		t.Errorf("artifacts were\n%s\nand are\n%s", before, after)
	}
	if after := pack(); after != entries {
		t.Errorf("the pack had\n%s\nand has\n%s", entries, after)
	}
	if again := compileNow(t, a.b, engine.CompileOptions{}); len(again.Changes) > 0 {
		t.Errorf("a compile did %v", again.Changes)
	}
	// A title is not found by a search, and is not a rule.
	found, err := a.b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "A failure_playbook."})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range found.Hits {
		if h.URI.Kind == record.Refinement {
			t.Errorf("%s was found", h.URI)
		}
	}
	list, err := a.b.Find(ctx, engine.FindOptions{Tenant: "acme", Kinds: []record.Kind{record.Refinement}, Types: []string{"chat"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range list.Hits {
		if strings.Contains(h.Text, "[") || !strings.HasPrefix(h.Text, "title of lukasa://acme/artifact/") {
			t.Errorf("%+v", h)
		}
	}
	if len(list.Hits) != len(ids) {
		t.Errorf("%d are on record, not %d", len(list.Hits), len(ids))
	}
	a.sound()
}

// TestRefineFollowsChanges: new versions are refined, and another model replaces
// titles.
func TestRefineFollowsChanges(t *testing.T) {
	a := newRefiningBoard(t)
	a.refine(engine.RefineOptions{}, len(a.active()), 0, 0)
	first := a.active()
	for i := range 9 {
		store(t, a.b, worked(t, 9+i)...)
	}
	compileNow(t, a.b, engine.CompileOptions{})
	fresh := slices.DeleteFunc(a.active(), func(id string) bool { return slices.Contains(first, id) })
	if len(fresh) == 0 {
		t.Fatal("nothing is new")
	}
	a.refine(engine.RefineOptions{}, len(fresh), 0, 0)
	better := a.server.refiner(t, "better")
	a.refine(engine.RefineOptions{Refiner: better}, 0, 0, 0)
	a.refine(engine.RefineOptions{Refiner: better, Replace: true}, len(a.active()), 0, 0)
	a.refine(engine.RefineOptions{Refiner: better, Replace: true}, 0, 0, 0)
	for _, id := range a.active() {
		if got := a.of(id); got.Model != "better" {
			t.Errorf("%+v is shown", got)
		}
	}
	for _, id := range first {
		if got := a.of(id); got == nil {
			t.Errorf("%s lost its title", id)
		}
	}
	a.sound()
}

// TestRefinementsAreErased: titles are erased with their artifacts, by any writer who
// may erase these.
func TestRefinementsAreErased(t *testing.T) {
	a := newRefiningBoard(t)
	ids := a.active()
	a.refine(engine.RefineOptions{}, len(ids), 0, 0)
	a.refine(engine.RefineOptions{Refiner: a.server.refiner(t, "better"), Replace: true}, len(ids), 0, 0)
	uri := func(id string) memory.URI { return memory.URI{Tenant: "acme", Kind: record.Artifact, ID: id} }
	marks := func() (n int) {
		lines, err := readJournal(a.fs, "data")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines["acme"] {
			if l.Kind == record.Refinement && l.Erased {
				n++
			}
		}
		return n
	}
	must(t)(a.b.Redact(ctx, operator, []memory.URI{uri(ids[0])}))
	if n := marks(); n != 2 {
		t.Errorf("%d are erased, not 2", n)
	}
	if _, err := a.b.Refinement(ctx, engine.Ref{Tenant: "acme", ID: ids[0]}, engine.View{}); fault.CodeOf(err) != fault.Erased {
		t.Error(err)
	}
	// One may be erased alone, and does not come back; the previous one is then shown.
	must(t)(a.b.Redact(ctx, engine.Writer{Actor: "anyone", Trust: record.External}, []memory.URI{a.of(ids[1]).URI}))
	if got := a.of(ids[1]); got == nil || got.Model != "chat" {
		t.Errorf("%+v", got)
	}
	a.refine(engine.RefineOptions{Refiner: a.server.refiner(t, "better"), Replace: true}, 0, 0, 0)
	// No writer can forget, change or write one.
	got := a.of(ids[2])
	if _, err := a.b.Forget(ctx, operator, engine.RefOf(got.URI), "", engine.AnyVersion()); fault.CodeOf(err) != fault.InvalidArgument {
		t.Error(err)
	}
	if _, err := a.b.Put(ctx, operator, "acme", memory.NewRefinement("m", uri(ids[2]), 0, "T", "S"), engine.AnyVersion()); fault.CodeOf(err) != fault.InvalidArgument {
		t.Error(err)
	}
	// A policy that erases artifacts erases their titles.
	a.put(operator, retain("old", memory.RetainErase, memory.Scope{}, record.Artifact))
	a.Move(2 * time.Hour)
	must(t)(a.b.Expire(ctx, operator, "acme", a.Now()))
	if n, all := marks(), 2*len(ids); n != all {
		t.Errorf("%d of %d are erased", n, all)
	}
	a.sound()
}

// TestRefineTrouble has servers that fail. Nothing is lost, and what was done stays.
func TestRefineTrouble(t *testing.T) {
	a := newRefiningBoard(t)
	ids := a.active()
	a.server.down.Store(true)
	got, err := a.b.Refine(ctx, user, "acme", engine.RefineOptions{Refiner: a.model})
	if fault.CodeOf(err) != fault.NoRefiner || !strings.Contains(err.Error(), "503") || got.Done != 0 || got.Left != len(ids) {
		t.Fatalf("%+v, %v", got, err)
	}
	// It fails in the middle.
	a.server.down.Store(false)
	a.server.before = func(string) { a.server.down.Store(true) }
	got, err = a.b.Refine(ctx, user, "acme", engine.RefineOptions{Refiner: a.model, Parallel: 1})
	if fault.CodeOf(err) != fault.NoRefiner || got.Done != 1 || got.Left != len(ids)-1 {
		t.Fatalf("%+v, %v", got, err)
	}
	a.server.before = nil
	a.server.down.Store(false)
	// One is refused, and does not affect the others.
	a.server.refused = `"title":"` + a.own(ids[len(ids)-1]) + `"`
	report := a.refine(engine.RefineOptions{}, len(ids)-2, 1, 0)
	if len(report.Problems) != 1 || report.Problems[0].URI.ID != ids[len(ids)-1] || !strings.Contains(report.Problems[0].Err.Error(), "I do not read that") {
		t.Errorf("%+v", report.Problems)
	}
	a.server.refused = "nothing of the sort"
	a.refine(engine.RefineOptions{}, 1, 0, 0)
	a.sound()
}

// TestRefineRaces erases, archives and refines artifacts concurrently while the model
// works.
func TestRefineRaces(t *testing.T) {
	a := newRefiningBoard(t)
	ids := a.active()
	erased, aside := ids[0], ids[1]
	var once sync.Once
	a.server.before = func(string) {
		once.Do(func() {
			must(t)(a.b.Transition(ctx, operator, engine.Ref{Tenant: "acme", ID: aside}, hmx.StatusArchived, "", "enough", engine.AnyVersion()))
			must(t)(a.b.Redact(ctx, operator, []memory.URI{{Tenant: "acme", Kind: record.Artifact, ID: erased}}))
		})
	}
	a.refine(engine.RefineOptions{Parallel: len(ids)}, len(ids)-2, 0, 0)
	if a.of(aside) != nil {
		t.Error("what was put aside has a title")
	}
	a.server.before = nil
	a.refine(engine.RefineOptions{}, 0, 0, 0)
	a.sound()
}

// TestRefineTogether: several concurrent calls write one title for each artifact.
func TestRefineTogether(t *testing.T) {
	a := newRefiningBoard(t)
	ids := a.active()
	var done atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			got, err := a.b.Refine(ctx, user, "acme", engine.RefineOptions{Refiner: a.model})
			if err != nil {
				t.Error(err)
				return
			}
			done.Add(int64(got.Done))
		})
	}
	all.Wait()
	if int(done.Load()) != len(ids) {
		t.Errorf("%d were written of %d", done.Load(), len(ids))
	}
	a.sound()
}

// pen is a custom refiner.
type pen struct {
	name string
	text refine.Text
	err  error
}

func (p *pen) Name() string { return cmp.Or(p.name, "pen") }

func (p *pen) Refine(ctx context.Context, _ refine.Prompt) (refine.Text, error) {
	if err := ctx.Err(); err != nil {
		return refine.Text{}, err
	}
	return p.text, p.err
}

// TestRefineByAnyone: no refiner is trusted to keep to the rules.
func TestRefineByAnyone(t *testing.T) {
	a := newRefiningBoard(t)
	n := len(a.active())
	report := a.refine(engine.RefineOptions{Refiner: &pen{text: refine.Text{Title: " \u200b\x1b[2J", Summary: "S"}}}, 0, n, 0)
	if len(report.Problems) != n || !strings.Contains(report.Problems[0].Err.Error(), "title is empty") {
		t.Errorf("%+v", report.Problems)
	}
	for _, bad := range []engine.RefineOptions{{}, {Refiner: a.model, Limit: -1}, {Refiner: a.model, Parallel: 65}, {Refiner: a.model, Parallel: -1}, {Refiner: &pen{name: "a\nb"}}} {
		if _, err := a.b.Refine(ctx, user, "acme", bad); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	broken := errors.New("out of ink")
	if got, err := a.b.Refine(ctx, user, "acme", engine.RefineOptions{Refiner: &pen{err: broken}}); !errors.Is(err, broken) || got.Left != n || got.Failed != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := a.b.Refine(stopped, user, "acme", engine.RefineOptions{Refiner: &pen{}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	a.refine(engine.RefineOptions{Refiner: &pen{text: refine.Text{Title: strings.Repeat("é", 1<<20), Summary: strings.Repeat("x\n", 1<<20)}}}, n, 0, 0)
	a.sound()
}

// TestRefineUnderScope: Refine is refused under a scope, and a title is shown only with
// its artifact.
func TestRefineUnderScope(t *testing.T) {
	a := newRefiningBoard(t)
	ids := a.active()
	a.refine(engine.RefineOptions{}, len(ids), 0, 0)
	all := mint(t, a.b, a.clock, func(g *scope.Grant) { g.Include.All, g.Mode = true, scope.Write })
	facts := mint(t, a.b, a.clock, func(g *scope.Grant) { g.Include.Types = []string{"fact"} })
	if _, err := a.b.Refine(ctx, engine.Writer{Actor: "coder", Scope: all}, "acme", engine.RefineOptions{Refiner: a.model}); fault.CodeOf(err) != fault.OutOfScope {
		t.Error(err)
	}
	ref := engine.Ref{Tenant: "acme", ID: ids[0]}
	if got, err := a.b.Refinement(ctx, ref, engine.View{Scope: all}); err != nil || got == nil {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := a.b.Refinement(ctx, ref, engine.View{Scope: facts}); fault.CodeOf(err) != fault.NotFound || got != nil {
		t.Errorf("%+v, %v", got, err)
	}
	page, err := a.b.List(ctx, engine.ListOptions{Tenant: "acme", Kind: record.Refinement, View: engine.View{Scope: all}})
	if err != nil || len(page.Things) > 0 {
		t.Errorf("a scope lists %+v, %v", page, err)
	}
	if _, err := a.b.Refinement(ctx, engine.Ref{Tenant: "acme", ID: "nobody"}, engine.View{}); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}
