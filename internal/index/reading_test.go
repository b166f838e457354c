package index_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
	"lukasa.dev/internal/text"
	"lukasa.dev/internal/tokens"
)

// readingScraps are pieces of texts to read.
var readingScraps = []string{
	"the", "of", "and", "We", "restore", "restoring", "Caroline", "Melanie:", "Ada Lovelace", "said", "I'm", "don't", "DON'T", "it's", "They'll", "May", "may", "IT", "US",
	"yesterday", "last Friday", "in March 2026", "at 5pm", "Dr. Strange", "Mr", "New York", "van der Berg", "generously", "agreement", "skies", "antidisestablishmentarianism",
	"pneumonoultramicroscopicsilicovolcanoconiosis", "satrecocks", "shechedrirking", "zakendlychachutrered", "programsEvery", "HTTPServers", "getUserByID", "parseJSON2XML", "APIs", "snake_case_name",
	"services/miekai/robe/zak_cha.md", "internal/kv/store.go:118", "https://example.com/a/b?q=1#top", "www.Example.org", "user@example.com", "#hashtag", "@handle", "#12", "$HOME", "--force", ".env",
	"C++", "C#", "node.js", "v1.2.3", "3.14", "2,048", "10ms", "2026-11-15T08:00:00.123Z", "550e8400-e29b-41d4-a716-446655440000", "deadbeef00112233", "ABC-123", "XK7P2Q", "0xc00011e000", "a::b->c",
	"\"The Great Gatsby\"", "`go test ./...`", "“quoted”", "(see", "below)", "...", "!?", "-", "--", "_", "__init__", "'", "''", "&amp;", "{\"a\":[1,2,{\"b\":\"c\"}]}", "[1]", "```", "\n", "\n\n", "\t", "\r\n",
	"café", "naïve", "Straße", "Ünïcödé", "œuvre", "ﬁne", "ＦＵＬＬ", "Ελλάδα", "ΣΊΣΥΦΟΣ", "Москва", "ёлка", "שלום", "עִבְרִית", "العربية", "مُحَمَّد", "हिन्दी", "ไทยแลนด์", "我们昨天在北京", "日本語テスト", "カタカナ", "한국어", "ភាសា",
	"e\u0301", "a\u0300\u0316", "\u200b", "\u200d", "\u202e", "\ufeff", "\u00ad", "👩‍👩‍👧‍👦", "👍🏽", "❤️", "🇩🇪", "½", "²", "٣٤", "Ⅷ", "\u2028", "°C", "€20", "™", "ǅ", "İstanbul", "ı", "ŉ", "\U00020000", "\U0001D400",
	"\x1b[31mred\x1b[0m", "\x00", "\x7f", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", strings.Repeat("ab1", 40), strings.Repeat("xY", 30),
}

// readingText returns a text of at most most scraps and random words.
func readingText(chance *rand.Rand, most int) string {
	var b strings.Builder
	for range chance.IntN(most + 1) {
		switch n := chance.IntN(10); {
		case n < 5:
			b.WriteString(readingScraps[chance.IntN(len(readingScraps))])
		default:
			w := b.Len()
			for range 1 + chance.IntN(7) {
				b.WriteByte("bcdfghjklmnprstvwz"[chance.IntN(18)])
				b.WriteString([]string{"a", "e", "i", "o", "u", "ing", "ed", "ness"}[chance.IntN(8)])
			}
			if n == 9 && b.Len() > w {
				s := b.String()
				b.Reset()
				b.WriteString(s[:w] + strings.ToUpper(s[w:w+1]) + s[w+1:])
			}
		}
		if chance.IntN(8) > 0 {
			b.WriteString([]string{" ", " ", " ", " ", ". ", ", ", ": ", "\n"}[chance.IntN(8)])
		}
	}
	return b.String()
}

