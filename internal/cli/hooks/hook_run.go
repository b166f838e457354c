package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/echo"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/hook"
	"lukasa.dev/internal/migrate/transcripts"
	"lukasa.dev/internal/project"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/spool"
)

// hooking is one call of a hook.
type hooking struct {
	shell *ask.Shell
	cmd   *cobra.Command
	flags *hookFlags
	agent string
	now   time.Time
	began time.Time
	dir   string
	call  *hook.Call
	// name is the event's name. The goroutine that waits for the answer logs it, too.
	name  atomic.Pointer[string]
	scope string
	// place is what is known about the working directory, and enforce the enforcement of
	// hard rules there.
	place   hookPlace
	enforce string
	// denied says that the action of this call was refused, and rule is the URI of the rule.
	denied bool
	rule   string
}

// log writes an error to the log.
func (h *hooking) log(what string) {
	who := h.agent
	if name := h.name.Load(); name != nil {
		who += " " + *name
	}
	if !ask.HookLog(h.dir, h.now, who, what) {
		fmt.Fprintf(h.shell.Stderr, "%s: %s: %s\n", term.Program, who, term.OneLine(what))
	}
}

// note writes an error to the log, or, in the server's process, to standard error, from
// where the hook logs it.
func (h *hooking) note(what string) {
	if h.dir == "" {
		fmt.Fprintln(h.shell.Stderr, what)
		return
	}
	h.log(what)
}

// work handles the call in the process that the agent has started, and returns the answer.
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
	input = hook.Seen(h.agent, input, hook.World{Transcript: transcripts.Tail, Arguments: func() []string { return agentArguments(h.agent) }})
	if err := h.decode(input); err != nil {
		h.broken(input, err)
		return nil
	}
	if h.call.Note != "" {
		h.log(h.call.Note)
	}
	h.settle()
	h.forgetGiven()
	if in.Cut {
		h.log("the input was too long and is recorded in part")
	}
	if len(h.call.Events) == 0 && !h.answers() {
		return nil
	}
	if h.scope, err = h.shell.ScopeOf(h.cmd, &h.flags.BoardFlags); err != nil {
		h.broken(input, err)
		return nil
	}
	// If the server does not answer, enough time is left to spool the events.
	sooner, cancel := h.until(ctx, 8)
	out, err := h.forward(sooner, input)
	cancel()
	switch {
	case err == nil:
	case errors.Is(err, ask.ErrNobody):
		out = h.alone(ctx)
	default:
		h.log("through the server: " + err.Error())
		out = h.alone(ctx)
	}
	h.compileLater(err != nil)
	return out
}

// until returns a context that ends after the given tenths of the time limit.
func (h *hooking) until(ctx context.Context, tenths time.Duration) (context.Context, context.CancelFunc) {
	return context.WithDeadline(ctx, h.began.Add(h.flags.limit*tenths/10))
}

// read reads standard input, and leaves enough time to store what has arrived.
func (h *hooking) read(ctx context.Context) (hook.Input, error) {
	sooner, cancel := h.until(ctx, 6)
	defer cancel()
	p := ask.NewPump(sooner, h.shell.Stdin, func() {})
	defer p.Stop()
	return hook.Read(p)
}

// decode reads the input.
func (h *hooking) decode(input []byte) (err error) {
	name := h.flags.agent
	if name == "" {
		name = h.shell.Env("LUKASA_AGENT")
	}
	own := echo.Open(disk.OS(), h.dir).By(h.shell.Now)
	if h.shell.Served.Board != nil {
		own = h.shell.Served.Board.Handout()
	}
	h.call, err = hook.Decode(h.agent, input, hook.Options{Now: h.now, Agent: name, Place: h.placeAt, Cut: h.flags.cut, Own: own})
	if err == nil {
		h.name.Store(&h.call.Name)
	}
	return err
}

