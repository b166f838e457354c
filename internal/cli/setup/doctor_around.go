package setup

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"lukasa.dev/internal/agents"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/projects"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/hook"
	"lukasa.dev/internal/project"
)

// server checks the server that has the directory open.
func (x *examination) server(ctx context.Context) {
	a, err := ask.ReadAddress(x.dir)
	switch {
	case errors.Is(err, fs.ErrPermission):
		x.say("runs", mend, "run this as the user that the server runs as, or ask the server over HTTP with a key", "a process of another user serves the directory")
		return
	case err != nil:
		x.say("runs", sound, "", "none; commands open the directory themselves (`lukasa serve` starts one)")
		return
	}
	text, err := x.ask(ctx, "version", "--json")
	switch {
	case errors.Is(err, ask.ErrNobody):
		x.say("runs", heed, "nothing has to be done: commands notice, and the next server replaces what it left", "one was here, and has ended without removing its address")
		return
	case err != nil:
		x.say("runs", mend, "check whether it hangs, and restart it", "it does not answer: %v", err)
		return
	}
	x.say("runs", sound, "", "it answers commands")
	var v struct {
		Version string `json:"version"`
	}
	switch own := x.Program.Version; {
	case json.Unmarshal(text, &v) != nil:
		x.say("version", heed, "", "it does not say which version it is")
	case v.Version != own:
		x.say("version", mend, "start the server again with this program, or use the program that it runs", "the server is %s, this program %s", v.Version, own)
	default:
		x.say("version", sound, "", "%s, as this program", own)
	}
	x.port(a.URL)
}

// portTime is how long a port may take to answer.
const portTime = 3 * time.Second

// port checks whether the server answers at the network address that it states.
func (x *examination) port(where string) {
	u, err := url.Parse(where)
	if where == "" || err != nil || u.Host == "" {
		x.say("port", heed, "", "it does not say where it listens")
		return
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), map[string]string{"https": "443"}[u.Scheme])
		if u.Scheme != "https" {
			host = net.JoinHostPort(u.Hostname(), "80")
		}
	}
	conn, err := net.DialTimeout("tcp", host, portTime)
	if err != nil {
		x.say("port", mend, "check the network between here and there, and --listen of `lukasa serve`", "no connection to %s: %v", where, term.Cause(err))
		return
	}
	_ = conn.Close() // nothing was sent
	x.say("port", sound, "", "%s", where)
}

// agents checks the setup of the agents on this machine.
func (x *examination) agents(ctx context.Context) {
	any := false
	for _, agent := range agents.All() {
		setup, _, err := setup(x.Shell, agent.Name, &installFlags{})
		if err != nil {
			x.fails(agent.Name, err)
			continue
		}
		state := agentStateOf(setup)
		if len(state.Found) == 0 && len(state.Files) == 0 && state.Problem == "" {
			continue
		}
		any = true
		x.agent(ctx, setup, &state)
	}
	if !any {
		x.say("found", sound, "", "no agent that `lukasa install` supports is on this machine")
	}
}

// agent reports the setup of one agent.
func (x *examination) agent(ctx context.Context, setup *agents.Setup, a *agentState) {
	install := "`lukasa install " + a.Agent + "` sets it up"
	switch {
	case a.Problem != "":
		x.say(a.Agent, mend, "correct that file; nothing is written to it until then", "its settings cannot be read: %s", a.Problem)
	case !a.Server && a.Hooks != nil && *a.Hooks:
		x.say(a.Agent, mend, install+" as a whole", "it has the hooks, and not the MCP server")
	case !a.Server:
		x.say(a.Agent, heed, install, "it is on this machine, and has no memory yet")
	case a.Hooks != nil && !*a.Hooks:
		x.say(a.Agent, heed, install+" with hooks", "it has the MCP server, and nothing is recorded by hooks")
	case len(a.Found) == 0:
		x.say(a.Agent, heed, "`lukasa uninstall "+a.Agent+"` removes the entries, if it is gone", "it is set up, and is not found on this machine")
	default:
		if gone := goneProgram(a); gone != "" {
			x.say(a.Agent, mend, "`lukasa install "+a.Agent+"` writes its current path", "it runs %s, which is not there", gone)
			return
		}
		if why, fix := x.untrusted(ctx, setup); why != "" {
			x.say(a.Agent, mend, fix, "%s", why)
			return
		}
		if a.Enforce == "" {
			x.say(a.Agent, sound, "", "set up in %s", a.Files[0].File)
			return
		}
		x.say(a.Agent, sound, "", "set up in %s; %s", a.Files[0].File, enforceWords(a.Agent, a.Enforce))
	}
}

