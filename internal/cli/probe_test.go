package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/fault"
)

// probes are commands that exist only to exercise the frame.
func probes() []command {
	return []command{
		{groupDocuments, catProbe},
		{groupDocuments, failProbe},
		{groupDocuments, floodProbe},
		{groupProgram, helpCommand},
	}
}

// catProbe copies its input.
func catProbe(s *ask.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "cat [FILE|-]",
		Short: "Copy the input",
		Args:  ask.OneFile,
		RunE: func(c *cobra.Command, args []string) error {
			in, err := s.Open(c.Context(), args)
			if err != nil {
				return err
			}
			defer in.Close()
			_, err = io.Copy(s.Stdout, in)
			return err
		},
	}
}

// failProbe ends in every way a command can.
func failProbe(*ask.Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fail HOW",
		Short: "Fail",
		RunE: func(c *cobra.Command, args []string) error {
			switch how := args[0]; how {
			case "panic":
				panic("probe")
			case "plain":
				return errors.New("no name for this\nand \x1b[31mcoloured")
			case "usage-like":
				return errors.New(`unknown command "x"`)
			default:
				return fmt.Errorf("wrapped: %w", fault.New(fault.Code(how), "told to"))
			}
		},
	}
	cmd.Flags().String("must", "", "a flag that must be there")
	cmd.Flags().Int("number", 0, "a flag with a number")
	_ = cmd.MarkFlagRequired("must")
	return cmd
}

// floodProbe writes more than any pipe holds and never looks at an error.
func floodProbe(s *ask.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "flood",
		Short: "Write a lot",
		Args:  ask.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			for i := range 100_000 {
				fmt.Fprintln(s.Stdout, "line", i)
			}
			return nil
		},
	}
}
