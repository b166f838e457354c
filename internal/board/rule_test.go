package board_test

import (
	"context"
	"errors"
	"testing"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

func open(t *testing.T, fs disk.FS, attach func(*board.Board)) *board.Board {
	t.Helper()
	b, err := board.Open(context.Background(), "data", board.Options{FS: fs, CacheBytes: 1 << 20, MemTableBytes: 1 << 20}, attach)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func put(t *testing.T, b *board.Board, id string) {
	t.Helper()
	w := board.Writer{Actor: "tester", Trust: record.User}
	m := &memory.Memory{ID: id, Type: memory.TypeFact, Key: "key/" + id, Text: "What " + id + " says."}
	if _, err := b.Put(context.Background(), w, "acme", m, board.AnyVersion()); err != nil {
		t.Fatal(err)
	}
}

// TestRulesJudgeTheirKind: a rule checks a body before it is queued and in log order; other
// kinds are not affected.
func TestRulesJudgeTheirKind(t *testing.T) {
	t.Parallel()
	invalid, unfit := errors.New("invalid"), errors.New("unfit")
	b := open(t, disk.NewMem(), func(b *board.Board) {
		b.Require(record.Memory, board.Rule{
			Validate: func(body memory.Body) error {
				if body.(*memory.Memory).ID == "bad" {
					return invalid
				}
				return nil
			},
			Admit: func(g *board.Group, _ board.Writer, tenant *ledger.Tenant, body memory.Body) error {
				if tenant.Size > 0 && body.(*memory.Memory).ID == "late" {
					return unfit
				}
				return nil
			},
		})
	})
	w := board.Writer{Actor: "tester", Trust: record.User}
	write := func(body memory.Body) error {
		_, err := b.Put(context.Background(), w, "acme", body, board.AnyVersion())
		return err
	}
	put(t, b, "late")
	for _, tc := range []struct {
		body memory.Body
		want error
	}{
		{&memory.Memory{ID: "bad", Type: memory.TypeFact, Key: "k", Text: "Something."}, invalid},
		{&memory.Memory{ID: "late", Type: memory.TypeFact, Key: "key/late", Text: "Something else."}, unfit},
		{&memory.Memory{ID: "good", Type: memory.TypeFact, Key: "k", Text: "Something."}, nil},
		{&memory.Entity{ID: "bad", Type: "person", Name: "Ada"}, nil},
	} {
		if err := write(tc.body); !errors.Is(err, tc.want) {
			t.Errorf("%+v: %v, want %v", tc.body, err, tc.want)
		}
	}
}
