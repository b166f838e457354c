package engine_test

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/disk/disktest"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// handmade is a hand-made record of an export. A nil body is an erased one.
type handmade struct {
	record.Header
	body []byte
}

// forgery is an export under construction. Its commitments, leaves and root are
// always right: only the content of the records is wrong.
type forgery struct {
	tenant  string
	records []handmade
}

// clockTime is the default time of a record.
const clockTime = int64(1_760_000_000_000_000_000)

// add appends a record and returns its position.
func (f *forgery) add(kind record.Kind, id, payload string) uint64 {
	n := uint64(len(f.records))
	h := record.Header{Kind: kind, Trust: record.User, Time: clockTime, Position: n, Tenant: f.tenant, Actor: "mallory", ID: record.ID(f.tenant, kind, id)}
	f.records = append(f.records, handmade{h, append(bytes.Repeat([]byte{byte(n + 1)}, record.SaltSize), payload...)})
	f.records[n].Commitment = record.Commit(f.records[n].body)
	return n
}

// last is the record that was added last.
func (f *forgery) last() *handmade { return &f.records[len(f.records)-1] }

// event appends an event.
func (f *forgery) event(id string) uint64 { return f.add(record.Event, id, eventPayload(f.tenant, id)) }

func eventPayload(tenant, id string) string {
	return fmt.Sprintf(`{"hmx_version":"HMX-1.0","event_id":%q,"event_type":"message","agent_id":"a1","tenant_id":%q,"session_id":"s1","timestamp":"2026-11-15T05:00:00Z","sequence":1,"content":{"role":"user","text":"hello"},"metadata":{}}`, id, tenant)
}

// memory appends a version of a memory.
func (f *forgery) memory(id string, version int, text string) uint64 {
	return f.add(record.Memory, fmt.Sprintf("%s#%d", id, version), memoryPayload(id, text))
}

func memoryPayload(id, text string) string {
	return fmt.Sprintf(`{"id":%q,"type":"fact","text":%q,"data":{},"importance":0.5,"confidence":1,"visibility":"tenant","forms":{"short":%[2]q,"medium":%[2]q}}`, id, text)
}

// blank appends a record that was erased.
func (f *forgery) blank(kind record.Kind, id string) uint64 {
	n := f.add(kind, id, "gone")
	f.records[n].body = nil
	return n
}

// redact appends a redaction of records of a kind, by "position id" pairs.
func (f *forgery) redact(kind record.Kind, pairs ...any) uint64 {
	var targets []string
	for i := 0; i < len(pairs); i += 2 {
		id := record.ID(f.tenant, kind, pairs[i+1].(string))
		targets = append(targets, fmt.Sprintf(`{"kind":%q,"position":%d,"id":"%x"}`, kind, pairs[i], id))
	}
	return f.add(record.Redaction, fmt.Sprint("r", len(f.records)), `{"targets":[`+strings.Join(targets, ",")+`]}`)
}

// expire appends an expiry of positions.
func (f *forgery) expire(kind record.Kind, positions ...uint64) uint64 {
	var targets []string
	for _, p := range positions {
		targets = append(targets, fmt.Sprintf(`{"kind":%q,"position":%d}`, kind, p))
	}
	return f.add(record.Expiry, fmt.Sprint("x", len(f.records)), `{"targets":[`+strings.Join(targets, ",")+`],"cause":"ttl"}`)
}

// embedding appends the vector of a record, by its right id unless another is given.
func (f *forgery) embedding(kind record.Kind, of string, position uint64, id string) uint64 {
	e := memory.NewEmbedding("hash", memory.URI{Tenant: f.tenant, Kind: kind, ID: of}, position, []float32{1, 2})
	e.ID = cmp.Or(id, e.ID)
	payload, err := e.AppendJSON(nil)
	if err != nil {
		panic(err)
	}
	return f.add(record.Embedding, e.ID+"#1", string(payload))
}

// refinement appends a title of an artifact, by its right id unless another is
// given.
func (f *forgery) refinement(kind record.Kind, of string, position uint64, id string, trust record.Trust) uint64 {
	x := memory.NewRefinement("chat", memory.URI{Tenant: f.tenant, Kind: kind, ID: of}, position, "Title", "Summary.")
	x.ID = cmp.Or(id, x.ID)
	payload, err := x.AppendJSON(nil)
	if err != nil {
		panic(err)
	}
	at := f.add(record.Refinement, x.ID+"#1", string(payload))
	f.records[at].Trust = trust
	return at
}

