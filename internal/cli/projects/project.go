package projects

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/guide"
	"lukasa.dev/internal/project"
)

type projectFlags struct {
	ask.BoardFlags
	record, enforce string
}

// ProjectCommand returns the command `lukasa project`.
func ProjectCommand(s *ask.Shell) *cobra.Command {
	var flags projectFlags
	c := &cobra.Command{
		Use:   "project [DIR]",
		Short: "Show or set what Lukasa does in a project: recording, enforcement",
		Long: `Show which project a directory belongs to and what Lukasa does there; DIR is the current
directory unless given. A rule that you state to an agent binds in its project. A project is
known by the address of its git remote "origin", else by the path of its repository, else by
that of the directory.

--record off ends recording in the project, and --enforce sets what happens to an action that
a hard rule forbids there, instead of the mode of the installed agent: off, ask or deny.
"default" reverts a setting. They are stored in the data directory, for you alone.

A file ` + project.SettingsFile + ` in the project can say "record = off" or "enforce = deny" for
everyone who works on it. It cannot switch rules off.`,
		Example: `  lukasa project
  lukasa project --record off
  lukasa project --record default --enforce deny
  lukasa project --json`,
		Args:        cobra.MaximumNArgs(1),
		Annotations: map[string]string{ask.Alone: "its files are here"},
		RunE:        func(c *cobra.Command, args []string) error { return runProject(s, c, args, &flags) },
	}
	flags.AddData(c)
	c.Flags().StringVar(&flags.record, "record", "", "whether hooks record what happens there: on, off or default")
	c.Flags().StringVar(&flags.enforce, "enforce", "", "what happens to an action that a hard rule forbids there, a `MODE`: off, ask, deny or default")
	ask.SuggestValues(c, "record", []string{"on", "off", "default"})
	ask.SuggestValues(c, "enforce", append(project.Enforcements(), "default"))
	return c
}

// nameProjects is the file in a data directory with the settings of a person for projects.
const nameProjects = "PROJECTS"

// ownSetting are the settings of a person for one project. Empty is the default.
type ownSetting struct {
	Record  string `json:"record,omitempty"`
	Enforce string `json:"enforce,omitempty"`
}

// OwnSettings are the settings of a person, by the identity of a project.
type OwnSettings struct {
	Version  int                   `json:"version"`
	Projects map[string]ownSetting `json:"projects"`
}

// ReadOwnSettings reads the settings of a person. A directory without the file has none.
func ReadOwnSettings(dir string) (OwnSettings, error) {
	o := OwnSettings{Version: 1, Projects: map[string]ownSetting{}}
	name := filepath.Join(dir, nameProjects)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	err := json.Unmarshal(project.ReadFile(name), &o)
	if err == nil && o.Version != 1 {
		err = fmt.Errorf("it is of version %d, and this program reads 1", o.Version)
	}
	if err != nil {
		return OwnSettings{Version: 1}, fault.Newf(fault.UnreadableInput, "%s: %w", nameProjects, term.Cause(err)).WithFix("correct or remove the file; until then only the settings of `lukasa install` count")
	}
	if o.Projects == nil {
		o.Projects = map[string]ownSetting{}
	}
	return o, nil
}

// Of returns the settings of a place: those of the first of its identities that has some.
func (o OwnSettings) Of(p *project.Place) ownSetting {
	for _, id := range p.IDs {
		if s, ok := o.Projects[id]; ok {
			return s
		}
	}
	return ownSetting{}
}

// projectAnswer is what lukasa project --json prints.
type projectAnswer struct {
	Name    string   `json:"name"`
	Root    string   `json:"root"`
	IDs     []string `json:"ids"`
	Branch  string   `json:"branch,omitempty"`
	Record  bool     `json:"record"`
	Enforce string   `json:"enforce"`
	// Sources say where the two come from: default, file or setting.
	RecordFrom  string   `json:"record_from"`
	EnforceFrom string   `json:"enforce_from"`
	File        string   `json:"file,omitempty"`
	Problems    []string `json:"problems"`
}

