package documents

import (
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/fault"
)

// SchemaCommand returns the command `lukasa schema`.
func SchemaCommand(s *ask.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [KIND]",
		Short: "Print the JSON Schema of a kind of document",
		Long: `Print the JSON Schema (2020-12) of events, artifacts or packs, or the list of
kinds when none is named.

The schema is made from the same table that lukasa validate checks with. What a
schema cannot say, such as sizes, hashes, sums and order, validate says in
addition.`,
		Example: `  lukasa schema
  lukasa schema event
  lukasa schema pack > pack.schema.json`,
		ValidArgs: kindNames(),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) <= 1 {
				return nil
			}
			return fault.Newf(fault.Usage, "%q takes one KIND, got %d arguments", cmd.CommandPath(), len(args)).WithFix(ask.SeeHelp(cmd))
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listKinds(s)
			}
			kind, err := parseKind(args[0])
			if err != nil || kind == "" {
				return ask.UnknownName(fault.UnknownKind, "kind", args[0], kindNames())
			}
			schema, err := hmx.Schema(kind)
			if err != nil {
				return err
			}
			_, err = s.Stdout.Write(schema)
			return err
		},
	}
}

func listKinds(s *ask.Shell) error {
	type row struct {
		Kind     hmx.Kind `json:"kind"`
		Document string   `json:"document"`
		MaxBytes int      `json:"max_bytes"`
	}
	var rows []row
	for _, k := range hmx.Kinds() {
		rows = append(rows, row{k, k.Document(), hmx.MaxBytes(k)})
	}
	if s.JSON {
		return s.WriteJSON(map[string]any{"kinds": rows})
	}
	for _, r := range rows {
		fmt.Fprintf(s.Stdout, "%s  %s, at most %d KB\n", s.Paint.Bold(fmt.Sprintf("%-8s", r.Kind)), r.Document, r.MaxBytes>>10)
	}
	return nil
}
