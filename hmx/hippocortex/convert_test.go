package hippocortex

import (
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/hmx/internal/shape"
)

func TestForms(t *testing.T) {
	for _, f := range Forms() {
		got, err := ParseForm(string(f))
		if err != nil || got != f {
			t.Errorf("%s: %v", f, err)
		}
		if f.Counterpart().Counterpart() != f || f.Older() == f.Counterpart().Older() || f.Kind() != f.Counterpart().Kind() {
			t.Errorf("%s and %s are not counterparts", f, f.Counterpart())
		}
	}
	none := Form("fingerprint")
	if none.Kind() != "" || none.Older() || none.Counterpart() != "" {
		t.Error("a form that is none has properties")
	}
	if _, err := ParseForm("Event"); err == nil || !strings.Contains(err.Error(), "context-pack") {
		t.Errorf("%v", err)
	}
}

func TestConvertOnlyBetweenCounterparts(t *testing.T) {
	for _, tc := range []struct{ from, to, want string }{
		{"event", "context-pack", "allowed are event and episode-trace"},
		{"context-pack", "", "allowed are pack and context-pack"},
		{"trace", "event", `unknown form "trace"`},
	} {
		if _, _, err := Convert(Form(tc.from), Form(tc.to), []byte(`{}`), nil); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s to %s: %v", tc.from, tc.to, err)
		}
	}
	compact, _, err := Convert(FormEvent, FormEvent, []byte(" "+strings.ReplaceAll(eventDocument, ",", " ,\n")), nil)
	if err != nil || string(compact) != eventDocument {
		t.Errorf("%s, %v", compact, err)
	}
	if _, _, err := Convert(FormEvent, FormEpisodeTrace, []byte(`{}`), nil); !errors.As(err, new(*hmx.InvalidError)) {
		t.Errorf("%v", err)
	}
}

const eventDocument = `{"hmx_version":"HMX-1.0","event_id":"e","event_type":"error","agent_id":"a","tenant_id":"t","session_id":"s",` +
	`"timestamp":"2026-03-14T03:00:00.000Z","sequence":0,"content":{},"metadata":{}}`

func TestDetectForm(t *testing.T) {
	for _, tc := range []struct {
		data string
		want Form
	}{
		{eventDocument, FormEvent},
		{`{"event_id":"e","id":"e"}`, FormEvent},
		{`{"artifact_id":"a"}`, FormArtifact},
		{`{"pack_id":"p"}`, FormPack},
		{bareTrace, FormEpisodeTrace},
		{bareArtifact, FormCompiledArtifact},
		{barePack, FormContextPack},
		{`{"id":"a","type":"x-a-b","title":"t","event_id":"e","eventType":"x","queryContext":""}`, FormCompiledArtifact},
		{`{"eventType":"message"}`, FormEpisodeTrace},
		{`{"id":1}`, ""},
		{`{"event_id":1,"pack_id":2}`, ""},
		{`[]`, ""},
		{`{"id"`, ""},
		{``, ""},
	} {
		if got, ok := DetectForm([]byte(tc.data)); got != tc.want || ok != (tc.want != "") {
			t.Errorf("%s: %q, %v; want %q", tc.data, got, ok, tc.want)
		}
	}
}

