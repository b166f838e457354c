package setup

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/agents"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/project"
)

// installFlags are the flags of lukasa install and lukasa uninstall.
type installFlags struct {
	ask.BoardFlags
	program  string
	project  bool
	dryRun   bool
	print    bool
	noHooks  bool
	backfill bool
	enforce  string
}

// InstallCommand returns the command `lukasa install`.
func InstallCommand(s *ask.Shell) *cobra.Command {
	var flags installFlags
	c := &cobra.Command{
		Use:   "install [AGENT]",
		Short: "Give a coding agent its memory: the MCP server and the hooks",
		Long: `Write the entry of the MCP server, and the hooks where an agent has them, into the
settings of AGENT, in its own documented form. AGENT is one of
` + strings.Join(agents.Names(), ", ") + `.
Without AGENT, list the agents: which are found on this machine, and which are set up.

Everything else in a file stays as it is, comments and formatting too. A file is
replaced in one step, after a copy of it is written beside it. Installing again changes
nothing, and ` + "`lukasa uninstall`" + ` restores the files. It runs no other program.

An action that a hard rule of yours forbids is stopped before it happens. With --enforce
ask, which is the default, the agent asks you where it can and you are there, and otherwise
refuses; deny always refuses, and off only records. Installing again keeps the mode.

With --backfill, the history that the agent keeps on this machine is imported, as by
` + "`lukasa import --from`" + `, in the order in which it happened. For OpenCode, its own program
is run to export its sessions. docs/integrations.md lists which files are written.`,
		Example: `  lukasa install
  lukasa install claude-code --print
  lukasa install cursor --project --dry-run
  lukasa install claude-code --print --enforce deny
  lukasa install codex --print --tenant acme --no-hooks`,
		ValidArgs:   agents.Names(),
		Annotations: map[string]string{ask.Alone: "its files are here"},
		Args:        oneAgent,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listAgents(s, c, &flags)
			}
			return install(s, c, args[0], &flags)
		},
	}
	flags.AddTenant(c)
	flags.add(c)
	c.Flags().BoolVar(&flags.print, "print", false, "write nothing, and print the entries for each file")
	c.Flags().BoolVar(&flags.noHooks, "no-hooks", false, "the MCP server alone, without hooks or a plugin")
	c.Flags().StringVar(&flags.enforce, "enforce", "", "what happens to an action that a hard rule of yours forbids, a `MODE`: off, ask or deny (default what it was, else ask)")
	ask.SuggestValues(c, "enforce", project.Enforcements())
	c.Flags().BoolVar(&flags.backfill, "backfill", false, "import the history that the agent keeps on this machine; with --dry-run, count it")
	return c
}

// UninstallCommand returns the command `lukasa uninstall`.
func UninstallCommand(s *ask.Shell) *cobra.Command {
	var flags installFlags
	c := &cobra.Command{
		Use:   "uninstall AGENT",
		Short: "Take the MCP server and the hooks out of an agent's settings again",
		Long: `Remove what ` + "`lukasa install`" + ` wrote into the settings of AGENT. A file that was not
changed since gets its former bytes back; from a changed file, only the entries of Lukasa
are removed. What was recorded stays where it is.`,
		Example: `  lukasa uninstall claude-code
  lukasa uninstall cursor --project --dry-run`,
		ValidArgs:   agents.Names(),
		Annotations: map[string]string{ask.Alone: "its files are here"},
		Args:        oneAgent,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fault.Newf(fault.Usage, "%q takes the name of an agent", c.CommandPath()).WithFix("use one of " + strings.Join(agents.Names(), ", "))
			}
			return uninstall(s, args[0], &flags)
		},
	}
	flags.add(c)
	return c
}

// add adds the flags that both have.
func (f *installFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.program, "program", "", "the `PATH` of the program that the agent runs, or its name if the agent is to look for it (default this one)")
	c.Flags().BoolVar(&f.project, "project", false, "the settings of the project in the current directory, instead of your own")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "change nothing, and say what would be")
}

