package documents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev/hmx"
	"lukasa.dev/hmx/hippocortex"
	"lukasa.dev/hmx/wire"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	rules "lukasa.dev/internal/document"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

type validateFlags struct {
	kind   string
	format string
	strict bool
	most   int
}

// ValidateCommand returns the command `lukasa validate`.
func ValidateCommand(s *ask.Shell) *cobra.Command {
	var flags validateFlags
	c := &cobra.Command{
		Use:   "validate [FILE|-]...",
		Short: "Check HMX documents and show everything that is wrong",
		Long: `Check HMX events, artifacts and context packs, each document on its own, against
every rule of HMX-1.0.

FILE is newline-delimited JSON (one document a line) or one JSON document; which
of the two is seen from its first lines, and which kind of document from its
event_id, artifact_id or pack_id. All problems are shown at once, each with its
line, a JSON Pointer, the rule it breaks, what was found and what is allowed.
A bad line does not affect the others. docs/formats/rules.md lists the rules, and
docs/formats/answers.md describes what --json prints.

Exit code 0: everything is valid. 1: something is not. 2: wrong usage, or a FILE
cannot be read; the others are checked all the same.`,
		Example: `  lukasa validate examples/session.ndjson
  lukasa validate examples/artifact.json examples/pack.json
  lukasa validate --kind artifact examples/artifact.json
  cat examples/pack.json | lukasa validate --json -`,
		RunE: func(c *cobra.Command, args []string) error { return validate(c.Context(), s, args, flags) },
	}
	c.Flags().StringVar(&flags.kind, "kind", "", "take every document for this kind: event, artifact or pack")
	c.Flags().StringVar(&flags.format, "format", formatAuto, "how documents are written: auto, json or ndjson")
	c.Flags().BoolVar(&flags.strict, "strict", false, "count warnings as problems")
	c.Flags().IntVar(&flags.most, "max", 100, "show at most this number of problems; 0 shows all")
	ask.SuggestValues(c, "kind", kindNames())
	ask.SuggestValues(c, "format", formats())
	return c
}

// validation is the state of one run, and what --json prints of it.
type validation struct {
	Valid     bool           `json:"valid"`
	Complete  bool           `json:"complete"` // every input was read to its end
	Documents int            `json:"documents"`
	Invalid   int            `json:"invalid"`
	Errors    int            `json:"errors"`
	Warnings  int            `json:"warnings"`
	Kinds     map[string]int `json:"kinds"`
	Omitted   int            `json:"omitted"` // problems that were counted but not shown
}

// finding is a problem and where it was found, as --json prints it.
type finding struct {
	File string   `json:"file"`           // as it was given; - is standard input
	Line int      `json:"line,omitempty"` // absent if it is about the whole input
	Kind hmx.Kind `json:"kind,omitempty"`
	hmx.Problem
}

func validate(ctx context.Context, s *ask.Shell, args []string, flags validateFlags) error {
	kind, err := parseKind(flags.kind)
	if err != nil {
		return err
	}
	if flags.most < 0 {
		return fault.Newf(fault.Usage, "--max is %d", flags.most).WithFix("use 0 to show all problems, or a positive number")
	}
	if !slices.Contains(formats(), flags.format) {
		return ask.UnknownName(fault.Usage, "format", flags.format, formats())
	}
	r := &report{shell: s, flags: flags, validation: validation{Complete: true, Kinds: map[string]int{}}}
	progress := s.Progress()
	defer progress.Done()
	tick := func() {
		progress.Update(func() string { return "checked " + term.Counted(r.Documents, "document") })
	}
	r.begin()
	failed := r.inputs(ctx, args, kind, tick)
	r.Complete = failed == nil
	return cmp.Or(failed, r.end())
}

// inputs checks every FILE, or standard input if there is none. One that cannot be
// read costs none of the others; all of them are named in the error.
func (r *report) inputs(ctx context.Context, args []string, kind hmx.Kind, tick func()) error {
	if len(args) == 0 {
		return r.input(ctx, nil, kind, tick)
	}
	var failed error
	var more []string
	for _, name := range args {
		err := r.input(ctx, []string{name}, kind, tick)
		switch {
		case err == nil:
		case ctx.Err() != nil || r.shell.Stdout.Failed() != nil:
			return err
		case failed == nil:
			failed = err
		default:
			more = append(more, strconv.Quote(name))
		}
	}
	if more == nil {
		return failed
	}
	first := fault.From(failed)
	return fault.Newf(first.Code, "%w; nor could %s be read", failed, strings.Join(more, ", ")).WithFix(first.Advice())
}