// export writes the file.
func (f *forgery) export() []byte {
	var lines bytes.Buffer
	var tree merkle.Range
	for _, r := range f.records {
		tree.Append(merkle.LeafHash(r.Append(nil)))
		line := map[string]any{
			"position": r.Position, "kind": r.Kind, "trust": r.Trust, "time": time.Unix(0, r.Time).UTC().Format(time.RFC3339Nano),
			"actor": r.Actor, "id": hex.EncodeToString(r.ID[:]), "commitment": hex.EncodeToString(r.Commitment[:]),
		}
		if r.body == nil {
			line["erased"] = true
		} else {
			line["salt"] = hex.EncodeToString(r.body[:record.SaltSize])
			line["payload_base64"] = base64.StdEncoding.EncodeToString(r.body[record.SaltSize:])
		}
		text, err := json.Marshal(line)
		if err != nil {
			panic(err)
		}
		lines.Write(append(text, '\n'))
	}
	root := tree.Root()
	return fmt.Appendf(nil, `{"lukasa_export":1,"tenant":%q,"size":%d,"root":"%x","directory":"d"}`+"\n%s", f.tenant, len(f.records), root, lines.Bytes())
}

// TestImportForgeries imports what no board would have written. All of it must be
// refused, and what was imported before it must be sound.
func TestImportForgeries(t *testing.T) {
	testsize.Long(t, "it makes a hundred exports")
	bare, _ := artifact(t, "acme", "art", "an artifact").AppendJSON(nil)
	art := string(bare)
	const feedback = `{"id":"f","agent_id":"a","outcome":"success"}`
	cases := []struct {
		name string
		make func(f *forgery)
		want string
	}{
		{"a redaction of a position to come", func(f *forgery) { f.redact(record.Event, 9, "zz") }, "is not before the record itself"},
		{"a redaction of itself", func(f *forgery) { f.redact(record.Event, 3, "zz") }, "is not before the record itself"},
		{"an expiry of a position to come", func(f *forgery) { f.expire(record.Event, 4) }, "is not before the record itself"},
		{"a redaction of another kind", func(f *forgery) { f.redact(record.Event, f.blank(record.Memory, "x#1"), "x") }, "another memory than the event"},
		{"a redaction of another event", func(f *forgery) { f.redact(record.Event, f.blank(record.Event, "x"), "y") }, "another event than the event"},
		{"a redaction of a redaction", func(f *forgery) { f.redact(record.Memory, f.blank(record.Redaction, "x"), "y") }, "another redaction than the memory"},
		{"an expiry of another kind", func(f *forgery) { f.expire(record.Entity, 2) }, "another memory than the entity"},
		{"an expiry of an erased one of another kind", func(f *forgery) { f.expire(record.Event, f.blank(record.Memory, "x#1")) }, "another memory than the event"},
		{"an expiry by id", func(f *forgery) {
			f.blank(record.Event, "e9")
			f.add(record.Expiry, "x", `{"targets":[{"kind":"event","id":"e9"}],"cause":"ttl"}`)
		}, ""},
		{"a doubled target of a redaction", func(f *forgery) {
			p := f.blank(record.Event, "x")
			f.redact(record.Event, p, "x", p, "x")
		}, "name"},
		{"a doubled target of an expiry", func(f *forgery) { p := f.blank(record.Event, "x"); f.expire(record.Event, p, p) }, "name"},
		{"an event under another id", func(f *forgery) { f.add(record.Event, "other", eventPayload("acme", "e2")) }, "digest of the event's id"},
		{"a version that is not next", func(f *forgery) { f.memory("m", 3, "text") }, "digest of version 2"},
		{"a version under another id", func(f *forgery) { f.add(record.Memory, "other#1", memoryPayload("n", "text")) }, "digest of version 1"},
		{"a version after a tombstone, not counted", func(f *forgery) {
			f.add(record.Tombstone, "t", `{"kind":"memory","id":"m","version":1}`)
			f.memory("m", 2, "text")
		}, "digest of version 3"},
		{"an event of another tenant", func(f *forgery) { f.add(record.Event, "e2", eventPayload("globex", "e2")) }, "another tenant"},
		{"an event twice", func(f *forgery) { f.event("e1") }, "id: the record at position 1 has the same id"},
		{"an event's id erased and again", func(f *forgery) { f.redact(record.Event, f.blank(record.Event, "x"), "x"); f.event("x") }, "has the same id"},
		{"a tombstone's id twice", func(f *forgery) {
			f.add(record.Tombstone, "t", `{"kind":"memory","id":"m","version":1}`)
			f.memory("m", 3, "text")
			f.add(record.Tombstone, "t", `{"kind":"memory","id":"m","version":3}`)
		}, "has the same id"},
		{"a time that falls", func(f *forgery) { f.event("e2"); f.last().Time-- }, "before that of the record in front"},
		{"a time far ahead", func(f *forgery) { f.event("e2"); f.last().Time = time.Now().Add(25 * time.Hour).UnixNano() }, "more than a day after"},
		{"a time at the end of all time", func(f *forgery) { f.event("e2"); f.last().Time = 1<<63 - 1 }, "more than a day after"},
		{"an actor that is no name", func(f *forgery) { f.event("e2"); f.last().Actor = "a\x1bb" }, "control character"},
		{"a link to another tenant", func(f *forgery) {
			f.add(record.Edge, "edge#1", `{"id":"edge","from":"lukasa://acme/memory/m","to":"lukasa://globex/memory/m","kind":"relates_to"}`)
		}, "tenant"},
		{"feedback twice", func(f *forgery) { f.add(record.Feedback, "f#1", feedback); f.add(record.Feedback, "f#2", feedback) }, "never changes"},
		{"an artifact twice", func(f *forgery) { f.add(record.Artifact, "art#1", art); f.add(record.Artifact, "art#2", art) }, "never changes"},
		{"a put on a redacted thing", func(f *forgery) {
			f.redact(record.Memory, f.blank(record.Memory, "x#1"), "x")
			f.memory("x", 2, "again")
		}, "was erased by the redaction at position 4"},
		{"a tombstone on nothing", func(f *forgery) { f.add(record.Tombstone, "t", `{"kind":"memory","id":"zz","version":1}`) }, "is not there"},
		{"a tombstone on an event", func(f *forgery) { f.add(record.Tombstone, "t", `{"kind":"event","id":"e0"}`) }, "is not there"},
		{"a tombstone on another version", func(f *forgery) { f.add(record.Tombstone, "t", `{"kind":"memory","id":"m","version":2}`) }, "is at version 1"},
		{"a tombstone by a lower tier", func(f *forgery) {
			f.add(record.Tombstone, "t", `{"kind":"memory","id":"m","version":1}`)
			f.last().Trust = record.External
		}, "has tier user"},
		{"a tombstone on a tombstone", func(f *forgery) {
			f.add(record.Tombstone, "t", `{"kind":"memory","id":"m","version":1}`)
			f.add(record.Tombstone, "u", `{"kind":"memory","id":"m","version":2}`)
		}, "is not there"},
		{"a transition of nothing", func(f *forgery) {
			f.add(record.Transition, "t", `{"artifact_id":"zz","from":"draft","to":"active"}`)
		}, "is not there"},
		{"a transition from another status", func(f *forgery) {
			f.add(record.Artifact, "art#1", art)
			f.add(record.Transition, "t", `{"artifact_id":"art","from":"active","to":"deprecated"}`)
		}, "status is draft"},
		{"a key that is another's", func(f *forgery) {
			f.add(record.Memory, "a#1", strings.Replace(memoryPayload("a", "one"), `"text"`, `"key":"k","text"`, 1))
			f.add(record.Memory, "b#1", strings.Replace(memoryPayload("b", "two"), `"text"`, `"key":"k","text"`, 1))
		}, "belongs to another memory"},
		{"an erasure that nothing explains", func(f *forgery) { f.blank(record.Event, "x") }, "nothing that follows erases it"},
		{"an erasure that only an expiry of a thing names", func(f *forgery) { f.expire(record.Memory, f.blank(record.Memory, "x#1")) }, "nothing that follows erases it"},
		{"a redaction of what is there", func(f *forgery) { f.redact(record.Event, 0, "e0") }, "is not erased in the export"},
		{"an expiry of an event that is there", func(f *forgery) { f.expire(record.Event, 0) }, "is not erased in the export"},
		{"two redactions of one event", func(f *forgery) {
			p := f.blank(record.Event, "x")
			f.redact(record.Event, p, "x")
			f.redact(record.Event, p, "x")
		}, "was erased before"},
		{"a redaction of a live thing by way of an erased record", func(f *forgery) { f.redact(record.Memory, f.blank(record.Memory, "x#1"), "m") }, "position 2 is not erased in the export"},
		{"a thing redacted twice", func(f *forgery) {
			f.redact(record.Memory, f.blank(record.Memory, "x#1"), "x")
			f.redact(record.Memory, f.blank(record.Memory, "x#2"), "x")
		}, "was erased by the redaction at position 4"},
		{"an expiry of an old version", func(f *forgery) { f.memory("m", 2, "newer"); f.expire(record.Memory, 2) }, "is not what a live memory says"},
		{"a second key of redactions", func(f *forgery) {
			for i, id := range []string{"x", "y"} {
				p := f.blank(record.Event, id)
				f.add(record.Redaction, "r"+id, fmt.Sprintf(`{"targets":[{"kind":"event","position":%d,"id":"%x","content":"%064x"}],"key":"%032x"}`, p, record.ID("acme", record.Event, id), i+1, i+1))
			}
		}, "not the one of this tenant's redactions"},
		{"an embedding under another id", func(f *forgery) { f.embedding(record.Event, "e0", 0, "embedding-0") }, "id: it is not that of an embedding"},
		{"an embedding of a position to come", func(f *forgery) { f.embedding(record.Event, "e0", 9, "") }, "position: 9 is not before the record itself"},
		{"an embedding of itself", func(f *forgery) { f.embedding(record.Event, "e0", 3, "") }, "position: 3 is not before the record itself"},
		{"an embedding of feedback", func(f *forgery) { f.add(record.Feedback, "f#1", feedback); f.embedding(record.Feedback, "f", 3, "") }, "no embeddings of a feedback"},
		{"an embedding of another event", func(f *forgery) { f.embedding(record.Event, "e0", 1, "") }, "position 1 is not that event"},
		{"an embedding of no event", func(f *forgery) { f.embedding(record.Event, "e7", 1, "") }, "position 1 is not that event"},
		{"an embedding of an erased event", func(f *forgery) {
			p := f.blank(record.Event, "x")
			f.redact(record.Event, p, "x")
			f.embedding(record.Event, "x", p, "")
		}, "that event was erased at position 4"},
		{"an embedding of another memory", func(f *forgery) { f.memory("n", 1, "text"); f.embedding(record.Memory, "m", 3, "") }, "position 3 is not what that memory says"},
		{"an embedding of no memory", func(f *forgery) { f.embedding(record.Memory, "n", 2, "") }, "position 2 is not what that memory says"},
		{"an embedding of an old version", func(f *forgery) { f.memory("m", 2, "newer"); f.embedding(record.Memory, "m", 2, "") }, "position 2 is not what that memory says"},
		{"an embedding of what was forgotten", func(f *forgery) {
			f.add(record.Tombstone, "t", `{"kind":"memory","id":"m","version":1}`)
			f.embedding(record.Memory, "m", 2, "")
		}, "position 2 is not what that memory says"},
		{"an embedding of another tenant", func(f *forgery) {
			e := memory.NewEmbedding("hash", memory.URI{Tenant: "globex", Kind: record.Event, ID: "e0"}, 0, []float32{1, 2})
			payload, _ := e.AppendJSON(nil)
			f.add(record.Embedding, e.ID+"#1", string(payload))
		}, "tenant"},
		{"a fingerprint with another hash", func(f *forgery) {
			f.add(record.Fingerprint, "f#1", `{"id":"f","visibility":"tenant","document":{"hash":"`+strings.Repeat("0", 64)+`"}}`)
		}, "document.hash is"},
		{"a fingerprint that is none", func(f *forgery) {
			f.add(record.Fingerprint, "f#1", `{"id":"f","visibility":"tenant","document":{"hash":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}}`)
		}, "/lukasa_fingerprint: it is missing"},
		{"a refinement of no artifact", func(f *forgery) { f.refinement(record.Artifact, "a", 2, "", record.External) }, "position 2 is not what that artifact says"},
		{"a refinement of a memory", func(f *forgery) { f.refinement(record.Memory, "m", 2, "", record.External) }, "target names a memory"},
		{"a refinement that is trusted", func(f *forgery) { f.refinement(record.Artifact, "a", 2, "", record.Tool) }, "what a model wrote is trusted as external"},
		{"a refinement under another id", func(f *forgery) { f.refinement(record.Artifact, "a", 2, "refinement-1", record.External) }, "not that of a refinement"},
		{"a refinement of what comes later", func(f *forgery) { f.refinement(record.Artifact, "a", 9, "", record.External) }, "is not before the record itself"},
		{"erased content again", func(f *forgery) {
			key := bytes.Repeat([]byte{7}, 16)
			ev, _, err := hmx.DecodeEvent([]byte(eventPayload("acme", "new")))
			if err != nil {
				t.Fatal(err)
			}
			mac, ok := memory.EventMAC(key, ev)
			if !ok {
				f.event("e0") // too short to be recognized by its content; refused for another reason
				return
			}
			p := f.blank(record.Event, "x")
			f.add(record.Redaction, "r", fmt.Sprintf(`{"targets":[{"kind":"event","position":%d,"id":"%x","content":"%x"}],"key":"%x"}`, p, record.ID("acme", record.Event, "x"), mac, key))
			f.event("new")
		}, ""},
	}
	for _, c := range cases {
		for _, prefix := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, prefix %v", c.name, prefix), func(t *testing.T) {
				b := openWith(t, "data", small(disk.NewMem()))
				f := &forgery{tenant: "acme"}
				f.event("e0")
				f.event("e1")
				f.memory("m", 1, "first")
				if prefix {
					must(t)(b.Import(ctx, bytes.NewReader(f.export()), nil))
				}
				c.make(f)
				_, err := b.Import(ctx, bytes.NewReader(f.export()), nil)
				if fault.CodeOf(err) != fault.InvalidDocument || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("%v, not %q", err, c.want)
				}
				if root, err := b.Root(ctx, "acme"); err == nil && root.Size >= uint64(len(f.records)) {
					t.Fatal("it came in")
				}
				sound(t, b)
				if err := b.Rebuild(ctx, nil); err != nil {
					t.Fatal(err)
				}
				// The valid part is still valid.
				must(t)(b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "mine", 1, "an acknowledged event")}))
				must(t)(b.Event(ctx, "acme", "mine", engine.View{}))
				sound(t, b)
			})
		}
	}
}

