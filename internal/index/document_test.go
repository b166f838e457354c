package index_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/text"
)

// message returns the record of a message. more are further members of the event.
func message(t testing.TB, words, more string) index.Record {
	t.Helper()
	if !strings.Contains(more, `"metadata"`) {
		more += `,"metadata":{}`
	}
	ev, _, err := hmx.DecodeEvent(fmt.Appendf(nil, `{"hmx_version":"HMX-1.0","event_id":"e1","event_type":"message","agent_id":"coder","tenant_id":"acme","session_id":"s1","timestamp":"2026-11-15T05:00:00Z","sequence":7,"content":{"role":"user","text":%q}%s}`, words, more))
	if err != nil {
		t.Fatal(err)
	}
	return index.Record{Event: ev, Header: header(record.Event)}
}

func header(k record.Kind) record.Header {
	return record.Header{Kind: k, Trust: record.User, Time: 5_000, Position: 12, Tenant: "acme", Actor: "writer"}
}

// put returns the record of a body.
func put(t testing.TB, b memory.Body) index.Record {
	t.Helper()
	b.Normalize()
	if err := b.Validate(); err != nil {
		t.Fatal(err)
	}
	return index.Record{Body: b, Header: header(b.Kind())}
}

func artifact(t testing.TB, content string) memory.Body {
	t.Helper()
	a := &hmx.Artifact{
		HMXVersion: "HMX-1.0", ArtifactID: "art", ArtifactType: "runbook", Title: "Restore", Summary: "How to restore.",
		Content: hmx.Raw(content), Confidence: 1, Status: "deprecated", Version: 1, Tags: []string{"ops"},
		SourceEvents: []string{"e1"}, CreatedAt: hmx.TimeOf(time.Unix(1_700_000_000, 0)), AgentID: hmx.Some("keeper"),
	}
	return &memory.Artifact{HMX: *a}
}

// TestThings reads the documents of versioned records.
func TestThings(t *testing.T) {
	day := hmx.TimeOf(time.Unix(1_700_000_000, 0))
	for _, test := range []struct {
		body     memory.Body
		want     index.Document // besides the header
		agent    string
		embedded string
	}{
		{
			&memory.Memory{ID: "m", Type: memory.TypeFact, Key: "release/cadence_of.it", Text: "We ship on Mondays.", Tags: []string{"b", "a"}, Importance: hmx.Some(0.75)},
			index.Document{Kind: record.Memory, ID: "m", Class: "fact", Key: "release/cadence_of.it", Text: "We ship on Mondays.", Tags: []string{"a", "b"}, Importance: 0.75},
			"writer", "release cadence of it\nWe ship on Mondays.",
		}, {
			&memory.Memory{ID: "m", Type: memory.TypeGoal, Text: "Ship.", Data: &memory.Goal{Status: memory.GoalAchieved}, Visibility: memory.VisiblePrivate},
			index.Document{Kind: record.Memory, ID: "m", Class: "goal", Text: "Ship.", Importance: 0.5, Closer: true, Private: true},
			"writer", "Ship.",
		}, {
			&memory.Memory{ID: "m", Type: memory.TypeFact, Text: "Soon over.", TTLSeconds: 9},
			index.Document{Kind: record.Memory, ID: "m", Class: "fact", Text: "Soon over.", Importance: 0.5, Closer: true},
			"writer", "Soon over.",
		}, {
			&memory.Memory{ID: "m", Type: memory.TypeFact, Text: "From then on.", ValidFrom: day},
			index.Document{Kind: record.Memory, ID: "m", Class: "fact", Text: "From then on.", Importance: 0.5, Closer: true},
			"writer", "From then on.",
		}, {
			&memory.Policy{ID: "p", Key: "no/force", PolicyKind: memory.PolicyConstraint, Text: "Never force push.", Scope: memory.Scope{Tags: []string{"git"}}},
			index.Document{Kind: record.Policy, ID: "p", Class: "constraint", Key: "no/force", Text: "Never force push.", Tags: []string{"git"}, Importance: 0.5},
			"writer", "no force\nNever force push.",
		}, {
			&memory.Entity{ID: "n", Name: "Ada", Type: "person", Aliases: []string{"Countess", "A. L."}, Description: "Wrote notes."},
			index.Document{Kind: record.Entity, ID: "n", Class: "person", Title: "Ada\nA. L.\nCountess", Text: "Wrote notes.", Importance: 0.5},
			"writer", "Ada\nA. L.\nCountess\nWrote notes.",
		}, {
			&memory.Relation{ID: "r", From: "ada", To: "engine", Predicate: "works_on", ValidUntil: day},
			index.Document{Kind: record.Relation, ID: "r", Class: "works_on", Title: "works_on", Text: "ada works_on engine", Importance: 1, Closer: true},
			"writer", "works_on\nada works_on engine",
		}, {
			&memory.Conflict{ID: "c", Between: []memory.URI{{Tenant: "acme", Kind: record.Memory, ID: "a"}, {Tenant: "acme", Kind: record.Memory, ID: "b"}}, Summary: "Two dates.", Status: memory.ConflictResolved, Resolution: "The later one."},
			index.Document{Kind: record.Conflict, ID: "c", Text: "Two dates.\nThe later one.", Importance: 0.5},
			"writer", "Two dates.\nThe later one.",
		}, {
			artifact(t, `{"steps":["stop","copy é",{"last":"start"}],"n":3,"empty":""}`),
			index.Document{Kind: record.Artifact, ID: "art", Class: "runbook", Title: "Restore", Text: "How to restore.\nstop\ncopy é\nstart", Tags: []string{"ops"}, Importance: 0.5},
			"keeper", "Restore\nHow to restore.\nstop\ncopy é\nstart",
		},
	} {
		test.body.Normalize()
		if _, ok := test.body.(*memory.Artifact); !ok {
			if err := test.body.Validate(); err != nil {
				t.Fatal(err)
			}
		}
		r := index.Record{Body: test.body, Header: header(test.body.Kind())}
		got, want := index.ReadDocument(&r), test.want
		want.Position, want.Trust, want.Time, want.Agent = 12, record.User, 5_000, test.agent
		want.Times = strings.Contains(want.Text, "Monday")
		checkDocument(t, got, &want, test.embedded)
	}
}

