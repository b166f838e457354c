package knowledge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

func fingerprintInspectCommand(s *ask.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "inspect FILE|-",
		Short: "Show what is in a fingerprint",
		Long: `Show what is in a fingerprint: how many tasks there were and how they ended, the tools
that were called most, the artifacts, the words that goals have in common, and what
was useful. It shows the beginning of each list; --json has all of it.

It needs no data directory. It also shows a fingerprint with a wrong hash, and says so;
` + "`lukasa fingerprint verify`" + ` refuses that.`,
		Example: `  lukasa fingerprint export -o acme.json && lukasa fingerprint inspect acme.json
  lukasa fingerprint export | lukasa fingerprint inspect --json -`,
		Args: ask.OneName("FILE or -"),
		RunE: func(c *cobra.Command, args []string) error { return inspectFingerprint(c.Context(), s, args[0]) },
	}
}

// fingerprintInspected is what lukasa fingerprint inspect --json prints.
type fingerprintInspected struct {
	Verified    bool            `json:"verified"`
	Problem     string          `json:"problem,omitempty"` // why its hash is not right
	Bytes       int             `json:"bytes"`
	Fingerprint json.RawMessage `json:"fingerprint"`
}

func inspectFingerprint(ctx context.Context, s *ask.Shell, path string) error {
	f, _, err := readFingerprint(ctx, s, path)
	if err != nil {
		return err
	}
	a := fingerprintInspected{Verified: true}
	if err := f.Verify(); err != nil {
		a.Verified, a.Problem = false, fault.From(err).Error()
	}
	text, err := json.Marshal(f)
	if err == nil {
		a.Fingerprint, err = hmx.Canonicalize(text)
	}
	if err != nil {
		return err
	}
	a.Bytes = len(a.Fingerprint)
	if s.JSON {
		return s.WriteJSON(a)
	}
	showFingerprint(s, f, &a)
	return nil
}

// inspectedMost is how much of a list is shown.
const inspectedMost = 10

// showFingerprint prints a fingerprint for a person.
func showFingerprint(s *ask.Shell, f *lukasa.Fingerprint, a *fingerprintInspected) {
	b := &f.Behaviour
	fmt.Fprintln(s.Stdout, s.Paint.Bold("fingerprint "+f.Hash))
	if a.Problem != "" {
		s.Detail("changed", "its hash is not that of its content")
	}
	s.Detail("bytes", term.Thousands(a.Bytes))
	for _, o := range f.Origins {
		root := ""
		if o.Root != "" {
			root = " of the root " + o.Root[:16]
		}
		s.Detail("from", fmt.Sprintf("%s: %s, %s%s", o.ID, term.Counted(int(o.Events), "event"), term.Counted(int(o.Size), "record"), root))
	}
	s.Detail("tasks", fmt.Sprintf("%s, %s with a known outcome, %s", term.Thousands(int(b.Tasks)), term.Thousands(int(b.Judged)), ofAll(b.Succeeded, b.Judged, "succeeded")))
	s.Detail("knows", fmt.Sprintf("%s, %s, %s, %s", term.Counted(len(f.Artifacts), "artifact"), term.Counted(len(b.Tools), "tool"), term.Counted(len(b.Errors), "error"), term.Counted(entities(f), "name")))
	showTools(s, f)
	showArtifacts(s, f)
	showUses(s, f)
	if len(f.Words) > 0 {
		var words []string
		for _, w := range f.Words[:min(len(f.Words), 3*inspectedMost)] {
			words = append(words, w.Text)
		}
		fmt.Fprintf(s.Stdout, "\n%s\n  %s%s\n", s.Paint.Bold("Words of goals"), term.Visible(strings.Join(words, ", ")), more(len(f.Words), len(words)))
	}
}

// entities is how many entities are known.
func entities(f *lukasa.Fingerprint) int {
	n := int64(0)
	for _, k := range f.Graph.Kinds {
		n += k.Count
	}
	return int(n)
}

// ofAll writes a part of a whole as a number and in percent.
func ofAll(part, all int64, what string) string {
	text := term.Thousands(int(part)) + " " + what
	if all > 0 {
		text += " (" + term.Share(uint64(part), uint64(all)) + ")"
	}
	return text
}

// more says how many of a list are not shown.
func more(all, shown int) string {
	if all <= shown {
		return ""
	}
	return fmt.Sprintf(" … and %s more", term.Thousands(all-shown))
}

// inspected begins a part of what is shown, if there is something in it.
func inspected(s *ask.Shell, title string, n int) bool {
	if n > 0 {
		fmt.Fprintf(s.Stdout, "\n%s%s\n", s.Paint.Bold(title), more(n, inspectedMost))
	}
	return n > 0
}

func showTools(s *ask.Shell, f *lukasa.Fingerprint) {
	list := f.Behaviour.Tools
	if !inspected(s, "Tools", len(list)) {
		return
	}
	out := s.Table("TOOL", "TAKEN", "WENT WELL", "BROKE", "TASKS SUCCEEDED")
	var rows [][]string
	for _, t := range list[:min(len(list), inspectedMost)] {
		succeeded := "-"
		if t.Judged > 0 {
			succeeded = term.Share(uint64(t.Succeeded), uint64(t.Judged))
		}
		rows = append(rows, []string{t.Name, term.Thousands(int(t.Taken)), term.Thousands(int(t.Went)), term.Thousands(int(t.Broke)), succeeded})
	}
	out.Rows(rows)
}

func showArtifacts(s *ask.Shell, f *lukasa.Fingerprint) {
	list := f.Artifacts
	if !inspected(s, "Artifacts", len(list)) {
		return
	}
	out := s.Table("TYPE", "SEEN", "CONFIDENCE", "SUCCESS", "ID", "TOOLS")
	var rows [][]string
	for _, a := range list[:min(len(list), inspectedMost)] {
		success := "-"
		if a.SuccessRate >= 0 {
			success = fmt.Sprintf("%.0f%%", 100*a.SuccessRate)
		}
		rows = append(rows, []string{a.Type, term.Thousands(int(a.Observed)), fmt.Sprintf("%.2f", a.Confidence), success, a.ID, a.Title})
	}
	out.Rows(rows)
}

// showUses prints what was shown and of use.
func showUses(s *ask.Shell, f *lukasa.Fingerprint) {
	u := &f.Uses
	if !inspected(s, "Of use in context", min(len(u.Sections)+len(u.Tags)+len(u.Things), inspectedMost)) {
		return
	}
	out := s.Table("WHAT", "NAME", "SHOWN", "OF USE")
	var rows [][]string
	add := func(what, name string, shown, used int64) {
		rows = append(rows, []string{what, name, term.Thousands(int(shown)), term.Share(uint64(used), uint64(shown))})
	}
	for _, x := range u.Sections {
		add("section", x.Name, x.Shown, x.Used)
	}
	for _, x := range u.Tags[:min(len(u.Tags), inspectedMost/2)] {
		add("tag", x.Name, x.Shown, x.Used)
	}
	for _, x := range u.Things[:min(len(u.Things), inspectedMost/2)] {
		add("thing", x.Name, x.Shown, x.Used)
	}
	out.Rows(rows)
}