// placeAt returns what is known about a directory. The process that the agent started reads
// the files; the server uses what that process sends.
func (h *hooking) placeAt(dir string) project.Place {
	switch {
	case h.flags.place != "":
		_ = json.Unmarshal([]byte(h.flags.place), &h.place) // at worst nothing is known
	case h.shell.Served.Board == nil:
		h.place = hookPlace{Place: project.At(dir, h.shell.Home()), Dir: dir, Home: h.shell.Home()}
	}
	return h.place.Place
}

// answers reports whether the agent waits for an answer that a hook can give.
func (h *hooking) answers() bool {
	if h.call.Ask == hook.Act {
		return h.enforces()
	}
	return h.call.Takes() && h.flags.budget > 0
}

// broken keeps an invalid input for a person to inspect.
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

// forward has the server that owns the directory handle the call. If the server fails midway,
// the ids of events show what it recorded.
func (h *hooking) forward(ctx context.Context, input []byte) ([]byte, error) {
	var out, problems bytes.Buffer
	s, shown := *h.shell, *h.shell.Screen
	shown.Stdout, shown.Stderr = term.NewOutput(&out, false), &problems
	s.Stdin, s.Screen = bytes.NewReader(input), &shown
	args := append(h.args(), "--at", strconv.FormatInt(h.now.UnixMicro(), 10))
	if place, err := json.Marshal(h.place); err == nil {
		args = append(args, "--place="+string(place))
	}
	args = append(args, "--enforce="+h.enforce)
	if h.flags.cut {
		args = append(args, "--cut")
	}
	type ended struct {
		out []byte
		err error
	}
	done := make(chan ended, 1)
	go func() {
		err := s.ForwardAll(ctx, h.dir, ask.Errand{Args: args, Input: input, Vars: []string{"LUKASA_AGENT", "LUKASA_TENANT", "LUKASA_SCOPE"}})
		if code, ok := errors.AsType[ask.CarriedOut](err); ok {
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

// args returns the command line for the server.
func (h *hooking) args() []string {
	args := []string{NameHook, h.agent}
	for _, name := range []string{"tenant", "agent", "budget", "limit"} {
		if f := h.cmd.Flags().Lookup(name); f.Changed {
			args = append(args, "--"+name+"="+f.Value.String())
		}
	}
	if h.scope != "" {
		args = append(args, "--scope="+h.scope)
	}
	return args
}

// served handles the call in the server's process. The caller receives an error, and falls back
// to the spool. The statements of a prompt are learned before the answer, so that a rule that
// the prompt lifts is not in it.
func (h *hooking) served(ctx context.Context) error {
	s := h.shell
	input, err := io.ReadAll(s.Stdin)
	if err != nil {
		return fault.Wrap(fault.UnreadableInput, err)
	}
	if err := h.decode(input); err != nil {
		return err
	}
	if h.scope, err = s.ScopeOf(h.cmd, &h.flags.BoardFlags); err != nil {
		return err
	}
	if h.place.Settings.NoRecord {
		h.call.Events = nil
	}
	b := s.Served.Board
	if h.call.Ask == hook.Act && spool.Pending(disk.OS(), s.Served.Dir) {
		// A rule that waits there is already in force.
		if _, err := ask.FoldSpool(ctx, s.Served.Dir, b, ""); err != nil {
			fmt.Fprintln(s.Stderr, "fold in what waits:", err)
		}
	}
	var out []byte
	if h.call.Ask == hook.Prompt {
		if err := h.record(ctx, b); err != nil {
			return err
		}
		h.learn(ctx, b)
		out = h.answer(ctx, b)
	} else {
		out = h.answer(ctx, b)
		if h.denied && !h.place.Settings.NoRecord {
			h.call.Events = append(h.call.Events, h.call.Denial(h.rule)...)
		}
		if err := h.record(ctx, b); err != nil {
			return err
		}
	}
	_, err = s.Stdout.Write(out)
	return err
}

// alone handles the call without a server. It writes the events to the disk first.
func (h *hooking) alone(ctx context.Context) []byte {
	name, unspooled := h.spool(h.call.Events)
	out := h.aloneWith(ctx, name, unspooled)
	if h.denied && !h.place.Settings.NoRecord {
		_, _ = h.spool(h.call.Denial(h.rule)) // it is logged
	}
	return out
}

// spool puts events into the spool, and returns the name of the file.
func (h *hooking) spool(events []hook.Event) (name string, err error) {
	batch := spool.Batch{Scope: h.scope}
	batch.Tenant, _ = h.told()
	for _, e := range events {
		batch.Items = append(batch.Items, spool.Item{Event: e.Event, Ceiling: e.Ceiling})
	}
	if name, err = spool.Write(disk.OS(), h.dir, batch); err != nil {
		h.log(err.Error())
	}
	return name, err
}

// aloneWith is alone once the events are in a file of the spool, or could not be put there.
func (h *hooking) aloneWith(ctx context.Context, name string, unspooled error) []byte {
	states := h.states()
	if unspooled == nil && !h.answers() && !states {
		return nil // the next process that opens the directory folds it in
	}
	o := lukasa.Options{WitnessDir: h.shell.WitnessDir(), Note: h.cmd.CommandPath(), Clock: h.shell.Now, Brief: true}
	b, err := h.shell.OpenBoard(ctx, h.dir, o, h.flags.Wait)
	if err != nil {
		if unspooled != nil || !errors.Is(err, fault.Locked) && !errors.Is(err, ask.ErrServed) && ctx.Err() == nil {
			h.log(err.Error())
		}
		return h.answerSpooled() // the process that has the board folds the events in
	}
	defer func() {
		if err := b.Close(); err != nil {
			h.log(err.Error())
		}
	}()
	if states {
		name = "" // its statements are learned before the answer
	}
	folded := h.fold(ctx, b, name)
	if unspooled != nil {
		if err := h.record(ctx, b); err != nil {
			h.log(err.Error())
		}
	}
	if states {
		h.learn(ctx, b)
	}
	if !folded && h.call.Ask == hook.Act {
		// The disk is full, and a rule that waits is already in force.
		if out := h.answerSpooled(); len(out) > 0 && string(out) != hook.None {
			return out
		}
	}
	return h.answer(ctx, b)
}

// fold records the events in the spool, and reports whether it could.
func (h *hooking) fold(ctx context.Context, b *lukasa.Board, except string) bool {
	report, err := ask.FoldSpool(ctx, h.dir, b, except)
	for _, a := range report.Aside {
		h.log("put aside " + a.File + ": " + a.Why)
	}
	if err != nil {
		h.log("fold in what waits: " + err.Error())
	}
	return err == nil
}

// record records the events on a board.
func (h *hooking) record(ctx context.Context, b *lukasa.Board) error {
	tenant, ok := h.told()
	if !ok {
		var err error
		if tenant, err = ask.OnlyTenant(ctx, b); err != nil {
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
				fmt.Fprintln(h.shell.Stderr, r.Fault)
			}
		}
	}
	return nil
}

// writer returns the writer of events with at most that trust.
func (h *hooking) writer(ceiling record.Trust) lukasa.Writer {
	w := lukasa.Writer{Actor: ask.HookActor, Trust: lukasa.User, Scope: h.scope}
	if w.Scope != "" {
		w.Actor = "" // the holder of the scope
	}
	if ceiling != 0 {
		w.Trust = min(ceiling, record.User)
	}
	return w
}

// told returns the tenant that the command line names.
func (h *hooking) told() (string, bool) {
	if h.cmd.Flags().Changed("tenant") {
		return h.flags.Tenant, true
	}
	if name := h.shell.Env("LUKASA_TENANT"); name != "" {
		return name, true
	}
	if h.scope != "" {
		if grants, _, err := lukasa.InspectScope(h.scope); err == nil {
			return grants[0].Tenant, true
		}
	}
	return "", false
}