// checkDocument compares the exported fields, and computes tokens and vector again.
func checkDocument(t testing.TB, got, want *index.Document, embedded string) {
	t.Helper()
	if got == nil {
		t.Fatalf("no document, want %+v", want)
	}
	want.Tokens = text.Analyze(nil, text.FieldKey, want.Key)
	want.Tokens = text.Analyze(want.Tokens, text.FieldTitle, want.Title)
	want.Tokens = text.Analyze(want.Tokens, text.FieldText, want.Text)
	want.Tokens = text.Analyze(want.Tokens, text.FieldTags, strings.Join(want.Tags, "\n"))
	want.Embedding = embed.Builtin().Embed(nil, embedded)
	a, b := reflect.ValueOf(*got), reflect.ValueOf(*want)
	for i := range a.NumField() {
		f := a.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		x, y := a.Field(i).Interface(), b.Field(i).Interface()
		if !reflect.DeepEqual(x, y) && (f.Type.Kind() != reflect.Slice || a.Field(i).Len()+b.Field(i).Len() > 0) {
			t.Errorf("%s %s: %s is %v, want %v", want.Kind, want.ID, f.Name, x, y)
		}
	}
}

// TestEvents reads the document of an event.
func TestEvents(t *testing.T) {
	r := message(t, "Did Ada fix internal/kv/kv.go?", `,"tags":["x","y"],"salience":0.9,"ttl_seconds":5,"embeddings":[0.5,-1],"metadata":{"embedding_model":"m\u00fc"}`)
	said := kind.ReadContent(r.Event)
	if !strings.Contains(said.Text, "Did Ada fix") {
		t.Fatalf("the text is %q", said.Text)
	}
	embedded := said.Text
	if said.Title != "" {
		embedded = said.Title + "\n" + said.Text
	}
	checkDocument(t, index.ReadDocument(&r), &index.Document{
		Position: 12, Kind: record.Event, ID: "e1", Class: "message", Time: r.Event.Timestamp.Time().UnixNano(), Trust: record.User,
		Agent: "coder", Session: "s1", Sequence: 7, Tags: []string{"x", "y"}, Title: said.Title, Text: said.Text, Importance: kind.Read(r.Event).Importance,
		Closer: true, Entities: kind.Entities(r.Event), Own: []float64{0.5, -1}, OwnModel: "mü",
	}, embedded)
}

