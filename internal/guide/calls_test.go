package guide

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// worldAt is what testdata/calls.txt says of directories.
func worldAt(branch string) func(dir string) (Place, bool) {
	return func(dir string) (Place, bool) {
		p, ok := map[string]Place{
			"/srv/shop":     {Root: "/srv/shop", Branch: branch},
			"/srv/shop/web": {Root: "/srv/shop", Branch: branch},
			"/srv/shop/db":  {Root: "/srv/shop", Branch: branch},
			"/srv/shop/lib": {Root: "/srv/shop/lib", Branch: "main"},
			"/srv/shop-fix": {Root: "/srv/shop", Branch: "main"},
			"/srv/other":    {Root: "/srv/other", Branch: "main", Aliases: map[string]string{"op": "push origin main"}},
			"/srv/docs":     {Root: "/srv/docs", Branch: "topic"},
		}[dir]
		return p, ok
	}
}

// verdictOn is the verdict of a hook on a call: of the rules of each project for what the call
// does there.
func verdictOn(row *ruledAction) (worst Verdict) {
	a := row.action
	a.Place.Dir, a.Place.Root, a.Place.Home = "/srv/shop", "/srv/shop", "/home/ada"
	a.Visit(worldAt(a.Place.Branch))
	roots := []string{a.Place.Root}
	for _, p := range a.Place.Elsewhere {
		if row.everywhere && !slices.Contains(roots, p.Root) {
			roots = append(roots, p.Root)
		}
	}
	for _, root := range roots {
		a.Project = root
		v := Check(CheckInput{Action: a, Rules: []Rule{{ID: "r", Text: row.rule, Strength: memory.StrengthHard, Trust: record.User}}})
		if v.Level >= worst.Level {
			worst = v
		}
	}
	return worst
}

func TestCheckCalls(t *testing.T) {
	t.Parallel()
	testsize.OneGoroutine(t)
	rows := slices.Concat(actionTable(t, "testdata/calls.txt"), actionTable(t, "testdata/calls2.txt"), actionTable(t, "testdata/wordings.txt"))
	if len(rows) < 200 {
		t.Errorf("there are %d calls only", len(rows))
	}
	for i := range rows {
		row := &rows[i]
		if v := verdictOn(row); v.Level.String() != row.level {
			t.Errorf("%s\n\ton %q: %s%s %s: %s, want %s %v", row.rule, row.action.Place.Branch, row.action.Command, row.action.Tool, row.action.Arguments, v.Level, row.level, v.Reasons)
		}
	}
}

// A long call is judged to its end: what a line does behind a large here-document counts.
func TestCheckLongCalls(t *testing.T) {
	t.Parallel()
	rules := []Rule{{ID: "r", Text: "Never push to main.", Strength: memory.StrengthHard, Trust: record.User}}
	body := strings.Repeat("it's a \"line\" of (text) with $signs\n", 9<<10)
	line := "cat > notes.txt <<'EOF'\n" + body + "EOF\ngit push origin main"
	for _, a := range []Action{
		{Tool: "Bash", Arguments: `{"command":` + strconv.Quote(line) + `}`},
		{Tool: "Bash", Arguments: `{"command":"git push origin main","description":` + strconv.Quote(body) + `}`},
		{Tool: "exec", Arguments: `{"argv":["git","push","origin","main"],"stdin":` + strconv.Quote(body) + `}`},
	} {
		if v := Check(CheckInput{Action: a, Rules: rules}); v.Level != Stop {
			t.Errorf("%.80s: %s", a.Arguments, v.Level)
		}
	}
}

// What stands behind many commands or many files is judged, too.
func TestCheckIsThorough(t *testing.T) {
	t.Parallel()
	rules := []Rule{{ID: "r", Text: "Never push to main.", Strength: memory.StrengthHard, Trust: record.User}, {ID: "e", Text: "Never edit .env.", Strength: memory.StrengthHard, Trust: record.User}}
	many := strings.Repeat("echo step\n", 1500) + "git push origin main"
	if v := Check(CheckInput{Action: Action{Command: many}, Rules: rules}); v.Level != Stop {
		t.Errorf("behind many commands: %s", v.Level)
	}
	var patch strings.Builder
	patch.WriteString("*** Begin Patch\n")
	for i := range 300 {
		patch.WriteString("*** Update File: f" + strconv.Itoa(i) + ".go\n@@\n-a\n+b\n")
	}
	patch.WriteString("*** Update File: .env\n@@\n-a\n+b\n*** End Patch\n")
	arguments := `{"input":` + strconv.Quote(patch.String()) + `}`
	if v := Check(CheckInput{Action: Action{Tool: "apply_patch", Arguments: arguments}, Rules: rules}); v.Level != Stop {
		t.Errorf("behind many files: %s", v.Level)
	}
}
