package agentstest

import (
	"os"
	"path/filepath"
	"strings"
)

// scenarios lists what every agent is tried with.
func scenarios() []scenario {
	return []scenario{
		{name: "smoke", run: smoke},
	}
}

// smoke checks the bench itself: the agent runs, the script is played, hooks fire.
func smoke(b *bench) {
	p := b.project("shop")
	t := b.session(p, "Please list the files.", Shell("echo bench-was-here > proof.txt; cat proof.txt"), Say("There is one file."))
	if _, err := os.Stat(filepath.Join(p.Dir, "proof.txt")); err != nil {
		b.Errorf("the command did not run: %v\n%s\n%s", err, t.out, t.summary())
	}
	last := t.Main()[len(t.Main())-1]
	if r := last.Results(); len(r) != 1 || !strings.Contains(r[0], "bench-was-here") {
		b.Errorf("results: %q", r)
	}
	b.Log(t.summary())
	b.Log(b.lukasa("events", "--all"))
	b.Log(b.lukasa("export"))
}