// trustTime is how long an agent may take to say whether it trusts its hooks.
const trustTime = 5 * time.Second

// untrusted returns why an agent does not run its hooks, or nothing.
func (x *examination) untrusted(ctx context.Context, setup *agents.Setup) (why, fix string) {
	ctx, cancel := context.WithTimeout(ctx, trustTime)
	defer cancel()
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	return setup.Untrusted(ctx, dir)
}

// enforceWords describes the enforcement of hard rules.
func enforceWords(agent, mode string) string {
	switch {
	case mode == "off":
		return "it enforces no rules (enforce off)"
	case mode == "ask" && (agent == hook.Codex || agent == hook.OpenCode):
		return "it refuses what a hard rule forbids (enforce ask, and it cannot ask)"
	case mode == "ask":
		return "it asks about what a hard rule forbids, and refuses it where no person can answer (enforce ask)"
	}
	return "it refuses what a hard rule forbids (enforce " + mode + ")"
}

// project reports the settings of the project of the current directory.
func (x *examination) project(context.Context) {
	at, err := os.Getwd()
	if err != nil {
		return
	}
	place := project.At(at, x.Home())
	own, err := projects.ReadOwnSettings(x.dir)
	if err != nil {
		x.fails("settings", err)
		return
	}
	a := projects.PolicyAt(&place, own.Of(&place), projects.DefaultEnforce)
	for _, problem := range a.Problems {
		x.say("settings", mend, "correct the line", "%s, %s", a.File, problem)
	}
	name := cmp.Or(a.Name, a.Root)
	switch {
	case !a.Record:
		x.say("recording", heed, "`lukasa project --record default` reverts your setting", "nothing is recorded in %s%s", name, projects.FromWords(a.RecordFrom, a.File))
	default:
		x.say("recording", sound, "", "hooks record what happens in %s", name)
	}
	switch {
	case a.EnforceFrom == "default":
		x.say("rules", sound, "", "enforced as each agent is set up")
	case a.Enforce == "off":
		x.say("rules", heed, "`lukasa project --enforce default` reverts it", "rules are not enforced in %s%s", name, projects.FromWords(a.EnforceFrom, a.File))
	default:
		x.say("rules", sound, "", "enforce %s in %s%s", a.Enforce, name, projects.FromWords(a.EnforceFrom, a.File))
	}
	x.say("language", sound, "", "statements and rules are read in English; text in another language is recorded, found and quoted, and becomes no rule by itself")
}

// runsProgram finds the program of an entry of Lukasa, in JSON and in TOML.
var runsProgram = regexp.MustCompile(`"(/[^"\\]+?) hook [a-z]|"command":\s*"(/[^"\\]+)",\s*"args":\s*\[\s*"mcp"|"(/[^"\\]+)",\s*"mcp"|command = "(/[^"\\]+)"\s*\nargs = \["mcp"`)

// goneProgram returns a program that the settings of an agent name and that does not exist, or
// nothing. It skips files that it cannot read.
func goneProgram(a *agentState) string {
	for _, f := range a.Files {
		text, err := os.ReadFile(f.File)
		if err != nil {
			continue
		}
		for _, found := range runsProgram.FindAllStringSubmatch(string(text), -1) {
			program := strings.Join(found[1:], "")
			if _, err := os.Stat(program); os.IsNotExist(err) && strings.Contains(filepath.Base(program), "lukasa") {
				return program
			}
		}
	}
	return ""
}
