package hmx

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// base is a small valid event; tests replace parts of it.
const base = `{"hmx_version":"HMX-1.0","event_id":"e1","event_type":"message","agent_id":"a","tenant_id":"t","session_id":"s",` +
	`"timestamp":"2026-03-14T03:00:00.000Z","sequence":0,"content":{"role":"user","text":"hi"},"metadata":{}}`

// with returns base with old replaced by new, or with new added as a field.
func with(old, new string) string {
	if old == "" {
		return strings.TrimSuffix(base, "}") + "," + new + "}"
	}
	if !strings.Contains(base, old) {
		panic("base has no " + old)
	}
	return strings.Replace(base, old, new, 1)
}

// found returns the problems of a document as "rule pointer", errors only.
func found(t testing.TB, k Kind, doc string) []string {
	t.Helper()
	_, err := Check(k, []byte(doc))
	if err == nil {
		return nil
	}
	var invalid *InvalidError
	if !errors.As(err, &invalid) {
		t.Fatalf("not an InvalidError: %v", err)
	}
	var out []string
	for _, p := range invalid.Problems {
		if p.Found == "" || p.Allowed == "" {
			t.Errorf("a problem that does not explain itself: %+v", p)
		}
		if !p.Warning {
			out = append(out, p.Rule+" "+p.Pointer)
		}
	}
	return out
}

func expect(t *testing.T, k Kind, doc string, want ...string) {
	t.Helper()
	if got := found(t, k, doc); strings.Join(got, "\n") != strings.Join(want, "\n") {
		shown := doc
		if len(shown) > 300 {
			shown = shown[:300] + "…"
		}
		t.Errorf("%s\n got %q\nwant %q", shown, got, want)
	}
}

func TestEventRules(t *testing.T) {
	expect(t, KindEvent, base)
	for _, c := range []struct{ old, new, want string }{
		{`"HMX-1.0"`, `"HMX-1"`, "HMX-E/6.1 /hmx_version"},
		{`"HMX-1.0"`, `1.0`, "HMX-E/6.1 /hmx_version"},
		{`"hmx_version":"HMX-1.0",`, ``, "HMX-E/2.1 /hmx_version"},
		{`"e1"`, `""`, "HMX-E/6.2 /event_id"},
		{`"e1"`, `7`, "HMX-E/6.2 /event_id"},
		{`"message"`, `""`, "HMX-E/3 /event_type"},
		{`"agent_id":"a"`, `"agent_id":null`, "HMX-E/2.1 /agent_id"},
		{`"tenant_id":"t"`, `"tenant_id":["t"]`, "HMX-E/2.1 /tenant_id"},
		{`"session_id":"s"`, `"session_id":""`, "HMX-E/2.1 /session_id"},
		{`"2026-03-14T03:00:00.000Z"`, `"yesterday"`, "HMX-E/6.3 /timestamp"},
		{`"2026-03-14T03:00:00.000Z"`, `"2026-03-14T03:00:00"`, "HMX-E/6.3 /timestamp"},
		{`"sequence":0`, `"sequence":-1`, "HMX-E/6.4 /sequence"},
		{`"sequence":0`, `"sequence":0.5`, "HMX-E/6.4 /sequence"},
		{`"sequence":0`, `"sequence":"0"`, "HMX-E/6.4 /sequence"},
		{`"sequence":0`, `"sequence":9223372036854775808`, "HMX-E/6.4 /sequence"},
		{`{"role":"user","text":"hi"}`, `null`, "HMX-E/6.7 /content"},
		{`{"role":"user","text":"hi"}`, `[]`, "HMX-E/6.7 /content"},
		{`"metadata":{}`, `"metadata":[]`, "HMX-E/6.8 /metadata"},
		{``, `"trace_id":1`, "HMX-E/2.2 /trace_id"},
		{``, `"correlation_id":null`, "HMX-E/2.2 /correlation_id"},
		{``, `"parent_event_id":{}`, "HMX-E/2.2 /parent_event_id"},
		{``, `"source":false`, "HMX-E/2.2 /source"},
		{``, `"provenance_ref":0`, "HMX-E/2.2 /provenance_ref"},
		{``, `"salience":1.01`, "HMX-E/6.5 /salience"},
		{``, `"salience":-0.01`, "HMX-E/6.5 /salience"},
		{``, `"salience":1.0000000000000000000001`, "HMX-E/6.5 /salience"},
		{``, `"salience":"high"`, "HMX-E/6.5 /salience"},
		{``, `"embeddings":[]`, "HMX-E/6.6 /embeddings"},
		{``, `"embeddings":[1,"2"]`, "HMX-E/6.6 /embeddings/1"},
		{``, `"tags":"a"`, "HMX-E/6.9 /tags"},
		{``, `"tags":["a",null]`, "HMX-E/6.9 /tags/1"},
		{``, `"ttl_seconds":-1`, "HMX-E/6.10 /ttl_seconds"},
		{``, `"ttl_seconds":1.5`, "HMX-E/6.10 /ttl_seconds"},
		{``, `"TENANT_ID":"other"`, "HMX-E/5 /TENANT_ID"},
		{``, `"colour":"red"`, "HMX-E/5 /colour"},
		{`"role":"user"`, `"role":"tool"`, "HMX-E/4.1 /content/role"},
		{`"text":"hi"`, `"text":7`, "HMX-E/4.1 /content/text"},
		{`"text":"hi"`, `"attachments":[{"type":"a","url":1}]`, "HMX-E/4.1 /content/attachments/0/url"},
	} {
		expect(t, KindEvent, with(c.old, c.new), c.want)
	}
	for _, c := range []struct{ kind, content, want string }{
		{"tool_call", `{"arguments":"ls"}`, "HMX-E/4.2 /content/arguments"},
		{"tool_call", `{"tool_name":1}`, "HMX-E/4.2 /content/tool_name"},
		{"tool_result", `{"success":"yes"}`, "HMX-E/4.3 /content/success"},
		{"tool_result", `{"duration_ms":-1}`, "HMX-E/4.3 /content/duration_ms"},
		{"tool_result", `{"result":[]}`, "HMX-E/4.3 /content/result"},
		{"decision", `{"confidence":2}`, "HMX-E/4.4 /content/confidence"},
		{"decision", `{"alternatives":[1]}`, "HMX-E/4.4 /content/alternatives/0"},
		{"error", `{"recoverable":null}`, "HMX-E/4.5 /content/recoverable"},
		{"feedback", `{"signal":"meh"}`, "HMX-E/4.6 /content/signal"},
	} {
		doc := strings.Replace(with(`{"role":"user","text":"hi"}`, c.content), `"message"`, `"`+c.kind+`"`, 1)
		expect(t, KindEvent, doc, c.want)
	}
}

