package ask

import (
	"context"
	"fmt"

	"lukasa.dev"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/spool"
)

// HookActor stands in the records of hooks as their writer.
const HookActor = "hook"

// OnlyTenant returns the default tenant: the only one on the board, else "default".
func OnlyTenant(ctx context.Context, b *lukasa.Board) (string, error) {
	n, err := b.CountTenants(ctx)
	if err == nil && n == 1 {
		for root, err := range b.Tenants(ctx) {
			return root.Tenant, err
		}
	}
	return "default", err
}

// FoldSpool folds what waits in a data directory in, and learns what prompts among it state.
func FoldSpool(ctx context.Context, dir string, b *lukasa.Board, except string) (spool.Report, error) {
	report, err := spool.Fold(ctx, dir, b, spool.Options{
		Actor: HookActor, Except: except,
		Tenant: func(ctx context.Context) (string, error) { return OnlyTenant(ctx, b) },
	})
	for tenant, ids := range report.Stated {
		if _, failed := b.Tenant(tenant, lukasa.Writer{Actor: HookActor}).Learn(ctx, ids...); failed != nil && err == nil {
			err = fmt.Errorf("learn what prompts state: %w", failed)
		}
	}
	return report, err
}

// foldIn records the events that hooks left in the spool of a directory. It prints errors
// and never fails the command.
func (s *Shell) foldIn(ctx context.Context, dir string, b *lukasa.Board) {
	report, err := FoldSpool(ctx, dir, b, "")
	for _, a := range report.Aside {
		s.Note("put aside %s of %s: %s", a.File, spool.Dir, term.OneLine(a.Why))
	}
	if err != nil && ctx.Err() == nil {
		s.Note("what hooks left in %s is not folded in yet: %v", spool.Dir, err)
	}
}
