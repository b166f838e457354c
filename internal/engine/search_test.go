package engine_test

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// searchTold prints an answer to the last bit.
func searchTold(s *engine.Searched) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%+v %q %d candidates, %d trimmed, %d of %d tokens %s %s %d %x\n",
		s.Class, s.Degraded, s.Candidates, s.Trimmed, s.TotalTokens, s.BudgetTokens, s.Form, s.Counter, s.Root.Size, s.Root.Hash)
	for _, h := range s.Hits {
		fmt.Fprintf(&b, "%s %s %016x %q %d %q", h.URI, h.SourceType, math.Float64bits(h.Score), h.Text, h.Tokens, h.DuplicateOf)
		for _, p := range h.Parts {
			fmt.Fprintf(&b, " %s %016x", p.Name, math.Float64bits(p.Score))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// searchedIDs returns the ids of hits, in order.
func searchedIDs(s *engine.Searched) (ids []string) {
	for _, h := range s.Hits {
		ids = append(ids, h.URI.ID)
	}
	return ids
}

// searchWords are the words of the events of a large tenant.
var searchWords = strings.Fields("invoice refund Monday deploy rollback Zurich latency cache index ledger Dana Ravi coffee train budget audit cellar window printer kernel")

// largeEvent is event n of a large tenant: some name people, some bring a vector with
// them, some are tagged.
func largeEvent(t testing.TB, n int) *hmx.Event {
	t.Helper()
	word := func(k int) string { return searchWords[(n*7+k*13+n/19)%len(searchWords)] }
	more := ""
	if n%5 == 0 {
		more += fmt.Sprintf(`,"embeddings":[%d,%d,1]`, n%11-5, n%7-3)
	}
	if n%3 == 0 {
		more += fmt.Sprintf(`,"tags":["t%d"]`, n%6)
	}
	return eventWith(t, "acme", fmt.Sprint("e", n), fmt.Sprint("s", n/40), int64(n%40),
		fmt.Sprintf("%s: the %s of %s, and %s number %d.", []string{"Dana", "Ravi"}[n%2], word(0), word(1), word(2), n), more)
}

// fillLarge gives a board a tenant whose documents fill segments and chunks of every
// index: more than 2,048 positions. Some of them are removed again.
func fillLarge(t testing.TB, b *engine.Board, events int) {
	t.Helper()
	for from := 0; from < events; from += 500 {
		var list []*hmx.Event
		for n := from; n < min(from+500, events); n++ {
			list = append(list, largeEvent(t, n))
		}
		if res, err := b.AppendEvents(ctx, user, list); err != nil || res.Accepted != len(list) {
			t.Fatal(res, err)
		}
	}
	for i := range 12 {
		must(t)(b.Put(ctx, user, "acme", fact(fmt.Sprint("m", i), fmt.Sprintf("refunds/%d", i), fmt.Sprintf("Refunds of sort %d are %s.", i, searchWords[i])), engine.AnyVersion()))
	}
	must(t)(b.Put(ctx, user, "acme", &memory.Entity{ID: "dana", Name: "Dana", Aliases: []string{"D. Ana"}, Type: "person"}, engine.AnyVersion()))
	must(t)(b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "m3"}, "", engine.AnyVersion()))
	must(t)(b.Put(ctx, user, "acme", &memory.Feedback{ID: "f", AgentID: "a1", Outcome: memory.OutcomeSuccess, Cited: []memory.URI{uri(record.Memory, "m4"), uri(record.Event, "e10")}}, engine.AnyVersion()))
	must(t)(b.Redact(ctx, user, []memory.URI{uri(record.Event, "e5"), uri(record.Event, "e1030"), uri(record.Memory, "m5")}))
}

// largeQuestions are questions about such a tenant.
func largeQuestions() []engine.SearchOptions {
	list := []engine.SearchOptions{
		{Query: "When was the refund of Zurich?"}, {Query: "what did Dana say about the latency of the cache", TopK: 300},
		{Query: `"coffee number"`}, {Query: "printer kernel", Kinds: []record.Kind{record.Event}, Tags: []string{"t3"}},
		{Query: "refunds", Kinds: []record.Kind{record.Memory}}, {Query: "coffee train", Sessions: []string{"s1", "s27"}},
		{Query: "ledger", Vector: []float32{1, 2, 3}}, {Vector: []float32{-3, 1, 0.5}, TopK: 50}, {Query: "D. Ana and the train", BudgetTokens: 100},
		{Query: "the newest deploy", View: engine.View{Agent: "a1"}},
	}
	for i := range list {
		list[i].Tenant = "acme"
	}
	return list
}