// readingEvent returns an event with texts in the members of its type.
func readingEvent(t testing.TB, chance *rand.Rand, i int) *hmx.Event {
	t.Helper()
	say := func(most int) string { return strings.ToValidUTF8(readingText(chance, most), "?") }
	types := []string{"message", "message", "tool_call", "tool_result", "file_edit", "test_run", "command_exec", "browser_action", "api_result", "decision", "error", "observation", "state_change", "feedback", "other_type"}
	content, metadata := map[string]any{}, map[string]any{}
	typ := types[chance.IntN(len(types))]
	members := map[string][]string{
		"message": {"text", "role", "attachments"}, "tool_call": {"tool_name", "arguments", "call_id"}, "tool_result": {"tool_name", "result", "success", "call_id", "output"},
		"file_edit": {"path", "diff", "operation", "old_path"}, "test_run": {"command", "framework", "failures", "output", "failed", "passed"},
		"command_exec": {"command", "stdout", "stderr", "exit_code", "cwd"}, "browser_action": {"url", "action", "selector", "text"}, "api_result": {"method", "url", "response", "status_code"},
		"decision": {"question", "chosen_option", "reasoning"}, "error": {"error_type", "message", "stack"}, "observation": {"subject", "text"}, "state_change": {"subject", "from", "to", "reason"},
		"feedback": {"comment", "signal", "target_event_id"}, "other_type": {"text", "token", "data"},
	}
	for _, m := range members[typ] {
		switch n := chance.IntN(12); {
		case n == 0:
		case n == 1:
			content[m] = map[string]any{"path": "src/" + say(2), "text": say(12), "user_id": "u_" + fmt.Sprint(chance.IntN(9)), "command": "go test ./" + say(1), "n": chance.IntN(3)}
		case n == 2:
			content[m] = []any{say(3), chance.IntN(5), map[string]any{"name": say(2), "url": "https://u:p@example.com/" + say(1)}}
		case m == "success":
			content[m] = chance.IntN(2) == 0
		case strings.HasPrefix(m, "exit") || m == "failed" || m == "passed" || m == "status_code":
			content[m] = chance.IntN(500)
		case m == "path":
			content[m] = "services/" + strings.Fields(say(2) + " a b.go")[0] + "/main.go"
		case m == "command":
			content[m] = []string{"go test ./...", "git commit -m " + say(4), "cd /src && make " + say(1)}[chance.IntN(3)]
		case m == "role":
			content[m] = []string{"user", "assistant", "system"}[chance.IntN(3)]
		default:
			content[m] = say(1 + chance.IntN(60))
		}
	}
	if chance.IntN(2) == 0 {
		metadata["speaker"] = []string{"Caroline", "Ada Lovelace", say(2)}[chance.IntN(3)]
	}
	for _, m := range []string{"title", "topic", "summary", "url", "path", "project", "repository", "user_id", "cwd"} {
		if chance.IntN(12) == 0 {
			metadata[m] = say(4)
		}
	}
	event := map[string]any{
		"hmx_version": "HMX-1.0", "event_id": fmt.Sprint("e", i), "event_type": typ, "agent_id": "coder", "tenant_id": "acme", "session_id": "s1",
		"timestamp": "2026-11-15T05:00:00Z", "sequence": i, "content": content, "metadata": metadata,
	}
	if chance.IntN(3) == 0 {
		event["tags"] = []string{"topic-" + fmt.Sprint(chance.IntN(40)), strings.TrimSpace("t " + strings.Join(strings.Fields(say(1)), ""))}[:1+chance.IntN(2)]
	}
	if chance.IntN(4) == 0 {
		event["source"] = "tool:" + strings.Join(strings.Fields("search "+say(1)), "_")
	}
	line, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	ev, _, err := hmx.DecodeEvent(line)
	if err != nil {
		return nil // not every name is one
	}
	return ev
}

// writeVector writes the bits of a vector.
func writeVector(w io.Writer, e embed.Embedding) {
	for _, x := range e.Vector {
		fmt.Fprintf(w, "%08x", math.Float32bits(x))
	}
	fmt.Fprintf(w, " %08x %d\n", math.Float32bits(e.Norm), e.Pieces)
}

