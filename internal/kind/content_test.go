package kind

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/kind/recognize"
	"pgregory.net/rapid"
)

func TestReadContent(t *testing.T) {
	for _, tc := range []struct {
		name     string
		typ      hmx.EventType
		content  string
		metadata string
		title    string
		text     string
	}{
		{"a message", hmx.TypeMessage, `{"role":"user","text":"Deploy it.","attachments":[]}`, ``, "", "Deploy it."},
		{"a speaker in the text", hmx.TypeMessage, `{"role":"user","text":"Mel: Hi!"}`, `{"speaker":"Mel"}`, "", "Mel: Hi!"},
		{"a speaker beside it", hmx.TypeMessage, `{"role":"user","text":"Hi!"}`, `{"speaker":"Mel"}`, "", "Mel: Hi!"},
		{"a speaker who says nothing", hmx.TypeMessage, `{"role":"user","text":""}`, `{"speaker":"Mel"}`, "", ""},
		{"attachments", hmx.TypeMessage, `{"text":"Look","attachments":[{"type":"image","url":"https://a.b/c.png","name":"The lake"},{"type":"image","url":"data:image/png;base64,AAAA"},"x"]}`, ``, "", "Look\nhttps://a.b/c.png, The lake, x"},
		{"control characters", hmx.TypeMessage, `{"text":"a\tb\r\nc\rd\u0000e\u001b[31mred\u001b[0m\u202e\u00a0x\u2028y"}`, ``, "", "a b\nc\nd ered x\ny"},
		{"metadata", hmx.TypeMessage, `{"text":"x"}`, `{"title":"The plan","topic":"Trips","summary":"All of it.","url":"https://u:p@a.b/c","path":"a.go","other":"no","speaker":7}`, "The plan Trips", "x\nAll of it.\nhttps://a.b/c\na.go"},
		{"a call", hmx.TypeToolCall, `{"tool_name":"book","arguments":{"seat_class":"economy","passengers":2,"insured":false,"none":null,"names":["Mia","Li"]},"call_id":"c1"}`, ``, "book", "seat_class economy, passengers 2, insured false, names Mia, Li"},
		{"a call with text", hmx.TypeToolCall, `{"tool_name":"book","arguments":"{\"seat\":\"7A\"}"}`, ``, "book", "seat 7A"},
		{"a call with a secret", hmx.TypeToolCall, `{"tool_name":"login","arguments":{"user":"ana","password":"hunter2","API_KEY":"k","tokens":5}}`, ``, "login", "user ana, tokens 5"},
		{"a result", hmx.TypeToolResult, `{"tool_name":"get","call_id":"c1","result":{"text":"{\"a\":[1,{\"b\":\"x y\"}]}"},"success":true,"duration_ms":3}`, ``, "get", "a 1, b x y"},
		{"a result of parts", hmx.TypeToolResult, `{"tool_name":"get","result":[{"type":"text","text":"It rains."}]}`, ``, "get", "It rains."},
		{"a result with an error", hmx.TypeToolResult, `{"tool_name":"get","result":null,"is_error":true,"error":"no such user"}`, ``, "get", "error no such user"},
		{"JSON that is none", hmx.TypeToolResult, `{"tool_name":"get","result":"{no}"}`, ``, "get", "{no}"},
		{"JSON in JSON in JSON", hmx.TypeToolResult, `{"result":"{\"a\":\"{\\\"b\\\":1}\"}"}`, ``, "", `a {"b":1}`},
		{"an edit", hmx.TypeFileEdit, `{"path":"a.go","operation":"rename","old_path":"b.go","diff":"+x\n-y","lines_added":1,"summary":"Renamed."}`, ``, "a.go", "b.go\nrename\n+x\n-y\nsummary Renamed."},
		{"a command", hmx.TypeCommandExec, `{"command":"go build","cwd":"/x","exit_code":1,"stdout":"o","stderr":"e"}`, ``, "go build", "o\ne\nexit_code 1"},
		{"a command in words", hmx.TypeCommandExec, `{"command":["go","build"],"exit_code":0}`, ``, "go build", ""},
		{"tests", hmx.TypeTestRun, `{"command":"go test","passed":3,"failed":0,"failures":[],"output":"ok"}`, ``, "go test", "ok\npassed 3"},
		{"a browser", hmx.TypeBrowserAction, `{"action":"type","url":"https://ana:pw@a.b/login","selector":"#p","value":"hunter2","text":"hunter2","fields":[{"name":"p","value":"hunter2"}]}`, ``, "https://a.b/login", "type\n#p\nfields name p"},
		{"a browser reads", hmx.TypeBrowserAction, `{"action":"read","text":"Welcome"}`, ``, "", "read\nWelcome"},
		{"an answer", hmx.TypeAPIResult, `{"method":"GET","url":"https://a.b","status_code":404,"response":{"error":"gone"}}`, ``, "GET https://a.b", "error gone\nstatus_code 404"},
		{"a decision", hmx.TypeDecision, `{"question":"Which?","chosen_option":"this","alternatives":["that"],"reasoning":"cheap","confidence":0.5}`, ``, "Which?", "this\ncheap\nalternatives that"},
		{"an error", hmx.TypeError, `{"error_type":"E","message":"m","stack":"s","recoverable":true}`, ``, "E", "m\ns"},
		{"an observation", hmx.TypeObservation, `{"subject":"sky","text":"blue"}`, ``, "sky", "blue"},
		{"a change", hmx.TypeStateChange, `{"subject":"door","from":"open","to":"shut","reason":"wind"}`, ``, "door", "open\nshut\nwind"},
		{"feedback", hmx.TypeFeedback, `{"signal":"negative","target_event_id":"e1","comment":"too slow"}`, ``, "", "too slow\nnegative"},
		{"another type", "x-acme-signal", `{"level":"high","n":3,"in":{"a":[true,"z"]}}`, ``, "", "level high\nn 3\nin a true, z"},
		{"no JSON", hmx.TypeMessage, `{`, ``, "", ""},
		{"base64 in lines", hmx.TypeToolResult, `{"result":{"data":"` + strings.Repeat(strings.Repeat("QUJD", 16)+`\n`, 9) + `QUI=\r\n","note":"n"}}`, ``, "", "note n"},
		{"letters before a text", hmx.TypeMessage, `{"text":"` + strings.Repeat("x", 512) + ` and more"}`, ``, "", strings.Repeat("x", 512) + " and more"},
		{"a list before a text", hmx.TypeMessage, `{"text":"` + strings.Repeat(`origin/feature-1\norigin/a\n`, 30) + `It failed."}`, ``, "", strings.Repeat("origin/feature-1\norigin/a\n", 30) + "It failed."},
		{"a list alone", hmx.TypeMessage, `{"text":"` + strings.Repeat(`origin/feature-1\u000a`, 60) + `end"}`, ``, "", strings.Repeat("origin/feature-1\n", 60) + "end"},
		{"base64", hmx.TypeToolResult, `{"result":{"data":"` + strings.Repeat("QUJD", 200) + `","note":"n"}}`, ``, "", "note n"},
		{"a long title", hmx.TypeObservation, `{"subject":"` + strings.Repeat("é", 600) + `","text":"t"}`, ``, strings.Repeat("é", 512), strings.Repeat("é", 600) + "\nt"},
		{"a long text", hmx.TypeMessage, `{"text":"x` + strings.Repeat("é", MaxContent/2) + `"}`, ``, "", "x" + strings.Repeat("é", MaxContent/2-1)},
	} {
		ev := event(tc.typ, tc.content)
		ev.Metadata = hmx.Raw(tc.metadata)
		got := ReadContent(ev)
		if got.Title != tc.title || got.Text != tc.text {
			t.Errorf("%s: %.300q and %.300q, want %.300q and %.300q", tc.name, got.Title, got.Text, tc.title, tc.text)
		}
	}
}

