package proofs

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

type rootFlags struct {
	ask.BoardFlags
	all        bool
	checkpoint bool
	key        bool
	newKey     bool
}

// RootCommand returns the command `lukasa root`.
func RootCommand(s *ask.Shell) *cobra.Command {
	var flags rootFlags
	c := &cobra.Command{
		Use:   "root",
		Short: "Name the state of a tenant; sign it; show the key",
		Long: `Print how many records a tenant has and the root of the Merkle tree over them. Two
boards with the same root for a tenant hold the same records in the same order.

--checkpoint prints the state as a signed note (C2SP), --key the line of text
that checks it, and both print nothing else. Give the key to whoever is to check
proofs; the private key never leaves the data directory. A directory that was
rolled back to an older state refuses to sign. What was signed is remembered in
the directory and outside of it: in $LUKASA_WITNESS, else in
$XDG_STATE_HOME/lukasa/witness, else in ~/.local/state/lukasa/witness;
LUKASA_WITNESS=off turns that off.

--new-key makes a new signing key. What the old one signed is checked with the
old one, which stays in the directory.`,
		Example: `  lukasa root
  lukasa root --all
  lukasa root --checkpoint > checkpoint.txt
  lukasa root --key > key.txt
  lukasa root --new-key`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return nameState(s, c, &flags) },
	}
	flags.AddTenant(c)
	f := c.Flags()
	f.BoolVar(&flags.all, "all", false, "the roots of all tenants")
	f.BoolVar(&flags.checkpoint, "checkpoint", false, "print the state as a signed note")
	f.BoolVar(&flags.key, "key", false, "print the key that checks what is signed")
	f.BoolVar(&flags.newKey, "new-key", false, "make a new signing key")
	return c
}

func nameState(s *ask.Shell, c *cobra.Command, flags *rootFlags) error {
	chosen := 0
	for _, on := range []bool{flags.all, flags.checkpoint, flags.key, flags.newKey} {
		if on {
			chosen++
		}
	}
	if chosen > 1 {
		return fault.New(fault.Usage, "--all, --checkpoint, --key and --new-key exclude each other").WithFix("use one of them")
	}
	if flags.all && c.Flags().Changed("tenant") {
		return fault.New(fault.Usage, "--all is about every tenant, and --tenant about one").WithFix("use one of them")
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		if flags.all {
			return roots(ctx, s, v)
		}
		t, err := v.Reader(ctx)
		if err != nil {
			return err
		}
		root, err := t.Root(ctx)
		if err != nil {
			return err
		}
		if err := v.Slip(t.Name(), root.Size); err != nil {
			return err
		}
		switch {
		case flags.checkpoint:
			return checkpoint(ctx, s, t)
		case flags.newKey:
			if err := v.NewKey(ctx); err != nil {
				return err
			}
			fallthrough
		case flags.key:
			return key(s, t, flags.newKey)
		}
		return showRoot(s, root)
	})
}

func showRoot(s *ask.Shell, root lukasa.Root) error {
	a := answer.StateOf(root)
	if s.JSON {
		return s.WriteJSON(a)
	}
	fmt.Fprintf(s.Stdout, "%s\n", s.Paint.Bold(a.Root))
	s.Detail("tenant", a.Tenant)
	s.Detail("size", term.Thousands(int(a.Size)))
	s.Detail("time", term.Moment(root.Time))
	return nil
}

// roots lists all tenants.
func roots(ctx context.Context, s *ask.Shell, v *ask.Visit) error {
	out := s.NewPages("tenants", "TENANT", "SIZE", "TIME", "ROOT")
	for root, err := range v.Tenants(ctx) {
		if err != nil {
			return err
		}
		a := answer.StateOf(root)
		if err := out.Add(a, a.Tenant, term.Thousands(int(a.Size)), term.Moment(root.Time), a.Root); err != nil {
			return err
		}
	}
	return out.End("", out.Flush())
}

// checkpoint prints the signed state, exactly as it is.
func checkpoint(ctx context.Context, s *ask.Shell, t *lukasa.Tenant) error {
	signed, err := t.Checkpoint(ctx)
	if err != nil {
		return err
	}
	s.WitnessNote(signed.Warning)
	if s.JSON {
		return s.WriteJSON(answer.Checkpoint{Tenant: t.Name(), Checkpoint: string(signed.Note)})
	}
	_, err = s.Stdout.Write(signed.Note)
	return err
}

// key prints the key that checks a tenant's notes.
func key(s *ask.Shell, t *lukasa.Tenant, made bool) error {
	key := t.VerifierKey()
	if key == "" {
		return fault.New(fault.Damaged, "the key of this directory is not known").
			WithFix("`lukasa verify` says what is wrong with it")
	}
	if s.JSON {
		return s.WriteJSON(answer.Key{Tenant: t.Name(), Key: key, New: made})
	}
	if made {
		s.Note("this is a new key; what the old one signed is checked with the old one")
	}
	_, err := fmt.Fprintln(s.Stdout, key)
	return err
}
