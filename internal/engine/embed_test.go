package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/recall"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// embeddingBoard is a board with an embedding server.
type embeddingBoard struct {
	*aging
	server *embedServer
	model  embed.Provider
}

func newEmbeddingBoard(t *testing.T) *embeddingBoard {
	s := newEmbedServer(t)
	return &embeddingBoard{newAging(t), s, s.provider(t)}
}

// fill writes documents of several kinds: six of them.
func (a *embeddingBoard) fill() {
	a.Helper()
	a.append(user, event(a.T, "acme", "e1", 1, "Quimby, quimby: the quimby is in the cellar."))
	a.append(engine.Writer{Actor: "crawler", Trust: record.External}, event(a.T, "acme", "e2", 2, "Rain is expected on Friday."))
	a.put(user, fact("m1", "shelf/wibbler", "A wibbler stands on the shelf."))
	a.put(user, fact("m2", "", "Lunch is at noon."))
	a.put(user, &memory.Entity{ID: "n1", Name: "Somebody", Type: "person", Description: "mends bicycles"})
	a.put(user, &memory.Edge{ID: "g1", From: a.uri(record.Memory, "m1"), To: a.uri(record.Memory, "m2"), EdgeKind: memory.EdgeRelatesTo})
	a.append(user, event(a.T, "acme", "e3", 3, "日本語だけの文"))
}

func (a *embeddingBoard) uri(k record.Kind, id string) memory.URI {
	return memory.URI{Tenant: "acme", Kind: k, ID: id}
}

// embed embeds and compares the counts.
func (a *embeddingBoard) embed(done, failed, left int) *engine.Embedded {
	a.Helper()
	got, err := a.b.Embed(ctx, user, engine.EmbedOptions{Tenant: "acme", Provider: a.model})
	if err != nil || got.Done != done || got.Failed != failed || got.Left != left {
		a.Fatalf("embedded %+v, not %d done, %d failed, %d left: %v", got, done, failed, left, err)
	}
	return got
}

// ask searches by meaning alone and returns the ids, best first.
func (a *embeddingBoard) ask(question string, change ...func(*engine.SearchOptions)) (ids []string, found *engine.Searched) {
	a.Helper()
	o := engine.SearchOptions{Tenant: "acme", Query: question, Embedder: a.model, Sources: recall.Meaning}
	for _, f := range change {
		f(&o)
	}
	found, err := a.b.Search(ctx, o)
	if err != nil {
		a.Fatal(err)
	}
	for _, h := range found.Hits {
		ids = append(ids, h.URI.ID)
	}
	return ids, found
}

// best fails unless an answer by the model begins with an id.
func (a *embeddingBoard) best(question, id string) {
	a.Helper()
	ids, found := a.ask(question)
	if len(ids) == 0 || ids[0] != id || len(found.Degraded) > 0 {
		a.Fatalf("%q: %q, %q; %s is not the best", question, ids, found.Degraded, id)
	}
}

// embeddings returns the records of vectors in the journal.
func (a *embeddingBoard) embeddings() (list []line) {
	a.Helper()
	lines, err := readJournal(a.fs, "data")
	if err != nil {
		a.Fatal(err)
	}
	for _, l := range lines["acme"] {
		if l.Kind == record.Embedding {
			list = append(list, l)
		}
	}
	return list
}

// sound checks the board, and again after a rebuild without the server.
func (a *embeddingBoard) sound() {
	a.Helper()
	a.server.Close()
	sound(a.T, a.b)
	before, _ := a.byVector("zorblax cellar", "hash")
	if err := a.b.Rebuild(ctx, nil); err != nil {
		a.Fatal(err)
	}
	sound(a.T, a.b)
	if err := a.b.Close(); err != nil {
		a.Fatal(err)
	}
	a.open()
	sound(a.T, a.b)
	if after, err := a.byVector("zorblax cellar", "hash"); err != nil || !slices.Equal(before, after) {
		a.Fatalf("found %q before and %q after, %v", before, after, err)
	}
}

// byVector searches with a vector, without the server.
func (a *embeddingBoard) byVector(question, model string) (ids []string, err error) {
	found, err := a.b.Search(ctx, engine.SearchOptions{Tenant: "acme", Vector: hashed(question, 32), Model: model})
	if err != nil {
		return nil, err
	}
	for _, h := range found.Hits {
		ids = append(ids, h.URI.ID)
	}
	return ids, nil
}