// What the rules leave open is accepted.
func TestEventTolerance(t *testing.T) {
	for _, doc := range []string{
		with(`"text":"hi"`, `"text":"hi","vendor_field":{"deep":[1,null]}`), // unknown content
		with(`{"role":"user","text":"hi"}`, `{}`),
		with(`"sequence":0`, `"sequence":9223372036854775807`),
		with(`"sequence":0`, `"sequence":1.0`),
		with(`"sequence":0`, `"sequence":1e3`),
		with(``, `"salience":1`), with(``, `"salience":0`), with(``, `"salience":5e-324`),
		with(``, `"trace_id":""`), with(``, `"tags":[]`),
		with(`"e1"`, `"event \u0000 \ud83d\ude00"`),
		with(`"message"`, `"x-acme-custom_signal"`),
		with(`"message","agent_id"`, `"file_edit","agent_id"`),
		" \t\r\n" + base + "\r\n",
	} {
		warnings, err := Check(KindEvent, []byte(doc))
		if err != nil || warnings != nil {
			t.Errorf("%s: %v %v", doc, warnings, err)
		}
	}
	for doc, rule := range map[string]string{
		with(`"message"`, `"telepathy"`): "HMX-E/3 /event_type",
		with(`"message"`, `"x-acme"`):    "HMX-E/3 /event_type",
		with(`"HMX-1.0"`, `"HMX-2.0"`):   "HMX-E/6.1 /hmx_version",
	} {
		warnings, err := Check(KindEvent, []byte(doc))
		if err != nil || len(warnings) != 1 || !warnings[0].Warning || warnings[0].Rule+" "+warnings[0].Pointer != rule {
			t.Errorf("%s: want the warning %s, got %v %v", doc, rule, warnings, err)
		}
	}
}

