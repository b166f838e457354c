package agents

import (
	"bytes"
	"os"
	"slices"
	"time"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/hook"
)

// Setup is one agent on one machine.
type Setup struct {
	Agent   *Agent
	World   *World
	Command Command
	// NoHooks leaves hooks and plugins unchanged when installing.
	NoHooks bool
	// DryRun changes nothing, and reports what would change.
	DryRun bool
}

// Action is what happened to a file.
type Action string

// The actions.
const (
	Created   Action = "created"   // it did not exist
	Changed   Action = "changed"   // our entries were added, updated or removed
	Unchanged Action = "unchanged" // it was up to date
	Restored  Action = "restored"  // it has its former bytes again
	Deleted   Action = "deleted"   // it contained only our entries
)

// Change is a file, its action, and the entries concerned.
type Change struct {
	File    string
	Action  Action
	Entries []string
	// Backup is the backup of the file, if there is one.
	Backup string
}

// step is one file of a plan.
type step struct {
	Change
	config *config
	after  []byte
	// backup is the name of the backup to write, renamed the backup that gets that name.
	backup, renamed string
	// spent is a backup that is no longer needed.
	spent string
}

// Install adds our entries to the agent's files.
func (s *Setup) Install() ([]Change, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if s.World.Project == "" && len(s.Agent.Found(s.World)) == 0 {
		return nil, fault.Newf(fault.NotFound, "%s is not found on this machine; looked for %s", s.Agent.Title, s.Agent.absence(s.World)).
			WithFix("install it and start it once, or use --print and put the entries in by hand")
	}
	return s.carryOut(s.planInstall)
}

// Uninstall removes our entries from the agent's files.
func (s *Setup) Uninstall() ([]Change, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return s.carryOut(s.planUninstall)
}

func (s *Setup) check() error {
	if s.World.Project != "" && !s.Agent.Projects {
		return fault.Newf(fault.Usage, "%s has no settings for a single project", s.Agent.Title).WithFix("leave --project out")
	}
	if s.World.Project == "" && s.World.Home == "" {
		return fault.New(fault.Usage, "there is no home directory to look for the settings in").WithFix("set HOME")
	}
	return nil
}

// carryOut plans every file before the first one is written, and stages every file before the
// first one is replaced.
func (s *Setup) carryOut(plan func(target) (*step, error)) ([]Change, error) {
	p, err := s.plan(plan)
	if err != nil {
		return nil, err
	}
	if s.DryRun {
		return p.changes, nil
	}
	if err := p.stage(s.World.Project == ""); err != nil {
		return p.changes, err
	}
	return p.changes, p.replace()
}

// planned is what is to become of the files of an agent.
type planned struct {
	steps   []*step
	ready   []*staged // what replaces the file of each step; nil where nothing does
	changes []Change
	made    *directories
	empty   []string // directories that are deleted
}

// plan finds out what is to become of each file.
func (s *Setup) plan(plan func(target) (*step, error)) (*planned, error) {
	p := &planned{}
	for _, t := range s.targets() {
		st, err := plan(t)
		if err != nil {
			return nil, err
		}
		p.steps = append(p.steps, st)
		p.changes = append(p.changes, st.Change)
	}
	p.made = loadDirectories(s.World.State)
	p.empty = p.made.emptied(gone(p.steps))
	for _, dir := range p.empty {
		p.changes = append(p.changes, Change{File: dir, Action: Deleted})
	}
	return p, nil
}

// gone returns the files that are deleted.
func gone(steps []*step) []string {
	var files []string
	for _, st := range steps {
		if st.Action == Deleted {
			files = append(files, st.config.real)
		}
	}
	return files
}

// targets are the files of the agent.
func (s *Setup) targets() []target { return s.Agent.targets(s.World) }

// stage writes what replaces files beside them.
func (p *planned) stage(private bool) error {
	p.ready = make([]*staged, len(p.steps))
	for i, st := range p.steps {
		if st.after == nil {
			continue
		}
		var err error
		if p.ready[i], err = st.config.stage(st.after, private); err != nil {
			p.drop(p.ready[:i])
			return err
		}
	}
	return nil
}

