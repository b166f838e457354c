package memories

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

type redactFlags struct {
	ask.BoardFlags
	yes     bool
	purge   bool
	noPurge bool
	receipt string
}

// RedactCommand returns the command `lukasa redact`.
func RedactCommand(s *ask.Shell) *cobra.Command {
	var flags redactFlags
	c := &cobra.Command{
		Use:   "redact KEY|URI...",
		Short: "Erase memories and events for good, and get a signed receipt",
		Long: `Erase what each KEY or URI names, with its whole history, for good. When the
command returns, the bytes are overwritten in the journal and gone from the index;
all roots and proofs stay valid, and show only that a record existed. What was
erased cannot be restored, and does not come back when it is ingested or remembered
again, under its id or with the same content.

The answer has a signed receipt: what was erased, when, and under which root.
` + "`lukasa verify --receipt`" + ` checks it. For what was erased before, it prints that
receipt; name it by its URI, since its key is erased too. URI#version is accepted if
it is the current version. Without a terminal for the question, --yes is needed.

The files of the index are rewritten afterwards, so that no copy is left in them;
--no-purge postpones that, and --purge alone does it later.`,
		Example: `  lukasa redact lukasa://acme/event/019e5a3b-7c4d-7000-8000-000000000001 --yes
  lukasa redact release/cadence --yes --no-purge --receipt receipt.txt
  lukasa redact --purge`,
		RunE: func(c *cobra.Command, args []string) error { return redact(s, c, args, &flags) },
	}
	flags.AddTenant(c)
	flags.AddWriter(c)
	f := c.Flags()
	f.BoolVar(&flags.yes, "yes", false, "do not ask")
	f.BoolVar(&flags.purge, "purge", false, "rewrite the index; alone, erase nothing")
	f.BoolVar(&flags.noPurge, "no-purge", false, "leave the files of the index as they are for now")
	f.StringVar(&flags.receipt, "receipt", "", "write the receipts to this `FILE`, replacing what is there")
	return c
}

// redaction is a record to erase.
type redaction struct {
	answer.Redaction
	text string // its text, for the confirmation
}

func redact(s *ask.Shell, c *cobra.Command, args []string, flags *redactFlags) error {
	switch {
	case flags.purge && flags.noPurge:
		return fault.New(fault.Usage, "--purge and --no-purge exclude each other").WithFix("use one of them")
	case len(args) == 0 && !flags.purge:
		return fault.Newf(fault.Usage, "%q takes at least one KEY or URI", c.CommandPath()).WithFix("name the records to erase, or use --purge")
	case len(args) == 0:
		return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error { return purge(ctx, s, v) })
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		targets, t, err := redactions(ctx, v, args)
		if err != nil {
			return err
		}
		if err := agree(ctx, s, targets, flags.yes); err != nil {
			return err
		}
		uris := make([]lukasa.URI, len(targets))
		for i, target := range targets {
			uris[i] = target.URI
		}
		done, err := t.Redact(ctx, uris...)
		if err != nil {
			return err
		}
		// The redaction is done: report what remains, even if the command is cancelled.
		return erased(context.WithoutCancel(ctx), v, t, targets, done, flags)
	})
}

// purge rewrites the index and erases nothing.
func purge(ctx context.Context, s *ask.Shell, v *ask.Visit) error {
	if err := v.Purge(ctx); err != nil {
		return err
	}
	if s.JSON {
		return s.WriteJSON(map[string]bool{"purged": true})
	}
	fmt.Fprintf(s.Stdout, "%s: nothing that was deleted is left in the files of the index\n", s.Paint.Green("purged"))
	return nil
}

// redactions returns the records to erase. All of them must exist, or have been erased
// before, and belong to one tenant.
func redactions(ctx context.Context, v *ask.Visit, args []string) ([]redaction, *lukasa.Tenant, error) {
	var targets []redaction
	var tenant *lukasa.Tenant
	for _, arg := range args {
		t, ref, err := v.Target(ctx, arg)
		if err != nil {
			return nil, nil, err
		}
		if tenant == nil {
			tenant = t
		} else if t.Name() != tenant.Name() {
			return nil, nil, fault.Newf(fault.InvalidArgument, "%s is of another tenant than %s", arg, args[0]).WithFix("erase one tenant's at a time")
		}
		if ref, err = newest(ctx, t, ref); err != nil {
			return nil, nil, err
		}
		target, err := redactionOf(ctx, v, t, ref)
		if err != nil {
			return nil, nil, err
		}
		targets = append(targets, target)
	}
	return targets, tenant, nil
}

// newest takes the version off a reference, which has to be the current one: a user
// who names an earlier version may expect that the others stay.
func newest(ctx context.Context, t *lukasa.Tenant, ref lukasa.Ref) (lukasa.Ref, error) {
	saw := ref.Version
	if ref.Version = 0; saw == 0 {
		return ref, nil
	}
	if ref.Kind == lukasa.EventKind {
		return ref, fault.New(fault.InvalidArgument, "an event has no versions").WithFix("leave the #version out")
	}
	thing, err := t.Get(ctx, ref, lukasa.View{})
	switch {
	case errors.Is(err, fault.Erased), errors.Is(err, fault.Damaged):
		return ref, nil // reported later
	case err != nil:
		return ref, err
	case thing.Version != saw:
		return ref, fault.Newf(fault.InvalidArgument, "%s is at version %d, not %d, and a record is erased with all of its history", thing.URI.Head(), thing.Version, saw).
			WithFix("leave the #version out to erase all of it")
	}
	return ref, nil
}

