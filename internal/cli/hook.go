package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/echo"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/hook"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/project"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/spool"
)

type hookFlags struct {
	boardFlags
	agent   string
	budget  int
	enforce string
	limit   time.Duration
	// at and cut are what a caller tells the server: when it was called, in microseconds
	// since 1970, what people call the project, and that it has shortened the input.
	at      int64
	project string
	cut     bool
}

// defaultEnforce is what becomes of an action that a hard rule forbids, unless a person chose
// otherwise.
const defaultEnforce = "ask"

// nameHook is the command that agents run. It never ends with an error.
const nameHook = "hook"

// defaultHookBudget is how many tokens an agent is told unasked. It is paid at every prompt.
const defaultHookBudget = 800

func hookCommand(s *shell) *cobra.Command {
	var flags hookFlags
	c := &cobra.Command{
		Use:   nameHook + " AGENT",
		Short: "Record what an agent tells its hooks, and tell it what is known",
		Long: `Read the JSON that a coding agent hands to its hooks from standard input, record what it
says, and answer in the agent's own format: at the start of a session with what is to be
known from the beginning, at a prompt with what is known about it, and before a tool runs
with what speaks against it. AGENT is one of claude-code, codex, cursor, vscode, gemini-cli
and opencode. ` + "`lukasa install AGENT`" + ` sets it up.

It never stands in an agent's way: whatever goes wrong is a line in HOOK.log in the data
directory, the answer is empty and the exit code 0. When a server has the directory, it
goes through that one. Otherwise events are put into SPOOL in the data directory first, and
folded in by whoever opens the directory next: this command when it has something to answer,
or any other. So many hooks at once lose nothing.

What Lukasa has put into a prompt is not recorded when it comes back. A tool is never held
back, unless --enforce says so: then what a hard rule of a user or an operator forbids is
asked about or denied.`,
		Example: `  echo '{"hook_event_name":"SessionStart","session_id":"s-1","cwd":"/srv/shop"}' | lukasa hook claude-code
  echo '{"hook_event_name":"UserPromptSubmit","session_id":"s-1","prompt":"Fix it."}' | lukasa hook codex --tenant acme --budget 400`,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{alone: "it goes to the server by itself, and has another way if there is none"},
		RunE:        func(c *cobra.Command, args []string) error { return s.hook(c, args, &flags) },
	}
	flags.addTenant(c)
	flags.addScope(c)
	f := c.Flags()
	wait := f.Lookup("wait")
	flags.wait, wait.DefValue = time.Second, time.Second.String()
	wait.Usage = "how long an answer may wait for another process that has the directory, a `DURATION`; 0 does not wait"
	f.StringVar(&flags.agent, "agent", "", "the `NAME` that stands in the events as the agent's (default $LUKASA_AGENT, else AGENT)")
	f.IntVar(&flags.budget, "budget", defaultHookBudget, "how many tokens an answer has at most, `N`; 0 only records")
	f.StringVar(&flags.enforce, "enforce", defaultEnforce, "what becomes of an action that a hard rule forbids, a `MODE`: off, ask (where a person can answer, else deny) or deny")
	f.DurationVar(&flags.limit, "limit", 3*time.Second, "answer nothing after this `DURATION`")
	f.Int64Var(&flags.at, "at", 0, "when the hook was called")
	f.StringVar(&flags.project, "project", "", "what people call the project")
	f.BoolVar(&flags.cut, "cut", false, "the input was shortened")
	for _, name := range []string{"at", "project", "cut"} {
		_ = f.MarkHidden(name) // it is there
	}
	suggestValues(c, "enforce", project.Enforcements())
	c.ValidArgs = hook.Agents()
	return c
}

// Brief reports whether a command line is over in a moment, and somebody waits for it: that of
// a hook.
func Brief(args []string) bool { return len(args) > 0 && args[0] == nameHook }

// onlyHook is the list of commands for a hook, which has no time for the others.
func onlyHook() []command { return []command{{groupMemory, hookCommand}} }