// largeAnswers answers the questions.
func largeAnswers(b *engine.Board) (out []string, err error) {
	for _, o := range largeQuestions() {
		s, err := b.Search(ctx, o)
		if err != nil {
			return nil, err
		}
		out = append(out, searchTold(s))
	}
	return out, nil
}

// TestSearchSameBits: the same state has the same answers, whatever happened to the
// process and to its memory.
func TestSearchSameBits(t *testing.T) {
	testsize.Long(t, "it searches many boards")
	fs := disk.NewMem()
	o := engine.Options{FS: fs, CacheBytes: 8 << 20, MemTableBytes: 4 << 20}
	b := openWith(t, "data", o)
	fillLarge(t, b, 2100)
	want, err := largeAnswers(b)
	if err != nil {
		t.Fatal(err)
	}
	for i, told := range want {
		if strings.Count(told, "\n") < 3 {
			t.Errorf("question %d has hardly an answer: %s", i, told)
		}
	}
	same := func(when string, b *engine.Board) {
		t.Helper()
		got, err := largeAnswers(b)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%s, question %d:\n%s\nbut first\n%s", when, i, got[i], want[i])
			}
		}
	}
	for _, n := range []int{1, 8} { // the others use all processors
		before := runtime.GOMAXPROCS(n)
		same(fmt.Sprintf("on %d processors", n), b)
		runtime.GOMAXPROCS(before)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := largeAnswers(b)
			if err != nil || strings.Join(got, "") != strings.Join(want, "") {
				t.Errorf("with others at it: another answer, or %v", err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	var out bytes.Buffer
	must(t)(b.Export(ctx, "acme", &out, nil))
	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	same("after a rebuild", b)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for _, o.RecallBytes = range []int64{1, 64 << 20} {
		b = openWith(t, "data", o)
		same(fmt.Sprintf("opened anew with %d bytes of memory", o.RecallBytes), b)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	elsewhere := openWith(t, "data", engine.Options{FS: disk.NewMem(), CacheBytes: 8 << 20, MemTableBytes: 4 << 20})
	must(t)(elsewhere.AppendEvents(ctx, user, []*hmx.Event{event(t, "first", "e", 1, "a tenant with another number")}))
	must(t)(elsewhere.Import(ctx, &out, nil))
	same("elsewhere", elsewhere)
	sound(t, elsewhere)
}

// TestSearchErases: erased words are no longer found, and are in no file, although
// segments and chunks contained them.
func TestSearchErases(t *testing.T) {
	fs := disk.NewMem()
	b := openWith(t, "data", engine.Options{FS: fs, CacheBytes: 8 << 20, MemTableBytes: 1 << 20})
	var words []string
	var uris []memory.URI
	name := func(i int) string { return fmt.Sprintf("Zq%cx%cvanish%05d", 'a'+i%26, 'a'+i/26%26, i) }
	const events = 2200
	var list []*hmx.Event
	for n := range events {
		text := fmt.Sprintf("Something usual, number %d.", n)
		more := ""
		if n%40 == 7 {
			w := name(n)
			words = append(words, w)
			uris = append(uris, uri(record.Event, fmt.Sprint("e", n)))
			text = fmt.Sprintf("%s said to Mr. %s that /srv/%s/main.go is the place, and %s@example.org knows.", w, w, w, w)
			more = fmt.Sprintf(`,"tags":[%q],"embeddings":[%d,1]`, w, n)
		}
		list = append(list, eventWith(t, "acme", fmt.Sprint("e", n), "s1", int64(n), text, more))
	}
	for from := 0; from < events; from += 550 {
		must(t)(b.AppendEvents(ctx, user, list[from:from+550]))
	}
	for i := range 8 {
		w := name(events + i)
		words = append(words, w)
		uris = append(uris, uri(record.Memory, fmt.Sprint("m", i)))
		must(t)(b.Put(ctx, user, "acme", fact(fmt.Sprint("m", i), "", "It is about "+w+" and nothing else."), engine.AnyVersion()))
	}
	found := func(w string) bool {
		t.Helper()
		s, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: `"` + w + `"`})
		if err != nil {
			t.Fatal(err)
		}
		return len(s.Hits) > 0
	}
	for _, w := range words {
		if !found(w) {
			t.Fatalf("%s is not found", w)
		}
	}
	must(t)(b.Redact(ctx, user, uris))
	for _, w := range words {
		if found(w) {
			t.Fatalf("%s is found", w)
		}
	}
	if err := b.Purge(ctx); err != nil {
		t.Fatal(err)
	}
	for _, w := range words {
		words = append(words, strings.ToLower(w))
	}
	if path, w, err := grep(fs, "data", words...); err != nil || path != "" {
		t.Fatalf("%q is in %s: %v", w, path, err)
	}
	sound(t, b)
}

// TestSearchShowsWhatHolds follows records and events through their lives.
func TestSearchShowsWhatHolds(t *testing.T) {
	a := newAging(t)
	at := func(d time.Duration) hmx.Time { return hmx.TimeOf(a.Now().Add(d)) }
	is := func(when string, v engine.View, want ...string) {
		t.Helper()
		s, err := a.b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "quokka", TopK: 1000, View: v})
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]bool)
		for _, h := range s.Hits {
			if got[h.URI.ID] {
				t.Errorf("%s: %s is found twice", when, h.URI)
			}
			got[h.URI.ID] = true
			if strings.Contains(h.Text, "wombat") {
				t.Errorf("%s: %s says what it said before: %s", when, h.URI, h.Text)
			}
		}
		for _, id := range want {
			if !got[id] {
				t.Errorf("%s: %s is not found", when, id)
			}
			delete(got, id)
		}
		if len(got) > 0 {
			t.Errorf("%s: %v found too", when, got)
		}
	}
	private := fact("private", "", "The quokka of the tester.")
	private.Visibility = memory.VisiblePrivate
	later := fact("later", "", "The quokka of tomorrow.")
	later.ValidFrom = at(24 * time.Hour)
	over := fact("over", "", "The quokka of an hour.")
	over.ValidUntil = at(time.Hour)
	brief := fact("brief", "", "The quokka of a minute.")
	brief.TTLSeconds = 60
	for _, m := range []*memory.Memory{private, later, over, brief, fact("plain", "", "The quokka wombat."), fact("gone", "", "The quokka that was forgotten."), fact("back", "", "The quokka that came back."), fact("erased", "", "The quokka that was erased.")} {
		a.put(user, m)
	}
	a.put(user, fact("plain", "", "The quokka as it is now."))
	a.append(user, event(t, "acme", "said", 1, "quokka, said the user"), eventWith(t, "acme", "short", "s1", 2, "a quokka for two minutes", `,"ttl_seconds":120`), event(t, "acme", "oops", 3, "a quokka with a secret"))
	is("at first", engine.View{}, "private", "over", "brief", "plain", "gone", "back", "erased", "said", "short", "oops")
	for _, id := range []string{"gone", "back"} {
		must(t)(a.b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: id}, "", engine.AnyVersion()))
	}
	is("forgotten", engine.View{}, "private", "over", "brief", "plain", "erased", "said", "short", "oops")
	must(t)(a.b.Restore(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "back"}, engine.AnyVersion()))
	must(t)(a.b.Redact(ctx, user, []memory.URI{uri(record.Memory, "erased"), uri(record.Event, "oops")}))
	is("restored", engine.View{}, "private", "over", "brief", "plain", "back", "said", "short")
	is("by another", engine.View{Agent: "somebody"}, "over", "brief", "plain", "back", "said", "short")
	is("by the writer", engine.View{Agent: user.Actor}, "private", "over", "brief", "plain", "back", "said", "short")
	soon := a.Now().Add(90 * time.Second)
	is("soon", engine.View{Now: soon}, "private", "over", "plain", "back", "said", "short")
	is("in an hour", engine.View{Now: a.Now().Add(time.Hour)}, "private", "plain", "back", "said")
	is("tomorrow", engine.View{Now: a.Now().Add(25 * time.Hour)}, "private", "later", "plain", "back", "said")
	a.Move(90 * time.Second)
	a.expire(1, 0)
	is("once expired", engine.View{Now: soon.Add(-80 * time.Second)}, "private", "over", "plain", "back", "said", "short")
	a.Move(time.Minute)
	a.expire(0, 1)
	is("once it is all expired", engine.View{}, "private", "over", "plain", "back", "said")
	sound(t, a.b)
}
