package engine_test

import (
	"fmt"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/scope"
)

// office returns a desk with 100 files, with 100 memories and events about
// each, and a dozen pinned records.
func office(b *testing.B) *desk {
	d := &desk{t: b, clock: newClock(), fs: disk.NewMem()}
	d.Board = openWith(b, "data", engine.Options{FS: d.fs, Clock: d.clock.Now})
	for i := range 4 {
		d.note(user, identityNote(fmt.Sprint("who", i)))
		d.note(user, constraintNote(fmt.Sprint("rule", i), memory.StrengthHard))
		d.note(user, goalNote(fmt.Sprint("goal", i), memory.GoalActive))
	}
	for i := range 8000 {
		m := d.in(fmt.Sprintf("modify:file=pkg/file%02d.go", i%100), fact(fmt.Sprintf("019e5a3b-7c4d-7000-8000-%012d", i), "",
			fmt.Sprintf("Rule %d of this file: half a cent is rounded away from zero, whatever the currency, and the tests that say so stay.", i)))
		if i%4 == 0 {
			m.Type = memory.TypeEvent
		}
		m.Tags = []string{"billing"}
		m.Importance = hmx.Some(float64(i*7919%1000) / 1000)
		d.put(user, m)
		if i%100 == 0 {
			d.clock.Move(time.Hour)
		}
	}
	for i := range 2000 {
		session := fmt.Sprint("session-", i/20)
		d.happen(session, fmt.Sprintf(`019e5a3b-7c4d-7001-8000-%012d file_edit {"path":"pkg/file%02d.go","operation":"modify","lines_added":3,"lines_removed":1}`, i, i%100))
		if i%3 == 0 {
			d.happen(session, fmt.Sprintf("test-%d ", i)+tests(40, i%2))
		}
	}
	if err := d.Purge(ctx); err != nil {
		b.Fatal(err)
	}
	return d
}

func BenchmarkContext(b *testing.B) {
	d := office(b)
	token := d.token(func(g *scope.Grant) { g.Include.Tags, g.To = []string{"billing"}, "coder" })
	for _, c := range []struct {
		name string
		o    engine.ContextOptions
	}{
		{"pinned", engine.ContextOptions{}},
		{"medium", engine.ContextOptions{Verb: memory.VerbModify}},
		{"short", engine.ContextOptions{Verb: memory.VerbModify, Form: memory.FormShort}},
		{"full", engine.ContextOptions{Verb: memory.VerbModify, Form: memory.FormFull}},
		{"scoped", engine.ContextOptions{Verb: memory.VerbModify, View: engine.View{Scope: token}}},
	} {
		o := c.o
		o.Tenant = "acme"
		if o.Verb != "" {
			o.Objects = map[string]string{"file": "pkg/file42.go"}
		}
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				out, err := d.Context(ctx, o)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(out.Trimmed+len(out.Rendered)), "candidates")
			}
		})
	}
}