// TestEmbed: documents are found by a model's meaning, from then on.
func TestEmbed(t *testing.T) {
	a := newEmbeddingBoard(t)
	a.fill()
	ids, found := a.ask("where is my zorblax")
	if len(ids) == 0 || len(found.Degraded) != 1 || !strings.Contains(found.Degraded[0], "no vectors of model \"hash\" with 32 dimensions yet") {
		t.Fatalf("%q, %q", ids, found.Degraded)
	}
	var told []uint64
	got, err := a.b.Embed(ctx, user, engine.EmbedOptions{Tenant: "acme", Provider: a.model, Limit: 4, Progress: func(done, total uint64) { told = append(told, done, total) }})
	if err != nil || got.Done != 4 || got.Left != 2 || got.Failed != 0 || got.Model != "hash" || got.Dimensions != 32 || !slices.Equal(told, []uint64{4, 4}) {
		t.Fatalf("%+v, told %v: %v", got, told, err)
	}
	a.embed(2, 0, 0)
	before := a.server.requests.Load()
	a.embed(0, 0, 0)
	if a.server.requests.Load() != before {
		t.Error("the server was asked again")
	}
	if a.server.asked("relates_to") || !a.server.asked("日本語") || !a.server.asked("shelf wibbler\nA wibbler") {
		t.Errorf("asked about %q", a.server.texts)
	}
	a.best("zorblax", "e1")
	a.best("frobnitz", "m1")
	tiers := map[record.Trust]int{}
	for _, l := range a.embeddings() {
		tiers[l.Trust]++
		if l.Actor != "tester" {
			t.Errorf("%s wrote position %d", l.Actor, l.Position)
		}
	}
	if len(a.embeddings()) != 6 || tiers[record.External] != 1 || tiers[record.User] != 5 {
		t.Errorf("tiers %v", tiers)
	}
	if res, err := a.b.Find(ctx, engine.FindOptions{Tenant: "acme", Kinds: []record.Kind{record.Embedding}, Types: []string{"hash"}}); err != nil || len(res.Hits) != 6 {
		t.Errorf("%+v, %v", res, err)
	}
	a.sound()
	if ids, err := a.byVector("frobnitz shelf", "hash"); err != nil || ids[0] != "m1" {
		t.Errorf("%q, %v", ids, err)
	}
}

// TestEmbedFollowsChanges embeds current documents only.
func TestEmbedFollowsChanges(t *testing.T) {
	a := newEmbeddingBoard(t)
	a.fill()
	a.embed(6, 0, 0)
	a.put(user, fact("m2", "", "Lunch, lunch with a zorblax for lunch."))
	a.embed(1, 0, 0)
	a.best("lunch quimby", "m2")
	ref := engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "m1"}
	must(t)(a.b.Forget(ctx, user, ref, "", engine.AnyVersion()))
	if ids, _ := a.ask("frobnitz"); slices.Contains(ids, "m1") {
		t.Errorf("%q has what is forgotten", ids)
	}
	a.embed(0, 0, 0)
	must(t)(a.b.Restore(ctx, user, ref, engine.AnyVersion()))
	a.embed(1, 0, 0)
	a.best("frobnitz", "m1")
	// A status is not content.
	a.put(user, artifact(t, "acme", "art", "about a wibbler"))
	a.embed(1, 0, 0)
	must(t)(a.b.Transition(ctx, user, engine.Ref{Tenant: "acme", ID: "art"}, "active", "", "it is time", engine.AnyVersion()))
	a.embed(0, 0, 0)
	// Expired documents are not sent.
	a.append(user, eventWith(t, "acme", "brief", "s1", 9, "brief secret", `,"ttl_seconds":60`))
	m := fact("fleeting", "", "fleeting secret")
	m.TTLSeconds = 60
	a.put(user, m)
	a.Move(time.Hour)
	a.embed(0, 0, 0)
	if a.server.asked("secret") {
		t.Error("what is over was sent")
	}
	a.sound()
}

