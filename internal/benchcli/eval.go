package benchcli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/eval"
	"lukasa.dev/internal/fault"
)

type evalFlags struct {
	work      string
	keep      bool
	fit       bool
	pack      bool
	top       int
	only      string
	questions string
	limit     int
	seed      uint64
	out       string
}

// evalCommand measures the quality of answers.
func evalCommand(s *console) *cobra.Command {
	var flags evalFlags
	c := &cobra.Command{
		Use:   "eval DIR",
		Short: "Measure how much of the known evidence a search finds",
		Long: `Measure how much of the known evidence a search finds. docs/quality.md describes what is
measured, and has the figures for public data.

DIR has *.ndjson files of HMX events and a questions.json,
[{"tenant", "question", "category", "evidence": [event_id, …]}, …]. The events are
recorded in a data directory of their own, which is removed afterwards; each question
is asked in its tenant. The table shows the share of the evidence among the first 5, 10
and 20 hits, and within 500, 1000, 2000 and 4000 tokens: hits in order until the first
that does not fit, with four characters counted as a token. Plain BM25 over single
events is the baseline.

--fit also fits the weights of the parts of scores on the questions of all tenants but
one, ranks the candidates of that one by them, and joins the figures of all tenants
that were left out in turn. It shows whether other weights would really be better.

--pack also asks for packs of 500, 1000, 2000 and 4000 tokens, and shows the share of
the evidence in them. These are exact tokens of the whole text.

If DIR has corpus.jsonl or corpus.jsonl.gz, queries.jsonl and qrels-*.tsv, as the
collections of BEIR do, each document is recorded as an event, and the table shows
nDCG at 10 and the recall at 100 with candidates by words, by meaning and by all.

` + "`lukasa-bench eval nexttool`" + ` measures how well the next tool of an agent is predicted.`,
		Example: `  # What a directory has to hold
  mkdir shop && cp examples/session.ndjson shop
  echo '[{"tenant":"acme","question":"what is wrong with refunds?","category":"what","evidence":["019e5a3b-7c4d-7000-8000-000000000001"]}]' > shop/questions.json
  lukasa-bench eval shop`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				return nil
			}
			return fault.Newf(fault.Usage, "%q takes one DIR, got %d arguments", c.CommandPath(), len(args)).WithFix(seeHelp(c))
		},
		RunE: func(c *cobra.Command, args []string) error { return s.eval(c.Context(), args[0], &flags) },
	}
	f := c.Flags()
	f.StringVar(&flags.work, "work", "", "make the data directory inside `DIR` (default: where temporary files are)")
	f.BoolVar(&flags.keep, "keep", false, "keep the data directory, and print its path")
	f.BoolVar(&flags.fit, "fit", false, "fit weights on the other tenants, for each tenant in turn")
	f.BoolVar(&flags.pack, "pack", false, "ask for packs, too, and measure what is in them")
	f.IntVar(&flags.top, "top", 0, fmt.Sprintf("ask for `N` hits (default %d; with --fit %d, the most)", eval.DefaultTop, eval.MaxTop))
	f.StringVar(&flags.only, "only", "", "find candidates by one `SOURCE` alone: "+onlyWords+" or "+onlyMeaning)
	f.StringVar(&flags.questions, "questions", "", "read the questions from `FILE` (default: DIR/"+eval.QuestionsFile+")")
	f.IntVar(&flags.limit, "limit", 0, "ask `N` questions, drawn by --seed; 0 means all")
	f.Uint64Var(&flags.seed, "seed", 1, "draw other questions with another `NUMBER`")
	f.StringVar(&flags.out, "out", "", "write what became of each question to `FILE`, a line of JSON each")
	c.AddCommand(nexttoolCommand(s))
	return c
}

// options checks the flags.
func (f *evalFlags) options(documents bool) (o eval.Options, err error) {
	if f.top < 0 || f.top > eval.MaxTop || f.limit < 0 {
		return o, fault.New(fault.Usage, "a flag is out of range").WithFix(fmt.Sprintf("--top 1 to %d, or 0 for as many as usual, --limit 0 or more", eval.MaxTop))
	}
	if documents && (f.fit || f.pack || f.only+f.questions+f.out != "") {
		return o, fault.New(fault.Usage, "--fit, --pack, --only, --questions and --out are for conversations, and this is a collection of documents").
			WithFix("leave them out")
	}
	o = eval.Options{Work: f.work, Keep: f.keep, Top: f.top, Limit: f.limit, Seed: f.seed, Fit: f.fit, Pack: f.pack}
	o.Sources, err = onlyFrom(f.only)
	return o, err
}

func (s *console) eval(ctx context.Context, dir string, flags *evalFlags) error {
	documents := eval.HasDocuments(dir)
	o, err := flags.options(documents)
	if err != nil {
		return err
	}
	p := s.progress()
	defer p.done()
	o.Progress = p.update
	if documents {
		return s.evalDocuments(ctx, dir, o, p)
	}
	set, err := eval.Load(dir, flags.questions)
	if err != nil {
		return err
	}
	var r *eval.Report
	run := func() (err error) {
		r, err = eval.Run(ctx, set, o)
		return err
	}
	if flags.out == "" {
		err = run()
	} else {
		err = writeFile(flags.out, func(w io.Writer) error {
			o.Answer = func(a *eval.Answer) error { return writeLine(w, a) }
			return run()
		})
	}
	p.done()
	if err != nil {
		return err
	}
	s.degraded(r.Degraded)
	if s.json {
		return s.writeJSON(r)
	}
	s.showEval(r)
	return nil
}

func (s *console) evalDocuments(ctx context.Context, dir string, o eval.Options, p *progress) error {
	d, err := eval.LoadDocuments(dir)
	if err != nil {
		return err
	}
	r, err := eval.RunDocuments(ctx, d, o)
	p.done()
	if err != nil {
		return err
	}
	s.degraded(r.Degraded)
	if s.json {
		return s.writeJSON(r)
	}
	s.showEvalDocuments(r)
	return nil
}

// degraded reports what a search could not use.
func (s *console) degraded(list []string) {
	for _, d := range list {
		s.note(d)
	}
}

// Values of --only.
const (
	onlyWords   = "words"
	onlyMeaning = "meaning"
)

// onlyFrom returns the sources that --only names.
func onlyFrom(only string) (lukasa.Sources, error) {
	switch only {
	case "":
		return 0, nil
	case onlyWords:
		return lukasa.FromWords, nil
	case onlyMeaning:
		return lukasa.FromMeaning, nil
	}
	return 0, fault.Newf(fault.Usage, "unknown source for --only %q", only).WithFix("use one of " + onlyWords + ", " + onlyMeaning)
}

// writeFile atomically writes the FILE of --out, readable only by its owner.
func writeFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fault.Newf(fault.OutputFailed, "cannot write %q: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the first error is reported
		}
	}()
	buf := bufio.NewWriter(f)
	err = write(buf)
	if failed := errors.Join(buf.Flush(), f.Close()); err == nil && failed != nil {
		err = fault.Newf(fault.OutputFailed, "cannot write %q: %w", path, failed)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fault.Newf(fault.OutputFailed, "cannot write %q: %w", path, err)
	}
	return nil
}