// drop removes what was staged and is not used.
func (p *planned) drop(ready []*staged) {
	for _, r := range ready {
		if r != nil {
			r.drop()
		}
	}
}

// replace makes the changes, and notes the directories that were made for them. A file that
// was changed since it was planned is left as it is.
func (p *planned) replace() error {
	for i, st := range p.steps {
		if err := st.finish(p.ready[i]); err != nil {
			p.drop(p.ready[i:])
			return partly(p.steps[:i], err)
		}
		if p.ready[i] != nil {
			p.made.note(p.ready[i].made)
		}
	}
	for _, st := range p.steps {
		st.config.sweep(time.Now())
	}
	p.made.remove(p.empty)
	return nil
}

// partly adds to an error what was done before.
func partly(done []*step, err error) error {
	for _, st := range done {
		if st.Action != Unchanged {
			e := *fault.From(err)
			e.Fix = e.Advice() + "; " + st.File + " is done already"
			return &e
		}
	}
	return err
}

// finish makes one change.
func (st *step) finish(r *staged) error {
	if st.backup != "" && st.renamed == "" {
		if err := st.config.backup(st.backup); err != nil {
			return err
		}
	}
	switch {
	case r != nil:
		if err := r.replace(); err != nil {
			return err
		}
	case st.Action == Deleted:
		if err := st.config.remove(); err != nil {
			return err
		}
	}
	if st.renamed != "" {
		_ = os.Rename(st.renamed, st.backup) // without it, the next uninstall removes entries instead of restoring bytes
	}
	if st.spent != "" {
		_ = os.Remove(st.spent) // at worst it remains longer
	}
	return nil
}

// planInstall plans the change of a file.
func (s *Setup) planInstall(t target) (*step, error) {
	c, err := load(t.file)
	if err != nil {
		return nil, err
	}
	st := &step{Change: Change{File: t.file, Action: Unchanged}, config: c}
	if s.NoHooks {
		if t = t.withoutHooks(); t.empty() {
			return st, nil
		}
	}
	former, err := t.entries(c, s.Command)
	if err != nil {
		return nil, err
	}
	after, entries, err := t.add(c, s.Command)
	if err != nil {
		return nil, err
	}
	st.Entries = entries
	if c.there && bytes.Equal(after, c.data) {
		return st, nil
	}
	st.after, st.Action = after, Created
	if c.there {
		st.Action = Changed
	}
	if t.form == formPlugin || !c.there {
		return st, nil
	}
	st.backup = backupName(t.file, after)
	old := backups(t.file)
	if len(former) > 0 && len(old) == 0 {
		_, held, err := t.drop(c, nil, s.Command)
		if err != nil {
			return nil, err
		}
		if made, err := t.handmade(c, s.Command); err != nil {
			return nil, err
		} else if !held && !made {
			st.backup = "" // it is entirely ours
		}
	}
	if len(former) > 0 && len(old) > 0 {
		st.backup, st.renamed = "", ""
		if same := backupName(t.file, c.data); slices.Contains(old, same) {
			st.backup, st.renamed = backupName(t.file, after), same
		} else {
			st.Backup = old[len(old)-1]
		}
	}
	if st.backup != "" {
		st.Backup = st.backup
	}
	return st, nil
}

