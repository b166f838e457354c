package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/agents"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/files"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate/source"
)

// backfill imports the transcripts that an agent has written so far.
type backfill struct {
	shell *ask.Shell
	flags *installFlags
	found *agents.Transcripts
	world *agents.World
	told  *backfillAnswer
}

// backfillAnswer is what --json prints of it.
type backfillAnswer struct {
	Directories []string `json:"directories"`
	Files       int      `json:"files"`
	Sessions    int      `json:"sessions"`
	Bytes       int64    `json:"bytes"`
	Newest      string   `json:"newest,omitempty"`
	// Note says why some cannot be read, and Problems are sessions that were not exported.
	Note     string   `json:"note,omitempty"`
	Problems []string `json:"problems,omitempty"`
	// Import is what lukasa import --from --json prints; absent if nothing was imported.
	Import json.RawMessage `json:"import,omitempty"`
	// Compile is what lukasa compile --json prints then.
	Compile json.RawMessage `json:"compile,omitempty"`
}

// planBackfill looks for transcripts, if --backfill asks for them. It runs before anything is
// written, so that an agent without transcripts is an error that changes nothing.
func planBackfill(s *ask.Shell, c *cobra.Command, setup *agents.Setup, flags *installFlags) (*backfill, error) {
	if !flags.backfill {
		return nil, nil
	}
	if flags.project {
		return nil, fault.New(fault.Usage, "--backfill imports the history of all projects, and cannot be combined with --project").
			WithFix("leave --backfill out, and import the transcripts of one project with `lukasa import --from " + setup.Agent.Name + " DIR`")
	}
	found, err := setup.Agent.Transcripts(c.Context(), setup.World)
	if err != nil {
		return nil, files.Stopped(c.Context(), err)
	}
	return &backfill{shell: s, flags: flags, found: found, world: setup.World}, nil
}

// answer returns what was found.
func (b *backfill) answer() *backfillAnswer {
	b.told = &backfillAnswer{Directories: append([]string{}, b.found.Directories...), Files: b.found.Files, Sessions: b.found.Sessions, Bytes: b.found.Bytes, Note: b.found.Note}
	if !b.found.Newest.IsZero() {
		b.told.Newest = b.found.Newest.UTC().Truncate(time.Second).Format(time.RFC3339)
	}
	return b.told
}

// run imports the transcripts, as lukasa import --from does, and compiles them. It prints a line
// for the transcripts and one for the results, and returns the exit code. What the import left
// out is no failure of this command, since a user does not repair an agent's transcripts. With
// --json, the output of both commands becomes a part of the answer.
func (b *backfill) run(c *cobra.Command) int {
	s := b.shell
	if !s.JSON {
		b.tell()
	}
	if b.found.Files == 0 || b.flags.dryRun {
		return 0
	}
	dirs, done, err := b.export(c)
	defer done()
	if err != nil {
		s.Report(files.Stopped(c.Context(), err))
		return fault.ExitCode(err)
	}
	if len(dirs) == 0 {
		return 0
	}
	code, printed := b.also(c, append([]string{"import", "--from", string(b.found.Format)}, b.shared(c)...), dirs)
	b.told.Import = printed
	if code > 1 {
		return code
	}
	b.tellImport()
	code, b.told.Compile = b.also(c, append([]string{"compile"}, b.shared(c)...), nil)
	if code == 0 {
		b.tellCompile()
	}
	return code
}

// export runs the agent's own program to export what only it can read. It returns the files to
// import, and a function to call at the end.
func (b *backfill) export(c *cobra.Command) (dirs []string, done func(), err error) {
	done = func() {}
	if b.found.Exports() == 0 {
		return b.found.Directories, done, nil
	}
	dir, err := os.MkdirTemp("", "lukasa-backfill-*")
	if err != nil {
		return nil, done, fault.Newf(fault.ReadOnly, "a directory for what is exported: %w", term.Cause(err))
	}
	done = func() { _ = os.RemoveAll(dir) } // at worst it is left to the system
	p := b.shell.Progress()
	defer p.Done()
	dirs, err = b.found.Export(c.Context(), b.world, dir, func(done, all int) { p.Counted("exporting sessions", done, all) }, func(session string, err error) {
		b.told.Problems = append(b.told.Problems, session+": "+term.OneLine(err.Error()))
	})
	return dirs, done, err
}

// tellImport prints the result of the import.
func (b *backfill) tellImport() {
	s := b.shell
	var a files.ImportFromAnswer
	if s.JSON || json.Unmarshal(b.told.Import, &a) != nil {
		return
	}
	line := s.Paint.Green("imported") + " " + term.Counted(a.Events, "event") + " of " + term.Counted(a.Sessions, "session")
	if a.Duplicates > 0 {
		line += ", " + term.Thousands(a.Duplicates) + " there already"
	}
	fmt.Fprintf(s.Stdout, "%s, from %s\n", line, term.Counted(a.Files, "file"))
	unfinished := 0
	for _, l := range a.Skipped {
		if l.Reason == source.Unfinished {
			unfinished = l.Count
		}
	}
	if unfinished > 0 {
		s.Detail("unfinished", term.Counted(unfinished, "end")+" still being written; the next back-fill reads the rest")
	}
	problems := append([]string{}, b.told.Problems...)
	for _, p := range a.Problems {
		at := p.File
		if p.Line > 0 {
			at += ":" + strconv.Itoa(p.Line)
		}
		problems = append(problems, at+": "+p.Detail)
	}
	const shown = 3
	for i, p := range problems {
		if i == shown {
			s.Detail("problem", "… and "+term.Thousands(len(problems)-shown+a.Omitted)+" more; --json lists them")
			break
		}
		s.Detail("problem", term.OneLine(p)+"; everything else is taken")
	}
}

