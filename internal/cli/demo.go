package cli

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/demo"
	"lukasa.dev/internal/fault"
)

// demoBudget is how many tokens each pack of the tour has.
const demoBudget = 400

// demoLines is how many entries of a section the tour shows, demoRows how many lines of one,
// and demoIndent how far they stand in.
const (
	demoLines  = 3
	demoRows   = 3
	demoIndent = 18
)

type demoFlags struct {
	keep string
}

func demoCommand(s *ask.Shell) *cobra.Command {
	var flags demoFlags
	c := &cobra.Command{
		Use:   "demo",
		Short: "See in ten seconds what it does, on a sample history",
		Long: `Run a tour on a board of its own, with two weeks of a made-up coding agent: its events
are recorded and compiled, three questions get their packs, a correction replaces what
it corrects, and a password is erased while every proof stays valid.

It asks nothing, fetches nothing, calls no language model and does not touch your own
data directory. The board is removed at the end, unless --keep names a directory for
it, where every other command can read it.`,
		Example: `  lukasa demo
  lukasa demo --keep lantern`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runDemo(c.Context(), s, &flags) },
	}
	c.Flags().StringVar(&flags.keep, "keep", "", "keep the board in this `DIR`, which must not be there yet")
	return c
}

// tour is one run of the demo.
type tour struct {
	*ask.Shell
	board  *lukasa.Board
	dir    string
	tenant *lukasa.Tenant
	step   int
	answer demoAnswer
}

// demoAnswer is what lukasa demo --json prints.
type demoAnswer struct {
	Events    int           `json:"events"`
	Artifacts int           `json:"artifacts"`
	Memories  int           `json:"memories"`
	Packs     []*hmx.Pack   `json:"packs"`
	Next      []demoNext    `json:"next"`
	Corrected []string      `json:"corrected"`
	Erased    demoErased    `json:"erased"`
	Data      string        `json:"data,omitempty"`
	Schema    *hmx.Artifact `json:"schema"`
}

// demoNext is a step that is suggested.
type demoNext struct {
	Tool        string  `json:"tool"`
	Probability float64 `json:"probability"`
}

// demoErased is the result of the erasure of the password.
type demoErased struct {
	Event       string `json:"event"`
	FilesWithIt int    `json:"files_with_it"`
	ProofHolds  bool   `json:"proof_holds"`
	OnlyGrew    bool   `json:"only_grew"`
}

func runDemo(ctx context.Context, s *ask.Shell, flags *demoFlags) (err error) {
	dir := flags.keep
	if dir == "" {
		made, err := os.MkdirTemp("", "lukasa-demo-")
		if err != nil {
			return fault.Wrap(fault.WriteFailed, err)
		}
		defer func() { _ = os.RemoveAll(made) }() // whatever is left is in the temporary directory
		dir = filepath.Join(made, "data")
	} else if _, err := os.Lstat(dir); err == nil {
		return fault.Newf(fault.Usage, "--keep: %s exists already", dir).WithFix("name a directory that is not there yet")
	}
	began := s.Now()
	now := demo.Now()
	b, err := lukasa.OpenContext(ctx, dir, lukasa.Options{Clock: func() time.Time { return now }, Note: "lukasa demo"})
	if err != nil {
		return err
	}
	defer func() {
		if failed := b.Close(); err == nil {
			err = failed
		}
	}()
	t := &tour{Shell: s, board: b, dir: dir, tenant: b.Tenant(demo.Tenant, lukasa.Writer{Actor: "demo", Trust: lukasa.User})}
	for _, stop := range []func(context.Context) error{t.record, t.compile, t.packs, t.next, t.correction, t.erasure} {
		if err := stop(ctx); err != nil {
			return err
		}
	}
	if s.JSON {
		t.answer.Data = flags.keep
		return s.WriteJSON(t.answer)
	}
	t.farewell(flags.keep, s.Now().Sub(began))
	return nil
}

// title begins a stop of the tour.
func (t *tour) title(text, more string) {
	t.step++
	if t.JSON {
		return
	}
	fmt.Fprintf(t.Stdout, "\n%s %s\n", t.Paint.Green(fmt.Sprintf("%d", t.step)), t.Paint.Bold(text))
	if more != "" {
		for _, line := range term.Wrapped(more, t.Measure()-2) {
			fmt.Fprintf(t.Stdout, "  %s\n", t.Paint.Dim(line))
		}
	}
}

func (t *tour) print(format string, args ...any) {
	if !t.JSON {
		fmt.Fprintf(t.Stdout, "  "+format+"\n", args...)
	}
}

// record takes the history in.
func (t *tour) record(ctx context.Context) error {
	rep, err := t.board.Ingest(ctx, bytes.NewReader(demo.History), lukasa.IngestOptions{Writer: lukasa.Writer{Actor: "demo", Trust: lukasa.User}})
	if err != nil {
		return err
	}
	sessions, err := t.tenant.Sessions(ctx)
	if err != nil {
		return err
	}
	t.answer.Events = rep.Accepted
	first := demo.Now()
	for _, session := range sessions {
		if session.First.Before(first) {
			first = session.First
		}
	}
	t.title("Two weeks of a coding agent", "What it reads, says and does is recorded as it happens: on the disk before it is acknowledged, in a Merkle tree that proves it.")
	t.print("%s in %s, from %s to %s", term.Counted(rep.Accepted, "event"), term.Counted(len(sessions), "session"),
		first.UTC().Format(time.DateOnly), demo.Now().Format(time.DateOnly))
	t.print("root %s", hex.EncodeToString(rep.Tenants[0].Hash[:]))
	return nil
}

