package cli

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/testsize"
)

// No page contains a placeholder.
func TestDocumentsAreFinished(t *testing.T) {
	testsize.OneGoroutine(t)
	blank := regexp.MustCompile(`@[A-Z]+@|\bTBD\b|\bFIXME\b|\bTODO\b`)
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		if found := blank.Find(text); found != nil {
			t.Errorf("%s has %s", path, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The page of the protocol shows real output: the test runs every block that runs the program
// from the checkout, and compares its output. -update pastes the new output.
func TestProtocolShowsWhatHappens(t *testing.T) {
	t.Chdir("../..")
	page, err := os.ReadFile("docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```\n\\$ go run ./cmd/lukasa ([^\n]*)\n(.*?)```")
	shown := 0
	got := blocks.ReplaceAllStringFunc(string(page), func(block string) string {
		shown++
		args := strings.Fields(blocks.FindStringSubmatch(block)[1])
		var out bytes.Buffer
		code := Run(context.Background(), args, strings.NewReader(""), &out, &out, setTo(nil))
		if code != 0 {
			fmt.Fprintf(&out, "exit status %d\n", code) // as go run says
		}
		return "```\n$ go run ./cmd/lukasa " + strings.Join(args, " ") + "\n" + out.String() + "```"
	})
	if shown < 2 {
		t.Errorf("the page runs the program %d times", shown)
	}
	if got == string(page) {
		return
	}
	if *update {
		if err := os.WriteFile("docs/protocol.md", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("docs/protocol.md shows other output than the program prints: run go test ./internal/cli -run Protocol -update\n%s", got)
}

// Every command says in docs/formats/answers.md what --json prints.
func TestAnswersAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/formats/answers.md")
	if err != nil {
		t.Fatal(err)
	}
	every(t, func(t *testing.T, c *cobra.Command) {
		group := c.GroupID
		if c.HasParent() && c.Parent() != c.Root() {
			group = c.Parent().GroupID
		}
		if group != groupMemory && group != groupCare && group != groupDocuments || c.HasSubCommands() {
			return
		}
		if !bytes.Contains(page, []byte("`"+c.CommandPath()+"`")) && !bytes.Contains(page, []byte("`"+c.CommandPath()+" --json`")) {
			t.Errorf("docs/formats/answers.md does not describe what %s --json prints", c.CommandPath())
		}
	})
}
