package engine_test

import (
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
)

func TestReached(t *testing.T) {
	b := openWith(t, "data", engine.Options{FS: disk.NewMem()})
	reached := func(tenant, session string, want int64, there bool) {
		t.Helper()
		if got, ok, err := b.Reached(ctx, tenant, session); got != want || ok != there || err != nil {
			t.Errorf("%s/%s: %d %v %v, want %d %v", tenant, session, got, ok, err, want, there)
		}
	}
	reached("acme", "s1", 0, false)
	for _, seq := range []int64{0, 7, 3} {
		ev := eventWith(t, "acme", "e"+string(rune('0'+seq)), "s1", seq, "Something that happened.", "")
		if _, err := b.AppendEvents(ctx, user, []*hmx.Event{ev}); err != nil {
			t.Fatal(err)
		}
	}
	reached("acme", "s1", 7, true)
	reached("acme", "s2", 0, false)
	reached("other", "s1", 0, false)
	for _, names := range [][2]string{{"", "s1"}, {"a/b\x00", "s1"}, {"acme", ""}} {
		if _, _, err := b.Reached(ctx, names[0], names[1]); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%q: %v", names, err)
		}
	}
}
