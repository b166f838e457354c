package benchcli

import (
	"strings"

	"github.com/spf13/pflag"

	"lukasa.dev/internal/fault"
)

// benchFlags are the flags of every command that measures a directory it builds.
type benchFlags struct {
	strict bool
}

// add adds them. keep and reuse are nil if a directory cannot be measured again.
func (b *benchFlags) add(f *pflag.FlagSet, dir, keep, reuse *string) {
	f.StringVar(dir, "dir", "", "where to write, on the disk to be measured (default: here)")
	if keep != nil {
		f.StringVar(keep, "keep", "", "build `DIR` and leave it there")
		f.StringVar(reuse, "reuse", "", "measure `DIR`, which --keep has left")
	}
	f.BoolVar(&b.strict, "strict", false, "fail if a goal is missed")
}

// measured measures in a directory, by default the current one, shows progress and the report,
// and returns the verdict.
func measured[R any](s *console, dir *string, tell *func(what string, done, total int), run func() (R, error), show func(R), verdict func(R) error) error {
	if *dir == "" {
		*dir = "."
	}
	p := s.progress()
	defer p.done()
	*tell = p.update
	r, err := run()
	p.done()
	if err != nil {
		return err
	}
	if s.json {
		if err := s.writeJSON(r); err != nil {
			return err
		}
	} else {
		show(r)
	}
	return verdict(r)
}

// missedGoals is the error for missed goals, or nil if there are none.
func missedGoals(names []string) error {
	if len(names) == 0 {
		return nil
	}
	return fault.Newf(fault.NotProven, "this run does not reach %s: %s", counted(len(names), "goal"), strings.Join(names, ", ")).
		WithFix("measure again on a machine that does nothing else, or leave --strict out")
}

// megabytes converts bytes to millions of bytes.
func megabytes[T int64 | uint64](bytes T) T { return bytes / 1e6 }