// TestOwnModel: the model is that in the metadata, if it is a text.
func TestOwnModel(t *testing.T) {
	for metadata, want := range map[string]string{
		`{}`: "", `{"embedding_model":"a/b"}`: "a/b", `{"embedding_model":5}`: "", `{"embedding_model":["a"]}`: "",
		`{"model":{"embedding_model":"inner"}}`: "", `{"embedding_mode\u006c":"hidden"}`: "hidden",
	} {
		r := message(t, "hi", `,"embeddings":[1],"metadata":`+metadata)
		if got := index.ReadDocument(&r).OwnModel; got != want {
			t.Errorf("%s: %q, want %q", metadata, got, want)
		}
	}
	r := message(t, "hi", `,"metadata":{"embedding_model":"m"}`)
	if d := index.ReadDocument(&r); d.OwnModel != "" || d.Closer {
		t.Errorf("without a vector there is a model of it: %+v", d)
	}
}

// TestAhead reads a document before its record has a header, with the same result
// as later. External events cannot state their importance.
func TestAhead(t *testing.T) {
	for _, trust := range []record.Trust{record.External, record.Agent, record.User} {
		for _, make := range []func() index.Record{
			func() index.Record { return message(t, "hello there", `,"salience":0.9`) },
			func() index.Record { return put(t, &memory.Memory{ID: "m", Type: memory.TypeFact, Text: "a fact"}) },
		} {
			late := make()
			late.Header.Trust = trust
			early := make()
			early.Header = record.Header{}
			if early.Doc() == nil || early.Doc() != early.Document {
				t.Fatal("a document is read, and not kept")
			}
			early.Header = late.Header
			if got, want := early.Doc(), index.ReadDocument(&late); !reflect.DeepEqual(got, want) {
				t.Errorf("read ahead %+v, want %+v", got, want)
			}
			if d := early.Doc(); d.Kind == record.Event && trust == record.External && d.Importance != 0.3 || trust == record.User && d.Kind == record.Event && d.Importance != 0.9 {
				t.Errorf("trust %v: importance %v", trust, d.Importance)
			}
		}
	}
	withReading := message(t, "hello", "")
	withReading.Reading = &kind.Reading{Facets: kind.Facets{Importance: 0.125}}
	if got := withReading.Doc().Importance; got != 0.125 {
		t.Errorf("what was read before counts for nothing: %v", got)
	}
}

// TestNoDocument: other records have no document.
func TestNoDocument(t *testing.T) {
	uri := memory.URI{Tenant: "acme", Kind: record.Memory, ID: "m"}
	for _, r := range []index.Record{
		{Header: header(record.Event)},
		{Header: header(record.Memory), Damaged: true},
		put(t, &memory.Feedback{ID: "f", AgentID: "a", Outcome: memory.OutcomeSuccess, Cited: []memory.URI{uri}, Note: "good"}),
		{Header: header(record.Edge), Body: &memory.Edge{ID: "x", From: uri, To: uri}},
		{Header: header(record.Tombstone), Control: &memory.Tombstone{Target: record.Memory, ID: "m", Version: 1}},
	} {
		if d := r.Doc(); d != nil {
			t.Errorf("%v: %+v", r.Header.Kind, d)
		}
	}
}

// TestLongArtifact: a long text is cut between two runes.
func TestLongArtifact(t *testing.T) {
	a := artifact(t, `["x","`+strings.Repeat("é", 200_000)+`","y"]`)
	r := index.Record{Body: a, Header: header(record.Artifact)}
	d := index.ReadDocument(&r)
	if n := len(d.Text); n < 255<<10 || n > 257<<10 || strings.ContainsRune(d.Text, '\ufffd') || !strings.HasSuffix(d.Text, "é") {
		t.Errorf("%d bytes", n)
	}
}

// TestConcurrently reads the same record in several goroutines.
func TestConcurrently(t *testing.T) {
	r := message(t, "What did Ada say about internal/kv?", `,"embeddings":[1],"metadata":{"embedding_model":"m"}`)
	want := index.ReadDocument(&r)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			own := r
			if got := index.ReadDocument(&own); !reflect.DeepEqual(got, want) {
				t.Error("read another way")
			}
		})
	}
	all.Wait()
}

