package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
)

func schemaCommand(s *shell) *cobra.Command {
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
			return fault.Newf(fault.Usage, "%q takes one KIND, got %d arguments", cmd.CommandPath(), len(args)).WithFix(seeHelp(cmd))
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return s.listKinds()
			}
			kind, err := parseKind(args[0])
			if err != nil || kind == "" {
				return unknownName(fault.UnknownKind, "kind", args[0], kindNames())
			}
			schema, err := hmx.Schema(kind)
			if err != nil {
				return err
			}
			_, err = s.stdout.Write(schema)
			return err
		},
	}
}

func (s *shell) listKinds() error {
	type row struct {
		Kind     hmx.Kind `json:"kind"`
		Document string   `json:"document"`
		MaxBytes int      `json:"max_bytes"`
	}
	var rows []row
	for _, k := range hmx.Kinds() {
		rows = append(rows, row{k, k.Document(), hmx.MaxBytes(k)})
	}
	if s.json {
		return s.writeJSON(map[string]any{"kinds": rows})
	}
	for _, r := range rows {
		fmt.Fprintf(s.stdout, "%s  %s, at most %d KB\n", s.paint.bold(fmt.Sprintf("%-8s", r.Kind)), r.Document, r.MaxBytes>>10)
	}
	return nil
}