// input checks one FILE, or standard input.
func (r *report) input(ctx context.Context, args []string, kind hmx.Kind, tick func()) error {
	in, err := r.shell.Open(ctx, args)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // nothing was written to it
	r.files++
	r.name, r.file = in.Name, "-"
	if len(args) > 0 {
		r.file = args[0]
	}
	docs, err := readDocuments(in, r.flags.format)
	if err != nil {
		return err
	}
	return r.documents(docs, kind, tick)
}

// documents checks every document of the input.
func (r *report) documents(docs *documents, fixed hmx.Kind, tick func()) error {
	last := hmx.KindEvent
	for {
		doc, err := docs.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		kind, known := fixed, true
		if kind == "" {
			if kind, known = hmx.Detect(doc.text); !known {
				kind = last
			}
		}
		last = kind
		r.check(doc, kind, known)
		if err := r.shell.Stdout.Failed(); err != nil {
			return err // the rest cannot be printed
		}
		tick()
	}
	if p, ok := docs.problem(); ok {
		r.add(finding{Problem: p})
	}
	if docs.count == 0 {
		r.empty++
		r.add(finding{Line: 1, Problem: hmx.Problem{Rule: "HMX-JSON/empty", Found: "no document at all", Allowed: "at least one JSON document"}})
	}
	return nil
}

func (r *report) check(doc document, kind hmx.Kind, known bool) {
	r.Documents++
	r.Kinds[string(kind)]++
	if doc.err != nil {
		r.Invalid++
		r.add(finding{Line: doc.line, Kind: kind, Problem: tooLong(kind, doc.err)})
		return
	}
	problems, err := hmx.Check(kind, doc.text)
	if err == nil && kind == hmx.KindEvent {
		problems = append(problems, limits(doc.text)...)
	}
	var invalid *hmx.InvalidError
	if errors.As(err, &invalid) {
		r.Invalid++
		problems = invalid.Problems
		r.Errors += invalid.Omitted
		r.Omitted += invalid.Omitted
		if !known {
			assumed(doc.text, kind, problems)
		}
	} else if r.flags.strict && len(problems) > 0 {
		r.Invalid++
	}
	for _, p := range problems {
		r.add(finding{Line: doc.lineOf(p), Kind: kind, Problem: p})
	}
}

// limitRule is the rule of what is valid by the protocol, and refused by this program.
const limitRule = "LUKASA/limit"

// limits returns what keeps a valid event from being recorded: names that the protocol allows
// and this program does not.
func limits(text []byte) (list []hmx.Problem) {
	ev, _, err := hmx.DecodeEvent(text)
	if err != nil {
		return nil // it is not valid
	}
	for _, err := range []error{memory.CheckTenant(ev.TenantID), memory.CheckEventIDs(ev)} {
		bad, ok := errors.AsType[*rules.InvalidError](err)
		if !ok {
			continue
		}
		for _, p := range bad.Problems {
			field := p.Field
			if field == "tenant" {
				field = "tenant_id"
			}
			list = append(list, hmx.Problem{
				Pointer: "/" + field, Rule: limitRule, Found: "a name that " + p.Rule, Allowed: p.Fix + "; ingest refuses the event", Warning: true,
			})
		}
	}
	return list
}

// assumed adds to the first problem what the document may be instead, since its
// kind was not given but assumed.
func assumed(text []byte, kind hmx.Kind, problems []hmx.Problem) {
	hint := ""
	if form, ok := hippocortex.DetectForm(text); ok {
		hint = "; this looks like a document of form " + string(form) + ", which lukasa map --to " + string(form.Counterpart()) + " translates"
	}
	for i := range problems {
		switch p := &problems[i]; {
		case p.Pointer == "" && p.Rule == kind.Document()+"/2":
			p.Allowed += "; several documents stand one on each line"
			return
		case p.Pointer == "/"+string(kind)+"_id" && p.Rule == kind.Document()+"/2.1":
			if hint == "" {
				hint = "; without event_id, artifact_id or pack_id it was taken for a document of kind " + string(kind) + ", --kind says otherwise"
			}
			p.Allowed += hint
			return
		}
	}
}

// tooLong says of a text that was skipped which rule on size it breaks.
func tooLong(kind hmx.Kind, err error) hmx.Problem {
	p := hmx.Problem{
		Rule:    hmx.SizeRule(kind),
		Allowed: fmt.Sprintf("at most %d bytes of JSON", hmx.MaxBytes(kind)),
		Found:   err.Error(),
	}
	var long *wire.TooLongError
	if errors.As(err, &long) {
		p.Found = fmt.Sprintf("%d bytes", long.Size)
	}
	return p
}