// compile makes knowledge of it.
func (t *tour) compile(ctx context.Context) error {
	rep, err := t.tenant.Compile(ctx, lukasa.CompileOptions{})
	if err != nil {
		return err
	}
	count := map[string]int{}
	var said []string
	for _, ch := range rep.Changes {
		switch {
		case ch.URI.Kind == lukasa.ArtifactKind && ch.Op == lukasa.CompileActivate:
			count[ch.Class]++
			t.answer.Artifacts++
		case ch.URI.Kind == lukasa.MemoryKind && ch.Op == lukasa.CompileCreate:
			said = append(said, ch.Title)
			t.answer.Memories++
		}
	}
	t.title("Compiled, without a language model", "What recurs becomes artifacts with their evidence. What the user plainly said becomes memories, and rules that bind.")
	var parts []string
	for _, class := range []struct{ name, one string }{
		{"task_schema", "task schema"}, {"failure_playbook", "failure playbook"}, {"strategy_template", "strategy template"}, {"decision_policy", "decision policy"},
	} {
		if n := count[class.name]; n == 1 {
			parts = append(parts, "1 "+class.one)
		} else if n > 1 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.TrimSuffix(class.one, "y")+map[bool]string{true: "ies", false: "s"}[strings.HasSuffix(class.one, "y")]))
		}
	}
	t.print("%s", strings.Join(parts, ", "))
	for _, text := range said {
		t.print("%s %s", t.Paint.Green("+"), term.Preview(text, t.Measure()-4))
	}
	return t.schema(ctx)
}

// schema shows how flaky tests are fixed here, as it was learned.
func (t *tour) schema(ctx context.Context) error {
	list, err := t.tenant.Artifacts(ctx, lukasa.ArtifactOptions{Type: hmx.TypeTaskSchema})
	if err != nil || len(list.Artifacts) == 0 {
		return err
	}
	best := slices.MaxFunc(list.Artifacts, func(a, b *lukasa.StoredArtifact) int {
		return int(1000*a.Artifact.Confidence) - int(1000*b.Artifact.Confidence)
	})
	d, err := t.tenant.Artifact(ctx, best.Artifact.ArtifactID, lukasa.View{})
	if err != nil {
		return err
	}
	t.answer.Schema = d.Artifact
	t.title("A task that it learned", "")
	if !t.JSON {
		show.Artifact(t.Screen, answer.ArtifactOf(d))
	}
	return nil
}

// packs answers the questions.
func (t *tour) packs(ctx context.Context) error {
	t.title("What an agent gets for a question", fmt.Sprintf("The best that fits into %d tokens, counted as the model counts them, in the sources' own words. Rules come along whatever the question is.", demoBudget))
	for _, q := range demo.Questions() {
		packed, err := t.tenant.Pack(ctx, lukasa.PackOptions{Query: q, Budget: demoBudget, Session: demo.Session})
		if err != nil {
			return err
		}
		t.answer.Packs = append(t.answer.Packs, packed.Pack)
		if !t.JSON {
			t.showQuestion(packed.Pack)
		}
	}
	return nil
}

// showQuestion prints a pack in a few lines: what each section takes, its best entries, and why
// they are there.
func (t *tour) showQuestion(p *hmx.Pack) {
	b := &p.TokenBudget
	fmt.Fprintf(t.Stdout, "\n  %s\n  %s %s\n", t.Paint.Bold("“"+p.QueryContext+"”"), t.Bar(int(b.Used), int(b.TotalBudget), 24),
		t.Paint.Dim(fmt.Sprintf("%d of %d tokens, %s, %d left out", b.Used, b.TotalBudget, show.Entries(int64(len(p.Entries))), b.DroppedCount)))
	for _, section := range hmx.Sections() {
		shown, more := 0, 0
		for i := range p.Entries {
			e := &p.Entries[i]
			if e.Section != section {
				continue
			}
			if shown == demoLines {
				more++
				continue
			}
			name := ""
			if shown == 0 {
				name = string(section)
			}
			shown++
			t.showEntry(name, show.PackLine(e.Content, demoRows*(t.Measure()-demoIndent)), because(e))
		}
		if more > 0 {
			fmt.Fprintf(t.Stdout, "  %-15s %s\n", "", t.Paint.Dim(fmt.Sprintf("and %d more", more)))
		}
	}
}

