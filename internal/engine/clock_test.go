package engine_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/block"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/guide"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// TestExpiredIsNotServed: no read serves what has expired by the clock, even if nothing was
// written since; what becomes valid is served; and answers change at these times alone.
func TestExpiredIsNotServed(t *testing.T) {
	t.Parallel()
	a := newAging(t)
	second := func(n int) hmx.Time { return hmx.TimeOf(a.Now().Add(time.Duration(n) * time.Second)) }
	a.put(user, &memory.Memory{ID: "goal", Type: memory.TypeGoal, Text: "Ship the zanzibar release.", TTLSeconds: 10})
	a.put(user, &memory.Memory{ID: "fact", Type: memory.TypeFact, Text: "The zanzibar release is frozen.", ValidUntil: second(20)})
	coming := ruleOf("coming", "Never run zanzibar deploy.", memory.StrengthHard)
	coming.ValidFrom = second(40)
	a.put(user, coming)
	a.append(user, eventWith(t, "acme", "said", "s1", 1, "zanzibar was said in an event", `,"ttl_seconds":30`))

	words := map[string]string{"goal": "Ship the zanzibar", "fact": "zanzibar release is frozen", "event": "said in an event", "rule": "Never run zanzibar"}
	last := map[string]string{}
	for at, want := range []string{"goal fact event", "goal fact event", "fact event", "event", "", "rule", "rule"} {
		reads := a.readAll("zanzibar")
		for name, text := range reads {
			for word, phrase := range words {
				if name == "context" && word != "goal" && word != "rule" {
					continue // the bundle of an agent without a frame pins these alone
				}
				if got := strings.Contains(text, phrase); got != strings.Contains(want, word) {
					t.Errorf("after %d0 s %s has the %s: %v\n%s", at, name, word, got, text)
				}
			}
			if at == 1 && text != last[name] || at == 6 && text != last[name] {
				t.Errorf("%s changes without a reason:\n%s\n%s", name, last[name], text)
			}
		}
		last = reads
		level := checked(t, a.b, engine.CheckOptions{Action: guide.Action{Command: "zanzibar deploy"}}).Level
		if stopped := level == guide.Stop; stopped != strings.Contains(want, "rule") {
			t.Errorf("after %d0 s a check says %v", at, level)
		}
		a.Move([]time.Duration{time.Second, 9*time.Second + 1, 10 * time.Second, 10 * time.Second, 10 * time.Second, time.Hour, 0}[at])
	}
}

// readAll returns what the reads of a board say about a word, and verifies the pack.
func (a *aging) readAll(word string) map[string]string {
	a.Helper()
	text := func(v any, err error) string {
		a.Helper()
		if err != nil {
			a.Fatal(err)
		}
		data, err := json.Marshal(v)
		if err != nil {
			a.Fatal(err)
		}
		return string(data)
	}
	packed, err := a.b.Pack(ctx, engine.PackOptions{Tenant: "acme", Query: word})
	if err != nil {
		a.Fatal(err)
	}
	proof, err := a.b.VerifyPack(ctx, "acme", packed.Pack, engine.VerifyPackOptions{})
	if err != nil || proof.Remade != engine.RemadeYes {
		a.Fatalf("the pack is not proven: %+v, %v", proof, err)
	}
	packed.Pack.AssemblyMetadata.AssemblyDurationMS = 0
	body, err := packed.Pack.AppendJSON(nil)
	if err != nil {
		a.Fatal(err)
	}
	block, err := a.b.PackContext(ctx, engine.PackContextOptions{Tenant: "acme", BlockRequest: block.Request{Topic: word}})
	if err != nil {
		a.Fatal(err)
	}
	found, err := a.b.Find(ctx, engine.FindOptions{Tenant: "acme", Text: word, After: time.Unix(1, 0), Form: memory.FormFull})
	events, err4 := a.b.Find(ctx, engine.FindOptions{Tenant: "acme", Kinds: []record.Kind{record.Event}, Session: "s1", Form: memory.FormFull})
	searched, err2 := a.b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: word, TopK: 20})
	bundle, err3 := a.b.Context(ctx, engine.ContextOptions{Tenant: "acme"})
	return map[string]string{"pack": string(body), "block": block, "find": text(found, err) + text(events, err4), "search": text(searched, err2), "context": text(bundle, err3)}
}
