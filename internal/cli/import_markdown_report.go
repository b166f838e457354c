package cli

import (
	"context"
	"fmt"
	"strings"

	"lukasa.dev/internal/answer"
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
		return stopped(ctx, failed)
	}
	if m.bad > 0 {
		return fault.Newf(fault.InvalidDocument, "%s; everything else is taken", counted(m.bad, "problem"))
	}
	return nil
}

// print prints the answer.
func (m *vaultImport) print() error {
	s := m.shell
	if s.json {
		return s.writeJSON(m.importedMarkdown)
	}
	verb := s.importVerb(m.Omitted, m.DryRun)
	fmt.Fprintf(s.stdout, "%s %s new and %s changed, %s there already, from %s\n", verb, thousands(m.Created), thousands(m.Updated), thousands(m.Present), counted(m.Files, "file"))
	if m.Forgotten > 0 {
		s.detail("forgotten", sortsOf(m.Forgotten, "thing whose file is gone", "things whose files are gone"))
	}
	if m.Missing > 0 {
		s.detail("missing", counted(m.Missing, "file")+" gone; nothing is forgotten without --prune")
	}
	if m.Scrubbed > 0 {
		s.detail("scrubbed", counted(m.Scrubbed, "secret")+" taken out")
	}
	var left []string
	for _, l := range m.Skipped {
		left = append(left, strings.ReplaceAll(string(l.Reason), "_", " ")+" "+thousands(l.Count))
	}
	s.detail("left out", strings.Join(left, ", "))
	s.detail("tenant", m.Tenant)
	return nil
}