// hooked ends a command line of a hook: nothing went wrong that the agent should know of.
func (s *shell) hooked(args []string, err error) int {
	if err != nil {
		dir := s.env("LUKASA_DATA")
		for i, arg := range args {
			if rest, ok := strings.CutPrefix(arg, "--data="); ok {
				dir = rest
			} else if arg == "--data" && i+1 < len(args) {
				dir = args[i+1]
			}
		}
		if home := s.home(); dir == "" && home != "" {
			dir = s.homeDir(home)
		}
		hookLog(dir, s.now(), strings.Join(args, " "), err.Error())
		if _, open := stackOf(err); !open {
			fmt.Fprintf(s.stderr, "%s: %v\n", program, err)
		}
		fmt.Fprintln(s.stdout, hook.None)
		_ = s.stdout.finish() // who has left wants no answer
	}
	return 0
}

func (s *shell) hook(c *cobra.Command, args []string, flags *hookFlags) error {
	if len(args) != 1 || !hook.Known(args[0]) {
		return fault.Newf(fault.Usage, "%q takes the name of an AGENT", c.CommandPath()).WithFix("use one of " + strings.Join(hook.Agents(), ", "))
	}
	if args[0] == hook.ClaudeDesktop {
		fmt.Fprintln(s.stdout, "claude-desktop has no hooks; `lukasa install claude-desktop` gives it the tools of `lukasa mcp`")
		return nil
	}
	if !slices.Contains(project.Enforcements(), flags.enforce) {
		return unknownName(fault.Usage, "mode for --enforce", flags.enforce, project.Enforcements())
	}
	h := &hooking{shell: s, cmd: c, flags: flags, agent: args[0], now: s.now(), began: time.Now()}
	if flags.at > 0 {
		h.now = time.UnixMicro(flags.at)
	}
	if s.served.board != nil {
		return h.served(c.Context())
	}
	if s.detect(s.stdin).is {
		return fault.New(fault.Usage, "standard input is a terminal, and no agent's").WithFix("let an agent run it, or pipe an event in")
	}
	var err error
	if h.dir, err = s.dataDir(c, &flags.boardFlags); err != nil {
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
	_, err = s.stdout.Write(append(out, '\n'))
	return err
}

// hooking is one call of a hook.
type hooking struct {
	shell *shell
	cmd   *cobra.Command
	flags *hookFlags
	agent string
	now   time.Time
	began time.Time
	dir   string
	call  *hook.Call
	scope string
}

// log writes a line about what went wrong.
func (h *hooking) log(what string) {
	who := h.agent
	if h.call != nil {
		who += " " + h.call.Name
	}
	if !hookLog(h.dir, h.now, who, what) {
		fmt.Fprintf(h.shell.stderr, "%s: %s: %s\n", program, who, oneLine(what))
	}
}

// work does everything, in the process that the agent has started, and returns the answer.
func (h *hooking) work(ctx context.Context) []byte {
	in, err := h.read(ctx)
	input := in.Text
	if err != nil {
		h.broken(input, fmt.Errorf("the input cannot be read to its end: %w", err))
		return nil
	}
	h.flags.cut = h.flags.cut || in.Cut
	if len(in.Rest) > 0 {
		h.broken(in.Rest, errors.New("something follows the object, and only that is recorded"))
	}
	if err := h.decode(input); err != nil {
		h.broken(input, err)
		return nil
	}
	if h.call.Note != "" {
		h.log(h.call.Note)
	}
	if in.Cut {
		h.log("the input was too long and is recorded in part")
	}
	if len(h.call.Events) == 0 && !h.call.Takes() {
		return nil
	}
	if h.scope, err = h.shell.scopeOf(h.cmd, &h.flags.boardFlags); err != nil {
		h.broken(input, err)
		return nil
	}
	// A server that does not answer leaves time to put the events elsewhere.
	sooner, cancel := h.until(ctx, 8)
	out, err := h.forward(sooner, input)
	cancel()
	if err == nil {
		return out
	}
	if !errors.Is(err, errNobody) {
		h.log("through the server: " + err.Error())
	}
	return h.alone(ctx)
}

// until returns a context that ends when so many tenths of the time are over.
func (h *hooking) until(ctx context.Context, tenths time.Duration) (context.Context, context.CancelFunc) {
	return context.WithDeadline(ctx, h.began.Add(h.flags.limit*tenths/10))
}

// read reads standard input, for as long as leaves time to put aside what has come.
func (h *hooking) read(ctx context.Context) (hook.Input, error) {
	sooner, cancel := h.until(ctx, 6)
	defer cancel()
	p := newPump(sooner, h.shell.stdin, func() {})
	defer p.stop()
	return hook.Read(p)
}

// decode reads the input.
func (h *hooking) decode(input []byte) (err error) {
	name := h.flags.agent
	if name == "" {
		name = h.shell.env("LUKASA_AGENT")
	}
	named := func(dir string) string {
		if h.flags.project == "" && h.shell.served.board == nil {
			h.flags.project = projectAt(dir)
		}
		return h.flags.project
	}
	own := echo.Open(disk.OS(), h.dir).By(h.shell.now)
	if h.shell.served.board != nil {
		own = h.shell.served.board.Handout()
	}
	h.call, err = hook.Decode(h.agent, input, hook.Options{Now: h.now, Agent: name, Project: named, Cut: h.flags.cut, Own: own})
	return err
}

// broken keeps an input that is none for a person to look at.
func (h *hooking) broken(input []byte, why error) {
	if len(bytes.TrimSpace(input)) == 0 {
		h.log("the input is empty")
		return
	}
	name, err := spool.Keep(disk.OS(), h.dir, h.now.UnixMicro(), input)
	if err != nil {
		h.log(fmt.Sprintf("%v (%d bytes, which could not be put aside: %v)", why, len(input), err))
		return
	}
	h.log(fmt.Sprintf("%v (%d bytes, put aside as %s)", why, len(input), name))
}

// forward has the server do it that has the directory. What it did before it failed is told
// by the ids of events.
func (h *hooking) forward(ctx context.Context, input []byte) ([]byte, error) {
	var out, problems bytes.Buffer
	s := *h.shell
	s.stdin, s.stdout, s.stderr = bytes.NewReader(input), newOutput(&out, false), &problems
	args := append(h.args(), "--at", strconv.FormatInt(h.now.UnixMicro(), 10))
	if h.flags.project != "" {
		args = append(args, "--project="+h.flags.project)
	}
	if h.flags.cut {
		args = append(args, "--cut")
	}
	type ended struct {
		out []byte
		err error
	}
	done := make(chan ended, 1)
	go func() {
		err := s.forwardAll(ctx, h.dir, errand{args: args, input: input, vars: []string{"LUKASA_AGENT", "LUKASA_TENANT", "LUKASA_SCOPE"}})
		if code, ok := errors.AsType[carriedOut](err); ok {
			err = nil
			if text := strings.TrimSpace(problems.String()); text != "" {
				h.log("at the server: " + text)
			}
			if code != 0 {
				err = fmt.Errorf("the server ended it with exit code %d", int(code))
			}
		}
		done <- ended{bytes.TrimSpace(out.Bytes()), err}
	}()
	select {
	case e := <-done:
		return e.out, e.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// args is the command line again, as the server is to see it.
func (h *hooking) args() []string {
	args := []string{nameHook, h.agent}
	for _, name := range []string{"tenant", "agent", "budget", "enforce", "limit"} {
		if f := h.cmd.Flags().Lookup(name); f.Changed {
			args = append(args, "--"+name+"="+f.Value.String())
		}
	}
	if h.scope != "" {
		args = append(args, "--scope="+h.scope)
	}
	return args
}

// served does it in the server's process. What fails is told, so that the caller has another
// way. The answer is of the state before: a prompt is not told of itself.
func (h *hooking) served(ctx context.Context) error {
	s := h.shell
	input, err := io.ReadAll(s.stdin)
	if err != nil {
		return fault.Wrap(fault.UnreadableInput, err)
	}
	if err := h.decode(input); err != nil {
		return err
	}
	if h.scope, err = s.scopeOf(h.cmd, &h.flags.boardFlags); err != nil {
		return err
	}
	out := h.answer(ctx, s.served.board)
	if err := h.record(ctx, s.served.board); err != nil {
		return err
	}
	_, err = s.stdout.Write(out)
	return err
}

// alone does it without a server. The events are on the disk before anything else is tried.
func (h *hooking) alone(ctx context.Context) []byte {
	batch := spool.Batch{Scope: h.scope}
	batch.Tenant, _ = h.told()
	for _, e := range h.call.Events {
		batch.Items = append(batch.Items, spool.Item{Event: e.Event, Ceiling: e.Ceiling})
	}
	name, unspooled := spool.Write(disk.OS(), h.dir, batch)
	if unspooled != nil {
		h.log(unspooled.Error())
	}
	if unspooled == nil && (!h.call.Takes() || h.flags.budget <= 0) {
		return nil // whoever opens the directory next folds it in
	}
	o := lukasa.Options{WitnessDir: h.shell.witnessDir(), Note: h.cmd.CommandPath(), Clock: h.shell.now, Brief: true}
	b, err := h.shell.openBoard(ctx, h.dir, o, h.flags.wait)
	if err != nil {
		if unspooled == nil && (errors.Is(err, fault.Locked) || errors.Is(err, errServed) || ctx.Err() != nil) {
			return nil // whoever has it folds the events in
		}
		h.log(err.Error())
		return nil
	}
	defer func() {
		if err := b.Close(); err != nil {
			h.log(err.Error())
		}
	}()
	h.fold(ctx, b, name)
	out := h.answer(ctx, b)
	if unspooled != nil {
		if err := h.record(ctx, b); err != nil {
			h.log(err.Error())
		}
	}
	return out // whoever opens the directory next folds its own events in
}

// fold folds in what waits.
func (h *hooking) fold(ctx context.Context, b *lukasa.Board, except string) {
	report, err := foldSpool(ctx, h.dir, b, except)
	for _, a := range report.Aside {
		h.log("put aside " + a.File + ": " + a.Why)
	}
	if err != nil {
		h.log("fold in what waits: " + err.Error())
	}
}

// record records the events on a board.
func (h *hooking) record(ctx context.Context, b *lukasa.Board) error {
	tenant, ok := h.told()
	if !ok {
		var err error
		if tenant, err = onlyTenant(ctx, b); err != nil {
			return err
		}
	}
	for rest := h.call.Events; len(rest) > 0; {
		var some []*lukasa.Event
		ceiling := rest[0].Ceiling
		for len(rest) > 0 && rest[0].Ceiling == ceiling {
			rest[0].TenantID = tenant
			some, rest = append(some, rest[0].Event), rest[1:]
		}
		res, err := spool.Record(ctx, b, h.writer(ceiling), some...)
		if err != nil {
			return err
		}
		for _, r := range res.Receipts {
			if r.Disposition == lukasa.Refused && r.Fault.Code != fault.IDConflict && r.Fault.Code != fault.Erased {
				fmt.Fprintln(h.shell.stderr, r.Fault)
			}
		}
	}
	return nil
}

// writer is who records events that are trusted so far at most.
func (h *hooking) writer(ceiling record.Trust) lukasa.Writer {
	w := lukasa.Writer{Actor: hookActor, Trust: lukasa.User, Scope: h.scope}
	if w.Scope != "" {
		w.Actor = "" // whom the scope is for
	}
	if ceiling != 0 {
		w.Trust = min(ceiling, record.User)
	}
	return w
}

// hookActor stands in the records of hooks as their writer.
const hookActor = "hook"

// told returns the tenant that the command was told.
func (h *hooking) told() (string, bool) {
	if h.cmd.Flags().Changed("tenant") {
		return h.flags.tenant, true
	}
	if name := h.shell.env("LUKASA_TENANT"); name != "" {
		return name, true
	}
	if h.scope != "" {
		if grants, _, err := lukasa.InspectScope(h.scope); err == nil {
			return grants[0].Tenant, true
		}
	}
	return "", false
}

// onlyTenant is the tenant of those who name none: the only one there is, else "default".
func onlyTenant(ctx context.Context, b *lukasa.Board) (string, error) {
	n, err := b.CountTenants(ctx)
	if err == nil && n == 1 {
		for root, err := range b.Tenants(ctx) {
			return root.Tenant, err
		}
	}
	return "default", err
}

// foldSpool folds what waits in a data directory in.
func foldSpool(ctx context.Context, dir string, b *lukasa.Board, except string) (spool.Report, error) {
	return spool.Fold(ctx, dir, b, spool.Options{
		Actor: hookActor, Except: except,
		Tenant: func(ctx context.Context) (string, error) { return onlyTenant(ctx, b) },
	})
}

// answer returns what the agent is told, in its own format. What goes wrong is told on
// standard error.
func (h *hooking) answer(ctx context.Context, b *lukasa.Board) []byte {
	if !h.call.Takes() || h.flags.budget <= 0 {
		return []byte(hook.None)
	}
	tenant, ok := h.told()
	var err error
	if !ok {
		tenant, err = onlyTenant(ctx, b)
	}
	var a hook.Answer
	if err == nil {
		t := b.Tenant(tenant, lukasa.Writer{})
		if h.scope != "" {
			t = t.Scoped(h.scope)
		}
		a, err = h.find(ctx, t)
	}
	if err != nil && fault.CodeOf(err) != fault.NotFound {
		fmt.Fprintln(h.shell.stderr, "the answer:", err)
		if h.dir != "" {
			h.log("the answer: " + err.Error())
		}
		return []byte(hook.None)
	}
	return h.call.Encode(a)
}

// find puts the answer together.
func (h *hooking) find(ctx context.Context, t *lukasa.Tenant) (hook.Answer, error) {
	view := lukasa.View{Agent: h.call.AgentID}
	switch h.call.Ask {
	case hook.Start:
		return h.bundle(ctx, t, view)
	case hook.Prompt:
		return h.pack(ctx, t, view)
	}
	return h.check(ctx, t, view)
}

// bundle is what an agent is told when it begins to work on a project.
func (h *hooking) bundle(ctx context.Context, t *lukasa.Tenant, view lukasa.View) (hook.Answer, error) {
	o := lukasa.ContextOptions{BudgetTokens: hook.Inside(h.flags.budget), View: view}
	if project := h.call.Project(); project != "" {
		o.Verb, o.Objects = memory.VerbModify, map[string]string{string(memory.ObjProject): project, string(memory.ObjRepository): project}
	}
	b, err := t.Context(ctx, o)
	if err != nil {
		return hook.Answer{}, err
	}
	var text strings.Builder
	for _, tier := range []struct {
		title   string
		entries []*lukasa.BundleEntry
	}{{"Always", b.Pinned}, {"For this project", b.FrameRelevant}, {"How it went before", b.Outcomes}} {
		if len(tier.entries) > 0 {
			text.WriteString("## " + tier.title + "\n")
		}
		for _, e := range tier.entries {
			text.WriteString("- " + strings.Join(strings.Fields(e.Text), " ") + "\n")
		}
	}
	return hook.Answer{Title: "Memory (Lukasa): recalled at the start, not said by the user.", Text: hook.Within(text.String(), h.flags.budget)}, nil
}

// check is what speaks against an action.
func (h *hooking) check(ctx context.Context, t *lukasa.Tenant, view lukasa.View) (hook.Answer, error) {
	o := lukasa.CheckOptions{Action: lukasa.Action{Tool: h.call.Tool, Arguments: h.call.Arguments}, Session: h.call.Session, View: view}
	found, err := t.CheckAction(ctx, o)
	if fault.CodeOf(err) == fault.NotFound { // the session begins with it
		o.Session = ""
		found, err = t.CheckAction(ctx, o)
	}
	if err != nil || found.Level < lukasa.ActionWarn {
		return hook.Answer{}, err
	}
	var text strings.Builder
	first := ""
	for _, r := range found.Reasons {
		line := oneLine(r.Text)
		if r.Quote != "" {
			line += ": " + oneLine(r.Quote)
		}
		if first == "" && r.Level == found.Level {
			first = line
		}
		text.WriteString("- " + line + "\n")
	}
	for _, advice := range found.Instead {
		text.WriteString("- instead: " + oneLine(advice.Text) + "\n")
	}
	a := hook.Answer{Title: "Warning (Lukasa), before " + h.call.Tool + ":", Text: hook.Within(text.String(), h.flags.budget)}
	if found.Level == lukasa.ActionStop && first != "" {
		a.Reason = first
		switch h.flags.enforce {
		case "ask":
			a.Verdict = hook.Asking
		case "deny":
			a.Verdict = hook.Denied
		}
	}
	return a, nil
}
