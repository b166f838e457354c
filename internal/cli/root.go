package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
)

type rootFlags struct {
	boardFlags
	all        bool
	checkpoint bool
	key        bool
	newKey     bool
}

func rootCommand(s *shell) *cobra.Command {
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
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return s.nameState(c, &flags) },
	}
	flags.addTenant(c)
	f := c.Flags()
	f.BoolVar(&flags.all, "all", false, "the roots of all tenants")
	f.BoolVar(&flags.checkpoint, "checkpoint", false, "print the state as a signed note")
	f.BoolVar(&flags.key, "key", false, "print the key that checks what is signed")
	f.BoolVar(&flags.newKey, "new-key", false, "make a new signing key")
	return c
}

func (s *shell) nameState(c *cobra.Command, flags *rootFlags) error {
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
	return s.visit(c, &flags.boardFlags, reading(), func(ctx context.Context, v *visit) error {
		if flags.all {
			return s.roots(ctx, v)
		}
		t, err := v.reader(ctx)
		if err != nil {
			return err
		}
		root, err := t.Root(ctx)
		if err != nil {
			return err
		}
		if err := v.slip(t.Name(), root.Size); err != nil {
			return err
		}
		switch {
		case flags.checkpoint:
			return s.checkpoint(ctx, t)
		case flags.newKey:
			if err := v.NewKey(ctx); err != nil {
				return err
			}
			fallthrough
		case flags.key:
			return s.key(t, flags.newKey)
		}
		return s.showRoot(root)
	})
}

func (s *shell) showRoot(root lukasa.Root) error {
	a := answer.StateOf(root)
	if s.json {
		return s.writeJSON(a)
	}
	fmt.Fprintf(s.stdout, "%s\n", s.paint.bold(a.Root))
	s.detail("tenant", a.Tenant)
	s.detail("size", thousands(int(a.Size)))
	s.detail("time", moment(root.Time))
	return nil
}

// roots lists all tenants.
func (s *shell) roots(ctx context.Context, v *visit) error {
	out := s.newPages("tenants", "TENANT", "SIZE", "TIME", "ROOT")
	for root, err := range v.Tenants(ctx) {
		if err != nil {
			return err
		}
		a := answer.StateOf(root)
		if err := out.add(a, a.Tenant, thousands(int(a.Size)), moment(root.Time), a.Root); err != nil {
			return err
		}
	}
	return out.end("", out.flush())
}

// checkpoint prints the signed state, exactly as it is.
func (s *shell) checkpoint(ctx context.Context, t *lukasa.Tenant) error {
	signed, err := t.Checkpoint(ctx)
	if err != nil {
		return err
	}
	s.witnessNote(signed.Warning)
	if s.json {
		return s.writeJSON(answer.Checkpoint{Tenant: t.Name(), Checkpoint: string(signed.Note)})
	}
	_, err = s.stdout.Write(signed.Note)
	return err
}

// key prints the key that checks a tenant's notes.
func (s *shell) key(t *lukasa.Tenant, made bool) error {
	key := t.VerifierKey()
	if key == "" {
		return fault.New(fault.Damaged, "the key of this directory is not known").
			WithFix("`lukasa verify` says what is wrong with it")
	}
	if s.json {
		return s.writeJSON(answer.Key{Tenant: t.Name(), Key: key, New: made})
	}
	if made {
		s.note("this is a new key; what the old one signed is checked with the old one")
	}
	_, err := fmt.Fprintln(s.stdout, key)
	return err
}

// witnessNote tells that the memory outside of the data directory could not be
// used, if that is what err says.
func (s *shell) witnessNote(err error) {
	if err != nil {
		s.note("the memory outside of the data directory: %v", err)
	}
}