// oneAgent allows at most one argument.
func oneAgent(c *cobra.Command, args []string) error {
	if len(args) <= 1 {
		return nil
	}
	return fault.Newf(fault.Usage, "%q takes one AGENT, got %d arguments", c.CommandPath(), len(args)).WithFix("run it once an agent")
}

// setup returns the setup of the agent of that name, and a note for the user or nothing.
func setup(s *ask.Shell, name string, flags *installFlags) (setup *agents.Setup, note string, err error) {
	agent, ok := agents.ByName(name)
	if !ok {
		return nil, "", ask.UnknownName(fault.Usage, "agent", name, agents.Names())
	}
	world := &agents.World{Lookup: s.Lookup, OS: runtime.GOOS, Home: s.Home(), State: s.StateDir()}
	if flags.project {
		if world.Project, err = os.Getwd(); err != nil {
			return nil, "", fault.Newf(fault.UnreadableInput, "the current directory is unknown: %w", term.Cause(err))
		}
	}
	command := agents.Command{OS: world.OS}
	if command.Program, note, err = ownProgram(world, flags.program); err != nil {
		return nil, "", err
	}
	return &agents.Setup{Agent: agent, World: world, Command: command, NoHooks: flags.noHooks, DryRun: flags.dryRun}, note, nil
}

