package ask

import (
	"context"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/scope"
)

// tokenPrefix is how the text of every token begins.
const tokenPrefix = "lukasa_scope_"

// fileLike is a text that looks like the name of a file: it has a directory or
// a short ending.
var fileLike = regexp.MustCompile(`[/\\]|\.[A-Za-z0-9]{1,6}$`)

// ScopeOf returns the scope token that a command runs with, or nothing. A command with
// a token does only what a scope allows.
func (s *Shell) ScopeOf(c *cobra.Command, f *BoardFlags) (string, error) {
	if c.Flags().Changed("scope") {
		return s.ScopeText(c.Context(), f.Scope)
	}
	text, set := s.Lookup("LUKASA_SCOPE")
	if !set || f.Free {
		return "", nil
	}
	if strings.TrimSpace(text) == "" {
		// A caller that failed to make a scope did not mean to go without one.
		return "", fault.New(fault.ScopeInvalid, "LUKASA_SCOPE is set, but empty").
			WithFix("put a token or @FILE into it, or unset it to go without a scope")
	}
	if c.Flags().Lookup("scope") == nil {
		return "", fault.Newf(fault.OutOfScope, "LUKASA_SCOPE is set, and no scope allows %q", c.CommandPath()).
			WithFix("run it without a scope")
	}
	return s.ScopeText(c.Context(), text)
}

// ScopeText returns the token that TOKEN|@FILE|- stands for. Blanks and line
// breaks around a token are not of it.
func (s *Shell) ScopeText(ctx context.Context, arg string) (string, error) {
	arg = strings.TrimSpace(arg)
	path, isFile := strings.CutPrefix(arg, "@")
	if arg == "-" {
		path, isFile = arg, true
	}
	if isFile {
		text, err := s.ReadFile(ctx, path, 2*scope.MaxText)
		if err != nil {
			return "", err
		}
		arg = strings.TrimSpace(string(text))
	}
	if arg == "" {
		return "", fault.New(fault.ScopeInvalid, "scope token: it is empty").WithFix("give a token that `lukasa scope mint` printed, or @FILE")
	}
	if !isFile {
		return arg, s.takenForFile(arg)
	}
	return arg, nil
}

// takenForFile is the error for the name of a file in the place of a token. What
// could be a token with a slip in it is not repeated.
func (s *Shell) takenForFile(arg string) error {
	if strings.HasPrefix(arg, tokenPrefix) {
		return nil
	}
	if info, err := s.Files.Stat(arg); err == nil && !info.IsDir() {
		return fault.Newf(fault.ScopeInvalid, "scope token: %q is the name of a file", arg).WithFix("write @" + arg + " for the token in it")
	}
	if fileLike.MatchString(arg) {
		return fault.New(fault.ScopeInvalid, "scope token: it is not a token, and looks like the name of a file").
			WithFix("write @FILE for the token in a file; a token begins with " + tokenPrefix + "1.")
	}
	return nil
}

// Held returns what the scope comes to that the command is held to.
func (v *Visit) Held() (answer.Grant, error) {
	grants, sealed, err := lukasa.InspectScope(v.Scope)
	if err != nil {
		return answer.Grant{}, err
	}
	return answer.ScopeOf(grants, sealed).Effective, nil
}
