package setup

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// verdict is the result of one check.
type verdict string

const (
	sound verdict = "ok"
	heed  verdict = "note" // nothing is wrong, and yet worth knowing
	mend  verdict = "mend"
)

// diagnosis is one check with its result.
type diagnosis struct {
	Part    string  `json:"part"` // directory, server, agents or project
	Check   string  `json:"check"`
	Verdict verdict `json:"verdict"`
	Detail  string  `json:"detail"`
	Fix     string  `json:"fix,omitempty"` // what to do
}

// doctorAnswer is what lukasa doctor --json prints.
type doctorAnswer struct {
	OK       bool        `json:"ok"` // nothing needs mending
	Version  string      `json:"version"`
	Data     string      `json:"data"`
	Findings []diagnosis `json:"findings"`
}

// DoctorCommand returns the command `lukasa doctor`.
func DoctorCommand(s *ask.Shell) *cobra.Command {
	var flags ask.BoardFlags
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Find problems of this installation, and how to repair them",
		Long: `Check the data directory (does it exist, who owns it, which process has it open, is
there free space, are journal, indexes, keys and witness in order, are there spooled
events of hooks), the server that has it open (does it answer, is it of this version),
the settings of the agents on this machine (are they set up, do they run the hooks, do
they enforce rules; Codex itself is asked), and the settings of the project in the
current directory. For each problem it prints what to do.

It changes nothing. A directory that no process has open is opened in memory, and its
files stay as they are. If a server has it open, the server answers; if another process
has it open, only its files are examined. ` + "`lukasa verify --deep`" + ` reads every byte.
Exit code 1: something needs to be repaired.`,
		Example: `  lukasa doctor
  lukasa doctor --json`,
		Args:        ask.NoArgs,
		Annotations: map[string]string{ask.Alone: "it asks the server what it wants to know, and looks for itself"},
		RunE:        func(c *cobra.Command, _ []string) error { return doctor(s, c, &flags) },
	}
	flags.AddData(c)
	return c
}

// doctor looks at everything, and prints what it found.
func doctor(s *ask.Shell, c *cobra.Command, flags *ask.BoardFlags) error {
	dir, err := s.DataDir(c, flags)
	if err != nil {
		return err
	}
	x := &examination{Shell: s, dir: dir}
	p := s.Progress()
	for _, part := range []struct {
		name string
		look func(context.Context)
	}{{"directory", x.directory}, {"server", x.server}, {"agents", x.agents}, {"project", x.project}} {
		x.part = part.name
		p.Update(func() string { return "looking at the " + part.name })
		part.look(c.Context())
		if err := c.Context().Err(); err != nil {
			p.Done()
			return err
		}
	}
	p.Done()
	a := doctorAnswer{OK: true, Version: s.Program.Version, Data: dir, Findings: x.found}
	bad := 0
	for _, d := range x.found {
		if d.Verdict == mend {
			bad++
		}
	}
	a.OK = bad == 0
	if s.JSON {
		if err := s.WriteJSON(a); err != nil {
			return err
		}
	} else {
		showDiagnosis(s, &a)
	}
	if bad == 0 {
		return nil
	}
	things := "problems need mending"
	if bad == 1 {
		things = "problem needs mending"
	}
	return fault.Newf(fault.NeedsMending, "%d %s", bad, things)
}

// examination is a look at everything.
type examination struct {
	*ask.Shell
	dir   string
	part  string
	found []diagnosis
}

// say notes what was found.
func (x *examination) say(check string, v verdict, fix, format string, args ...any) {
	x.found = append(x.found, diagnosis{x.part, check, v, fmt.Sprintf(format, args...), fix})
}

// fails notes an error as something to mend, with its own advice.
func (x *examination) fails(check string, err error) {
	e := fault.From(err)
	x.say(check, mend, e.Advice(), "%s", e.Error())
}

// checkWidth is how wide the longest name of something that is looked at is.
const checkWidth = len("claude-desktop")

// showDiagnosis prints what was found for a person.
func showDiagnosis(s *ask.Shell, a *doctorAnswer) {
	part := ""
	for _, d := range a.Findings {
		if d.Part != part {
			if part != "" {
				fmt.Fprintln(s.Stdout)
			}
			part = d.Part
			title := strings.ToUpper(part)
			if part == "directory" {
				title += "  " + s.Paint.Dim(term.OneLine(a.Data))
			}
			fmt.Fprintln(s.Stdout, s.Paint.Bold(title))
		}
		word := term.Padded(string(d.Verdict), 4)
		switch d.Verdict {
		case sound:
			word = s.Paint.Green(word)
		case heed:
			word = s.Paint.Yellow(word)
		case mend:
			word = s.Paint.Red(word)
		}
		fmt.Fprintf(s.Stdout, "  %s  %s  %s\n", word, term.Padded(d.Check, checkWidth), term.OneLine(d.Detail))
		if d.Fix != "" && d.Verdict != sound {
			fmt.Fprintf(s.Stdout, "        %s  %s\n", term.Padded("", checkWidth), s.Paint.Dim("-> "+term.OneLine(d.Fix)))
		}
	}
	if a.OK {
		fmt.Fprintf(s.Stdout, "\n%s\n", s.Paint.Green("nothing needs mending"))
	}
}
