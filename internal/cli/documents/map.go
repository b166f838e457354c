package documents

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev/hmx"
	"lukasa.dev/hmx/hippocortex"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

type mapFlags struct {
	to, from, format         string
	tenant, agent, createdAt string
	origin                   string
}

// MapCommand returns the command `lukasa map`.
func MapCommand(s *ask.Shell) *cobra.Command {
	var flags mapFlags
	c := &cobra.Command{
		Use:   "map --to FORM [FILE|-]",
		Short: "Translate between HMX and the older Hippocortex types",
		Long: `Translate documents between HMX and the older Hippocortex types, without loss:

  event     ↔  episode-trace       (HMX-E section 10)
  artifact  ↔  compiled-artifact   (HMX-A section 11)
  pack      ↔  context-pack        (HMX-C section 9)

Each document of FILE becomes one line of JSON on standard output. What the older
type has no place for is carried in metadata.hmx, so that mapping back gives the
same document. A document that cannot be mapped is reported on standard error and
does not affect the others. docs/formats/hippocortex.md describes the mappings.`,
		Example: `  lukasa map --to episode-trace examples/session.ndjson
  lukasa map --to episode-trace examples/session.ndjson | lukasa map --to event - | lukasa validate -
  echo '{"id":"t1","eventType":"message","sessionId":"s1","timestamp":"2026-03-14T03:00:00Z","payload":{}}' | lukasa map --to event --tenant acme --agent a1 -`,
		Args: ask.OneFile,
		RunE: func(c *cobra.Command, args []string) error { return mapDocuments(c.Context(), s, args, flags) },
	}
	c.Flags().StringVar(&flags.to, "to", "", "the form to write: "+strings.Join(formNames(), ", "))
	c.Flags().StringVar(&flags.from, "from", "", "the form to read; found out from each document when not given")
	c.Flags().StringVar(&flags.format, "format", formatAuto, "how documents are written: auto, json or ndjson")
	c.Flags().StringVar(&flags.tenant, "tenant", "", "tenant_id for older documents that name none")
	c.Flags().StringVar(&flags.agent, "agent", "", "agent_id for older documents that name none")
	c.Flags().StringVar(&flags.createdAt, "created-at", "", "created_at for a compiled-artifact, which has no time of its own")
	c.Flags().StringVar(&flags.origin, "origin", "", "provenance.origin for entries of a context-pack that have no provenance; their confidence and evidence are then 0")
	ask.SuggestValues(c, "to", formNames())
	ask.SuggestValues(c, "from", formNames())
	ask.SuggestValues(c, "format", formats())
	return c
}

func formNames() []string {
	var names []string
	for _, f := range hippocortex.Forms() {
		names = append(names, string(f))
	}
	return names
}

// parseForm reads the flag called name; empty is allowed where it is optional.
func parseForm(name, value string) (hippocortex.Form, error) {
	f, err := hippocortex.ParseForm(value)
	if err != nil {
		return "", ask.UnknownName(fault.Usage, "form for --"+name, value, formNames())
	}
	return f, nil
}

// mapper is one run of map.
type mapper struct {
	shell    *ask.Shell
	name     string           // of the input, for a message
	file     string           // the same as it was given
	from, to hippocortex.Form // from is empty if it is to be found out
	options  hippocortex.Options
	count    int
	failed   int
}

func newMapper(s *ask.Shell, flags mapFlags) (*mapper, error) {
	if flags.to == "" {
		return nil, fault.New(fault.Usage, "no form was given to map to").WithFix("add --to with one of " + strings.Join(formNames(), ", "))
	}
	m := &mapper{shell: s, options: hippocortex.Options{
		Defaults:  hippocortex.Defaults{AgentID: flags.agent, TenantID: flags.tenant},
		Sequencer: &hippocortex.Sequencer{},
	}}
	if flags.origin != "" {
		m.options.Defaults.Provenance = hmx.Some(hmx.Provenance{Origin: flags.origin})
	}
	var err error
	if m.to, err = parseForm("to", flags.to); err != nil {
		return nil, err
	}
	if flags.from != "" {
		if m.from, err = parseForm("from", flags.from); err != nil {
			return nil, err
		}
		if m.from.Kind() != m.to.Kind() {
			return nil, fault.Newf(fault.Usage, "%s does not map to %s", m.from, m.to).
				WithFix("map it to " + string(m.from.Counterpart()))
		}
	}
	if flags.createdAt != "" {
		if m.options.Defaults.CreatedAt, err = hmx.ParseTime(flags.createdAt); err != nil {
			return nil, fault.Newf(fault.Usage, "--created-at: %w", err)
		}
	}
	return m, nil
}

