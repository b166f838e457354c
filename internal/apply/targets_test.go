package apply_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// onceEach is the error of the payload's own rules for a repeated target.
const onceEach = "name each record once"

// TestBadTargets replays controls that remove what they cannot.
func TestBadTargets(t *testing.T) {
	e0, m := record.ID("acme", record.Event, "e0"), record.ID("acme", record.Memory, "m")
	red := func(targets ...memory.RedactionTarget) memory.Control { return &memory.Redaction{Targets: targets} }
	exp := func(targets ...memory.ExpiryTarget) memory.Control {
		return &memory.Expiry{Targets: targets, Cause: memory.CauseTTL}
	}
	for name, c := range map[string]struct {
		control memory.Control
		want    string // empty if it is valid
	}{
		"an event":                   {red(memory.RedactionTarget{Kind: record.Event, Position: 0, ID: e0}), ""},
		"a memory and its tombstone": {red(memory.RedactionTarget{Kind: record.Memory, Position: 1, ID: m}, memory.RedactionTarget{Kind: record.Memory, Position: 2, ID: m}), ""},
		"the end of a memory":        {exp(memory.ExpiryTarget{Kind: record.Memory, Position: 1}), ""},
		"the end of an event":        {exp(memory.ExpiryTarget{Kind: record.Event, Position: 0}), ""},
		"itself":                     {red(memory.RedactionTarget{Kind: record.Event, Position: 3, ID: e0}), "not before"},
		"one to come":                {exp(memory.ExpiryTarget{Kind: record.Event, Position: 400}), "not before"},
		"one twice":                  {exp(memory.ExpiryTarget{Kind: record.Event}, memory.ExpiryTarget{Kind: record.Event}), onceEach},
		"a memory as an event":       {red(memory.RedactionTarget{Kind: record.Event, Position: 1, ID: m}), "another memory"},
		"an event as a memory":       {exp(memory.ExpiryTarget{Kind: record.Memory, Position: 0}), "another event"},
		"another event":              {red(memory.RedactionTarget{Kind: record.Event, Position: 0, ID: m}), "another event"},
		"the end of a tombstone":     {exp(memory.ExpiryTarget{Kind: record.Memory, Position: 2}), "another tombstone"},
		"a tombstone as an event":    {red(memory.RedactionTarget{Kind: record.Event, Position: 2, ID: m}), "another tombstone"},
	} {
		t.Run(name, func(t *testing.T) {
			fs := disk.NewMem()
			log, err := journal.Open(journal.Options{FS: fs, Dir: "journal"})
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			position := uint64(0)
			add := func(kind record.Kind, id string, doc interface{ AppendJSON([]byte) ([]byte, error) }, text string) {
				t.Helper()
				payload := []byte(text)
				if doc != nil {
					if payload, err = doc.AppendJSON(nil); err != nil {
						t.Fatal(err)
					}
				}
				body := append(make([]byte, record.SaltSize), payload...)
				h := record.Header{Kind: kind, Trust: record.User, ID: record.ID("acme", kind, id), Commitment: record.Commit(body), Position: position, Tenant: "acme", Actor: "tester"}
				if _, err := log.Append(h.Append(nil), body); err != nil {
					t.Fatal(err)
				}
				position++
			}
			add(record.Event, "e0", nil, fmt.Sprintf(`{"hmx_version":"HMX-1.0","event_id":%q,"event_type":"message","agent_id":"a1","tenant_id":"acme","session_id":"s1","timestamp":"2026-11-15T05:00:00Z","sequence":1,"content":{"role":"user","text":"hello"},"metadata":{}}`, "e0"))
			thing := &memory.Memory{ID: "m", Type: memory.TypeFact, Text: "What is so."}
			thing.Normalize()
			add(record.Memory, "m#1", thing, "")
			add(record.Tombstone, "t", &memory.Tombstone{Target: record.Memory, ID: "m", Version: 1}, "")
			add(c.control.Kind(), "c", c.control, "")
			if err := log.Commit(); err != nil {
				t.Fatal(err)
			}
			store, err := kv.Open(kv.Options{FS: fs, Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			_, err = apply.New(store, log).CatchUp(context.Background(), nil)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			_, ok := errors.AsType[*apply.BadTarget](err)
			if ok == (c.want == onceEach) || fault.CodeOf(err) != fault.Damaged || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, not %q", err, c.want)
			}
		})
	}
}
