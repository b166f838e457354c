package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

func manCommand(s *ask.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write manual pages, one a command",
		Long: `Write the manual pages of this program into DIR, which is made if it is not there: one
for the program and one for each command, such as lukasa-stats.1. Put them where
man looks, such as /usr/local/share/man/man1 or ~/.local/share/man/man1, or read
one with man ./lukasa.1. The same program writes the same bytes.`,
		Example: `  lukasa man man1`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] != "" {
				return nil
			}
			return fault.Newf(fault.Usage, "%q takes the name of one directory, got %d arguments", c.CommandPath(), len(args)).
				WithFix("name the directory that the pages go into, such as man1")
		},
		RunE: func(c *cobra.Command, args []string) error { return man(s, c, args[0]) },
	}
}

// manAnswer is what lukasa man --json prints.
type manAnswer struct {
	Dir   string   `json:"dir"`
	Pages []string `json:"pages"`
}

func man(s *ask.Shell, c *cobra.Command, dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fault.Newf(fault.OutputFailed, "%q is a file, not a directory", dir).WithFix("name a directory")
	} else if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return ask.CannotWrite(dir, err)
		}
	}
	a := manAnswer{Dir: dir, Pages: []string{}}
	var failed error
	walk(c.Root(), func(c *cobra.Command) {
		if c.Hidden || failed != nil {
			return
		}
		name := pageName(c) + ".1"
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, manPage(c), 0o644); err != nil {
			failed = ask.CannotWrite(path, err)
			return
		}
		a.Pages = append(a.Pages, name)
	})
	if failed != nil {
		return failed
	}
	if s.JSON {
		return s.WriteJSON(a)
	}
	fmt.Fprintf(s.Stdout, "%s %s into %s\n", s.Paint.Green("wrote"), term.Counted(len(a.Pages), "page"), term.OneLine(dir))
	return nil
}

// pageName is what the page of a command is called: lukasa-artifacts-list.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage returns the page of a command. It has no date: the same command is the same page.
func manPage(c *cobra.Command) []byte {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`.TH "%s" "1" "" "%s" "Lukasa"`, strings.ToUpper(roff(pageName(c))), term.Program)
	line(".SH NAME")
	line(`%s \- %s`, roff(pageName(c)), roff(c.Short))
	line(".SH SYNOPSIS")
	usage := strings.TrimSuffix(c.UseLine(), " [flags]")
	if c.HasAvailableSubCommands() {
		usage = c.CommandPath() + " COMMAND"
	}
	rest := strings.TrimSpace(strings.TrimPrefix(usage, c.CommandPath()) + " ")
	if rest != "" {
		rest = roff(rest) + " "
	}
	line(`\fB%s\fR %s[\fIFLAGS\fR]`, roff(c.CommandPath()), rest)
	line(".SH DESCRIPTION")
	b.WriteString(roffText(c.Long))
	if c.HasAvailableSubCommands() {
		line(".SH COMMANDS")
		for _, below := range c.Commands() {
			if below.IsAvailableCommand() {
				line(".TP\n\\fB%s\\fR(1)\n%s", roff(pageName(below)), roff(below.Short))
			}
		}
	}
	manFlags(&b, "OPTIONS", c.LocalNonPersistentFlags())
	manFlags(&b, "OPTIONS OF EVERY COMMAND", c.Root().PersistentFlags())
	if c.Example != "" {
		line(".SH EXAMPLES\n.nf")
		for _, example := range strings.Split(strings.Trim(c.Example, "\n"), "\n") {
			line("%s", roffLine(example))
		}
		line(".fi")
	}
	line(".SH EXIT STATUS")
	line("0: done. 1: done, and the input has problems or the answer is no. 2: wrong usage. 3: the machine refused. 4: a fault in the program. 130: stopped on request.")
	line(".SH SEE ALSO")
	above := "\\fB" + roff(term.Program) + "\\fR(1)"
	if c.HasParent() && c.Parent().HasParent() {
		above += ", \\fB" + roff(pageName(c.Parent())) + "\\fR(1)"
	}
	if !c.HasParent() {
		above = "\\fB" + roff(term.Program+" COMMAND --help") + "\\fR"
	}
	line("%s", above)
	return b.Bytes()
}

// manFlags writes a section of flags, if there are any.
func manFlags(b *bytes.Buffer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR", roff("--"+f.Name))
		if value != "" {
			fmt.Fprintf(b, " \\fI%s\\fR", roff(value))
		}
		switch f.DefValue {
		case "", "0", "false", "[]", "0s":
		default:
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(b, "\n%s\n", roffLine(usage))
	})
}

// roff writes a text within a line: what roff would obey is escaped.
func roff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ", `"`, `\(dq`).Replace(text)
}

// roffLine is roff for a text that begins a line, where a dot or an apostrophe would
// command.
func roffLine(text string) string {
	text = roff(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}

// roffText writes paragraphs. What stands in backquotes is bold, and lines that are indented
// stay as they are.
func roffText(text string) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		code := false
		for line := range strings.Lines(paragraph) {
			line = strings.TrimRight(line, "\n")
			if strings.HasPrefix(line, "  ") {
				fmt.Fprintf(&b, ".br\n%s\n", roffLine(line))
				continue
			}
			parts := strings.Split(line, "`")
			for j, part := range parts {
				if j > 0 {
					if code = !code; code {
						b.WriteString(`\fB`)
					} else {
						b.WriteString(`\fR`)
					}
				}
				if j == 0 {
					b.WriteString(roffLine(part))
				} else {
					b.WriteString(roff(part))
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}
