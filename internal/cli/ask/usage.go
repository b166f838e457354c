package ask

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lukasa.dev/internal/fault"
)

// NoArgs is for commands that take flags only.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fault.Newf(fault.Usage, "%q takes no arguments, got %q", cmd.CommandPath(), args[0]).
		WithFix(SeeHelp(cmd))
}

// OneBelow is for commands that do nothing but have others below them.
func OneBelow(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return UnknownCommand(cmd, args[0])
}

// OneFile is for commands that take [FILE|-].
func OneFile(cmd *cobra.Command, args []string) error {
	if len(args) <= 1 {
		return nil
	}
	return fault.Newf(fault.Usage, "%q takes one FILE, got %d arguments", cmd.CommandPath(), len(args)).
		WithFix("run it once per file")
}

// WrongUsage gives a code to an error that cobra found before any command ran.
func WrongUsage(cmd *cobra.Command, err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	var name string
	if _, scan := fmt.Sscanf(err.Error(), "unknown command %q", &name); scan == nil {
		return UnknownCommand(cmd, name)
	}
	return fault.Newf(fault.Usage, "%w", err).WithFix(SeeHelp(cmd))
}

// UnknownCommand is the error for a name that is no command below parent.
func UnknownCommand(parent *cobra.Command, name string) error {
	var names []string
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	e := fault.Newf(fault.UnknownCommand, "unknown command %q", name)
	if best, ok := nearest(name, names); ok {
		return e.WithFix(fmt.Sprintf("did you mean %q?", best))
	}
	return e.WithFix(fmt.Sprintf("run %q for the commands there are", parent.CommandPath()+" --help"))
}

// WrongFlag is the error for flags that cannot be parsed.
func WrongFlag(cmd *cobra.Command, err error) error {
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok && bad.GetFlag() != nil {
		return unreadableFlag(cmd, bad)
	}
	missing, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || missing.GetSpecifiedShortnames() != "" {
		return fault.Newf(fault.Usage, "%w", err).WithFix(SeeHelp(cmd))
	}
	name := missing.GetSpecifiedName()
	e := fault.Newf(fault.Usage, "unknown flag %q for %q", "--"+name, cmd.CommandPath())
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { // local and inherited, once parsing began
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if best, ok := nearest(name, names); ok {
		return e.WithFix(fmt.Sprintf("did you mean %q?", "--"+best))
	}
	return e.WithFix(SeeHelp(cmd))
}

// UnknownName is the error for a word that is not from a closed list: a kind
// of document, a shell. It says what is allowed.
func UnknownName(code fault.Code, what, got string, allowed []string) error {
	fix := "use one of " + strings.Join(allowed, ", ")
	if best, ok := nearest(got, allowed); ok {
		fix = fmt.Sprintf("did you mean %q? It is one of %s", best, strings.Join(allowed, ", "))
	}
	return fault.Newf(code, "unknown %s %q", what, got).WithFix(fix)
}

func SeeHelp(cmd *cobra.Command) string {
	return fmt.Sprintf("run %q for what it takes", cmd.CommandPath()+" --help")
}

// nearest returns the name closest to got, if one is close enough to be what
// was meant: it begins with got, or a third of got's letters are wrong at most.
func nearest(got string, names []string) (string, bool) {
	got = strings.ToLower(got)
	best, bestAt := "", max(1, len(got)/3)+1
	for _, name := range names {
		at := distance(got, name)
		if got != "" && strings.HasPrefix(name, got) {
			at = 0
		}
		if at < bestAt {
			best, bestAt = name, at
		}
	}
	return best, best != ""
}

// distance counts the letters to insert, delete, replace or swap with their
// neighbour in order to turn a into b.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	two, one, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range one {
		one[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(one[j]+1, row[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
		}
		two, one, row = one, row, two
	}
	return one[len(t)]
}

// WantsJSON reports whether args ask for JSON, without parsing them: a command
// line that cannot be parsed is still answered in the form it asks for.
func WantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	wants := false
	for _, arg := range args {
		if arg == "--json" {
			wants = true
		} else if v, ok := strings.CutPrefix(arg, "--json="); ok {
			wants, _ = strconv.ParseBool(v)
		}
	}
	return wants
}

// OneName is for commands that take one argument which names something.
func OneName(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return fault.Newf(fault.Usage, "%q takes one %s, got %d arguments", c.CommandPath(), what, len(args)).WithFix(SeeHelp(c))
	}
}

// QuoteShell writes a word such that a shell takes it as it is.
func QuoteShell(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r)
	}
	if word != "" && strings.TrimFunc(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
