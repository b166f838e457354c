package setup

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/agents"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/projects"
	"lukasa.dev/internal/fault"
)

// agentState is one agent, as lukasa install --json prints it.
type agentState struct {
	Agent string `json:"agent"`
	Title string `json:"title"`
	// Found are what shows that it is installed.
	Found []string `json:"found"`
	// Server and Hooks say whether it is set up. Hooks is absent for an agent that has none.
	Server bool  `json:"server"`
	Hooks  *bool `json:"hooks,omitempty"`
	// Enforce is the enforcement of hard rules; empty without hooks.
	Enforce string `json:"enforce,omitempty"`
	// Files have entries of ours.
	Files []installedFile `json:"files"`
	// Problem is why that is unknown.
	Problem string `json:"problem,omitempty"`
}

// agentsAnswer is what lukasa install --json prints.
type agentsAnswer struct {
	Agents []agentState `json:"agents"`
}

// listAgents shows which agents are found here, and which are set up.
func listAgents(s *ask.Shell, c *cobra.Command, flags *installFlags) error {
	for _, name := range []string{"backfill", "dry-run", "print", "no-hooks", "tenant", "data", "enforce"} {
		if c.Flags().Changed(name) {
			return fault.Newf(fault.Usage, "--%s is for one agent", name).WithFix("name it: " + strings.Join(agents.Names(), ", "))
		}
	}
	if s.Home() == "" && !flags.project {
		return fault.New(fault.Usage, "there is no home directory to look for agents in").WithFix("set HOME")
	}
	var a agentsAnswer
	for _, agent := range agents.All() {
		setup, _, err := setup(s, agent.Name, flags)
		if err != nil {
			return err
		}
		a.Agents = append(a.Agents, agentStateOf(setup))
	}
	if s.JSON {
		return s.WriteJSON(a)
	}
	t := s.Table("AGENT", "FOUND", "SERVER", "HOOKS", "")
	var rows [][]string
	found := ""
	for _, one := range a.Agents {
		rows = append(rows, one.row())
		if found == "" && len(one.Found) > 0 && !one.Server && one.Problem == "" {
			found = one.Agent
		}
	}
	t.Rows(rows)
	if found != "" {
		fmt.Fprintf(s.Stdout, "\n%s lukasa install %s\n", s.Paint.Dim("next:"), found)
	}
	return nil
}

// agentStateOf returns the setup of an agent.
func agentStateOf(setup *agents.Setup) agentState {
	one := agentState{Agent: setup.Agent.Name, Title: setup.Agent.Title, Found: append([]string{}, setup.Agent.Found(setup.World)...), Files: []installedFile{}}
	hooked := false
	entries, err := setup.Entries()
	if err != nil {
		one.Problem = err.Error()
	}
	for _, e := range entries {
		one.Files = append(one.Files, installedFile{File: e.File, Action: e.Action, Entries: e.Entries})
		own := slices.ContainsFunc(e.Entries, hookEntry)
		hooked = hooked || own
		one.Server = one.Server || slices.ContainsFunc(e.Entries, func(name string) bool { return !hookEntry(name) })
	}
	if setup.Agent.Hooked {
		one.Hooks = &hooked
	}
	if hooked {
		one.Enforce = cmp.Or(agents.Enforcement(setup.HookFlags()), projects.DefaultEnforce)
	}
	return one
}

// hookEntry reports whether an entry is a hook or a plugin, not a server.
func hookEntry(entry string) bool { return entry == "plugin" || strings.HasPrefix(entry, "hooks.") }

// row is an agent in the table.
func (a agentState) row() []string {
	word := func(yes bool) string {
		if yes {
			return "yes"
		}
		return "no"
	}
	hooks := "has none"
	if a.Hooks != nil {
		hooks = word(*a.Hooks)
	}
	note := a.Problem
	if note == "" && len(a.Files) > 0 {
		note = a.Files[0].File
	}
	if note == "" && len(a.Found) > 0 {
		note = a.Found[0]
	}
	return []string{a.Agent, word(len(a.Found) > 0), word(a.Server), hooks, note}
}
