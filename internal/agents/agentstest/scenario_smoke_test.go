package agentstest

import (
	"os"
	"path/filepath"
	"strings"
)

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
	b.recordedPrompts("Please list the files.")
	b.order()
}