// ownProgram returns the path of the program for agents: this one, by its name on the search path
// if it is there, since that survives an update.
func ownProgram(w *agents.World, named string) (path, note string, err error) {
	if named != "" && filepath.Base(named) == named {
		return named, "", nil // found by the search path
	}
	if named != "" {
		if path, err = filepath.Abs(named); err != nil {
			err = fault.Newf(fault.Usage, "--program: where is %q: %w", named, err)
		}
		return path, "", err
	}
	path, err = os.Executable()
	if err != nil {
		return "", "", fault.Newf(fault.Internal, "the path of this program is unknown: %w", term.Cause(err)).WithFix("add --program PATH")
	}
	if strings.Contains(filepath.ToSlash(path), "/go-build") {
		return term.Program, "this program was built by `go run` and is gone afterwards, so the agent looks for `lukasa` on its search path; `go install` puts it there", nil
	}
	if known := w.OnPath(term.Program); known != "" && sameFile(known, path) {
		return known, "", nil
	}
	return path, "", nil
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// commandFlags returns the flags of the commands that the agent runs.
func commandFlags(s *ask.Shell, c *cobra.Command, flags *installFlags) ([]string, error) {
	var out []string
	if c.Flags().Changed("data") {
		dir, err := s.DataDir(c, &flags.BoardFlags)
		if err != nil {
			return nil, err
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return nil, fault.Newf(fault.Internal, "where is %s: %w", dir, err)
		}
		out = append(out, "--data", dir)
	}
	tenant := installedTenant(s, c, flags)
	if err := ask.BadFlag("tenant", memory.CheckTenant(tenant)); err != nil {
		return nil, err
	}
	return append(out, "--tenant", tenant), nil
}

// hookFlagsOf returns the flags of hooks: those that a person set before, with the mode of
// enforcement that is given now.
func hookFlagsOf(c *cobra.Command, setup *agents.Setup, flags *installFlags) ([]string, error) {
	kept := setup.HookFlags()
	if !c.Flags().Changed("enforce") {
		return kept, nil
	}
	if !slices.Contains(project.Enforcements(), flags.enforce) {
		return nil, ask.UnknownName(fault.Usage, "mode for --enforce", flags.enforce, project.Enforcements())
	}
	if !setup.Agent.Hooked || flags.noHooks {
		return nil, fault.Newf(fault.Usage, "--enforce is for hooks, and %s gets none", setup.Agent.Title).WithFix("leave --enforce out")
	}
	kept = slices.DeleteFunc(kept, func(f string) bool { return strings.HasPrefix(f, "--enforce=") })
	return append(kept, "--enforce="+flags.enforce), nil
}

// installedTenant is the tenant of the agent's memory. The settings name it even if the user did
// not, so that it does not change when another tenant appears.
func installedTenant(s *ask.Shell, c *cobra.Command, flags *installFlags) string {
	if c.Flags().Changed("tenant") {
		return flags.Tenant
	}
	return cmp.Or(s.Env("LUKASA_TENANT"), "default")
}

// installedFile is one file, as --json prints it.
type installedFile struct {
	File    string        `json:"file"`
	Action  agents.Action `json:"action"`
	Entries []string      `json:"entries"`
	Backup  string        `json:"backup,omitempty"`
}

// installAnswer is what lukasa install AGENT --json and lukasa uninstall --json print.
type installAnswer struct {
	Agent    string          `json:"agent"`
	Level    string          `json:"level"`
	DryRun   bool            `json:"dry_run"`
	Program  string          `json:"program,omitempty"`
	Files    []installedFile `json:"files"`
	Notes    []string        `json:"notes"`
	Next     []string        `json:"next"`
	Backfill *backfillAnswer `json:"backfill,omitempty"`
}

// answerOf begins the answer about an agent.
func answerOf(setup *agents.Setup, changes []agents.Change) *installAnswer {
	a := &installAnswer{Agent: setup.Agent.Name, Level: "user", DryRun: setup.DryRun, Files: []installedFile{}, Notes: []string{}, Next: []string{}}
	if setup.World.Project != "" {
		a.Level = "project"
	}
	for _, c := range changes {
		a.Files = append(a.Files, installedFile{c.File, c.Action, append([]string{}, c.Entries...), c.Backup})
	}
	return a
}

func install(s *ask.Shell, c *cobra.Command, name string, flags *installFlags) error {
	setup, note, err := setup(s, name, flags)
	if err != nil {
		return err
	}
	if setup.Command.Flags, err = commandFlags(s, c, flags); err != nil {
		return err
	}
	if setup.Command.HookFlags, err = hookFlagsOf(c, setup, flags); err != nil {
		return err
	}
	setup.Command.ServerFlags = setup.ServerFlags()
	if flags.print {
		return printSnippets(s, setup, flags)
	}
	fill, err := planBackfill(s, c, setup, flags)
	if err != nil {
		return err
	}
	changes, err := setup.Install()
	if err != nil {
		return err
	}
	a := answerOf(setup, changes)
	a.Program = setup.Command.Program
	a.Notes, a.Next = append(a.Notes, setup.Notes()...), append(a.Next, setup.Next()...)
	if note != "" {
		a.Notes = append(a.Notes, note)
	}
	for _, name := range []string{"LUKASA_DATA", "LUKASA_TENANT"} {
		if flag := strings.ToLower(strings.TrimPrefix(name, "LUKASA_")); s.Env(name) != "" && !c.Flags().Changed(flag) {
			a.Notes = append(a.Notes, name+" is set here, and the agent knows it only if it is set where that is started; with --"+flag+" it is written down")
		}
	}
	return finishInstall(s, c, a, setup, fill)
}

// finishInstall prints what was done, and imports transcripts if --backfill asks for them.
func finishInstall(s *ask.Shell, c *cobra.Command, a *installAnswer, setup *agents.Setup, fill *backfill) error {
	d := deed{"set up", "would set up", "set up already:"}
	if fill == nil {
		return tellInstall(s, a, setup, d)
	}
	a.Backfill = fill.answer()
	if s.JSON {
		code := fill.run(c)
		if err := s.WriteJSON(a); err != nil {
			return err
		}
		return ended(s, code)
	}
	if err := tellInstall(s, a, setup, d); err != nil {
		return err
	}
	return ended(s, fill.run(c))
}

// ended is what a command returns that ends with the exit code of another one, which has
// printed everything.
func ended(s *ask.Shell, code int) error {
	if err := s.Stdout.Finish(); err != nil || code == 0 {
		return err
	}
	return ask.CarriedOut(code)
}

// deed has the words of a command: for what it did, for what it would do, and for nothing to do.
type deed struct{ done, would, nothing string }

// tellInstall prints what was done.
func tellInstall(s *ask.Shell, a *installAnswer, setup *agents.Setup, d deed) error {
	if s.JSON {
		return s.WriteJSON(a)
	}
	words := d.nothing
	if slices.ContainsFunc(a.Files, func(f installedFile) bool { return f.Action != agents.Unchanged }) {
		words = d.done
		if a.DryRun {
			words = d.would
		}
	}
	where := ""
	if a.Level == "project" {
		where = ", in " + setup.World.Project
	}
	fmt.Fprintf(s.Stdout, "%s %s%s\n", s.Paint.Green(words), setup.Agent.Title, term.OneLine(where))
	for _, f := range a.Files {
		line := f.File
		if len(f.Entries) > 0 {
			line += ": " + strings.Join(inShort(f.Entries), ", ")
		}
		s.Detail(actionWord(f.Action, a.DryRun), line)
		if f.Backup != "" && f.Action == agents.Changed {
			s.Detail("copy", f.Backup)
		}
	}
	for _, note := range a.Notes {
		s.Detail("note", note)
	}
	if !a.DryRun {
		for _, next := range a.Next {
			s.Detail("next", next)
		}
	}
	return nil
}

// inShort summarizes entries, since many are hooks of single events: --json and --print list each.
func inShort(entries []string) []string {
	var short []string
	hooks := 0
	for _, e := range entries {
		if strings.HasPrefix(e, "hooks.") {
			hooks++
			continue
		}
		short = append(short, e)
	}
	if hooks > 0 {
		short = append(short, term.Counted(hooks, "hook"))
	}
	return short
}

// actionWord returns the word for what happened, or would happen, to a file.
func actionWord(a agents.Action, dry bool) string {
	if !dry {
		return string(a)
	}
	switch a {
	case agents.Created:
		return "would make"
	case agents.Changed:
		return "would edit"
	case agents.Restored:
		return "would undo"
	case agents.Deleted:
		return "would drop"
	}
	return string(a)
}

func uninstall(s *ask.Shell, name string, flags *installFlags) error {
	setup, _, err := setup(s, name, flags)
	if err != nil {
		return err
	}
	changes, err := setup.Uninstall()
	if err != nil {
		return err
	}
	a := answerOf(setup, changes)
	for _, f := range a.Files {
		if f.Action == agents.Changed && f.Backup != "" {
			verb := "were"
			if a.DryRun {
				verb = "would be"
			}
			a.Notes = append(a.Notes, f.File+" has been edited by others too, so only our entries "+verb+" removed from it; the copy beside it has the former content")
		}
	}
	if slices.ContainsFunc(a.Files, func(f installedFile) bool { return f.Action != agents.Unchanged }) {
		a.Next = append(a.Next, "restart "+setup.Agent.Title+"; what was recorded is still there")
	}
	return tellInstall(s, a, setup, deed{"removed from", "would remove from", "nothing to remove from"})
}

// snippetsAnswer is what lukasa install AGENT --print --json prints.
type snippetsAnswer struct {
	Agent    string          `json:"agent"`
	Snippets []snippetAnswer `json:"snippets"`
}

// snippetAnswer is what belongs into one file.
type snippetAnswer struct {
	File  string `json:"file"`
	Whole bool   `json:"whole"`
	Text  string `json:"text"`
}

// printSnippets prints the text for each file.
func printSnippets(s *ask.Shell, setup *agents.Setup, flags *installFlags) error {
	if flags.backfill || flags.dryRun {
		return fault.New(fault.Usage, "--print changes nothing, and cannot be combined with --backfill or --dry-run").WithFix("leave --print out, or the others")
	}
	snippets, err := setup.Snippets()
	if err != nil {
		return err
	}
	if s.JSON {
		a := snippetsAnswer{Agent: setup.Agent.Name, Snippets: []snippetAnswer{}}
		for _, p := range snippets {
			a.Snippets = append(a.Snippets, snippetAnswer{p.File, p.Whole, p.Text})
		}
		return s.WriteJSON(a)
	}
	for i, p := range snippets {
		if i > 0 {
			fmt.Fprintln(s.Stdout)
		}
		kind := "into"
		if p.Whole {
			kind = "as"
		}
		fmt.Fprintf(s.Stdout, "%s\n%s", s.Paint.Dim(term.OneLine(kind+" "+p.File+":")), p.Text)
	}
	return nil
}