func mapDocuments(ctx context.Context, s *ask.Shell, args []string, flags mapFlags) error {
	m, err := newMapper(s, flags)
	if err != nil {
		return err
	}
	in, err := s.Open(ctx, args)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // nothing was written to it
	m.name, m.file = in.Name, "-"
	if len(args) > 0 {
		m.file = args[0]
	}
	docs, err := readDocuments(in, flags.format)
	if err != nil {
		return err
	}
	progress := s.Progress()
	defer progress.Done()
	for {
		doc, err := docs.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := m.one(doc); err != nil {
			return err
		}
		progress.Update(func() string { return "mapped " + term.Counted(m.count, "document") })
	}
	switch {
	case m.count == 0:
		return fault.Newf(fault.InvalidDocument, "%s is empty", in.Name).WithFix("give it at least one JSON document")
	case m.failed > 0:
		return notValid(m.failed, m.count, in.Name)
	}
	return nil
}

// one maps one document. The error is for trouble that ends the run.
func (m *mapper) one(doc document) error {
	m.count++
	kind := m.to.Kind()
	if doc.err != nil {
		m.report(finding{Line: doc.line, Kind: kind, Problem: tooLong(kind, doc.err)})
		m.failed++
		return nil
	}
	from := m.from
	if from == "" {
		detected, known := hippocortex.DetectForm(doc.text)
		switch {
		case !known:
			from = m.to.Counterpart()
		case detected.Kind() != kind:
			m.failed++
			m.report(finding{Line: doc.line, Kind: kind, Problem: hmx.Problem{
				Rule: mappingRule(kind), Found: "a document of form " + string(detected),
				Allowed: "one of form " + string(m.to.Counterpart()) + " or " + string(m.to),
			}})
			return nil
		default:
			from = detected
		}
	}
	out, warnings, err := hippocortex.Convert(from, m.to, doc.text, &m.options)
	var invalid *hmx.InvalidError
	switch {
	case errors.As(err, &invalid):
		m.failed++
		for _, p := range invalid.Problems {
			p.Allowed = inFlags.Replace(p.Allowed)
			m.report(finding{Line: doc.lineOf(p), Kind: kind, Problem: p})
		}
		return nil
	case err != nil:
		return err
	}
	for _, p := range warnings {
		m.report(finding{Line: doc.lineOf(p), Kind: kind, Problem: p})
	}
	_, err = m.shell.Stdout.Write(append(out, '\n'))
	return err
}

// inFlags says with flags what the library says with its options.
var inFlags = strings.NewReplacer(
	"give Defaults.AgentID", "add --agent",
	"give Defaults.TenantID", "add --tenant",
	"give Defaults.CreatedAt", "add --created-at",
	"give Defaults.Provenance", "add --origin",
)

// mappingRule is the section of a kind's document that maps it.
func mappingRule(k hmx.Kind) string {
	return k.Document() + map[hmx.Kind]string{hmx.KindEvent: "/10", hmx.KindArtifact: "/11", hmx.KindPack: "/9"}[k]
}

// report shows a finding on standard error, beside the documents on standard
// output: for a person, or as one line of JSON with --json.
func (m *mapper) report(f finding) {
	f.File = m.file
	if m.shell.JSON {
		_ = term.EncodeLine(m.shell.Stderr, f) // the exit code still tells
		return
	}
	f.print(m.shell.Stderr, m.shell.Alarm, m.name)
}
