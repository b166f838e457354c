package cli

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/project"
	"lukasa.dev/internal/transport/mcpapi"
)

type mcpFlags struct {
	ask.BoardFlags
	agent string
	tools string
}

func mcpCommand(s *ask.Shell) *cobra.Command {
	var flags mcpFlags
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the memory to an agent on standard input and output (MCP)",
		Long: `Speak the Model Context Protocol on standard input and output, for an agent that
starts this command: its tools remember, recall, search, pack context and record
what happens. It ends when its input does.

What is written has the trust of an agent. With --agent it writes only in that name,
and sees what is private to that agent. The data directory is created if it does not
exist. If a server has the directory open, or another ` + "`lukasa mcp`" + `, the calls go
through that process, so that several agents can work at the same time.

If the environment of the agent names its session, searches leave out what the agent
did in that session. Rules of other projects do not apply.`,
		Example: `  lukasa mcp < /dev/null
  echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | lukasa mcp --tenant acme --tools all`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return mcp(s, c, &flags) },
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	c.Flags().StringVar(&flags.agent, "agent", "", "the `NAME` of the agent that it is for (default $LUKASA_AGENT, else none)")
	c.Flags().StringVar(&flags.tools, "tools", "default", "which tools are offered, a `SET`: default, hooked for an agent with hooks, all")
	ask.SuggestValues(c, "tools", mcpapi.Sets())
	return c
}

// compileAfter is when a board that agents have for long compiles by itself. Compiles that
// fail are logged at the directory: nothing else may be written while an agent is served.
func compileAfter(dir string) lukasa.CompileAfter {
	return lukasa.CompileAfter{Events: 200, Quiet: time.Minute, Failed: func(tenant string, err error) {
		ask.HookLog(dir, time.Now(), "mcp", "compile of "+tenant+" failed, and is tried again: "+err.Error())
	}}
}

func mcp(s *ask.Shell, c *cobra.Command, flags *mcpFlags) error {
	if !slices.Contains(mcpapi.Sets(), flags.tools) {
		return ask.UnknownName(fault.Usage, "set for --tools", flags.tools, mcpapi.Sets())
	}
	agent := flags.agent
	if agent == "" {
		agent = s.Env("LUKASA_AGENT")
	}
	if agent != "" {
		if err := ask.BadFlag("agent", memory.CheckID("agent", agent)); err != nil {
			return err
		}
	}
	dir, err := s.DataDir(c, &flags.BoardFlags)
	if err != nil {
		return err
	}
	return s.Visit(c, &flags.BoardFlags, lukasa.Options{CompileAfter: compileAfter(dir)}, func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Reader(ctx)
		if err != nil {
			return err
		}
		who, err := speaker(ctx, v, t.Name(), agent)
		if err != nil {
			return err
		}
		done, err := v.Receive(ctx)
		if err != nil {
			return err
		}
		defer done()
		server := mcpapi.New(mcpapi.Options{Board: v.Board, Quotas: s.Served.Quotas, Tools: mcpapi.Set(flags.tools), Session: agentSession(s), Conditions: agentProject(s), Version: buildVersion()})
		err = server.ServeStdio(ctx, who, s.Stdin, prompt{s.Stdout})
		if ctx.Err() != nil {
			return nil // cancelled
		}
		return err
	})
}

// agentSession returns the session that the agent is in which started this command, as its
// environment says, or nothing: Codex and OpenCode do not say.
func agentSession(s *ask.Shell) string {
	for _, name := range []string{"CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID"} {
		if id := s.Env(name); id != "" {
			return id
		}
	}
	return ""
}

// agentProject returns which project holds for that agent, as a condition: that of the
// directory that its environment names, which is also known where another process carries out
// this command. Nothing if there is none.
func agentProject(s *ask.Shell) []string {
	for _, name := range []string{"GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "PWD"} {
		if dir := s.Env(name); filepath.IsAbs(dir) {
			place := project.At(dir, s.Env("HOME"))
			return place.Conditions()
		}
	}
	return nil
}

// speaker returns the principal of an agent on standard input.
func speaker(ctx context.Context, v *ask.Visit, tenant, agent string) (*auth.Principal, error) {
	who := &auth.Principal{Key: "stdio", Role: auth.Member, Tenant: tenant, Rights: auth.Read | auth.Write | auth.Admin, Trust: lukasa.Agent}
	if agent != "" {
		who.Role, who.Agent = auth.Agent, agent
	}
	if v.Scope == "" {
		return who, nil
	}
	// The scope names its holder, and Authenticate verifies it.
	keys := v.Shell.Served.Keys
	if keys == nil {
		var err error
		if keys, err = auth.Open(ctx, v.Board, auth.StoreOptions{}); err != nil {
			return nil, err
		}
	}
	return keys.Authenticate(ctx, v.Scope, "", "")
}

// prompt is an output that is passed on at once.
type prompt struct{ out *term.Output }

var _ io.Writer = prompt{}

// Write implements io.Writer.
func (p prompt) Write(b []byte) (int, error) {
	n, err := p.out.Write(b)
	p.out.PassOn()
	return n, err
}