// TestSpeaker: the speaker is the sender, never a person whom the text only mentions.
func TestSpeaker(t *testing.T) {
	for _, tc := range []struct {
		name                    string
		typ                     hmx.EventType
		content, metadata, want string
	}{
		{"the speaker of the metadata", hmx.TypeMessage, `{"text":"ana: hello"}`, `{"speaker":"ana"}`, "ana"},
		{"a name before a colon", hmx.TypeMessage, `{"text":"Ana Lee: hello"}`, ``, "Ana Lee"},
		{"a number of a user", hmx.TypeMessage, `{"text":"u_17: hello"}`, `{"speaker":"u_17"}`, ""},
		{"the name stands before a text without it", hmx.TypeMessage, `{"text":"hello"}`, `{"speaker":"ana"}`, "ana"},
		{"somebody else begins it", hmx.TypeMessage, `{"text":"Bob: hello"}`, `{"speaker":"Ana"}`, "Ana"},
		{"a mention", hmx.TypeMessage, `{"text":"bobby: hello @bobby"}`, `{"speaker":"u_17"}`, ""},
		{"an argument", hmx.TypeToolCall, `{"tool_name":"ask","arguments":{"person":"Ana Lee","text":"Ana Lee: hello"}}`, ``, ""},
		{"no text after the colon", hmx.TypeMessage, `{"text":"Ana:hello"}`, ``, ""},
	} {
		ev := event(tc.typ, tc.content)
		ev.Metadata = hmx.Raw(tc.metadata)
		if got := ReadContent(ev).Speaker; got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
		checkContent(t, ev)
	}
}

