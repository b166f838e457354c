package proofs

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/operation"
)

// proving is a prove under way: its own flags, and the request that they became.
type proving struct {
	event, consistency, out string
	request                 *ask.Request
}

// ProveCommand returns the command `lukasa prove`.
func ProveCommand(s *ask.Shell) *cobra.Command {
	p := &proving{}
	return ask.OperationCommand(s, ask.Command[any]{
		Operation: "prove_inclusion",
		Use:       "prove [POSITION|KEY|URI]",
		Short:     "Prove that a record is in a tenant's log, or that the log only grew",
		Long: `Print a proof that a record is in the tenant's log. A third party verifies it with
only the key (` + "`lukasa root --key`" + `) and ` + "`lukasa verify --proof`" + `. The record is named
by its position, by the KEY of a memory, by a URI, or as an event with --event.

The proof contains the record and a signed checkpoint. --withhold leaves the
content out: it then proves that the record exists, when it was written and by
whom, but not what it says. An erased record is proved in the same way, by its
position. --size proves it in the tree of an earlier size.

--consistency FROM or FROM:TO proves that the log of size FROM is a prefix of the
log of size TO: nothing was changed or removed.

docs/formats/proof.md describes the documents.`,
		Example: `  lukasa prove release/cadence --out proof.json
  lukasa prove 0 --withhold
  lukasa prove --event 019e5a3b-7c4d-7000-8000-000000000001
  lukasa prove --consistency 3`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) <= 1 {
				return nil
			}
			return fault.Newf(fault.Usage, "%q proves one record, got %d arguments", c.CommandPath(), len(args)).WithFix("run it once a record")
		},
		Names: []string{"name"},
		Flags: []ask.Flag{
			{Field: "size", Help: "in the tree of this `SIZE`; 0 is the current one"},
			{Field: "withhold", Help: "leave the content out"},
		},
		Own: func(c *cobra.Command) {
			c.Flags().StringVar(&p.event, "event", "", "the event with this `ID`")
			c.Flags().StringVar(&p.consistency, "consistency", "", "prove that the log of size `FROM[:TO]` only grew")
			c.Flags().StringVar(&p.out, "out", "", "write the proof to this `FILE`, replacing what is there")
		},
		Prepare: p.prepare,
		Call: func(_ context.Context, _ *ask.Visit, call *operation.Call) error {
			if p.event != "" {
				p.request.Fields["name"] = lukasa.URI{Tenant: call.Who.Tenant, Kind: lukasa.EventKind, ID: p.event}.String()
			}
			return nil
		},
		Fail: p.fail,
		Answer: func(_ *ask.Visit, out *any) error {
			switch proof := (*out).(type) {
			case *lukasa.Proof:
				return handOut(s, proof, p.out, fmt.Sprintf("proof of position %d in the tree of %s", proof.Position, term.Counted(int(proof.Size), "record")))
			case *lukasa.ConsistencyProof:
				return handOut(s, proof, p.out, fmt.Sprintf("proof that the log of size %d is the beginning of that of size %d", proof.From, proof.To))
			}
			return fault.New(fault.Internal, "a proof is of no known kind")
		},
	})
}

// prepare says what is to be proved.
func (p *proving) prepare(r *ask.Request) error {
	p.request = r
	named := len(r.Args)
	for _, name := range []string{"event", "consistency"} {
		if r.Cmd.Flags().Changed(name) {
			named++
		}
	}
	switch {
	case named != 1:
		return fault.New(fault.Usage, "it must be said, once, what to prove").
			WithFix("name a POSITION, a KEY or a URI, or use --event or --consistency")
	case r.Cmd.Flags().Changed("consistency"):
		return p.sizes(r)
	case len(r.Args) == 0:
		return nil
	}
	if at, err := merkle.ParseSize(r.Args[0]); err == nil {
		r.Fields["position"] = at
		return nil
	}
	if strings.Trim(r.Args[0], "+-0123456789") == "" {
		return fault.Newf(fault.InvalidArgument, "position: %q is not a whole number from 0 on, in plain digits", r.Args[0]).
			WithFix("give a position, a key or a URI")
	}
	r.Fields["name"] = r.Args[0]
	return nil
}

// sizes reads the sizes of --consistency.
func (p *proving) sizes(r *ask.Request) error {
	if len(r.Fields) > 0 {
		return fault.New(fault.Usage, "--size and --withhold are about a record, not about consistency").WithFix("leave them out")
	}
	r.Operation = "prove_consistency"
	first, second, both := strings.Cut(p.consistency, ":")
	from, err := merkle.ParseSize(first)
	to := uint64(0)
	if err == nil && both {
		to, err = merkle.ParseSize(second)
	}
	if err != nil || both && to == 0 {
		return fault.Newf(fault.InvalidArgument, "--consistency: %q is not FROM or FROM:TO, two sizes in plain digits", p.consistency).
			WithFix("write it as 3 or 3:12")
	}
	r.Fields["from"], r.Fields["to"] = from, to
	return nil
}

// fail adds how to find records to the error for one that is not there.
func (p *proving) fail(_ *cobra.Command, err error) error {
	switch e := fault.From(err); {
	case e.Code != fault.NotFound:
	case p.event != "":
		return e.WithFix("`lukasa events` lists the sessions, and `lukasa events --session ID --json` the ids of events")
	case strings.Contains(e.Error(), "no proof of position"):
		return e.WithFix("`lukasa root` says how many records there are; positions count from 0, and `lukasa events`, `history` and `remember` print them")
	}
	return err
}

// handOut prints a document, or writes it to a file and says so.
func handOut(s *ask.Shell, document any, out, what string) error {
	if out == "" || out == "-" {
		return s.WriteJSON(document)
	}
	err := s.Files.Replace(out, func(w io.Writer) error { return term.EncodeLine(w, document) })
	if err != nil {
		return err
	}
	if s.JSON {
		return s.WriteJSON(map[string]string{"out": out})
	}
	_, err = fmt.Fprintf(s.Stdout, "%s %s: %s\n", s.Paint.Green("wrote"), term.OneLine(out), what)
	return err
}
