package files

import (
	"context"
	"fmt"
	"strings"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// finish prints the answer, and returns what the command ends with.
func (m *vaultImport) finish(ctx context.Context, failed error) error {
	root, err := m.visit.Root(context.WithoutCancel(ctx), m.tenant)
	if err != nil {
		return err
	}
	m.State = answer.StateOf(root)
	m.Skipped = leftCounts(m.left)
	if err := m.print(); err != nil {
		return err
	}
	if failed != nil {
		return Stopped(ctx, failed)
	}
	if m.bad > 0 {
		return fault.Newf(fault.InvalidDocument, "%s; everything else is taken", term.Counted(m.bad, "problem"))
	}
	return nil
}

// print prints the answer.
func (m *vaultImport) print() error {
	s := m.shell
	if s.JSON {
		return s.WriteJSON(m.importedMarkdown)
	}
	verb := importVerb(s, m.Omitted, m.DryRun)
	fmt.Fprintf(s.Stdout, "%s %s new and %s changed, %s there already, from %s\n", verb, term.Thousands(m.Created), term.Thousands(m.Updated), term.Thousands(m.Present), term.Counted(m.Files, "file"))
	if m.Forgotten > 0 {
		s.Detail("forgotten", term.CountedAs(m.Forgotten, "record whose file is gone", "records whose files are gone"))
	}
	if m.Missing > 0 {
		s.Detail("missing", term.Counted(m.Missing, "file")+" gone; nothing is forgotten without --prune")
	}
	if m.Scrubbed > 0 {
		s.Detail("scrubbed", term.Counted(m.Scrubbed, "secret")+" removed")
	}
	var left []string
	for _, l := range m.Skipped {
		left = append(left, strings.ReplaceAll(string(l.Reason), "_", " ")+" "+term.Thousands(l.Count))
	}
	s.Detail("left out", strings.Join(left, ", "))
	s.Detail("tenant", m.Tenant)
	return nil
}
