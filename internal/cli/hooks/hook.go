package hooks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/projects"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/hook"
	"lukasa.dev/internal/project"
)

type hookFlags struct {
	ask.BoardFlags
	agent   string
	budget  int
	enforce string
	limit   time.Duration
	// A caller hands these to the server: when it was called, in microseconds since 1970,
	// what it knows about the working directory, as JSON, and that it has shortened the input.
	at    int64
	place string
	cut   bool
}

// NameHook is the command that agents run. It never ends with an error.
const NameHook = "hook"

// defaultHookBudget is how many tokens an answer has at most. It is paid at every prompt.
const defaultHookBudget = 800

// HookCommand returns the command `lukasa hook`.
func HookCommand(s *ask.Shell) *cobra.Command {
	var flags hookFlags
	c := &cobra.Command{
		Use:   NameHook + " AGENT",
		Short: "Record what an agent's hooks report, and answer with what is known",
		Long: `Read the JSON that a coding agent hands to its hooks from standard input, record what it
says, and answer in the agent's own format: at the start of a session with the rules and
lessons of the project, at a prompt with what is known about it, and before a tool runs with
a refusal if a hard rule forbids the action. AGENT is one of claude-code, codex, cursor,
vscode, gemini-cli and opencode. ` + "`lukasa install AGENT`" + ` sets it up.

What a prompt plainly states ("Never push to main", "We use pnpm") is remembered before this
command returns. A rule binds from the next tool call on, in this project. --enforce sets
what happens to an action that a hard rule of a user or an operator forbids.

A failure never stops an agent: it becomes a line in HOOK.log in the data directory, the
answer is empty and the exit code 0. If a server has the directory, the hook goes through
it. Otherwise it writes the events to SPOOL in the data directory first. The next process
that opens the directory records them, so that many hooks at once lose nothing.

Text that Lukasa put into a prompt is not recorded when it comes back.`,
		Example: `  echo '{"hook_event_name":"SessionStart","session_id":"s-1","cwd":"/srv/shop"}' | lukasa hook claude-code
  echo '{"hook_event_name":"UserPromptSubmit","session_id":"s-1","prompt":"Fix it."}' | lukasa hook codex --tenant acme --budget 400`,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{ask.Alone: "it calls the server itself, and works without one"},
		RunE:        func(c *cobra.Command, args []string) error { return runHook(s, c, args, &flags) },
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	f := c.Flags()
	wait := f.Lookup("wait")
	flags.Wait, wait.DefValue = time.Second, time.Second.String()
	wait.Usage = "how long an answer may wait for another process that has the directory open, a `DURATION`; 0 does not wait"
	f.StringVar(&flags.agent, "agent", "", "the `NAME` of the agent in the events (default $LUKASA_AGENT, else AGENT)")
	f.IntVar(&flags.budget, "budget", defaultHookBudget, "how many tokens an answer has at most, `N`; 0 only records")
	f.StringVar(&flags.enforce, "enforce", projects.DefaultEnforce, "what happens to an action that a hard rule forbids, a `MODE`: off, ask (where a person can answer, else deny) or deny")
	f.DurationVar(&flags.limit, "limit", 3*time.Second, "answer nothing after this `DURATION`")
	f.Int64Var(&flags.at, "at", 0, "when the hook was called")
	f.StringVar(&flags.place, "place", "", "what is known about the working directory, as JSON")
	f.BoolVar(&flags.cut, "cut", false, "the input was shortened")
	for _, name := range []string{"at", "place", "cut"} {
		_ = f.MarkHidden(name) // it is there
	}
	ask.SuggestValues(c, "enforce", project.Enforcements())
	c.ValidArgs = hook.Agents()
	return c
}

// Hooked ends a command line of a hook: nothing went wrong that the agent should know of.
func Hooked(s *ask.Shell, args []string, err error) int {
	if err != nil {
		dir := s.Env("LUKASA_DATA")
		for i, arg := range args {
			if rest, ok := strings.CutPrefix(arg, "--data="); ok {
				dir = rest
			} else if arg == "--data" && i+1 < len(args) {
				dir = args[i+1]
			}
		}
		if home := s.Home(); dir == "" && home != "" {
			dir = s.HomeDir(home)
		}
		ask.HookLog(dir, s.Now(), strings.Join(args, " "), err.Error())
		if _, open := term.StackOf(err); !open {
			fmt.Fprintf(s.Stderr, "%s: %v\n", term.Program, err)
		}
		fmt.Fprintln(s.Stdout, hook.None)
		_ = s.Stdout.Finish() // who has left wants no answer
	}
	return 0
}

func runHook(s *ask.Shell, c *cobra.Command, args []string, flags *hookFlags) error {
	if len(args) != 1 || !hook.Known(args[0]) {
		return fault.Newf(fault.Usage, "%q takes the name of an AGENT", c.CommandPath()).WithFix("use one of " + strings.Join(hook.Agents(), ", "))
	}
	if args[0] == hook.ClaudeDesktop {
		fmt.Fprintln(s.Stdout, "claude-desktop has no hooks; `lukasa install claude-desktop` gives it the tools of `lukasa mcp`")
		return nil
	}
	if !slices.Contains(project.Enforcements(), flags.enforce) {
		return ask.UnknownName(fault.Usage, "mode for --enforce", flags.enforce, project.Enforcements())
	}
	h := &hooking{shell: s, cmd: c, flags: flags, agent: args[0], now: s.Now(), began: time.Now(), enforce: flags.enforce}
	if flags.at > 0 {
		h.now = time.UnixMicro(flags.at)
	}
	if s.Served.Board != nil {
		return h.served(c.Context())
	}
	if s.Detect(s.Stdin).Is {
		return fault.New(fault.Usage, "standard input is a terminal, and no agent's").WithFix("let an agent run it, or pipe an event in")
	}
	var err error
	if h.dir, err = s.DataDir(c, &flags.BoardFlags); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Context(), flags.limit)
	defer cancel()
	done := make(chan []byte, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				h.log(fmt.Sprintf("panic: %v", p))
				done <- nil
			}
		}()
		done <- h.work(ctx)
	}()
	var out []byte
	select {
	case out = <-done:
	case <-ctx.Done():
		h.log("there was no time left for an answer")
	}
	if out == nil {
		out = []byte(hook.None)
	}
	_, err = s.Stdout.Write(append(out, '\n'))
	return err
}