// The envelope adds to the nesting of its content. If that is too deep, the document is
// refused, not cut.
func TestTooDeepForTheEnvelope(t *testing.T) {
	nested := func(n int) string {
		return strings.Replace(eventDocument, `"metadata":{}`, `"metadata":{"hmx":`+strings.Repeat("[", n)+strings.Repeat("]", n)+"}", 1)
	}
	roundTrip(t, FormEvent, []byte(nested(59)))
	if _, err := hmx.Check(hmx.KindEvent, []byte(nested(62))); err != nil {
		t.Fatal(err)
	}
	for n := 60; n <= 62; n++ {
		out, _, err := Convert(FormEvent, FormEpisodeTrace, []byte(nested(n)), nil)
		if got := problemsOf(t, err); out != nil || len(got) != 1 || !strings.HasPrefix(got[0], "/metadata/hmx/shadowed/metadata/hmx/0") || !strings.HasSuffix(got[0], " HMX-E/10") {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// The largest event survives the conversion to a trace and back.
func TestLargestEvent(t *testing.T) {
	fill := func(n int) string { return strings.Repeat("x", n) }
	e := &hmx.Event{
		HMXVersion: hmx.Version, EventID: "e", EventType: hmx.TypeObservation, AgentID: "a", TenantID: "t", SessionID: "s",
		Content:  hmx.Raw(`{"text":"` + fill(hmx.MaxEventContentBytes-11) + `"}`),
		Metadata: hmx.Raw(`{"hmx":"` + fill(1000) + `","agent_id":"` + fill(1000) + `"}`),
		Tags:     []string{},
	}
	e.Timestamp, _ = hmx.ParseTime("2026-03-14T03:00:00Z")
	data, err := e.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	e.Source = hmx.Some(fill(hmx.MaxEventBytes - len(data) - len(`"source":"",`)))
	if data, err = e.AppendJSON(nil); err != nil || len(data) != hmx.MaxEventBytes {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	roundTrip(t, FormEvent, data)
}

func TestInvalidValuesAreNotWritten(t *testing.T) {
	if _, err := EncodeEpisodeTrace(&hmx.Event{}); !errors.As(err, new(*hmx.InvalidError)) {
		t.Errorf("%v", err)
	}
	if _, err := EncodeCompiledArtifact(&hmx.Artifact{Title: "\xff"}); err == nil {
		t.Error("written although it is not UTF-8")
	}
	if _, err := EncodeContextPack(&hmx.Pack{}); !errors.As(err, new(*hmx.InvalidError)) {
		t.Errorf("%v", err)
	}
	opts := generous()
	opts.Defaults.Provenance.Value.Confidence = math.NaN()
	if _, _, err := DecodeContextPack([]byte(barePack), opts); err == nil || !strings.Contains(err.Error(), "Defaults.Provenance") {
		t.Errorf("%v", err)
	}
	opts = generous()
	opts.Defaults.AgentID = "\xff"
	if _, _, err := DecodeCompiledArtifact([]byte(bareArtifact), opts); err == nil {
		t.Error("read although the agent is not UTF-8")
	}
}

// A document full of problems is answered in time, with a limited list of them.
func TestHostileDocuments(t *testing.T) {
	var many strings.Builder
	for i := range 60_000 {
		many.WriteString(`,"n` + strconv.Itoa(i) + `":0`)
	}
	for name, tc := range map[string]struct {
		form Form
		data string
	}{
		"names":   {FormEpisodeTrace, `{"id":1` + many.String() + `}`},
		"entries": {FormContextPack, `{"id":"p","entries":[{}` + strings.Repeat(",{}", 60_000) + `]}`},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Convert(tc.form, tc.form.Counterpart(), []byte(tc.data), nil)
			var invalid *hmx.InvalidError
			if !errors.As(err, &invalid) || len(invalid.Problems) > shape.MaxProblems+1 {
				t.Errorf("%d problems", len(invalid.Problems))
			}
		})
	}
}

// docs/formats/hippocortex.md says where every field is, and its examples equal the output.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/formats/hippocortex.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mappings() {
		for _, r := range m.rows {
			at := strings.ReplaceAll(strings.TrimPrefix(r.in.pointer(), "/"), "/", ".")
			switch {
			case r.name != "" && at != "":
				at = "`" + at + "." + r.name + "`"
			case r.name != "":
				at = "`" + r.name + "`"
			case at == "":
				at = "the top level"
			default:
				at = "members of `" + at + "`"
			}
			if line := "| `" + r.field + "` | " + at + " |"; !strings.Contains(string(page), line) {
				t.Errorf("%s: no line %s", m.form, line)
			}
		}
		if !strings.Contains(string(page), m.rule) || !strings.Contains(string(page), string(m.form)) {
			t.Errorf("%s and %s are not mentioned", m.rule, m.form)
		}
	}
	for _, name := range []string{"event-tool-call.json", "artifact-decision-policy.json", "pack-deploy.json", "event-shadowed.json"} {
		golden, err := os.ReadFile("testdata/golden/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), string(golden)) {
			t.Errorf("the example from %s is not what comes out", name)
		}
	}
}
