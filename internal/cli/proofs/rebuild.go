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
		Short: "Rebuild the index from the journal",
		Long: `Rebuild the index from the journal, and replace the old one when the new one is
complete. Answers and roots stay the same. Use it when the index is damaged, even if
it can no longer be opened. An interrupted rebuild changes nothing.`,
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
