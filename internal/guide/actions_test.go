package guide

import (
	"os"
	"strings"
	"testing"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// ruledAction is a line of testdata/actions.txt.
type ruledAction struct {
	rule, level string
	everywhere  bool // the rule is one of all projects
	action      Action
}

func actionTable(t testing.TB, name string) (list []ruledAction) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	rule, everywhere := "", false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if text, ok := strings.CutPrefix(line, "rule: "); ok {
			rule, everywhere = text, false
			continue
		}
		if text, ok := strings.CutPrefix(line, "rule everywhere: "); ok {
			rule, everywhere = text, true
			continue
		}
		level, text, _ := strings.Cut(line, " ")
		branch := ""
		if strings.HasPrefix(text, "@") {
			branch, text, _ = strings.Cut(text[1:], " ")
		}
		a := Action{Command: text}
		if name, args, ok := strings.Cut(text, " "); ok && strings.HasPrefix(args, `{"`) {
			a = Action{Tool: name, Arguments: args}
		}
		a.Command = strings.ReplaceAll(a.Command, `\n`, "\n")
		a.Place = Place{Branch: branch, Aliases: map[string]string{"p": "push", "pm": "push origin main", "yolo": "!git push origin main"}}
		list = append(list, ruledAction{rule, level, everywhere, a})
	}
	return list
}

func TestCheckActions(t *testing.T) {
	t.Parallel()
	testsize.OneGoroutine(t)
	rows := actionTable(t, "testdata/actions.txt")
	if len(rows) < 150 {
		t.Errorf("there are %d actions only", len(rows))
	}
	for _, row := range rows {
		v := Check(CheckInput{Action: row.action, Rules: []Rule{{ID: "r", Text: row.rule, Strength: memory.StrengthHard, Trust: record.User}}})
		if v.Level.String() != row.level {
			t.Errorf("%s\n\ton %q: %s%s %s: %s, want %s %v", row.rule, row.action.Place.Branch, row.action.Command, row.action.Tool, row.action.Arguments, v.Level, row.level, v.Reasons)
		}
	}
}