// checkContent fails if what is read of an event for searching breaks a promise.
func checkContent(t interface{ Fatalf(string, ...any) }, ev *hmx.Event) {
	c, entities := ReadContentEntities(ev)
	if c != ReadContent(ev) || fmt.Sprint(entities) != fmt.Sprint(Entities(ev)) {
		t.Fatalf("reading twice differs: %q", ev.Content)
	}
	if c.Speaker != "" && (!strings.HasPrefix(c.Text, c.Speaker+": ") || !slices.Contains(entities, recognize.Entity{Type: recognize.EntityPerson, Name: c.Speaker})) {
		t.Fatalf("%q says %.100q, which names %v", c.Speaker, c.Text, entities)
	}
	if len(c.Title) > MaxTitle || len(c.Text) > MaxContent {
		t.Fatalf("%d and %d bytes", len(c.Title), len(c.Text))
	}
	for _, s := range []string{c.Title, c.Text} {
		if !utf8.ValidString(s) {
			t.Fatalf("%q is no UTF-8", s)
		}
		for _, r := range s {
			if r < ' ' && r != '\n' || hidden(r) || r >= utf8.RuneSelf && recognize.SpaceLike(r) {
				t.Fatalf("%q has %U", s, r)
			}
		}
	}
	checkEntities(t, entities)
}

func FuzzReadContent(f *testing.F) {
	for _, s := range append(hostile(), `{"text":"{\"a\":1}"}`, `{"result":["Ana's House","a.go:1"]}`, "\x1b[1;2") {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, content, metadata string) {
		for _, typ := range append(hmx.EventTypes(), "x-a-b") {
			ev := event(typ, content)
			ev.Metadata = hmx.Raw(metadata)
			ev.Tags = []string{metadata}
			checkContent(t, ev)
			checkContent(t, event(typ, `{"text":`+quoteJSON(content)+`,"result":`+quoteJSON(metadata)+`}`))
		}
		checkEntities(t, TextEntities(content))
	})
}

// TestContentKeepsItsPromises reads hostile texts in every place.
func TestContentKeepsItsPromises(t *testing.T) {
	texts := append(hostile(), "Ana's", "@bobby", "bobby: hi", "New York", "a.go:1", "", "{\"a\":\"Bob\"}", "\"Big Fish\"")
	text := rapid.Map(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(texts), rapid.StringN(0, 8, 32)), 0, 4), func(l []string) string {
		return quoteJSON(strings.Join(l, " "))
	})
	names := rapid.SampledFrom([]string{"text", "result", "arguments", "tool_name", "command", "path", "url", "value", "attachments", "password", "x", "subject", "speaker", "title", "summary"})
	object := rapid.Custom(func(t *rapid.T) string {
		var members []string
		for _, name := range rapid.SliceOfNDistinct(names, 0, 6, rapid.ID).Draw(t, "names") {
			v := rapid.OneOf(text, text, rapid.SampledFrom([]string{"1", "true", "null", "[]", `[{"a":"B C"},2]`})).Draw(t, name)
			members = append(members, quoteJSON(name)+":"+v)
		}
		return "{" + strings.Join(members, ",") + "}"
	})
	types := rapid.SampledFrom(append(hmx.EventTypes(), "x-a-b"))
	rapid.Check(t, func(t *rapid.T) {
		ev := event(types.Draw(t, "type"), object.Draw(t, "content"))
		ev.Metadata = hmx.Raw(object.Draw(t, "metadata"))
		checkContent(t, ev)
	})
}