// showEntry prints an entry of a pack behind the name of its section: its text over as many
// lines as it takes, and why it is there.
func (t *tour) showEntry(name, text, why string) {
	width := t.Measure() - demoIndent
	lines := term.Wrapped(text, width)
	last := lines[len(lines)-1]
	for i, line := range lines {
		if i == len(lines)-1 && len(term.Wrapped(last+" "+why, width)) == 1 {
			line += " " + t.Paint.Dim(why)
			why = ""
		}
		fmt.Fprintf(t.Stdout, "  %-15s %s\n", name, line)
		name = ""
	}
	if why != "" {
		fmt.Fprintf(t.Stdout, "  %-15s %s\n", "", t.Paint.Dim(why))
	}
}

// because says in a few words why an entry is in a pack.
func because(e *hmx.Entry) string {
	if e.Section == hmx.SectionConstraints || e.Section == hmx.SectionCore {
		return "binds, whatever is asked"
	}
	parts := show.ExtraMember[map[string]float64](e.Extra, "parts")
	return fmt.Sprintf("rank %d, relevance %.2f", e.Rank, parts["relevance"])
}

// next says what comes next in the session under way.
func (t *tour) next(ctx context.Context) error {
	n, err := t.tenant.NextStep(ctx, lukasa.NextOptions{Session: demo.Session})
	if err != nil {
		return err
	}
	t.title("What usually comes next", "In the session under way the tests have just failed.")
	for i, x := range n.Suggestions {
		t.answer.Next = append(t.answer.Next, demoNext{x.Tool, x.Probability})
		if i < 2 {
			t.print("%3.0f%%  %s", 100*x.Probability, t.Paint.Bold(x.Tool))
			t.print("      %s", t.Paint.Dim(term.Preview(x.Reason, t.Measure()-8)))
		}
	}
	return nil
}

// correction shows the result of a statement that the user took back.
func (t *tour) correction(ctx context.Context) error {
	_, changes, err := t.tenant.History(ctx, lukasa.Ref{Key: demo.Corrected}, lukasa.View{})
	if err != nil {
		return err
	}
	t.title("A correction takes the place of what it corrects", "")
	for i, ch := range changes {
		text := show.Summary(ch.Body)
		t.answer.Corrected = append(t.answer.Corrected, text)
		mark := t.Paint.Dim("was")
		if i == len(changes)-1 {
			mark = t.Paint.Green("now")
		}
		t.print("%s  version %d: %s", mark, ch.Version, text)
	}
	return nil
}

// erasure erases the password, and shows that proofs made before still hold.
func (t *tour) erasure(ctx context.Context) error {
	regretted, err := t.tenant.Event(ctx, demo.Regretted)
	if err != nil {
		return err
	}
	before, err := t.tenant.Checkpoint(ctx)
	if err != nil {
		return err
	}
	size, err := t.tenant.Root(ctx)
	if err != nil {
		return err
	}
	proof, err := t.tenant.Prove(ctx, lukasa.ProveOptions{Position: regretted.Position, Withhold: true})
	if err != nil {
		return err
	}
	if _, err := t.tenant.Redact(ctx, t.tenant.URI(lukasa.EventKind, demo.Regretted)); err != nil {
		return err
	}
	if err := t.board.Purge(ctx); err != nil {
		return err
	}
	after, err := t.tenant.Checkpoint(ctx)
	if err != nil {
		return err
	}
	grown, err := t.tenant.Root(ctx)
	if err != nil {
		return err
	}
	key := t.tenant.VerifierKey()
	_, bad := lukasa.VerifyProof(proof, before.Note, key)
	path, err := t.tenant.ProveConsistency(ctx, size.Size, grown.Size)
	if err != nil {
		return err
	}
	e := &t.answer.Erased
	e.Event, e.ProofHolds, e.OnlyGrew = demo.Regretted, bad == nil, lukasa.VerifyConsistency(path, before.Note, after.Note, key) == nil
	if e.FilesWithIt, err = filesWith(t.dir, demo.Password); err != nil {
		return err
	}
	t.title("What is erased is gone, and the proofs still hold", "On Tuesday the user pasted a password. It is redacted now.")
	t.print("%s no file of the board has it any more", t.tick(e.FilesWithIt == 0))
	t.print("%s a proof from before the erasure, that something was recorded there, still verifies", t.tick(e.ProofHolds))
	t.print("%s the log only grew: the old root leads to the new one", t.tick(e.OnlyGrew))
	return nil
}

func (t *tour) tick(ok bool) string {
	if ok {
		return t.Paint.Green("yes")
	}
	return t.Paint.Red("NO ")
}

// filesWith counts the files under a directory that have a text in them.
func filesWith(dir, text string) (n int, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) {
			n++
		}
		return err
	})
	return n, err
}

// farewell says what to do next.
func (t *tour) farewell(kept string, took time.Duration) {
	fmt.Fprintf(t.Stdout, "\n%s\n", t.Paint.Dim(fmt.Sprintf("That took %.1f s, offline. Now with your own:", took.Seconds())))
	if kept != "" {
		t.print("lukasa find \"flaky test\" --data %s", kept)
	}
	t.print("lukasa install claude-code --backfill  give your agent its memory, with what it did until now")
	t.print("lukasa install                         which other agents there are")
	t.print("lukasa pack \"QUESTION\"                 get what an agent should know")
	t.print("lukasa serve                           let programs record and ask, over HTTP and MCP")
}
