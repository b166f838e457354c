package statement_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"lukasa.dev/internal/statement"
)

// TestWrittenPrompts reads 1,300 prompts in the manner of many speakers, made up and labelled
// without a look at the code: how many rules each states for the agent, and whether it lifts
// one. Where the labels say none, none may be learned. The reader was never changed for one of
// the prompts in untuned.ndjson; to keep it so, add new ones to another file.
func TestWrittenPrompts(t *testing.T) {
	t.Parallel()
	t.Run("written", func(t *testing.T) { writtenPrompts(t, "testdata/written.ndjson", 1100, 80, 90) })
	t.Run("untuned", func(t *testing.T) { writtenPrompts(t, "testdata/untuned.ndjson", 200, 43, 45) })
}

// writtenPrompts reads the prompts of a file, which has at least that many, and of which at least
// these hundredths of the rules and lifts are read.
func writtenPrompts(t *testing.T, name string, least, rules, liftings int) {
	t.Parallel()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	var prompts, learned, right, ruled, bound, kept, lifts, lifted, wrongLifts int
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var p struct {
			Say   string `json:"say"`
			Rules int    `json:"rules"`
			Lift  bool   `json:"lift"`
			Class string `json:"class"`
		}
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		prompts++
		hard, others, lift := 0, 0, false
		for _, s := range statement.Read(p.Say) {
			switch kind := kindOf(&s); {
			case s.Temporary():
			case kind == "hard":
				hard++
				if p.Rules == 0 {
					t.Logf("learned, not meant (%s): %q", p.Class, s.Text)
				}
			case kind == "lift" || kind == "except":
				lift = true
			default:
				others++
			}
		}
		learned += hard
		if p.Rules > 0 {
			ruled++
			right += hard
			if hard > 0 {
				bound++
			} else if others > 0 {
				kept++
			}
		}
		if p.Lift {
			lifts++
		}
		switch {
		case p.Lift && lift:
			lifted++
		case lift && p.Rules == 0 && p.Class != "exception-once":
			wrongLifts++
			t.Logf("lifts, not meant (%s): %q", p.Class, p.Say)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d prompts: %d hard rules learned, %d of prompts that state one; of %d such prompts %d give a hard rule and %d another statement; %d of %d lifts, %d wrong", prompts, learned, right, ruled, bound, kept, lifted, lifts, wrongLifts)
	if prompts < least || right*100 < learned*98 {
		t.Errorf("of %d hard rules only %d are meant", learned, right)
	}
	if bound*100 < ruled*rules || lifted*100 < lifts*liftings || wrongLifts > 1 {
		t.Errorf("%d of %d prompts with rules bind, %d of %d lift, %d wrongly", bound, ruled, lifted, lifts, wrongLifts)
	}
}