// writeReading writes everything that is read from an event.
func writeReading(w io.Writer, ev *hmx.Event, before bool) {
	counter := tokens.O200k()
	r := index.Record{Event: ev, Header: record.Header{Kind: record.Event, Position: 5, Trust: record.User}}
	if before {
		r.Reading = kind.ReadForms(ev, counter)
	}
	d := *index.ReadDocument(&r)
	said, ok := index.EmbeddedText(&r)
	reading := kind.Forms(ev, counter)
	fmt.Fprintf(w, "%q %q %v\n", said, d.Entities, ok)
	fmt.Fprintf(w, "%q %d %q %d %q %v\n", reading.Medium, reading.MediumTokens, reading.Short, reading.ShortTokens, reading.Text, reading.Frames)
	fmt.Fprintf(w, "%v %v %v %v %v %q %q\n", reading.Outcome, reading.Importance, reading.Section, reading.Tells, reading.Checks, reading.Call, reading.Target)
	fmt.Fprintf(w, "%v\n", d.Tokens)
	fmt.Fprintf(w, "%v %q %q %d %v %q %q %d %q %v %q %q %q %q %v %v %v %v\n", d.Kind, d.ID, d.Class, d.Time, d.Trust, d.Agent, d.Session, d.Sequence, d.Speaker,
		d.Times, d.Tags, d.Key, d.Title, d.Text, d.Importance, d.Closer, d.Private, d.Own)
	writeVector(w, d.Embedding)
	writeVector(w, index.Embed(&r))
}

// TestReading fails if a text or an event is read differently than before: the
// index would no longer match the questions. If the change is intended, raise
// DocumentVersion or one of its parts, and put the new digest here.
func TestReading(t *testing.T) {
	testsize.OneGoroutine(t)
	const want = "4da3317e7023baa4b14e7e720f709655"
	sum := sha256.New()
	chance := rand.New(rand.NewPCG(21, 22))
	hostile := []byte("\xff\xfe\xc3\x28\xe2\x82\xf0\x9f\x92 aZ09_-./:@#'\x00\x1b\n")
	for i := range 3000 {
		s := readingText(chance, 40)
		if i%3 == 0 { // invalid text
			b := []byte(s)
			for range 1 + len(b)/20 {
				if at := chance.IntN(len(b) + 1); at < len(b) {
					b[at] = hostile[chance.IntN(len(hostile))]
				}
			}
			s = string(b)
		}
		fmt.Fprintln(sum, text.Analyze(text.Analyze(nil, text.FieldTitle, s), text.FieldText, s), tokens.O200k().Count(s), kind.TextEntities(s), embed.Builtin().Pieces(nil, s))
		writeVector(sum, embed.Builtin().Embed(nil, s))
	}
	read := 0
	for i := range 3000 {
		if ev := readingEvent(t, chance, i); ev != nil {
			writeReading(sum, ev, i%2 == 0)
			read++
		}
	}
	if read < 1500 {
		t.Errorf("only %d events can be decoded", read)
	}
	if got := hex.EncodeToString(sum.Sum(nil)[:16]); got != want {
		t.Errorf("all that is read has the digest %s, not %s", got, want)
	}
}

// BenchmarkReading reads events as on arrival: their references and their
// documents. LUKASA_EVENTS names a file of them, one per line.
func BenchmarkReading(b *testing.B) {
	var events []*hmx.Event
	if name := os.Getenv("LUKASA_EVENTS"); name != "" {
		raw, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		for line := range bytes.Lines(raw) {
			ev, _, err := hmx.DecodeEvent(bytes.TrimSpace(line))
			if err != nil {
				b.Fatal(err)
			}
			events = append(events, ev)
		}
	} else {
		chance := rand.New(rand.NewPCG(23, 24))
		for i := range 5000 {
			if ev := readingEvent(b, chance, i); ev != nil {
				events = append(events, ev)
			}
		}
	}
	counter := tokens.O200k()
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		r := index.Record{Event: events[i%len(events)]}
		r.Reading = kind.ReadForms(r.Event, counter)
		index.ReadDocument(&r)
		i++
	}
}