// TestEmbeddingsAreErased: embeddings are erased with their documents.
func TestEmbeddingsAreErased(t *testing.T) {
	a := newEmbeddingBoard(t)
	a.fill()
	a.append(user, eventWith(t, "acme", "brief", "s1", 9, "brief note of a wibbler", `,"ttl_seconds":60`))
	a.put(user, fact("m1", "shelf/wibbler", "Two wibblers stand on the shelf."))
	a.embed(7, 0, 0)
	erased := func() (n int) {
		for _, l := range a.embeddings() {
			if l.Erased {
				n++
			}
		}
		return n
	}
	res, err := a.b.Redact(ctx, user, []memory.URI{a.uri(record.Event, "e1")})
	if err != nil || res.Erased != 2 || erased() != 1 {
		t.Fatalf("%+v, %d of the vectors erased: %v", res, erased(), err)
	}
	if ids, _ := a.ask("zorblax cellar"); slices.Contains(ids, "e1") {
		t.Errorf("%q has what is erased", ids)
	}
	// A writer that may erase a document may erase its vector, and no other writer.
	low := engine.Writer{Actor: "a1", Trust: record.External}
	if _, err := a.b.Redact(ctx, low, []memory.URI{a.uri(record.Event, "e3")}); fault.CodeOf(err) != fault.Untrusted {
		t.Error(err)
	}
	must(t)(a.b.Redact(ctx, low, []memory.URI{a.uri(record.Event, "e2")}))
	a.Move(time.Hour)
	a.expire(0, 1)
	if erased() != 3 {
		t.Errorf("%d of the vectors are erased", erased())
	}
	a.put(operator, retain("old", memory.RetainErase, memory.Scope{}, record.Memory))
	a.put(operator, retain("older", memory.RetainErase, memory.Scope{}, record.Event))
	a.Move(time.Hour)
	a.expire(2, 1)
	if erased() != 6 {
		t.Errorf("%d of the vectors are erased", erased())
	}
	a.embed(0, 0, 0) // policies without a text need none
	// A vector may be erased alone, and does not come back.
	list, err := a.b.List(ctx, engine.ListOptions{Tenant: "acme", Kind: record.Embedding})
	if err != nil || len(list.Things) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, thing := range list.Things {
		must(t)(a.b.Redact(ctx, operator, []memory.URI{thing.URI.Head()}))
	}
	a.embed(0, 0, 0)
	ids, found := a.ask("mends bicycles")
	if len(found.Degraded) != 1 || len(ids) == 0 || ids[0] != "n1" {
		t.Errorf("%q, %q", ids, found.Degraded)
	}
	a.server.Close()
	sound(t, a.b)
	if err := a.b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	sound(t, a.b)
}

// TestEmbeddingsAreExported: embeddings are exported and imported, without calling the
// model again.
func TestEmbeddingsAreExported(t *testing.T) {
	a := newEmbeddingBoard(t)
	a.fill()
	a.embed(6, 0, 0)
	must(t)(a.b.Redact(ctx, user, []memory.URI{a.uri(record.Memory, "m2")}))
	var out bytes.Buffer
	must(t)(a.b.Export(ctx, "acme", &out, nil))
	a.server.down.Store(true)
	a.fs = disk.NewMem()
	a.open()
	must(t)(a.b.Import(ctx, &out, nil))
	if ids, err := a.byVector("zorblax", "hash"); err != nil || len(ids) != 5 || ids[0] != "e1" {
		t.Errorf("%q, %v", ids, err)
	}
	a.sound()
}

