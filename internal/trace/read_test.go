package trace

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

var update = flag.Bool("update", false, "write the golden files anew")

// trustOf gives the events of tests the tier that they usually have.
func trustOf(ev *hmx.Event) record.Trust {
	switch ev.EventType {
	case hmx.TypeMessage:
		switch m, _ := ev.Message(); m.Role {
		case "user":
			return record.User
		case "assistant":
			return record.Agent
		case "system":
			return record.Operator
		}
		return record.External
	case hmx.TypeFeedback:
		return record.User
	case hmx.TypeToolCall, hmx.TypeDecision:
		return record.Agent
	}
	return record.Tool
}

// sessionsOf reads the events of a file by session, in the order of the file.
func sessionsOf(t testing.TB, path string) [][]Event {
	t.Helper()
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		t.Skipf("%s is not there", filepath.Base(path))
	}
	if err != nil {
		t.Fatal(err)
	}
	var all [][]Event
	at := map[string]int{}
	position := uint64(0)
	for line := range bytes.Lines(data) {
		ev, _, err := hmx.DecodeEvent(bytes.TrimSpace(line))
		if err != nil {
			continue
		}
		i, ok := at[ev.SessionID]
		if !ok {
			i = len(all)
			at[ev.SessionID] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], Event{ev, position, trustOf(ev)})
		position++
	}
	return all
}

// traceOf reads a session.
func traceOf(t testing.TB, events []Event) *Trace {
	t.Helper()
	tr, err := Read(func(yield func(Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// dump writes a trace for people.
func dump(tr *Trace) string {
	var b strings.Builder
	fmt.Fprintf(&b, "session %s, agent %s, %d events\n", tr.Session, tr.Agent, tr.Events)
	for _, v := range tr.Abroad {
		fmt.Fprintf(&b, "  abroad %s: %s by %s\n", v.Target, outcomes[v.Outcome], v.Judge.ID)
	}
	for _, t := range tr.Tasks {
		fmt.Fprintf(&b, "task %q [%s], %s to %s, %s", t.Goal, t.Trust, t.From.ID, t.To.ID, outcomes[t.Outcome])
		if t.By != ByNothing {
			fmt.Fprintf(&b, " by %s (%s)", evidences[t.By], t.Judge.ID)
		}
		fmt.Fprintf(&b, "\n  words %s\n", strings.Join(t.Words, " "))
		for _, s := range t.Steps {
			writeStep(&b, &s)
		}
		for _, c := range t.Choices {
			fmt.Fprintf(&b, "  choice at %d: %q: %q, not %q, for %q\n", c.Step, c.Question, c.Chosen, c.Others, c.Reason)
		}
		if t.Dropped > 0 {
			fmt.Fprintf(&b, "  %d dropped\n", t.Dropped)
		}
		fmt.Fprintf(&b, "  then said %s, open %d, left %d\n", said(t.Said, t.Asked), t.Open, t.Left)
	}
	return b.String()
}

func writeStep(b *strings.Builder, s *Step) {
	fmt.Fprintf(b, "  - %s [%s]", s.Tool, s.Shape)
	if s.Times > 1 {
		fmt.Fprintf(b, " ×%d", s.Times)
	}
	fmt.Fprintf(b, " %s", states[s.State])
	if !s.Known {
		b.WriteString("?")
	}
	fmt.Fprintf(b, ", %s, %d ms, %s", forms[s.Got], s.Cost, s.Trust)
	if s.Error != "" {
		fmt.Fprintf(b, ", error %q", s.Error)
	}
	fmt.Fprintf(b, "\n      said %s, open %d, left %d, %s %s\n", said(s.Said, s.Asked), s.Open, s.Left, s.Call.ID, s.Result.ID)
	for _, a := range s.Args {
		fmt.Fprintf(b, "      %s %s from %s", a.Name, a.Slot, froms[a.From])
		if a.Back > 0 {
			fmt.Fprintf(b, " %d back %s", a.Back, a.Tool)
		}
		b.WriteByte('\n')
	}
}

func said(words []string, asked uint8) string {
	return "(" + strings.Join(words[:asked], " ") + " | " + strings.Join(words[asked:], " ") + ")"
}

var (
	outcomes  = [...]string{"unknown", "succeeded", "failed"}
	evidences = [...]string{"nothing", "last step", "tests", "saying", "marker", "feedback"}
	states    = [...]string{"unanswered", "ok", "broken", "denied"}
	forms     = [...]string{"?", "nothing", "text", "one", "list"}
	froms     = [...]string{"nowhere", "goal", "user", "agent", "system", "result", "call", "world"}
)

// TestExamples holds the traces of the events that ship with the project.
func TestExamples(t *testing.T) {
	for _, name := range []string{"session", "parcels", "broken"} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			for _, events := range sessionsOf(t, filepath.Join("..", "..", "examples", name+".ndjson")) {
				got.WriteString(dump(traceOf(t, events)))
			}
			golden := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("the traces of %s.ndjson are not those of %s; if they should be, run the test with -update\n%s", name, golden, got.String())
			}
		})
	}
}

// TestTau prints traces of real sessions with -v, and holds that their outcome and
// their calls are read.
func TestTau(t *testing.T) {
	testsize.OneGoroutine(t)
	all := sessionsOf(t, filepath.Join("..", "..", "..", "shared", "data", "tau-airline", "tau-airline.ndjson"))
	steps, calls, tasks := 0, 0, 0
	for i, events := range all {
		tr := traceOf(t, events)
		if i%40 == 6 {
			t.Log(dump(tr))
		}
		tasks += len(tr.Tasks)
		for _, e := range events {
			if e.EventType == hmx.TypeToolCall {
				calls++
			}
		}
		last := events[len(events)-1]
		f, _ := last.Feedback()
		for _, task := range tr.Tasks {
			for _, s := range task.Steps {
				steps += int(s.Times)
				if s.State == Unanswered || !s.Known {
					t.Errorf("%s: the call %s has no result", tr.Session, s.Call.ID)
				}
			}
		}
		if want := map[string]Outcome{"positive": Succeeded, "negative": Failed}[f.Signal]; len(tr.Tasks) == 1 && tr.Tasks[0].Outcome != want {
			t.Errorf("%s ended %s, and the feedback is %s", tr.Session, outcomes[tr.Tasks[0].Outcome], f.Signal)
		}
	}
	if steps != calls {
		t.Errorf("%d steps of %d calls", steps, calls)
	}
	t.Logf("%d sessions, %d tasks, %d steps", len(all), tasks, steps)
}