// tellCompile prints the result of the compile.
func (b *backfill) tellCompile() {
	s := b.shell
	var a answer.Compiled
	if s.JSON || json.Unmarshal(b.told.Compile, &a) != nil {
		return
	}
	fmt.Fprintf(s.Stdout, "%s %s: %s, %s unchanged\n", s.Paint.Green("compiled"), term.Counted(a.Tasks, "task"), term.Counted(len(a.Changes), "change"), term.Thousands(a.Unchanged))
	show.Changes(s.Screen, a.Changes)
	s.Detail("next", "`lukasa find` and `lukasa pack` answer from it; `lukasa stats` shows what there is now")
}

// shared returns the flags that both commands have.
func (b *backfill) shared(c *cobra.Command) []string {
	flags := []string{"--tenant=" + installedTenant(b.shell, c, b.flags)}
	for _, name := range []string{"data", "wait"} {
		if c.Flags().Changed(name) {
			flags = append(flags, "--"+name+"="+c.Flags().Lookup(name).Value.String())
		}
	}
	return append(flags, "--json")
}

// also runs another command in this process, and returns its exit code and its output. It shows
// the progress, and the error output only if the command fails.
func (b *backfill) also(c *cobra.Command, args, rest []string) (int, json.RawMessage) {
	s := b.shell
	var out bytes.Buffer
	problems := &progressOnly{to: s.Stderr}
	s.Stdout.PassOn() // before others write there
	sub := ask.NewShell(s.Program, strings.NewReader(""), &out, problems, s.Lookup, func(stream any) term.Terminal {
		if stream == any(problems) {
			stream = s.Stderr
		}
		return s.Detect(stream)
	})
	sub.Now, sub.Files = s.Now, s.Files
	if len(rest) > 0 {
		args = append(append(args, "--"), rest...)
	}
	code := s.Program.Run(c.Context(), sub, args)
	if code > 1 {
		problems.tell(s)
	}
	if line := bytes.TrimSpace(out.Bytes()); json.Valid(line) {
		return code, line
	}
	return code, nil
}

// progressOnly passes on the line of a progress, and holds everything else back.
type progressOnly struct {
	to   io.Writer
	held bytes.Buffer
}

// Write implements io.Writer.
func (p *progressOnly) Write(text []byte) (int, error) {
	if bytes.HasPrefix(text, []byte("\r")) {
		return p.to.Write(text)
	}
	return p.held.Write(text)
}

// tell reports the error that was held back.
func (p *progressOnly) tell(s *ask.Shell) {
	var body struct {
		Error struct {
			Code        fault.Code
			Detail, Fix string
		}
	}
	if json.Unmarshal(bytes.TrimSpace(p.held.Bytes()), &body) == nil && body.Error.Code != "" {
		s.Report(fault.New(body.Error.Code, body.Error.Detail).WithFix(body.Error.Fix))
		return
	}
	_, _ = p.to.Write(p.held.Bytes()) // there is no other place to report it
}

// tell prints how many transcripts there are.
func (b *backfill) tell() {
	s := b.shell
	if b.found.Note != "" {
		s.Detail("back-fill", b.found.Note)
	}
	if b.found.Files == 0 {
		fmt.Fprintf(s.Stdout, "no transcripts below %s\n", term.OneLine(strings.Join(b.found.Looked, ", ")))
		return
	}
	verb := "found"
	if b.flags.dryRun {
		verb = "would import and compile"
	}
	var parts, below []string
	for _, dir := range b.found.Directories {
		if !b.found.Program(dir) {
			below = append(below, dir)
		}
	}
	if n := b.found.Files - b.found.Exports(); n > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s, %s, below %s", term.Counted(n, "transcript"), term.Counted(b.found.Sessions-b.found.Exports(), "session"), mebibytes(b.found.Bytes), term.OneLine(strings.Join(below, ", "))))
	}
	if n := b.found.Exports(); n > 0 {
		parts = append(parts, term.Counted(n, "session")+" that `opencode` exports")
	}
	for _, part := range parts {
		fmt.Fprintf(s.Stdout, "%s %s\n", s.Paint.Green(verb), part)
	}
}

// mebibytes writes a size for people.
func mebibytes(n int64) string {
	const mib = 1 << 20
	if n < mib {
		return term.Counted(int(n), "byte")
	}
	return strconv.FormatFloat(float64(n)/mib, 'f', 1, 64) + " MiB"
}