// TestEmbedTrouble has servers that fail in many ways. Nothing is lost, and what was
// done stays.
func TestEmbedTrouble(t *testing.T) {
	a := newEmbeddingBoard(t)
	a.server.down.Store(true)
	embedAll := func() (*engine.Embedded, error) {
		return a.b.Embed(ctx, user, engine.EmbedOptions{Tenant: "acme", Provider: a.model})
	}
	a.fill()
	a.put(user, fact("bad", "", "This is poison."))
	if got, err := embedAll(); fault.CodeOf(err) != fault.NoEmbedder || got.Done+got.Failed+got.Left != 0 || got.Dimensions != 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	// It fails in the middle.
	a.server.down.Store(false)
	a.server.after = func(n int64) {
		if n == 3 {
			a.server.down.Store(true)
		}
	}
	got, err := embedAll() // hello, then 4 of 7
	if fault.CodeOf(err) != fault.NoEmbedder || got.Done != 4 || got.Left != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	ids, found := a.ask("noon lunch")
	if len(found.Degraded) != 1 || !strings.Contains(found.Degraded[0], "503") || len(ids) == 0 || ids[0] != "m2" {
		t.Errorf("%q, %q", ids, found.Degraded)
	}
	a.server.down.Store(false)
	if got := a.embed(2, 1, 0); len(got.Problems) != 1 || got.Problems[0].URI.ID != "bad" || !strings.Contains(got.Problems[0].Err.Error(), "I do not read that") {
		t.Errorf("%+v", got.Problems)
	}
	a.server.refused = "nothing"
	a.embed(1, 0, 0)
	// It is slow.
	a.server.slow.Store(true)
	began := time.Now()
	ids, found = a.ask("noon lunch", func(o *engine.SearchOptions) { o.EmbedTimeout = 20 * time.Millisecond })
	if len(found.Degraded) != 1 || !strings.Contains(found.Degraded[0], "within 20ms") || len(ids) == 0 || time.Since(began) > 3*time.Second {
		t.Errorf("%q, %q after %v", ids, found.Degraded, time.Since(began))
	}
	// The caller cancels.
	brief, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if _, err := a.b.Search(brief, engine.SearchOptions{Tenant: "acme", Query: "lunch", Embedder: a.model}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	a.put(user, fact("late", "", "too late"))
	brief, cancel = context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if got, err := a.b.Embed(brief, user, engine.EmbedOptions{Tenant: "acme", Provider: a.model}); fault.CodeOf(err) != fault.Canceled || got.Done != 0 || got.Left != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	a.server.slow.Store(false)
	a.embed(1, 0, 0)
	a.sound()
}

// stubborn is an embedder that ignores cancellation, or returns nonsense.
type stubborn struct {
	answer func() ([]embed.Result, error)
}

func (s stubborn) Name() string    { return "stubborn" }
func (s stubborn) Dimensions() int { return 2 }
func (s stubborn) EmbedBatch(context.Context, []string) ([]embed.Result, error) {
	return s.answer()
}

// TestStubbornEmbedders: such embedders neither block a question nor get nonsense into
// the journal.
func TestStubbornEmbedders(t *testing.T) {
	a := newEmbeddingBoard(t)
	a.put(user, fact("m", "", "lunch"))
	never := make(chan struct{})
	defer close(never)
	nan := float32(0)
	nan /= nan
	for name, answer := range map[string]func() ([]embed.Result, error){
		"never":        func() ([]embed.Result, error) { <-never; return nil, nil },
		"nothing":      func() ([]embed.Result, error) { return nil, nil },
		"two":          func() ([]embed.Result, error) { return make([]embed.Result, 2), nil },
		"empty":        func() ([]embed.Result, error) { return make([]embed.Result, 1), nil },
		"not a number": func() ([]embed.Result, error) { return []embed.Result{{Vector: []float32{1, nan}}}, nil },
		"zero":         func() ([]embed.Result, error) { return []embed.Result{{Vector: []float32{0, 0}}}, nil },
		"plain error":  func() ([]embed.Result, error) { return []embed.Result{{Err: errors.New("no")}}, nil },
	} {
		a.model = stubborn{answer}
		ids, found := a.ask("lunch", func(o *engine.SearchOptions) { o.EmbedTimeout = 10 * time.Millisecond })
		if len(found.Degraded) != 1 || len(ids) != 1 {
			t.Errorf("%s: %q, %q", name, ids, found.Degraded)
		}
		if name == "never" {
			continue
		}
		if got, err := a.b.Embed(ctx, user, engine.EmbedOptions{Tenant: "acme", Provider: a.model}); got.Done != 0 || err == nil && got.Failed != 1 || err != nil && got.Left != 1 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestHungEmbedder has an embedder that returns late. A few calls are abandoned; then
// questions are answered at once without it, until it returns.
func TestHungEmbedder(t *testing.T) {
	a := newEmbeddingBoard(t)
	a.put(user, fact("m", "", "lunch"))
	var asked atomic.Int32
	release := make(chan struct{})
	a.model = stubborn{func() ([]embed.Result, error) {
		asked.Add(1)
		<-release
		return []embed.Result{{Vector: []float32{1, 2}}}, nil
	}}
	ask := func(timeout time.Duration) string {
		ids, found := a.ask("lunch", func(o *engine.SearchOptions) { o.EmbedTimeout = timeout })
		if len(ids) != 1 || len(found.Degraded) != 1 {
			t.Fatalf("%q, %q", ids, found.Degraded)
		}
		return found.Degraded[0]
	}
	for range 4 {
		if why := ask(time.Millisecond); !strings.Contains(why, "did not answer within 1ms") {
			t.Error(why)
		}
	}
	for range 50 {
		if why := ask(time.Hour); !strings.Contains(why, "is not asked") {
			t.Error(why)
		}
	}
	if n := asked.Load(); n != 4 {
		t.Errorf("it was asked %d times", n)
	}
	close(release)
	for asked.Load() == 4 { // until the calls have returned
		ask(time.Hour)
		runtime.Gosched()
	}
	// Questions that wait for an answer do not count as abandoned.
	meet := make(chan struct{})
	var waiting atomic.Int32
	a.model = stubborn{func() ([]embed.Result, error) {
		if waiting.Add(1) == 12 {
			close(meet)
		}
		<-meet
		return []embed.Result{{Vector: []float32{1, 2}}}, nil
	}}
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			_, err := a.b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "lunch", Embedder: a.model, EmbedTimeout: time.Minute})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// TestDimensionsDoNotMix: dimensions do not mix within a call, nor under the name of
// one model.
func TestDimensionsDoNotMix(t *testing.T) {
	a := newEmbeddingBoard(t)
	a.fill()
	a.server.after = func(n int64) {
		if n == 2 {
			a.server.dimensions.Store(48)
		}
	}
	got, err := a.b.Embed(ctx, user, engine.EmbedOptions{Tenant: "acme", Provider: a.model})
	if fault.CodeOf(err) != fault.WrongDimensions || got.Done != 4 || got.Left != 2 || !strings.Contains(err.Error(), "48 dimensions, must be 32") {
		t.Fatalf("%+v, %v", got, err)
	}
	a.server.after = nil
	for range 2 { // the second time the client knows its dimensions
		a.model = a.server.provider(t)
		got, err = a.b.Embed(ctx, user, engine.EmbedOptions{Tenant: "acme", Provider: a.model})
		if fault.CodeOf(err) != fault.WrongDimensions || got.Done != 0 || !strings.Contains(err.Error(), "vectors of 48 numbers, but those of it that are here have 32") {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	if _, found := a.ask("zorblax"); len(found.Degraded) != 1 || !strings.Contains(found.Degraded[0], "48 dimensions") {
		t.Errorf("%q", found.Degraded)
	}
	// Unless it is intended.
	if got, err = a.b.Embed(ctx, user, engine.EmbedOptions{Tenant: "acme", Provider: a.model, Dimensions: 48}); err != nil || got.Done != 6 {
		t.Fatalf("%+v, %v", got, err)
	}
	a.best("zorblax", "e1")
	for name, o := range map[string]engine.EmbedOptions{
		"provider": {Tenant: "acme"}, "limit": {Tenant: "acme", Provider: a.model, Limit: -1}, "dimensions": {Tenant: "acme", Provider: a.model, Dimensions: 5000},
		"tenant": {Tenant: "no/such", Provider: a.model}, "model": {Tenant: "acme", Provider: a.server.provider(t, func(o *embed.Options) { o.Model = "a\nb" })},
	} {
		if _, err := a.b.Embed(ctx, user, o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEmbedAtOnce runs several calls and writers concurrently.
func TestEmbedAtOnce(t *testing.T) {
	a := newEmbeddingBoard(t)
	const n = 16
	for i := range n {
		a.put(user, fact(fmt.Sprint("m", i), "", fmt.Sprint("number ", i)))
	}
	var all sync.WaitGroup
	var done [4]int
	for i := range done {
		all.Go(func() {
			got, err := a.b.Embed(ctx, user, engine.EmbedOptions{Tenant: "acme", Provider: a.server.provider(t)})
			if err != nil || got.Failed != 0 {
				t.Errorf("%+v, %v", got, err)
			}
			done[i] = got.Done
		})
	}
	all.Go(func() {
		for i := range n / 2 {
			_, err := a.b.Put(ctx, user, "acme", fact(fmt.Sprint("m", i), "", fmt.Sprint("another ", i)), engine.AnyVersion())
			_, failed := a.b.Redact(ctx, user, []memory.URI{a.uri(record.Memory, fmt.Sprint("m", n-1-i))})
			if err != nil || failed != nil {
				t.Error(err, failed)
			}
		}
	})
	all.Wait()
	a.model = a.server.provider(t)
	got, err := a.b.Embed(ctx, user, engine.EmbedOptions{Tenant: "acme", Provider: a.model})
	if err != nil {
		t.Fatal(err)
	}
	sum := got.Done
	for _, d := range done {
		sum += d
	}
	if have := len(a.embeddings()); have != sum {
		t.Errorf("%d vectors are on record, %d were told", have, sum)
	}
	a.embed(0, 0, 0)
	live := 0
	for _, l := range a.embeddings() {
		if !l.Erased {
			live++
		}
	}
	if live < n/2 {
		t.Errorf("%d vectors for %d memories", live, n/2)
	}
	a.sound()
}

// TestOwnVectors: events may bring their own vectors.
func TestOwnVectors(t *testing.T) {
	a := newEmbeddingBoard(t)
	own := func(text string) string {
		var list []string
		for _, x := range hashed(text, 32) {
			list = append(list, fmt.Sprint(x))
		}
		return strings.Join(list, ",")
	}
	for i, text := range []string{"The quimby is in the cellar.", "Rain is expected.", "A wibbler."} {
		ev := eventWith(t, "acme", fmt.Sprint("e", i), "s1", int64(i), "spoken in numbers "+fmt.Sprint(i), `,"embeddings":[`+own(text)+`]`)
		ev.Metadata = hmx.Raw(`{"embedding_model":"hash"}`)
		a.append(user, ev)
	}
	a.put(user, fact("plain", "", "The cellar has no vector of that model."))
	if ids, err := a.byVector("zorblax cellar", "hash"); err != nil || len(ids) != 3 || ids[0] != "e0" {
		t.Fatalf("%q, %v", ids, err)
	}
	// Documents without such a vector are compared by the built-in model.
	if ids, _ := a.ask("frobnitz in the cellar"); !slices.Contains(ids, "plain") || !slices.Contains(ids, "e2") {
		t.Errorf("%q", ids)
	}
	// They need no other.
	a.embed(1, 0, 0)
	if ids, err := a.byVector("zorblax cellar", "hash"); err != nil || len(ids) != 4 || ids[0] != "e0" {
		t.Fatalf("%q, %v", ids, err)
	}
	_, err := a.b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "x", Vector: []float32{1}, Embedder: a.model})
	if fault.CodeOf(err) != fault.InvalidArgument {
		t.Error(err)
	}
	a.sound()
}

// TestNoScopeEmbeds: Embed is refused under a scope, which does not see everything.
func TestNoScopeEmbeds(t *testing.T) {
	a := newEmbeddingBoard(t)
	a.fill()
	token, err := a.b.MintScope(ctx, operator, "acme", scope.Grant{To: "x", Mode: scope.Write, Include: scope.Selectors{All: true}, Expires: a.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = a.b.Embed(ctx, engine.Writer{Scope: token, Trust: record.Agent}, engine.EmbedOptions{Tenant: "acme", Provider: a.model}); fault.CodeOf(err) != fault.OutOfScope {
		t.Error(err)
	}
	a.embed(6, 0, 0)
	ids, found := a.ask("zorblax", func(o *engine.SearchOptions) { o.View.Scope = token })
	if len(ids) == 0 || ids[0] != "e1" || len(found.Degraded) > 0 {
		t.Errorf("%q, %q", ids, found.Degraded)
	}
	list, err := a.b.List(ctx, engine.ListOptions{Tenant: "acme", Kind: record.Violation, State: catalog.Live})
	if err != nil || len(list.Things) != 1 || list.Things[0].Body.(*memory.Violation).Op != memory.OpEmbed {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestEmbedWhileExpiring leaves no vector of an erased event.
func TestEmbedWhileExpiring(t *testing.T) {
	a := newEmbeddingBoard(t)
	a.put(operator, retain("old", memory.RetainErase, memory.Scope{}, record.Event))
	for round := range 4 {
		for i := range 12 {
			a.append(user, event(t, "acme", fmt.Sprint("e", round, "-", i), int64(100*round+i), fmt.Sprint("number ", i)))
		}
		a.Move(time.Hour)
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := a.b.Embed(ctx, user, engine.EmbedOptions{Tenant: "acme", Provider: a.model}); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			if _, err := a.b.Expire(ctx, operator, "acme", a.Now()); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		lines, err := readJournal(a.fs, "data")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines["acme"] {
			if l.Kind != record.Embedding || l.Erased {
				continue
			}
			body, err := memory.Decode(record.Embedding, l.Body[record.SaltSize:])
			if err != nil {
				t.Fatal(err)
			}
			if of := body.(*memory.Embedding).Position; lines["acme"][of].Erased {
				t.Errorf("the vector at %d is there, but what it is of, at %d, is erased", l.Position, of)
			}
		}
	}
	if _, err := a.b.Expire(ctx, operator, "acme", a.Now()); err != nil {
		t.Fatal(err)
	}
	a.events()
	for _, l := range a.embeddings() {
		if !l.Erased {
			t.Errorf("the vector at %d is left", l.Position)
		}
	}
	sound(t, a.b)
}
