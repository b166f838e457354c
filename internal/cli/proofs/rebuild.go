package proofs

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
)

// RebuildCommand returns the command `lukasa rebuild`.
func RebuildCommand(s *ask.Shell) *cobra.Command {
	var flags ask.BoardFlags
	c := &cobra.Command{
		Use:   "rebuild",
		Short: "Make the index anew from the journal",
		Long: `Make the index anew from the journal, and put it in the place of the old one when
it is complete. Answers and roots are the same afterwards. It helps when the
index is damaged, even if it cannot be opened any more; a rebuild that is cut
short changes nothing.`,
		Example: `  lukasa rebuild`,
		Args:    ask.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return rebuild(s, c, &flags) },
	}
	flags.AddData(c)
	return c
}

func rebuild(s *ask.Shell, c *cobra.Command, flags *ask.BoardFlags) error {
	p := s.Progress()
	defer p.Done()
	o := ask.Reading()
	o.Rebuild = true
	o.Progress = func(done, total uint64) {
		p.Update(func() string { return "rebuilding: " + term.Share(done, total) + " of the journal" })
	}
	return s.Visit(c, flags, o, func(ctx context.Context, v *ask.Visit) error {
		p.Done()
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
		if s.JSON {
			return s.WriteJSON(a)
		}
		_, err := fmt.Fprintf(s.Stdout, "%s the index: %s, %s\n", s.Paint.Green("rebuilt"), term.Counted(int(a.Records), "record"), term.Counted(a.Tenants, "tenant"))
		return err
	})
}
