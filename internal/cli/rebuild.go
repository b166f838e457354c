package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func rebuildCommand(s *shell) *cobra.Command {
	var flags boardFlags
	c := &cobra.Command{
		Use:   "rebuild",
		Short: "Make the index anew from the journal",
		Long: `Make the index anew from the journal, and put it in the place of the old one when
it is complete. Answers and roots are the same afterwards. It helps when the
index is damaged, even if it cannot be opened any more; a rebuild that is cut
short changes nothing.`,
		Example: `  lukasa rebuild`,
		Args:    noArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return s.rebuild(c, &flags) },
	}
	flags.addData(c)
	return c
}

func (s *shell) rebuild(c *cobra.Command, flags *boardFlags) error {
	p := s.progress()
	defer p.done()
	o := reading()
	o.Rebuild = true
	o.Progress = func(done, total uint64) {
		p.update(func() string { return "rebuilding: " + share(done, total) + " of the journal" })
	}
	return s.visit(c, flags, o, func(ctx context.Context, v *visit) error {
		p.done()
		var a struct {
			Tenants int    `json:"tenants"`
			Records uint64 `json:"records"`
		}
		for root, err := range v.Tenants(ctx) {
			if err != nil {
				return err
			}
			a.Tenants++
			a.Records += root.Size
		}
		if s.json {
			return s.writeJSON(a)
		}
		_, err := fmt.Fprintf(s.stdout, "%s the index: %s, %s\n", s.paint.green("rebuilt"), counted(int(a.Records), "record"), counted(a.Tenants, "tenant"))
		return err
	})
}

// parts returns a function that shows how far a piece of work is.
func (p *progress) parts(verb, thing string) func(done, total uint64) {
	return func(done, total uint64) {
		p.update(func() string { return verb + " " + thousands(int(done)) + " of " + counted(int(total), thing) })
	}
}
