package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// forged is a record that no engine wrote.
type forged struct {
	kind    record.Kind
	id      string
	time    int64
	payload []byte
}

func forgedEvent(id, tenant, eventID string, at int64) forged {
	return forged{record.Event, id, at, fmt.Appendf(nil, `{"hmx_version":"HMX-1.0","event_id":%q,"event_type":"message","agent_id":"a1","tenant_id":%q,"session_id":"s1","timestamp":"2026-11-15T05:00:00Z","sequence":%d,"content":{"role":"user","text":"hello"},"metadata":{}}`, eventID, tenant, at)}
}

func forgedControl(t testing.TB, at int64, c interface {
	AppendJSON([]byte) ([]byte, error)
	Kind() record.Kind
}) forged {
	t.Helper()
	payload, err := c.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return forged{c.Kind(), fmt.Sprint("control", at), at, payload}
}

func redaction(kind record.Kind, position uint64, id string) *memory.Redaction {
	return &memory.Redaction{Targets: []memory.RedactionTarget{{Kind: kind, Position: position, ID: record.ID("acme", kind, id)}}}
}

func forgedMemory(t testing.TB, at int64) forged {
	t.Helper()
	m := fact("m", "k", "What is so.")
	m.Normalize()
	payload, err := m.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return forged{record.Memory, "m#1", at, payload}
}

// plant writes records into the journal of a new directory, bypassing the
// engine.
func plant(t testing.TB, fs disk.FS, dir string, list []forged) {
	t.Helper()
	if err := openWith(t, dir, small(fs)).Close(); err != nil {
		t.Fatal(err)
	}
	log, err := journal.Open(journal.Options{FS: fs, Dir: dir + "/journal", SegmentBytes: 16 << 10})
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range list {
		body := append(make([]byte, record.SaltSize), x.payload...)
		h := record.Header{
			Kind: x.kind, Trust: record.User, Time: x.time, ID: record.ID("acme", x.kind, x.id), Commitment: record.Commit(body),
			Position: uint64(i), Tenant: "acme", Actor: "mallory",
		}
		if _, err := log.Append(h.Append(nil), body); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestVerifyForged verifies consistent records that no engine would have
// written.
func TestVerifyForged(t *testing.T) {
	tomb := func(at int64) forged {
		return forgedControl(t, at, &memory.Tombstone{Target: record.Memory, ID: "m", Version: 1, Reason: "no"})
	}
	for _, c := range []struct {
		name string
		list []forged
		want string // empty for a valid one
	}{
		{"as it should be", []forged{
			forgedEvent("e0", "acme", "e0", 1), forgedEvent("e1", "acme", "e1", 1), forgedMemory(t, 2), tomb(3),
			forgedControl(t, 4, redaction(record.Event, 0, "e0")),
			forgedControl(t, 5, &memory.Redaction{Targets: []memory.RedactionTarget{
				{Kind: record.Memory, Position: 2, ID: record.ID("acme", record.Memory, "m")},
				{Kind: record.Memory, Position: 3, ID: record.ID("acme", record.Memory, "m")},
			}}),
			forgedControl(t, 6, &memory.Expiry{Cause: memory.CauseTTL, Targets: []memory.ExpiryTarget{{Kind: record.Event, Position: 1}}}),
		}, ""},
		{"another id", []forged{forgedEvent("other", "acme", "e0", 1)}, `header of another event than "e0"`},
		{"another tenant", []forged{forgedEvent("e0", "globex", "e0", 1)}, `an event of tenant "globex"`},
		{"time falls", []forged{forgedEvent("e0", "acme", "e0", 5), forgedEvent("e1", "acme", "e1", 6), forgedEvent("e2", "acme", "e2", 5)}, "position 2 is older than the one before it"},
		{"another event", []forged{forgedEvent("e0", "acme", "e0", 1), forgedControl(t, 2, redaction(record.Event, 0, "e1"))}, "as another event than it is"},
		{"a memory as an event", []forged{forgedMemory(t, 1), forgedControl(t, 2, redaction(record.Event, 0, "m"))}, "of kind event, but that is of kind memory"},
		{"an event as a memory", []forged{forgedEvent("e0", "acme", "e0", 1), forgedControl(t, 2, redaction(record.Memory, 0, "e0"))}, "of kind memory, but that is of kind event"},
		{"a redaction", []forged{
			forgedEvent("e0", "acme", "e0", 1), forgedControl(t, 2, redaction(record.Event, 0, "e0")), forgedControl(t, 3, redaction(record.Memory, 1, "m")),
		}, "of kind memory, but that is of kind redaction"},
		{"itself", []forged{forgedEvent("e0", "acme", "e0", 1), forgedControl(t, 2, redaction(record.Memory, 1, "m"))}, "does not come before it"},
		{"the future", []forged{
			forgedEvent("e0", "acme", "e0", 1), forgedControl(t, 2, redaction(record.Event, 2, "e2")), forgedEvent("e2", "acme", "e2", 3),
		}, "does not come before it"},
		{"a tombstone that expires", []forged{
			forgedMemory(t, 1), tomb(2), forgedControl(t, 3, &memory.Expiry{Cause: memory.CauseTTL, Targets: []memory.ExpiryTarget{{Kind: record.Memory, Position: 1}}}),
		}, "but that is of kind tombstone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fs := disk.NewMem()
			plant(t, fs, "data", c.list)
			b, err := engine.Open(ctx, "data", small(fs))
			if err != nil {
				// The folds may refuse it outright, but not a valid one.
				if c.want == "" || fault.CodeOf(err) != fault.Damaged {
					t.Fatal(err)
				}
				return
			}
			defer b.Close()
			got := found(t, b)
			if c.want == "" {
				sound(t, b)
			} else if !strings.Contains(got, c.want) {
				t.Fatalf("found %q, not %q", got, c.want)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			lines, err := readJournal(fs, "data")
			if err != nil {
				t.Fatal(err)
			}
			if c.name == "the future" && lines["acme"][2].Erased || c.name == "itself" && lines["acme"][1].Erased {
				t.Fatal("a record was overwritten by one that is not younger")
			}
		})
	}
}

// TestVerifyWhileErasing verifies deeply during erasures: a journaled erasure
// that is not overwritten yet is not a finding.
func TestVerifyWhileErasing(t *testing.T) {
	fs := disk.NewMem()
	b := openWith(t, "data", small(fs))
	var evs []*hmx.Event
	for i := range 40 {
		evs = append(evs, event(t, "acme", fmt.Sprint("e", i), int64(i), "said"))
	}
	must(t)(b.AppendEvents(ctx, user, evs))
	done := make(chan error, 1)
	go func() {
		var err error
		for i := range 40 {
			if _, e := b.Redact(ctx, user, []memory.URI{eventURI(fmt.Sprint("e", i))}); e != nil {
				err = e
			}
		}
		done <- err
	}()
	for range 10 {
		sound(t, b)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if r := sound(t, b); r.Erased != 40 {
		t.Fatalf("%d are erased", r.Erased)
	}
}
