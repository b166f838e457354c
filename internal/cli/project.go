package cli

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

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/project"
)

type projectFlags struct {
	boardFlags
	record, enforce string
}

func projectCommand(s *shell) *cobra.Command {
	var flags projectFlags
	c := &cobra.Command{
		Use:   "project [DIR]",
		Short: "Show or set what Lukasa does in a project: recording, enforcement",
		Long: `Show which project a directory belongs to and what Lukasa does there; DIR is the current
directory unless given. A rule that you state to an agent binds in its project. A project is
known by the address of its git remote "origin", else by the path of its repository, else by
that of the directory.

--record off ends recording in the project, and --enforce says what becomes of an action that
a hard rule forbids there, whatever the agent was installed with: off, ask or deny. "default"
takes a setting back. They are kept in the data directory, for you alone.

A file ` + project.SettingsFile + ` in the project can say "record = off" or "enforce = deny" for
everyone who works on it. It cannot switch rules off.`,
		Example: `  lukasa project
  lukasa project --record off
  lukasa project --record default --enforce deny
  lukasa project --json`,
		Args:        cobra.MaximumNArgs(1),
		Annotations: map[string]string{alone: "its files are here"},
		RunE:        func(c *cobra.Command, args []string) error { return s.project(c, args, &flags) },
	}
	flags.addData(c)
	c.Flags().StringVar(&flags.record, "record", "", "whether hooks record what happens there: on, off or default")
	c.Flags().StringVar(&flags.enforce, "enforce", "", "what becomes of an action that a hard rule forbids there, a `MODE`: off, ask, deny or default")
	suggestValues(c, "record", []string{"on", "off", "default"})
	suggestValues(c, "enforce", append(project.Enforcements(), "default"))
	return c
}

// nameProjects is the file in a data directory that has what a person set for projects.
const nameProjects = "PROJECTS"

// ownSetting is what a person set for one project. Empty is the default.
type ownSetting struct {
	Record  string `json:"record,omitempty"`
	Enforce string `json:"enforce,omitempty"`
}

// ownSettings are what a person set, by a project's identity.
type ownSettings struct {
	Version  int                   `json:"version"`
	Projects map[string]ownSetting `json:"projects"`
}

// readOwnSettings reads what a person set. Nothing is set in a directory without the file.
func readOwnSettings(dir string) (ownSettings, error) {
	o := ownSettings{Version: 1, Projects: map[string]ownSetting{}}
	name := filepath.Join(dir, nameProjects)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	err := json.Unmarshal(project.ReadFile(name), &o)
	if err == nil && o.Version != 1 {
		err = fmt.Errorf("it is of version %d, and this program reads 1", o.Version)
	}
	if err != nil {
		return ownSettings{Version: 1}, fault.Newf(fault.UnreadableInput, "%s: %w", nameProjects, cause(err)).WithFix("mend or remove the file; until then only what agents were installed with counts")
	}
	if o.Projects == nil {
		o.Projects = map[string]ownSetting{}
	}
	return o, nil
}

// of returns what is set for a place: for the first of its identities that something is set
// for.
func (o ownSettings) of(p *project.Place) ownSetting {
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

// policyAt is what counts in a place: recording, and enforcement over what an agent was
// installed with.
func policyAt(p *project.Place, own ownSetting, installed string) (a projectAnswer) {
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

func (s *shell) project(c *cobra.Command, args []string, flags *projectFlags) error {
	where := "."
	if len(args) > 0 {
		where = args[0]
	}
	at, err := filepath.Abs(where)
	if err != nil {
		return fault.Newf(fault.UnreadableInput, "the current directory cannot be told: %w", cause(err))
	}
	if info, err := os.Stat(at); err != nil || !info.IsDir() {
		return fault.Newf(fault.NotFound, "%s is not a directory", where).WithFix("name the directory of a project")
	}
	dir, err := s.dataDir(c, &flags.boardFlags)
	if err != nil {
		return err
	}
	place := project.At(at, s.home())
	all, err := readOwnSettings(dir)
	if err != nil {
		return err
	}
	own := all.of(&place)
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
			return unknownName(fault.Usage, "value for --"+f.name, f.value, f.allowed)
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
	a := policyAt(&place, own, defaultEnforce)
	if s.json {
		return s.writeJSON(a)
	}
	fmt.Fprintf(s.stdout, "%s\n", s.paint.bold(cmp.Or(a.Name, a.Root)))
	for _, id := range a.IDs {
		s.detail("known as", id)
	}
	if a.Branch != "" {
		s.detail("branch", a.Branch)
	}
	record := "on"
	if !a.Record {
		record = "off"
	}
	s.detail("record", record+fromWords(a.RecordFrom, a.File))
	s.detail("enforce", a.Enforce+fromWords(a.EnforceFrom, a.File))
	for _, problem := range a.Problems {
		s.detail("note", a.File+", "+problem)
	}
	return nil
}

// fromWords says where a setting comes from.
func fromWords(from, file string) string {
	switch from {
	case "file":
		return ", by " + file
	case "setting":
		return ", set by you"
	}
	return ""
}

// writeOwnSetting keeps what a person set for a place under its first identity.
func writeOwnSetting(dir string, all *ownSettings, place *project.Place, own ownSetting) error {
	maps.DeleteFunc(all.Projects, func(id string, _ ownSetting) bool { return slices.Contains(place.IDs, id) })
	if own != (ownSetting{}) {
		all.Projects[place.ID()] = own
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fault.Newf(fault.Internal, "write %s: %w", nameProjects, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.Newf(fault.ReadOnly, "%s: %w", dir, cause(err))
	}
	return ownFiles{}.replace(filepath.Join(dir, nameProjects), func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// settle finds out what counts in the place of a hook: whether anything is recorded, and what
// becomes of an action that a hard rule forbids.
func (h *hooking) settle() {
	own, err := readOwnSettings(h.dir)
	if err != nil {
		h.log(err.Error())
	}
	a := policyAt(&h.place.Place, own.of(&h.place.Place), h.flags.enforce)
	for _, problem := range a.Problems {
		h.log(a.File + ", " + problem)
	}
	h.place.Settings = project.Settings{NoRecord: !a.Record} // the server takes this word for it
	if !a.Record {
		h.call.Events = nil
	}
	h.enforce = h.mode(a.Enforce)
	h.visit(&own)
}
