package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/agents"
	"lukasa.dev/internal/fault"
)

// backfill brings in what an agent has recorded until now.
type backfill struct {
	shell *shell
	flags *installFlags
	found *agents.Transcripts
	told  *backfillAnswer
}

// backfillAnswer is what --json prints of it.
type backfillAnswer struct {
	Directories []string `json:"directories"`
	Files       int      `json:"files"`
	Sessions    int      `json:"sessions"`
	Bytes       int64    `json:"bytes"`
	Newest      string   `json:"newest,omitempty"`
	// Import is what lukasa import --from --json prints; absent if nothing was brought in.
	Import json.RawMessage `json:"import,omitempty"`
	// Compile is what lukasa compile --json prints then.
	Compile json.RawMessage `json:"compile,omitempty"`
}

// planBackfill looks for transcripts, if they are wanted. It is done before anything is written,
// so that an agent without any is told first.
func (s *shell) planBackfill(c *cobra.Command, setup *agents.Setup, flags *installFlags) (*backfill, error) {
	if !flags.backfill {
		return nil, nil
	}
	if flags.project {
		return nil, fault.New(fault.Usage, "--backfill brings in what was recorded in all projects, and goes with no --project").
			WithFix("leave --backfill away, and bring in the transcripts of one project with `lukasa import --from " + setup.Agent.Name + " DIR`")
	}
	found, err := setup.Agent.Transcripts(c.Context(), setup.World)
	if err != nil {
		return nil, stopped(c.Context(), err)
	}
	return &backfill{shell: s, flags: flags, found: found}, nil
}

// answer is what was found.
func (b *backfill) answer() *backfillAnswer {
	b.told = &backfillAnswer{Directories: append([]string{}, b.found.Directories...), Files: b.found.Files, Sessions: b.found.Sessions, Bytes: b.found.Bytes}
	if !b.found.Newest.IsZero() {
		b.told.Newest = b.found.Newest.UTC().Truncate(time.Second).Format(time.RFC3339)
	}
	return b.told
}

// run tells what was found and brings it in, as lukasa import --from does, compiles it, and
// returns the exit code. What the import left out it has told; that is no failure of this
// command, since nobody mends an agent's transcripts. With --json, what both print becomes a
// part of the answer.
func (b *backfill) run(c *cobra.Command) int {
	s := b.shell
	if !s.json {
		b.tell()
	}
	if b.found.Files == 0 || b.flags.dryRun {
		return 0
	}
	code, answer := b.also(c, append([]string{"import", "--from", string(b.found.Format)}, b.shared(c)...), b.found.Directories)
	b.told.Import = answer
	if code > 1 {
		return code
	}
	code, b.told.Compile = b.also(c, append([]string{"compile"}, b.shared(c)...), nil)
	if !s.json && code == 0 {
		s.detail("next", "`lukasa find` and `lukasa pack` answer from it; `lukasa stats` shows what there is now")
	}
	return code
}

// shared returns the flags that both commands have.
func (b *backfill) shared(c *cobra.Command) []string {
	flags := []string{"--tenant=" + b.shell.installedTenant(c, b.flags)}
	for _, name := range []string{"data", "wait"} {
		if c.Flags().Changed(name) {
			flags = append(flags, "--"+name+"="+c.Flags().Lookup(name).Value.String())
		}
	}
	if b.shell.json {
		flags = append(flags, "--json")
	}
	return flags
}

// also runs another command in this process, and returns its exit code, and with --json what
// it printed.
func (b *backfill) also(c *cobra.Command, args, rest []string) (int, json.RawMessage) {
	s := b.shell
	var out io.Writer = s.stdout.target
	var answer bytes.Buffer
	if s.json {
		out = &answer
	}
	s.stdout.passOn() // before others write there
	sub := newShell(strings.NewReader(""), out, s.stderr, s.lookup, s.detect)
	sub.now, sub.files = s.now, s.files
	if len(rest) > 0 {
		args = append(append(args, "--"), rest...)
	}
	code := sub.run(c.Context(), commands(), args)
	if line := bytes.TrimSpace(answer.Bytes()); json.Valid(line) {
		return code, line
	}
	return code, nil
}

// tell says how much there is.
func (b *backfill) tell() {
	s := b.shell
	if b.found.Files == 0 {
		fmt.Fprintf(s.stdout, "no transcripts below %s\n", oneLine(strings.Join(b.found.Looked, ", ")))
		return
	}
	verb := "found"
	if b.flags.dryRun {
		verb = "would import and compile"
	}
	fmt.Fprintf(s.stdout, "%s %s of %s, %s, below %s\n", s.paint.green(verb), counted(b.found.Files, "transcript"),
		counted(b.found.Sessions, "session"), mebibytes(b.found.Bytes), oneLine(strings.Join(b.found.Directories, ", ")))
}

// mebibytes writes how long something is, for people.
func mebibytes(n int64) string {
	const mib = 1 << 20
	if n < mib {
		return counted(int(n), "byte")
	}
	return strconv.FormatFloat(float64(n)/mib, 'f', 1, 64) + " MiB"
}