// PolicyAt returns the settings in force in a place: recording, and the enforcement. The setting
// of the person wins, else the stricter of the project's file and the installed one.
func PolicyAt(p *project.Place, own ownSetting, installed string) (a projectAnswer) {
	a = projectAnswer{
		Name: p.Name, Root: p.Root, IDs: append([]string{}, p.IDs...), Branch: p.Branch, File: p.Settings.File, Problems: append([]string{}, p.Settings.Problems...),
		Record: true, RecordFrom: "default", Enforce: installed, EnforceFrom: "default",
	}
	if p.Settings.NoRecord {
		a.Record, a.RecordFrom = false, "file"
	}
	if own.Record != "" {
		a.Record, a.RecordFrom = own.Record == "on", "setting"
	}
	modes := project.Enforcements() // from the mildest
	if slices.Index(modes, p.Settings.Enforce) > slices.Index(modes, a.Enforce) {
		a.Enforce, a.EnforceFrom = p.Settings.Enforce, "file"
	}
	if own.Enforce != "" {
		a.Enforce, a.EnforceFrom = own.Enforce, "setting"
	}
	return a
}

func runProject(s *ask.Shell, c *cobra.Command, args []string, flags *projectFlags) error {
	where := "."
	if len(args) > 0 {
		where = args[0]
	}
	at, err := filepath.Abs(where)
	if err != nil {
		return fault.Newf(fault.UnreadableInput, "the current directory is unknown: %w", term.Cause(err))
	}
	if info, err := os.Stat(at); err != nil || !info.IsDir() {
		return fault.Newf(fault.NotFound, "%s is not a directory", where).WithFix("name the directory of a project")
	}
	dir, err := s.DataDir(c, &flags.BoardFlags)
	if err != nil {
		return err
	}
	place := project.At(at, s.Home())
	all, err := ReadOwnSettings(dir)
	if err != nil {
		return err
	}
	own := all.Of(&place)
	changed := false
	for _, f := range []struct {
		name    string
		value   string
		allowed []string
		into    *string
	}{{"record", flags.record, []string{"on", "off", "default"}, &own.Record}, {"enforce", flags.enforce, append(project.Enforcements(), "default"), &own.Enforce}} {
		if !c.Flags().Changed(f.name) {
			continue
		}
		if !slices.Contains(f.allowed, f.value) {
			return ask.UnknownName(fault.Usage, "value for --"+f.name, f.value, f.allowed)
		}
		changed = true
		if *f.into = f.value; f.value == "default" {
			*f.into = ""
		}
	}
	if changed {
		if err := writeOwnSetting(dir, &all, &place, own); err != nil {
			return err
		}
	}
	a := PolicyAt(&place, own, DefaultEnforce)
	if s.JSON {
		return s.WriteJSON(a)
	}
	fmt.Fprintf(s.Stdout, "%s\n", s.Paint.Bold(cmp.Or(a.Name, a.Root)))
	for _, id := range a.IDs {
		s.Detail("known as", id)
	}
	if a.Branch != "" {
		s.Detail("branch", a.Branch)
	}
	record := "on"
	if !a.Record {
		record = "off"
	}
	s.Detail("record", record+FromWords(a.RecordFrom, a.File))
	s.Detail("enforce", a.Enforce+FromWords(a.EnforceFrom, a.File))
	for _, problem := range a.Problems {
		s.Detail("note", a.File+", "+problem)
	}
	return nil
}

// FromWords says where a setting comes from.
func FromWords(from, file string) string {
	switch from {
	case "file":
		return ", by " + file
	case "setting":
		return ", set by you"
	}
	return ""
}

// writeOwnSetting stores the settings of a person for a place under its first identity.
func writeOwnSetting(dir string, all *OwnSettings, place *project.Place, own ownSetting) error {
	maps.DeleteFunc(all.Projects, func(id string, _ ownSetting) bool { return slices.Contains(place.IDs, id) })
	if own != (ownSetting{}) {
		all.Projects[place.ID()] = own
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fault.Newf(fault.Internal, "write %s: %w", nameProjects, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.Newf(fault.ReadOnly, "%s: %w", dir, term.Cause(err))
	}
	return ask.OwnFiles{}.Replace(filepath.Join(dir, nameProjects), func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// RepositoryAt returns what is known about a directory of a repository, and reports false for any
// other one.
func RepositoryAt(dir, home string) (project.Place, bool) {
	name := filepath.FromSlash(dir)
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return project.Place{}, false
	}
	p := project.At(name, home)
	return p, p.Repository
}

func PlaceFor(p *project.Place) guide.Place {
	return guide.Place{Branch: p.Branch, Aliases: p.Aliases, Root: filepath.ToSlash(p.Root)}
}

// DefaultEnforce is the default enforcement of hard rules.
const DefaultEnforce = "ask"