// TestImportStrictLines changes how lines are written, and not their meaning.
func TestImportStrictLines(t *testing.T) {
	f := &forgery{tenant: "acme"}
	f.event("e0")
	f.redact(record.Event, f.blank(record.Event, "x"), "x")
	good := string(f.export())
	b := openWith(t, "data", small(disk.NewMem()))
	for old, bad := range map[string]string{
		`"position":0`:          `"position":0,"position":0`,
		`"position":1`:          `"POSITION":1`,
		`"position":2`:          `"position":2.0`,
		`"erased":true`:         `"erased":true,"ERASED":true`,
		`"commitment":`:         `"commitment":null,"x":`,
		`"salt":"01`:            `"unknown":1,"salt":"01`,
		`,"erased":true`:        ``,
		`true,"id"`:             `true,"salt":"01010101010101010101010101010101","id"`,
		`"directory":"d"}`:      `"directory":"d"} trailing`,
		`"directory":"d"`:       `"directory":"d","Tenant":"globex"`,
		`"size":3`:              `"size":3,"size":3`,
		`"kind":"event"`:        `"kind":"Event"`,
		`"kind":"redaction"`:    `"kind":"gift"`,
		`"trust":"user"`:        `"trust":"root"`,
		`"actor":"mallory"`:     `"actor":["mallory"]`,
		`"time":"2025-10-09T`:   `"time":"2025-10-09t`,
		`"payload_base64":"eyJ`: `"payload":{},"payload_base64":"eyJ`,
		"}\n{\"actor":           "}{}\n{\"actor",
		"}\n":                   "}\n\n",
	} {
		if !strings.Contains(good, old) {
			t.Fatalf("%q is not in %s", old, good)
		}
		_, err := b.Import(ctx, strings.NewReader(strings.Replace(good, old, bad, 1)), nil)
		if fault.CodeOf(err) != fault.InvalidDocument {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := b.Import(ctx, strings.NewReader(strings.Replace(good, `export":1,`, `export":2,"more":1,`, 1)), nil); fault.CodeOf(err) != fault.NewerFormat {
		t.Error(err)
	}
	if n, err := b.CountTenants(ctx); err != nil || n != 0 {
		t.Fatalf("%d tenants, %v", n, err)
	}
	must(t)(b.Import(ctx, strings.NewReader(strings.ReplaceAll(good, "\n", "\r\n")), nil))
	sound(t, b)
}

// TestImportWhole transfers everything that a board writes.
func TestImportWhole(t *testing.T) {
	testsize.OneGoroutine(t)
	c := newClock()
	o := small(disk.NewMem())
	o.Clock = c.Now
	b := openWith(t, "data", o)
	op := engine.Writer{Actor: "root", Trust: record.Operator}
	ref := func(kind record.Kind, id string) engine.Ref { return engine.Ref{Tenant: "acme", Kind: kind, ID: id} }
	var files [][]byte
	export := func() {
		var out bytes.Buffer
		must(t)(b.Export(ctx, "acme", &out, nil))
		files = append(files, out.Bytes())
	}
	for i := range 6 {
		id := fmt.Sprint("m", i)
		must(t)(b.Put(ctx, user, "acme", fact(id, "key/"+id, "the first words of "+id), engine.AnyVersion()))
		must(t)(b.Put(ctx, user, "acme", fact(id, "key/"+id, "the second words of "+id), engine.AnyVersion()))
		must(t)(b.AppendEvents(ctx, user, []*hmx.Event{eventWith(t, "acme", fmt.Sprint("e", i), "s", int64(i), "the words of an event "+id, `,"ttl_seconds":60`)}))
		c.Move(time.Second)
	}
	// Nested as deeply as an event may be: one level less than a line allows.
	nested := strings.Repeat(`{"a":`, 62) + "1" + strings.Repeat("}", 62)
	deep, _, err := hmx.DecodeEvent([]byte(strings.Replace(eventPayload("acme", "deep"), `"text":`, `"more":`+nested+`,"text":`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	must(t)(b.AppendEvents(ctx, engine.Writer{}, []*hmx.Event{deep}))
	export()
	must(t)(b.Forget(ctx, user, ref(record.Memory, "m0"), "no longer so", engine.AnyVersion()))
	must(t)(b.Restore(ctx, user, ref(record.Memory, "m0"), engine.AnyVersion()))
	must(t)(b.Forget(ctx, user, ref(record.Memory, "m1"), "a secret reason", engine.AnyVersion()))
	must(t)(b.Put(ctx, user, "acme", &memory.Feedback{ID: "f", AgentID: "a", Outcome: "success", Cited: []memory.URI{{Tenant: "acme", Kind: record.Memory, ID: "m0"}}}, engine.AnyVersion()))
	for _, id := range []string{"art", "old"} {
		must(t)(b.Put(ctx, user, "acme", artifact(t, "acme", id, "the artifact "+id), engine.AnyVersion()))
		must(t)(b.Transition(ctx, user, ref(0, id), "active", "", "it is time", engine.AnyVersion()))
	}
	better := artifact(t, "acme", "gone", "the artifact gone")
	better.HMX.Supersedes, better.HMX.Version = hmx.Some("old"), 2
	must(t)(b.Put(ctx, user, "acme", better, engine.AnyVersion()))
	must(t)(b.Transition(ctx, user, ref(0, "old"), "superseded", "gone", "there is a better one", engine.AnyVersion()))
	must(t)(b.Transition(ctx, user, ref(0, "gone"), "active", "", "it is time", engine.AnyVersion()))
	must(t)(b.Put(ctx, user, "acme", &memory.Memory{ID: "ttl", Type: memory.TypeFact, Text: "for a short while", TTLSeconds: 30}, engine.AnyVersion()))
	must(t)(b.Put(ctx, user, "acme", &memory.Memory{ID: "ttl2", Type: memory.TypeFact, Text: "for a short while too", TTLSeconds: 30}, engine.AnyVersion()))
	export()
	must(t)(b.Redact(ctx, user, []memory.URI{{Tenant: "acme", Kind: record.Memory, ID: "m1"}, {Tenant: "acme", Kind: record.Event, ID: "e5"}, {Tenant: "acme", Kind: record.Artifact, ID: "gone"}}))
	c.Move(time.Minute)
	must(t)(b.Expire(ctx, op, "acme", c.Now()))
	must(t)(b.Put(ctx, user, "acme", &memory.Memory{ID: "ttl", Type: memory.TypeFact, Text: "and once more"}, engine.AnyVersion()))
	must(t)(b.Redact(ctx, user, []memory.URI{{Tenant: "acme", Kind: record.Memory, ID: "ttl2"}}))
	export()
	must(t)(b.Put(ctx, user, "acme", fact("m9", "key/m1", "a key that became free"), engine.AnyVersion()))
	export()
	want, err := b.Root(ctx, "acme")
	if err != nil {
		t.Fatal(err)
	}
	sound(t, b)

	// At once, and as it grew; existing records are erased when their erasure is
	// imported.
	for name, steps := range map[string][][]byte{"at once": files[3:], "as it grew": files} {
		t.Run(name, func(t *testing.T) {
			o := small(disk.NewMem())
			o.Clock = c.Now
			d := openWith(t, "data", o)
			for _, step := range steps {
				must(t)(d.Import(ctx, bytes.NewReader(step), nil))
				sound(t, d)
			}
			if got, err := d.Root(ctx, "acme"); err != nil || got != want {
				t.Fatalf("%+v, not %+v: %v", got, want, err)
			}
			if err := d.Rebuild(ctx, nil); err != nil {
				t.Fatal(err)
			}
			sound(t, d)
			var again bytes.Buffer
			must(t)(d.Export(ctx, "acme", &again, nil))
			_, x, _ := bytes.Cut(files[3], []byte("\n"))
			_, y, _ := bytes.Cut(again.Bytes(), []byte("\n"))
			if !bytes.Equal(x, y) {
				t.Fatal("the export of the import is another one")
			}
			// An earlier one is a prefix of it.
			must(t)(d.Import(ctx, bytes.NewReader(files[0]), nil))
		})
	}
}

// TestImportEarlierAfterLater starts with a later export, in which a record is
// erased, and continues with an earlier one, which never names the erasure.
func TestImportEarlierAfterLater(t *testing.T) {
	testsize.Long(t, "it imports 5,000 events twice")
	f := &forgery{tenant: "acme"}
	f.event("e0")
	for i := range 5000 {
		f.event(fmt.Sprint("f", i))
	}
	earlier := f.export()
	f.records[0].body = nil
	f.redact(record.Event, 0, "e0")
	later := f.export()
	mem := disktest.NewCrashable()
	b := openWith(t, "data", small(mem))
	var crashed *disk.Mem
	must(t)(b.Import(ctx, bytes.NewReader(later), func(done, _ uint64) {
		if done > 2500 && crashed == nil {
			crashed = mem.CrashClone(disktest.CrashConfig{})
		}
	}))
	sound(t, b)
	d := openWith(t, "data", small(crashed))
	if _, err := d.Import(ctx, bytes.NewReader(earlier), nil); fault.CodeOf(err) != fault.IDConflict || !strings.Contains(err.Error(), "later export") {
		t.Fatal(err)
	}
	must(t)(d.Import(ctx, bytes.NewReader(later), nil))
	sound(t, d)
}

// hooked calls a function before the first bytes are written.
type hooked struct {
	bytes.Buffer
	hook func()
}

func (h *hooked) Write(p []byte) (int, error) {
	if f := h.hook; f != nil {
		h.hook = nil
		f()
	}
	return h.Buffer.Write(p)
}

// TestExportBesideRedaction erases a record during an export. The export must not
// contain it as erased without the erasing record.
func TestExportBesideRedaction(t *testing.T) {
	b := openWith(t, "data", small(disk.NewMem()))
	var evs []*hmx.Event
	for i := range 1000 {
		evs = append(evs, event(t, "acme", fmt.Sprint("e", i), int64(i), strings.Repeat("x", 100)+fmt.Sprint(i)))
	}
	must(t)(b.AppendEvents(ctx, user, evs))
	redact := func(id string) func() {
		return func() { must(t)(b.Redact(ctx, user, []memory.URI{{Tenant: "acme", Kind: record.Event, ID: id}})) }
	}
	if _, err := b.Export(ctx, "acme", &hooked{hook: redact("e999")}, nil); fault.CodeOf(err) != fault.Erased || !strings.Contains(err.Error(), "while the export ran") {
		t.Fatal(err)
	}
	// Records that are already written may be erased.
	h := &hooked{hook: redact("e0")}
	root, err := b.Export(ctx, "acme", h, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := openWith(t, "data", small(disk.NewMem()))
	if rep, err := c.Import(ctx, bytes.NewReader(h.Bytes()), nil); err != nil || rep.Root != root {
		t.Fatalf("%+v, not %+v: %v", rep, root, err)
	}
	sound(t, c)
}