// All problems are returned at once, in the order of the text.
func TestAllProblemsAtOnce(t *testing.T) {
	doc := `{"hmx_version":"1","event_id":"","event_type":"feedback","agent_id":"a","TENANT_ID":"x","tenant_id":"t","tenant_id":"u",` +
		`"timestamp":"now","sequence":-1,"content":{"signal":"meh","signal":1,"n":NaN,"s":"\ud800"},"metadata":{"m":1e999},"salience":7}`
	expect(t, KindEvent, doc,
		"HMX-E/2.1 /session_id",
		"HMX-E/6.1 /hmx_version", "HMX-E/6.2 /event_id", "HMX-E/5 /TENANT_ID", "HMX-JSON/duplicate-key /tenant_id",
		"HMX-E/6.3 /timestamp", "HMX-E/6.4 /sequence", "HMX-E/4.6 /content/signal", "HMX-JSON/duplicate-key /content/signal",
		"HMX-JSON/number /content/n", "HMX-JSON/surrogate /content/s", "HMX-JSON/number /metadata/m", "HMX-E/6.5 /salience")
}

func TestStrictJSON(t *testing.T) {
	for doc, want := range map[string]string{
		"":                                     "HMX-JSON/empty ",
		" \n":                                  "HMX-JSON/empty ",
		"null":                                 "HMX-E/2 ",
		"[]":                                   "HMX-E/2 ",
		`"event"`:                              "HMX-E/2 ",
		base + base:                            "HMX-JSON/trailing-data ",
		base + "x":                             "HMX-JSON/trailing-data ",
		"\xef\xbb\xbf" + base:                  "HMX-JSON/bom ",
		base[:len(base)-1]:                     "HMX-JSON/syntax ",
		"\x7fELF\x02\x01\x00":                  "HMX-JSON/syntax ",
		"{'hmx_version':1}":                    "HMX-JSON/syntax ",
		strings.Repeat("[", 65):                "HMX-JSON/depth " + strings.Repeat("/0", 64),
		with(`"hi"`, "\"\xff\""):               "HMX-JSON/utf8 /content/text",
		with(`"hi"`, `"\udc00\ud800"`):         "HMX-JSON/surrogate /content/text,HMX-JSON/surrogate /content/text",
		with(`"hi"`, `NaN`):                    "HMX-JSON/number /content/text",
		with(`"hi"`, `-Infinity`):              "HMX-JSON/number /content/text",
		with(``, `"embeddings":[1,NaN,1e400]`): "HMX-JSON/number /embeddings/1,HMX-JSON/number /embeddings/2",
		with(``, `"event\u005fid":"e2"`):       "HMX-JSON/duplicate-key /event_id",
		with(`"hi"`, `{"a":{"b":1,"b":2}}`):    "HMX-E/4.1 /content/text,HMX-JSON/duplicate-key /content/text/a/b",
	} {
		expect(t, KindEvent, doc, strings.Split(want, ",")...)
	}
}

// pad returns n bytes of filler.
func pad(n int) string { return strings.Repeat("x", n) }

// Each limit holds at its edge and breaks one beyond it.
func TestEventLimits(t *testing.T) {
	list := func(n int, item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	content := len(`{"t":""}`)
	for _, c := range []struct{ fits, breaks, want string }{
		{with(`{"role":"user","text":"hi"}`, `{"t":"`+pad(MaxEventContentBytes-content)+`"}`),
			with(`{"role":"user","text":"hi"}`, `{"t":"`+pad(MaxEventContentBytes-content+1)+`"}`), "HMX-E/11 /content"},
		{with(`"metadata":{}`, `"metadata":{"t":"`+pad(MaxEventMetadataBytes-content)+`"}`),
			with(`"metadata":{}`, `"metadata":{"t":"`+pad(MaxEventMetadataBytes-content+1)+`"}`), "HMX-E/11 /metadata"},
		{with(``, `"embeddings":`+list(MaxEmbeddings, "0.1")), with(``, `"embeddings":`+list(MaxEmbeddings+1, "0.1")), "HMX-E/11 /embeddings"},
		{with(``, `"tags":`+list(MaxTags, `"t"`)), with(``, `"tags":`+list(MaxTags+1, `"t"`)), "HMX-E/11 /tags"},
		{with(``, `"source":"`+pad(MaxEventBytes-len(with(``, `"source":""`)))+`"`),
			with(``, `"source":"`+pad(MaxEventBytes-len(with(``, `"source":""`))+1)+`"`), "HMX-E/11 "},
		{"\n" + with(``, `"source":"`+pad(MaxEventBytes-len(with(``, `"source":""`)))+`"`) + "  ", pad(MaxEventBytes + 1), "HMX-E/11 "},
	} {
		expect(t, KindEvent, c.fits)
		expect(t, KindEvent, c.breaks, c.want)
	}
}

// A long list of problems is cut, and says so.
func TestProblemsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, `"f%d":1,`, i)
	}
	_, err := Check(KindEvent, []byte(with(`"event_id"`, b.String()+`"event_id"`)))
	var invalid *InvalidError
	if !errors.As(err, &invalid) || len(invalid.Problems) > 300 || len(invalid.Problems)+invalid.Omitted != 5000 {
		t.Fatalf("got %d problems and %d omitted", len(invalid.Problems), invalid.Omitted)
	}
	if !strings.Contains(err.Error(), "and 4999 more") {
		t.Errorf("the error does not tell how many there are: %s", err)
	}
}