// TestContentVersion holds what examples give. Where this fails because the rules
// were changed, raise ContentVersion and take over the digest.
func TestContentVersion(t *testing.T) {
	const version, want = 4, "57c8438c3f1be1a65ec6b3d7d7eccaaf"
	h := sha256.New()
	for _, name := range []string{"../../examples/session.ndjson", "../../examples/parcels.ndjson", "testdata/search.ndjson"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			ev, _, err := hmx.DecodeEvent([]byte(line))
			if err != nil {
				t.Fatal(name, err)
			}
			c, entities := ReadContentEntities(ev)
			fmt.Fprintf(h, "%q %q %q %q %q\n", c.Title, c.Text, c.Speaker, entities, TextEntities(c.Text))
		}
	}
	if got := hex.EncodeToString(h.Sum(nil))[:32]; got != want || ContentVersion != version {
		t.Errorf("version %d reads %s, version %d read %s", ContentVersion, got, version, want)
	}
}

// TestContentWithoutNoise holds that what only says how an agent ran is no text.
func TestContentWithoutNoise(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ           hmx.EventType
		content, want string
	}{
		{hmx.TypeToolResult, `{"tool_name":"Bash","call_id":"1","success":true,"result":{"stdout":"all good","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}}`, "Bash|all good"},
		{hmx.TypeToolResult, `{"tool_name":"Bash","call_id":"1","result":{"stdout":"","interrupted":true,"sandbox":true}}`, "Bash|"},
		{hmx.TypeToolResult, `{"tool_name":"Bash","call_id":"1","denied":true,"denied_by":"lukasa","result":{}}`, "Bash|"},
		{hmx.TypeToolResult, `{"tool_name":"Bash","call_id":"1","outcome":true,"result":{"exit_code":2}}`, "Bash|exit_code 2"},
		{hmx.TypeToolResult, `{"tool_name":"get_order","result":{"paid":false,"truncated":false}}`, "get_order|paid false"},
		{hmx.TypeStateChange, `{"subject":"turn","to":"stopped"}`, "|"},
		{hmx.TypeStateChange, `{"subject":"session","to":"ended","reason":"logout"}`, "|"},
		{hmx.TypeStateChange, `{"subject":"context","from":"full","to":"compacted"}`, "|"},
		{hmx.TypeStateChange, `{"subject":"deployment","to":"stopped","reason":"disk full"}`, "deployment|stopped\ndisk full"},
	} {
		got := ReadContent(event(c.typ, c.content))
		if text := got.Title + "|" + got.Text; text != c.want {
			t.Errorf("%s reads %q, want %q", c.content, text, c.want)
		}
		if line := Read(event(c.typ, c.content)).Text; strings.Contains(line, "interrupted") || strings.Contains(line, "isImage") {
			t.Errorf("%s is told as %q", c.content, line)
		}
	}
}

// chatTurn is a message as chats have them, of some 150 bytes.
const chatTurn = `{"role":"user","text":"Caroline: Hey Mel! I went to a LGBTQ support group in Boston yesterday and it was so powerful. The transgender stories were so inspiring, and Ana was there too.","attachments":[]}`

func BenchmarkReadContent(b *testing.B) {
	for name, ev := range benchEvents() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ReadContent(ev)
			}
		})
	}
}

func benchEvents() map[string]*hmx.Event {
	chat := event(hmx.TypeMessage, chatTurn)
	chat.Metadata = `{"speaker":"Caroline"}`
	return map[string]*hmx.Event{
		"chat": chat,
		"call": event(hmx.TypeToolCall, `{"tool_name":"book_reservation","arguments":{"user_id":"mia_li_3668","origin":"JFK","destination":"SEA","cabin":"economy","flights":[{"flight_number":"HAT136","date":"2024-05-20"}]},"call_id":"c"}`),
		"long": event(hmx.TypeToolResult, `{"tool_name":"read_file","result":{"text":"`+strings.Repeat(`Error in internal/pack/pack.go:12 while New York and Ana Smith wait for HAT136.\n`, 100)+`"}}`),
	}
}