// planUninstall plans the change of a file.
func (s *Setup) planUninstall(t target) (*step, error) {
	c, err := load(t.file)
	if err != nil {
		return nil, err
	}
	st := &step{Change: Change{File: t.file, Action: Unchanged}, config: c}
	if !c.there {
		return st, nil
	}
	st.Entries, err = t.entries(c, s.Command)
	if err != nil {
		return nil, err
	}
	if t.form == formPlugin {
		if len(st.Entries) > 0 {
			st.Action = Deleted
		}
		return st, nil
	}
	old := backups(t.file)
	if same := backupName(t.file, c.data); slices.Contains(old, same) {
		former, err := load(same)
		if err != nil {
			return nil, err
		}
		if ours, err := t.entries(former, s.Command); err == nil && len(ours) == 0 {
			st.Action, st.after, st.spent = Restored, append([]byte{}, former.data...), same
			return st, nil
		}
	}
	if len(st.Entries) == 0 {
		return st, nil
	}
	var former *config
	if len(old) > 0 {
		st.Backup = old[len(old)-1]
		if former, err = load(st.Backup); err != nil {
			return nil, err
		}
	}
	after, held, err := t.drop(c, former, s.Command)
	if err != nil {
		return nil, err
	}
	made, err := t.handmade(c, s.Command)
	if err != nil {
		return nil, err
	}
	if !held && !made && len(old) == 0 {
		st.Action = Deleted
		return st, nil
	}
	st.Action, st.after = Changed, append([]byte{}, after...) // also if nothing is left
	if made && len(old) == 0 {
		st.backup = backupName(t.file, after)
		st.Backup = st.backup
	}
	return st, nil
}

// Entries lists our entries in the agent's files, file by file.
func (s *Setup) Entries() ([]Change, error) {
	var found []Change
	for _, t := range s.targets() {
		c, err := load(t.file)
		if err != nil {
			return nil, err
		}
		entries, err := t.entries(c, s.Command)
		if err != nil {
			return nil, err
		}
		if len(entries) > 0 {
			found = append(found, Change{File: t.file, Action: Unchanged, Entries: entries})
		}
	}
	return found, nil
}

// Snippet is the content for a file, to be added by hand.
type Snippet struct {
	File string
	Text string
	// Whole says that it is the whole file.
	Whole bool
}

// Snippets returns the content for the agent's files.
func (s *Setup) Snippets() ([]Snippet, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	var all []Snippet
	for _, t := range s.targets() {
		if s.NoHooks {
			if t = t.withoutHooks(); t.empty() {
				continue
			}
		}
		all = append(all, Snippet{File: t.file, Text: t.alone(s.Command), Whole: t.form == formPlugin})
	}
	return all, nil
}

// Next returns instructions after installing.
func (s *Setup) Next() []string {
	if s.World.Project != "" && s.Agent.nextInProject != "" {
		return append([]string{s.Agent.nextInProject}, s.Agent.next...)
	}
	return s.Agent.next
}

// Notes returns further notes after installing.
func (s *Setup) Notes() []string {
	var notes []string
	if s.World.Project != "" {
		notes = append(notes, "these files name programs and directories of this machine: look at them before you share them with others")
	}
	if s.NoHooks {
		return notes
	}
	pair := map[string]string{hook.VSCode: hook.ClaudeCode, hook.ClaudeCode: hook.VSCode}[s.Agent.Name]
	if other, ok := ByName(pair); ok && s.hooked(other.targets(s.World)[1]) {
		notes = append(notes, `VS Code also runs the hooks of Claude Code, and then reports everything twice; its setting "chat.hookFilesLocations": {"~/.claude/settings.json": false} ends that`)
	}
	if s.Agent.Name == hook.Codex && hooksInside(s.targets()[0].file) {
		notes = append(notes, "Codex has hooks in config.toml as well; it runs those of both files, and says at its start that there are two")
	}
	return notes
}

// hooked reports whether a file has hooks of ours.
func (s *Setup) hooked(t target) bool {
	c, err := load(t.file)
	if err != nil {
		return false
	}
	entries, err := t.entries(c, s.Command)
	return err == nil && len(entries) > 0
}

// hooksInside reports whether a TOML file has any hooks.
func hooksInside(file string) bool {
	c, err := load(file)
	if err != nil {
		return false
	}
	t, err := parseTOML(file, c.data)
	if err != nil {
		return false
	}
	hooks, _ := t.said["hooks"].(map[string]any)
	for name := range hooks {
		if name != "state" { // state of Codex about hooks
			return true
		}
	}
	return false
}