func openStore(t testing.TB) *kv.Store {
	t.Helper()
	s, err := kv.Open(kv.Options{FS: disk.NewMem(), Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// past is a random history of one tenant, and the expected results of a keeper.
type past struct {
	records []index.Record
	current map[string]uint64 // of live records
	places  map[string][]uint64
	live    map[uint64]bool
	erased  map[uint64]bool
	events  []uint64
	ended   map[string]bool // redacted
}

func (p *past) add(r index.Record) uint64 {
	n := uint64(len(p.records))
	r.Header.Position, r.Header.Tenant = n, "acme"
	p.records = append(p.records, r)
	return n
}

// thing is a body of which only the identity counts here.
func thing(k record.Kind, id string) memory.Body {
	if k == record.Entity {
		return &memory.Entity{ID: id, Name: "n", Type: "person"}
	}
	return &memory.Memory{ID: id, Type: memory.TypeFact, Text: "x"}
}

func drawPast(rnd *rand.Rand, length int) *past {
	p := &past{current: make(map[string]uint64), places: make(map[string][]uint64), live: make(map[uint64]bool), erased: make(map[uint64]bool), ended: make(map[string]bool)}
	kinds := []record.Kind{record.Memory, record.Entity}
	for range length {
		k, id := kinds[rnd.IntN(2)], fmt.Sprint("t", rnd.IntN(9))
		name := fmt.Sprint(k, id)
		place, there := p.current[name]
		switch what := rnd.IntN(12); {
		case what < 4:
			n := p.add(index.Record{Header: record.Header{Kind: record.Event}, Event: new(hmx.Event), Document: &index.Document{Kind: record.Event}})
			p.events = append(p.events, n)
			p.live[n] = true
		case what < 8 && !p.ended[name]:
			n := p.add(index.Record{Header: record.Header{Kind: k}, Body: thing(k, id), Document: &index.Document{Kind: k, ID: id}})
			delete(p.live, place)
			p.live[n], p.current[name] = true, n
			if there && place == n {
				panic("two at one place")
			}
			p.places[name] = append(p.places[name], n)
		case what == 8 && there:
			n := p.add(index.Record{Header: record.Header{Kind: record.Tombstone}, Control: &memory.Tombstone{Target: k, ID: id, Version: 1}})
			p.places[name] = append(p.places[name], n)
			delete(p.live, place)
			delete(p.current, name)
		case what == 9:
			p.expire(rnd, k, name, there, place)
		case what == 10 && len(p.places[name]) > 0 && !p.ended[name]:
			red := &memory.Redaction{}
			for _, n := range p.places[name] {
				red.Targets = append(red.Targets, memory.RedactionTarget{Kind: k, Position: n, ID: record.ID("acme", k, id)})
				p.erased[n] = true
				delete(p.live, n)
			}
			delete(p.current, name)
			p.ended[name] = true
			p.add(index.Record{Header: record.Header{Kind: record.Redaction}, Control: red})
		case what == 11 && len(p.events) > 0:
			n := p.events[rnd.IntN(len(p.events))]
			p.add(index.Record{Header: record.Header{Kind: record.Redaction}, Control: &memory.Redaction{Targets: []memory.RedactionTarget{{Kind: record.Event, Position: n}}}})
			p.erased[n] = true
			delete(p.live, n)
		default:
			p.add(index.Record{Header: record.Header{Kind: record.Feedback}, Body: &memory.Feedback{ID: id}})
		}
	}
	return p
}

// expire expires an event and a versioned record.
func (p *past) expire(rnd *rand.Rand, k record.Kind, name string, there bool, place uint64) {
	x := &memory.Expiry{Cause: memory.CauseTTL}
	r := index.Record{Header: record.Header{Kind: record.Expiry}, Control: x}
	take := func(k record.Kind, n uint64) {
		x.Targets = append(x.Targets, memory.ExpiryTarget{Kind: k, Position: n})
		target := p.records[n]
		if p.erased[n] {
			target = blank(target)
		}
		r.Targets = append(r.Targets, target)
		delete(p.live, n)
	}
	if len(p.events) > 0 {
		n := p.events[rnd.IntN(len(p.events))]
		take(record.Event, n)
		p.erased[n] = true
	}
	if there {
		take(k, place)
		delete(p.current, name)
	}
	p.add(r)
}

// blank returns a record without its payload.
func blank(r index.Record) index.Record { return index.Record{Header: r.Header} }

// TestKeeper compares with a naive model, and the store with that of a replay
// without the erased records.
func TestKeeper(t *testing.T) {
	k := index.Keeper{Prefix: 'z'}
	for seed := range uint64(40) {
		p := drawPast(rand.New(rand.NewPCG(seed, 9)), 150)
		var stores [2][]string
		for way := range stores {
			s := openStore(t)
			live, removed := make(map[uint64]bool), make(map[uint64]uint64)
			for _, r := range p.records {
				if r.Document != nil {
					d := *r.Document
					r.Document = &d
				}
				if way == 1 {
					r.Targets = slices.Clone(r.Targets)
					for i := range r.Targets {
						if p.erased[r.Targets[i].Header.Position] {
							r.Targets[i] = blank(r.Targets[i])
						}
					}
					if p.erased[r.Header.Position] {
						r = blank(r)
					}
				}
				tx := s.Begin()
				c, err := k.Changes(tx, &r)
				if err != nil {
					t.Fatal(err)
				}
				if err := tx.Commit(); err != nil {
					t.Fatal(err)
				}
				if !slices.IsSorted(c.Gone) || len(slices.Compact(slices.Clone(c.Gone))) != len(c.Gone) {
					t.Fatalf("gone: %v", c.Gone)
				}
				for _, n := range c.Gone {
					if n >= r.Header.Position {
						t.Fatalf("record %d takes %d away", r.Header.Position, n)
					}
					delete(live, n)
					removed[n/8] = r.Header.Position
				}
				if c.Add != nil {
					if c.Add.Position != r.Header.Position {
						t.Fatalf("the document at %d says it is at %d", r.Header.Position, c.Add.Position)
					}
					live[c.Add.Position] = true
				}
			}
			if !reflect.DeepEqual(live, p.live) {
				t.Fatalf("seed %d, way %d: live are %v, want %v", seed, way, live, p.live)
			}
			stores[way] = append(dump(t, s), fmt.Sprint(removed))
			if n := len(stores[way]) - 1; n != len(p.current) {
				t.Fatalf("seed %d, way %d: %d rows, want %d", seed, way, n, len(p.current))
			}
		}
		if !slices.Equal(stores[0], stores[1]) {
			t.Fatalf("seed %d: live and replay differ:\n%q\n%q", seed, stores[0], stores[1])
		}
	}
}

// dump returns the whole content of a store.
func dump(t testing.TB, s *kv.Store) (lines []string) {
	t.Helper()
	it, err := s.Iter([]byte{0}, []byte{0xff})
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s = %x", index.Describe(it.Key()), v))
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestKeeperDamage: damage is reported.
func TestKeeperDamage(t *testing.T) {
	s, k := openStore(t), index.Keeper{Prefix: 'z'}
	tx := s.Begin()
	defer tx.Discard()
	id := record.ID("acme", record.Memory, "m")
	if err := tx.Set(index.NewKey(nil, 'z', index.KeeperTable, 0).Byte(byte(record.Memory)).Digest(index.Digest(id[:16])), []byte("no")); err != nil {
		t.Fatal(err)
	}
	r := put(t, &memory.Memory{ID: "m", Type: memory.TypeFact, Text: "x"})
	if _, err := k.Changes(tx, &r); err == nil {
		t.Error("a row that is no position is read")
	}
}

// TestKeeperLostThing ends a record whose payload is unreadable, by the id in its
// header.
func TestKeeperLostThing(t *testing.T) {
	s, k := openStore(t), index.Keeper{Prefix: 'z'}
	tx := s.Begin()
	r := put(t, &memory.Memory{ID: "m", Type: memory.TypeFact, Text: "x"})
	r.Header.ID = record.ID("acme", record.Memory, "m")
	if _, err := k.Changes(tx, &r); err != nil {
		t.Fatal(err)
	}
	x := index.Record{
		Header:  record.Header{Kind: record.Expiry, Tenant: "acme", Position: 20},
		Control: &memory.Expiry{Targets: []memory.ExpiryTarget{{Kind: record.Memory, Position: 12}}},
		Targets: []index.Record{{Header: r.Header, Damaged: true}},
	}
	c, err := k.Changes(tx, &x)
	if err != nil || !slices.Equal(c.Gone, []uint64{12}) {
		t.Errorf("gone: %v %v", c.Gone, err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if left := dump(t, s); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// BenchmarkReadDocument reads a message of some sentences.
func BenchmarkReadDocument(b *testing.B) {
	r := message(b, strings.Repeat("Ada said that the restore of internal/kv takes 20 minutes. ", 5), "")
	r.Reading = &kind.Reading{Facets: kind.Facets{Importance: math.Pi / 4}}
	b.ReportAllocs()
	for b.Loop() {
		index.ReadDocument(&r)
	}
}
