package knowledge

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/fault"
)

// compilePause is how long such a compile waits before it tries again.
const compilePause = 200 * time.Millisecond

// compileInBackground compiles as long as it may take, through the server if one has the
// directory. The server may be that of an agent which is about to end, so it tries again. What
// fails is logged.
func compileInBackground(s *ask.Shell, c *cobra.Command, flags *ask.BoardFlags) error {
	dir, err := s.DataDir(c, flags)
	if err != nil {
		return err
	}
	ask.YieldProcessor()
	ctx, cancel := context.WithTimeout(c.Context(), ask.CompileLimit)
	defer cancel()
	c.SetContext(ctx)
	args := []string{"compile"}
	if c.Flags().Changed("tenant") {
		args = append(args, "--tenant="+flags.Tenant)
	}
	for {
		err = s.Forward(ctx, dir, args)
		if errors.Is(err, ask.ErrNobody) {
			err = compileServing(s, c, flags)
		}
		if code, ok := errors.AsType[ask.CarriedOut](err); err == nil || ok && code == 0 {
			return ask.TouchFile(filepath.Join(dir, ask.NameCompiled), s.Now())
		}
		if !errors.Is(err, ask.ErrServed) && !errors.Is(err, fault.Locked) && !errors.Is(err, fault.NoServer) || ctx.Err() != nil {
			ask.HookLog(dir, s.Now(), "compile", err.Error())
			return nil
		}
		select {
		case <-time.After(compilePause):
		case <-ctx.Done():
		}
	}
}

// compileServing compiles with the directory open here, and serves hooks meanwhile, so that
// none of them has to wait.
func compileServing(s *ask.Shell, c *cobra.Command, flags *ask.BoardFlags) error {
	return s.Visit(c, flags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Writer(ctx)
		if err != nil {
			return err
		}
		done, err := v.Receive(ctx)
		if err != nil {
			return err
		}
		defer done()
		_, err = t.Compile(ctx, lukasa.CompileOptions{})
		return err
	})
}