func TestErrorTextNamesFieldRuleAndFix(t *testing.T) {
	_, _, err := DecodeEvent([]byte(with(``, `"salience":2`)))
	want := "invalid HMX event: /salience: found the number 2; allowed: a number from 0 to 1 (HMX-E/6.5)"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestBigIntegersKeepTheirDigits(t *testing.T) {
	doc := strings.Replace(with(`"text":"hi"`, `"text":"hi","n":12345678901234567890`), `"sequence":0`, `"sequence":9007199254740993`, 1)
	e, _, err := DecodeEvent([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	if e.Sequence != 9007199254740993 {
		t.Errorf("sequence became %d", e.Sequence)
	}
	again, err := e.AppendJSON(nil)
	if err != nil || string(again) != doc {
		t.Errorf("written as %s, %v", again, err)
	}
}

// The quick decoder accepts plain events; otherwise it would silently be useless.
func TestTypicalEventsAreQuick(t *testing.T) {
	events := typicalEvents()
	for _, extra := range []string{
		`"embeddings":[0.1,-2e-5]`, `"salience":0.30000000000000004`, `"source":"tab\tand \ud83d\ude00"`, `"tags":["a\n","b"]`, `"ttl_seconds":3600`, `"salience":1`, `"provenance_ref":"é"`, `"parent_event_id":""`, `"tags":[]`,
	} {
		events = append(events, []byte(" "+with("", extra)+"\r\n"))
	}
	events = append(events, []byte(with(`"message"`, `"x-acme-custom_signal"`)), []byte(with(`"e1"`, `"\u0065"`)))
	for _, data := range events {
		d := borrow()
		if d.quickEvent(data) == nil {
			t.Errorf("not quick: %s", data)
		}
		quickAgrees(t, data)
		d.giveBack()
	}
}

// With one byte more, less or different at any place of an event with every field, the quick
// decoder never accepts what the general one refuses.
func TestQuickDecoderByteByByte(t *testing.T) {
	full := strings.TrimSuffix(base, "}") + `,"trace_id":"","correlation_id":"c","parent_event_id":"é","embeddings":[0.5,-1e-3],` +
		`"salience":0.5,"source":"x\n","provenance_ref":"r","tags":["a",""],"ttl_seconds":10}`
	quickAgrees(t, []byte(full))
	alphabet := []byte("\x00\x01\t\n\r \"#+,-./0123456789:;=@AEZ[\\]_aeuz{|}\x7f\x80\xc3\xff")
	for i := range len(full) {
		quickAgrees(t, []byte(full[:i]+full[i+1:]))
		for _, c := range alphabet {
			one := string([]byte{c})
			quickAgrees(t, []byte(full[:i]+one+full[i+1:]))
			quickAgrees(t, []byte(full[:i]+one+full[i:]))
		}
	}
	for _, salience := range []string{".", "-", "0.", "..", "1.", "2", "00", "0.0", "0..5", "1.0", "0.5e1", "+1", "0x1", "/", "0.123456789012345678901234567890123456789012"} {
		quickAgrees(t, []byte(with(``, `"salience":`+salience)))
	}
}

// Everything that is not plain is left to the general decoder, valid or not.
func TestQuickDecoderLeavesTheRest(t *testing.T) {
	for _, doc := range []string{
		"", "{}", "{", "[]", base + "x", base[:len(base)-1], "\xef\xbb\xbf" + base,
		with(`"HMX-1.0"`, `"HMX-2.0"`), with(`"message"`, `"telepathy"`), with(`"message"`, `"x-acme"`), with(`"message"`, `"messag\u0065"`),
		with(`"e1"`, `"\ud800"`), with(`"e1"`, `""`), with(`"event_id"`, `"event\u005fid"`), with(`"e1"`, "\"\xff\""), with(`"e1"`, "\"a\x01\""),
		with(`"sequence":0`, `"sequence":01`), with(`"sequence":0`, `"sequence":-0`), with(`"sequence":0`, `"sequence":1.0`), with(`"sequence":0`, `"sequence":1234567890123456789`),
		with(`"sequence":0`, `"sequence":0 0`), with(`"sequence":0`, `"sequence":`), with(``, `"salience":0.`), with(``, `"salience":.5`), with(``, `"salience":1.0`),
		with(``, `"salience":0.5.5`), with(``, `"salience":2`), with(``, `"salience":00.5`), with(``, `"salience":1e-3`),
		with(``, `"tags":[1]`), with(``, `"embeddings":[]`), with(``, `"event_id":"e2"`), with(``, `"colour":1`), with(`"metadata":{}`, `"metadata":[]`),
		with(`"role":"user"`, `"role":"pirate"`), with(`"role":"user"`, `"role":"user","role":"user"`), with(`"metadata":{}`, `"metadata":{},`), with(`"metadata":{}`, `"metadata":{"a":NaN}`),
		with(`,"metadata":{}`, ``),
	} {
		d := borrow()
		if e := d.quickEvent([]byte(doc)); e != nil {
			t.Errorf("taken for plain: %s", doc)
		}
		d.giveBack()
	}
}

func TestDecodeAllocations(t *testing.T) {
	for _, data := range typicalEvents() {
		if n := testing.AllocsPerRun(100, func() {
			if _, _, err := DecodeEvent(data); err != nil {
				t.Fatal(err)
			}
		}); n > 12 {
			t.Errorf("%v allocations for %s", n, data)
		}
	}
}

// The event does not refer to the caller's buffer.
func TestDecodedEventOwnsItsMemory(t *testing.T) {
	data := []byte(base)
	e, _, err := DecodeEvent(data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] = '!'
	}
	if again, err := e.AppendJSON(nil); err != nil || string(again) != base {
		t.Errorf("%s %v", again, err)
	}
}

// An event holds only its parts of the input text, whichever decoder read it.
func TestEventsHoldOnlyTheirParts(t *testing.T) {
	padded := strings.Replace(base, `,"event_id"`, strings.Repeat(" ", 1<<19)+`,"event_id"`, 1)
	odd := strings.Replace(padded, `"message"`, `"telepathy"`, 1) // not for the quick decoder
	for _, doc := range []string{padded, odd} {
		const n = 64
		held := make([]*Event, n)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		size := 0
		for i := range held {
			e, _, err := DecodeEvent([]byte(doc))
			if err != nil {
				t.Fatal(err)
			}
			held[i] = e
			size += e.Size()
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int(after.HeapAlloc) - int(before.HeapAlloc); grown > 4*size+(1<<20) {
			t.Errorf("%d events of %d bytes by their own account hold %d", n, size, grown)
		}
		runtime.KeepAlive(held)
	}
}

func TestConcurrentDecoding(t *testing.T) {
	events := typicalEvents()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				data := events[(g+i)%len(events)]
				e, _, err := DecodeEvent(data)
				if err != nil {
					t.Error(err)
					return
				}
				if again, _ := e.AppendJSON(nil); !bytes.Equal(again, data) {
					t.Errorf("got %s\nwant %s", again, data)
				}
				if _, err := Check(KindEvent, []byte(with(``, `"salience":2`))); err == nil {
					t.Error("a bad event passed")
				}
			}
		})
	}
	wg.Wait()
}

func TestDetect(t *testing.T) {
	for doc, want := range map[string]Kind{
		base: KindEvent, `{"artifact_id":1}`: KindArtifact, `{"pack_id":null}`: KindPack,
		`{}`: "", `{"event_id":1,"pack_id":2}`: "", `[{"event_id":1}]`: "", `{"event_id":`: "", ``: "", `{"Event_id":1}`: "",
	} {
		if got, ok := Detect([]byte(doc)); got != want || ok != (want != "") {
			t.Errorf("Detect(%s) = %q, %v", doc, got, ok)
		}
	}
}

// Real sessions of real agents are valid.
func TestRealEvents(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("..", "..", "shared", "data", "*", "*.ndjson"))
	if len(files) == 0 {
		t.Skip("no data folder beside the checkout")
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
			e, warnings, err := DecodeEvent(line)
			if err != nil || warnings != nil {
				t.Fatalf("%s:%d: %v %v", filepath.Base(f), i+1, warnings, err)
			}
			if again, err := e.AppendJSON(nil); err != nil || !sameJSON(line, again) {
				t.Fatalf("%s:%d: encoding lost something: %v", filepath.Base(f), i+1, err)
			}
		}
	}
}
