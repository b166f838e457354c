package engine_test

import (
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/compile"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// TestRedactedArtifact redacts a compiled artifact: a compile of the same evidence does
// not make it again, and does not report that it would. New evidence makes a new one.
func TestRedactedArtifact(t *testing.T) {
	b := learned(t, 6)
	var gone *hmx.Artifact
	for _, a := range artifactsOf(t, b, engine.ArtifactOptions{}) {
		if a.ArtifactType == hmx.TypeTaskSchema {
			gone = a
		}
	}
	if gone == nil {
		t.Fatal("there is no schema")
	}
	key, _ := compile.KeyOf(gone)
	must(t)(b.Redact(ctx, user, []memory.URI{uri(record.Artifact, gone.ArtifactID)}))
	for _, o := range []engine.CompileOptions{{DryRun: true}, {}, {}, {Full: true}} {
		if r := compileNow(t, b, o); len(r.Changes) > 0 {
			t.Errorf("%+v: %+v", o, r.Changes)
		}
	}
	of := func() (found []*hmx.Artifact) {
		for _, a := range artifactsOf(t, b, engine.ArtifactOptions{Any: true}) {
			if k, _ := compile.KeyOf(a); k == key {
				found = append(found, a)
			}
		}
		return found
	}
	if list := of(); len(list) > 0 {
		t.Errorf("it is back: %+v", list)
	}
	for i := range 6 {
		store(t, b, worked(t, 6+i)...)
	}
	compileNow(t, b, engine.CompileOptions{})
	if list := of(); len(list) != 1 || list[0].ArtifactID == gone.ArtifactID || list[0].Status != hmx.StatusActive {
		t.Errorf("of new evidence: %+v", list)
	}
	if r := compileNow(t, b, engine.CompileOptions{}); len(r.Changes) > 0 {
		t.Errorf("%+v", r.Changes)
	}
	lifecycle(t, b)
}
