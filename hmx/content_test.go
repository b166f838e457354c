package hmx

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"lukasa.dev/internal/canon"
)

// eventViews has one value of every event content type.
func eventViews() []EventContent {
	return []EventContent{
		Message{}, ToolCall{}, ToolResult{}, FileEdit{}, TestRun{}, CommandExec{}, BrowserAction{}, APIResult{},
		Decision{}, Failure{}, Observation{}, StateChange{}, Feedback{},
	}
}

func artifactViews() []ArtifactContent {
	return []ArtifactContent{TaskSchema{}, FailurePlaybook{}, DecisionPolicy{}, CausalPattern{}, StrategyTemplate{}}
}

func TestEveryTypeHasAView(t *testing.T) {
	for i, v := range eventViews() {
		if v.eventType() != EventTypes()[i] {
			t.Errorf("%T is for %s, want %s", v, v.eventType(), EventTypes()[i])
		}
	}
	for i, v := range artifactViews() {
		if v.artifactType() != ArtifactTypes()[i] {
			t.Errorf("%T is for %s, want %s", v, v.artifactType(), ArtifactTypes()[i])
		}
	}
	if len(eventViews()) != len(EventTypes()) || len(artifactViews()) != len(ArtifactTypes()) {
		t.Error("a type without a view")
	}
}

// fill sets every field of v, recursively, to a non-zero valid value.
func fill(v reflect.Value, name string) {
	if isOpt(v.Type()) {
		fill(v.FieldByName("Value"), name)
		v.FieldByName("Set").SetBool(true)
		return
	}
	switch v.Type() {
	case reflect.TypeFor[Raw]():
		v.SetString(`{"raw":[1,"` + name + `"]}`)
		return
	case reflect.TypeFor[Extra]():
		v.Set(reflect.ValueOf(Extra{"x_unknown": `{"n":12345678901234567890}`, "y": `null`}))
		return
	}
	switch v.Kind() {
	case reflect.String:
		known := map[string]string{
			"role": "assistant", "signal": "negative", "estimated_complexity": "high", "severity": "critical", "direction": "bidirectional",
		}
		if s, ok := known[name]; ok {
			v.SetString(s)
			return
		}
		v.SetString("some " + name + " \"\\\n\u2028😀")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(0.25)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), name)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			fill(v.Field(i), tag)
		}
	default:
		panic("fill: " + v.Type().String())
	}
}

// Each filled view is valid content, comes back equal, and is empty for empty content.
func TestViewsRoundTrip(t *testing.T) {
	for _, zero := range eventViews() {
		v := reflect.New(reflect.TypeOf(zero)).Elem()
		fill(v, "")
		e, _, err := DecodeEvent([]byte(base))
		if err != nil {
			t.Fatal(err)
		}
		if err := e.SetContent(v.Interface().(EventContent)); err != nil {
			t.Fatalf("%T: %v", zero, err)
		}
		if warnings, err := e.Validate(); err != nil || warnings != nil {
			t.Errorf("%T: %v %v", zero, warnings, err)
		}
		got := reflect.ValueOf(e).MethodByName(reflect.TypeOf(zero).Name()).Call(nil)
		if !got[1].Bool() {
			t.Errorf("%T: the accessor refuses its own content", zero)
		}
		if diff := cmp.Diff(v.Interface(), got[0].Interface()); diff != "" {
			t.Errorf("%T changed (-want +got)\n%s", zero, diff)
		}
		e.EventType = "x-other-type"
		if got := reflect.ValueOf(e).MethodByName(reflect.TypeOf(zero).Name()).Call(nil); got[1].Bool() {
			t.Errorf("%T: the accessor reads another type", zero)
		}
	}
	for _, zero := range artifactViews() {
		v := reflect.New(reflect.TypeOf(zero)).Elem()
		fill(v, "")
		a, _, err := DecodeArtifact([]byte(artifactBase))
		if err != nil {
			t.Fatal(err)
		}
		if err := a.SetContent(v.Interface().(ArtifactContent)); err != nil {
			t.Fatalf("%T: %v", zero, err)
		}
		if warnings, err := a.Validate(); err != nil || warnings != nil {
			t.Errorf("%T: %v %v", zero, warnings, err)
		}
		got := reflect.ValueOf(a).MethodByName(reflect.TypeOf(zero).Name()).Call(nil)
		if diff := cmp.Diff(v.Interface(), got[0].Interface()); diff != "" || !got[1].Bool() {
			t.Errorf("%T changed (-want +got)\n%s", zero, diff)
		}
	}
}

