package statement_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/statement"
)

// shared is where conversations and transcripts of other people are. They are read where
// they are, and nothing of them is kept here: what is said of a sentence of theirs is
// said of its digest.
var shared = filepath.Join("..", "..", "..", "shared", "data")

// eachLine calls yield with the lines of the files of a data set, and skips the test if
// there are none.
func eachLine(t *testing.T, pattern string, yield func(line []byte)) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(shared, pattern))
	if len(files) == 0 {
		t.Skipf("%s is not there", pattern)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			yield(lines.Bytes())
		}
		f.Close()
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// meant are the digests of sentences in transcripts that were judged, by hand, to be meant
// as rules. Of the users whose sessions these are none gave one that lasts.
var meant = map[string]bool{}

// TestRealSessions reads the prompts of real sessions of a coding agent: no hard rule may
// be learned that was not meant as one.
func TestRealSessions(t *testing.T) {
	t.Parallel()
	prompts, learned, wrong := 0, 0, 0
	eachLine(t, "claude-code-dev/*.jsonl", func(line []byte) {
		var record struct {
			Type    string
			Message struct{ Content json.RawMessage }
		}
		if json.Unmarshal(line, &record) != nil || record.Type != "user" {
			return
		}
		var text string
		if json.Unmarshal(record.Message.Content, &text) != nil {
			var parts []struct{ Type, Text string }
			if json.Unmarshal(record.Message.Content, &parts) != nil {
				return
			}
			for _, p := range parts {
				if p.Type == "text" {
					text += p.Text + "\n"
				}
			}
		}
		if strings.TrimSpace(text) == "" {
			return
		}
		prompts++
		for _, s := range statement.Read(text) {
			if kindOf(&s) != "hard" {
				continue
			}
			learned++
			sum := sha256.Sum256([]byte(s.Text))
			if digest := hex.EncodeToString(sum[:8]); !meant[digest] {
				wrong++
				t.Errorf("a hard rule with the digest %s was learned and is not labelled as meant", digest)
			}
		}
	})
	t.Logf("%d prompts, %d hard rules learned, %d of them not meant; %d are meant", prompts, learned, wrong, len(meant))
}

// turn returns the id, the text and the role of a line of a conversation.
func turn(line []byte) (id, text string, user bool) {
	var e struct {
		ID      string `json:"event_id"`
		Type    string `json:"event_type"`
		Content struct{ Role, Text string }
	}
	if json.Unmarshal(line, &e) != nil || e.Type != "message" {
		return "", "", false
	}
	return e.ID, e.Content.Text, e.Content.Role == "user"
}

// TestTalkHasNoRules reads conversations without any rule for an agent.
func TestTalkHasNoRules(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"locomo-dev", "tau-airline", "bfcl-dev"} {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			turns, hard := 0, 0
			eachLine(t, set+"/*.ndjson", func(line []byte) {
				id, text, user := turn(line)
				if !user {
					return
				}
				turns++
				if set == "locomo-dev" {
					_, text, _ = strings.Cut(text, ": ") // behind the speaker
				}
				for _, s := range statement.Read(text) {
					if kindOf(&s) == "hard" {
						hard++
						t.Errorf("%s states a hard rule", id)
					}
				}
			})
			t.Logf("%d turns of users, %d hard rules", turns, hard)
		})
	}
}

// TestStandingInstructionsOfTalk measures of how many questions that test whether an
// instruction is followed the instruction is read, with what triggers it.
func TestStandingInstructionsOfTalk(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(shared, "beam-dev", "questions.json"))
	if err != nil {
		t.Skip("beam-dev is not there")
	}
	var questions []struct {
		Category string
		Evidence []string
	}
	if err := json.Unmarshal(data, &questions); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	eachLine(t, "beam-dev/*.ndjson", func(line []byte) {
		if id, text, user := turn(line); user {
			texts[id] = text
		}
	})
	asked, read, bound := 0, 0, 0
	for _, q := range questions {
		if !strings.Contains(q.Category, "instruction") {
			continue
		}
		asked++
		stated, topic := false, false
		for _, id := range q.Evidence {
			for _, s := range statement.Read(texts[id]) {
				stated = stated || s.Type == memory.TypeConstraint
				topic = topic || s.Topic != ""
			}
		}
		if stated {
			read++
		}
		if topic {
			bound++
		}
	}
	t.Logf("%d questions: the instruction of %d is read, of %d with its trigger", asked, read, bound)
	if asked == 0 || read*10 < asked*9 || bound*10 < asked*9 {
		t.Errorf("of %d instructions %d are read and %d have a trigger", asked, read, bound)
	}
}