// redactionOf looks up one record to erase. A damaged record, which cannot be read, may be
// erased too.
func redactionOf(ctx context.Context, v *ask.Visit, t *lukasa.Tenant, ref lukasa.Ref) (redaction, error) {
	target := redaction{Redaction: answer.Redaction{URI: t.URI(ref.Kind, ref.ID)}}
	var err error
	if ref.Kind == lukasa.EventKind {
		var ev *lukasa.StoredEvent
		if ev, err = t.Event(ctx, ref.ID); err == nil {
			target.text = string(ev.Event.EventType) + " " + string(ev.Event.Content)
		}
	} else {
		var thing *lukasa.Thing
		if thing, err = t.Get(ctx, ref, lukasa.View{}); err == nil {
			target.URI, target.text = thing.URI.Head(), show.Summary(thing.Body)
		}
	}
	switch {
	case errors.Is(err, fault.Erased) && ref.ID != "":
		target.Already = true
	case errors.Is(err, fault.Damaged) && ref.ID != "":
		target.text = "(damaged)"
	default:
		return target, err
	}
	return target, nil
}

// agree asks the user to confirm.
func agree(ctx context.Context, s *ask.Shell, targets []redaction, yes bool) error {
	if yes {
		return nil
	}
	if !s.Detect(s.Stdin).Is || !s.Detect(s.Stderr).Is {
		return fault.New(fault.Usage, "erasing is for good, and there is no terminal to ask on").WithFix("add --yes")
	}
	fmt.Fprintln(s.Stderr, "This erases for good, with all history:")
	for _, t := range targets {
		if !t.Already {
			fmt.Fprintf(s.Stderr, "  %s  %s\n", s.Alarm.Bold(t.URI.String()), term.Preview(t.text, 60))
		}
	}
	fmt.Fprint(s.Stderr, "Type yes to go on: ")
	in, err := s.Open(ctx, []string{"-"})
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // nothing was written to it
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && err != io.EOF {
		return err
	}
	switch strings.TrimSpace(strings.ToLower(line)) {
	case "yes", "y":
		return nil
	}
	return fault.New(fault.Canceled, "nothing was erased")
}

// erased purges the index and prints the answer.
func erased(ctx context.Context, v *ask.Visit, t *lukasa.Tenant, targets []redaction, done *lukasa.Erasure, flags *redactFlags) error {
	named := make([]answer.Redaction, len(targets))
	for i, x := range targets {
		named[i] = x.Redaction
	}
	a := answer.RedactedOf(named, done)
	var failed error
	v.Shell.WitnessNote(done.Warning)
	if done.Unsigned != nil {
		failed = fmt.Errorf("it is erased, but no receipt could be signed: %w", done.Unsigned)
	}
	if done.Written && !flags.noPurge || flags.purge {
		if err := v.Purge(ctx); err != nil {
			failed = fmt.Errorf("it is erased from the journal, but the index could not be rewritten: %w", err)
		} else {
			a.Purged = true
		}
	}
	if flags.receipt != "" && len(done.Receipts) > 0 {
		err := v.Shell.Files.Replace(flags.receipt, func(w io.Writer) error {
			_, err := w.Write(bytes.Join(done.Receipts, []byte("\n")))
			return err
		})
		if err != nil && failed == nil {
			failed = fmt.Errorf("it is erased, but the receipt is lost: %w", err)
		}
	}
	root, err := t.Root(ctx)
	if err != nil {
		return err
	}
	a.Size, a.Root = root.Size, answer.StateOf(root).Root
	if err := showErasure(v.Shell, a, flags.receipt); err != nil {
		return err
	}
	return failed
}

func showErasure(s *ask.Shell, a *answer.Redacted, file string) error {
	if s.JSON {
		return s.WriteJSON(a)
	}
	for _, t := range a.Targets {
		word := s.Paint.Green("erased")
		if t.Already {
			word = s.Paint.Yellow("erased before")
		}
		fmt.Fprintf(s.Stdout, "%s %s\n", word, s.Paint.Bold(t.URI.String()))
	}
	if a.Redaction != nil {
		s.Detail("payloads", fmt.Sprint(a.Erased))
		s.Detail("position", fmt.Sprint(*a.Redaction))
	}
	s.Detail("root", a.Root+" over "+term.Counted(int(a.Size), "record"))
	if !a.Purged && a.Redaction != nil {
		s.Detail("index", "its files may still hold traces, until `lukasa redact --purge`")
	}
	if file != "" && len(a.Receipts) > 0 {
		s.Detail("receipt", file)
		return nil
	}
	for _, note := range a.Receipts {
		fmt.Fprintf(s.Stdout, "\n%s", note)
	}
	return nil
}