// A view keeps what it does not know: unknown members, and members with a value of another
// kind.
func TestViewsKeepTheUnknown(t *testing.T) {
	content := `{"command":["ls","-l"],"cwd":"/tmp","exit_code":"zero","CWD":"other","vendor":{"deep":[1e2,null]}}`
	e, _, err := DecodeEvent([]byte(strings.Replace(with(`{"role":"user","text":"hi"}`, content), `"message"`, `"command_exec"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	c, ok := e.CommandExec()
	if !ok || c.Cwd != "/tmp" || c.Command != "" || c.ExitCode.Set {
		t.Fatalf("%+v", c)
	}
	if c.Extra["command"] != `["ls","-l"]` || c.Extra["exit_code"] != `"zero"` || c.Extra["CWD"] != `"other"` {
		t.Errorf("Extra = %v", c.Extra)
	}
	if err := e.SetContent(c); err != nil {
		t.Fatal(err)
	}
	if !sameJSON([]byte(e.Content), []byte(content)) {
		t.Errorf("came back as %s", e.Content)
	}
	// A typed field that is set replaces the member of the same name in Extra.
	c.Command = "ls"
	if err := e.SetContent(c); err != nil || strings.Count(string(e.Content), `"command"`) != 1 {
		t.Errorf("%s %v", e.Content, err)
	}
}

// Reading a view and writing it back gives the same content, for any content.
func TestViewsLoseNothing(t *testing.T) {
	for i, zero := range eventViews() {
		rapid.Check(t, func(t *rapid.T) {
			names := []string{"x", "Text"}
			for f := range reflect.TypeOf(zero).NumField() {
				name, _, _ := strings.Cut(reflect.TypeOf(zero).Field(f).Tag.Get("json"), ",")
				names = append(names, name)
			}
			var members []string
			for _, n := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 6, rapid.ID[string]).Draw(t, "names") {
				value := rapid.SampledFrom([]string{`""`, `"s"`, `0`, `false`, `true`, `null`, `[]`, `{}`, `[""]`, `[{}]`, `0.0`, `[{"type":"","y":null}]`}).Draw(t, "value")
				members = append(members, string(canon.AppendQuoted(nil, n))+":"+value)
			}
			content := "{" + strings.Join(members, ",") + "}"
			e := &Event{EventType: EventTypes()[i], Content: Raw(content)}
			got := reflect.ValueOf(e).MethodByName(reflect.TypeOf(zero).Name()).Call(nil)
			if err := e.SetContent(got[0].Interface().(EventContent)); err != nil {
				t.Fatal(err)
			}
			if !sameJSON([]byte(content), []byte(e.Content)) {
				t.Fatalf("%s became %s", content, e.Content)
			}
		})
	}
}

// Every type with Extra and exact names implements the interfaces of encoding/json.
func TestViewsSpeakForThemselves(t *testing.T) {
	text := []byte(`{"role":"user","ROLE":"system","n":12345678901234567890,"attachments":[{"url":"u","z":1}]}`)
	var m Message
	if err := json.Unmarshal(text, &m); err != nil || m.Role != "user" || len(m.Extra) != 2 {
		t.Fatalf("%+v %v", m, err)
	}
	for _, v := range []any{m, &m} {
		if again, err := json.Marshal(v); err != nil || !sameJSON(again, text) {
			t.Errorf("%s %v", again, err)
		}
	}
	scope := []byte(`{"tags":["a"],"time_range":{"start":"2026-01-01T00:00:00Z"},"more":{}}`)
	var v ValidityScope
	if err := json.Unmarshal(scope, &v); err != nil || !v.TimeRange.Set || !v.TimeRange.Value.Start.Set {
		t.Fatalf("%+v %v", v, err)
	}
	if again, err := json.Marshal(v); err != nil || !sameJSON(again, scope) {
		t.Errorf("%s %v", again, err)
	}
	pack, _, err := DecodePack(example(t, "pack"))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(*pack); err != nil || !sameJSON(again, example(t, "pack")) {
		t.Errorf("%s %v", again, err)
	}
	if err := json.Unmarshal([]byte(`{"role":"a","role":"b"}`), &m); err == nil {
		t.Error("a doubled name was read")
	}
	var o Opt[int64]
	if err := json.Unmarshal([]byte(`7`), &o); err != nil || o != Some(int64(7)) {
		t.Errorf("%+v %v", o, err)
	}
	var at Time
	if err := json.Unmarshal([]byte(`"2026-01-01T00:00:00+01:00"`), &at); err != nil || at.String() != "2026-01-01T00:00:00+01:00" {
		t.Errorf("%v %v", at, err)
	}
	if err := json.Unmarshal([]byte(`"soon"`), &at); err == nil {
		t.Error("soon was read as a time")
	}
}

// Names match exactly: encoding/json would let ROLE override role.
func TestViewsAreCaseSensitive(t *testing.T) {
	e, _, err := DecodeEvent([]byte(with(`"text":"hi"`, `"text":"hi","TEXT":"evil","Role":"system"`)))
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := e.Message(); !ok || m.Text != "hi" || m.Role != "user" || len(m.Extra) != 2 {
		t.Errorf("%+v", m)
	}
}

func TestContentMadeInGoMayBeWrong(t *testing.T) {
	for _, raw := range []Raw{`[]`, `{"a":`, `{"a":1,"a":2}`, "\xff"} {
		e := &Event{EventType: TypeMessage, Content: raw}
		if _, ok := e.Message(); ok {
			t.Errorf("%q was read as a message", raw)
		}
		if _, err := e.Validate(); err == nil {
			t.Errorf("%q is valid", raw)
		}
	}
}

// A value of the wrong kind survives even if the field itself must be written.
func TestWrongKindsSurvive(t *testing.T) {
	for _, text := range []string{`{"origin":5,"confidence":"x","evidence_count":2}`, `{"origin":"o","confidence":0,"evidence_count":0}`} {
		var p Provenance
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		if again, err := json.Marshal(p); err != nil || !sameJSON(again, []byte(text)) {
			t.Errorf("%s became %s, %v", text, again, err)
		}
	}
	var q QueryClassification
	text := []byte(`{"intent":"","keywords":[],"entities":[],"time_ref":3}`)
	if err := json.Unmarshal(text, &q); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(q); err != nil || !sameJSON(again, text) {
		t.Errorf("%s became %s, %v", text, again, err)
	}
}
