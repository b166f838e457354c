package fingerprint

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"iter"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/policy"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace"
)

var update = flag.Bool("update", false, "rewrite the golden file")

func must(t testing.TB, in Input) *Fingerprint {
	t.Helper()
	f, err := Make(in)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func encodedOf(t testing.TB, f *Fingerprint) []byte {
	t.Helper()
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if len(data) >= MaxBytes {
		t.Fatalf("it has %d bytes", len(data))
	}
	return data
}

func artifactOf(t testing.TB, id string, content hmx.ArtifactContent, err error) *hmx.Artifact {
	t.Helper()
	a := &hmx.Artifact{ArtifactID: id, Title: "Refund what Marlowe bought", Summary: "Marlowe", Version: 1, Confidence: 0.75, ObservedCount: hmx.Some[int64](7)}
	if err == nil {
		err = a.SetContent(content)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// shop is the input of a shop's agent. Marlowe is a word in its events.
func shop(t testing.TB) Input {
	t.Helper()
	after, err := (&policy.After{Tool: "look", Chosen: []policy.Chosen{{Tool: "refund", Count: 4, Judged: 2, Succeeded: 2}}}).Content()
	recovery := policy.Recovery{Tool: "refund", Error: "Marlowe has no <id>", Next: []policy.Chosen{{Tool: "look", Count: 3}}}
	extra, errExtra := recovery.Members()
	rated := artifactOf(t, "a-policy", after, err)
	rated.SuccessRate = hmx.Some(0.66666)
	var traces []*trace.Trace
	for i := range 6 {
		task := trace.Task{
			Goal: "refund the parcel of Marlowe", Words: []string{"parcel", "refund"}, Outcome: trace.Succeeded,
			Steps: []trace.Step{{Tool: "look", State: trace.OK, Times: 1, Shape: "id=<id>", Said: []string{"marlowe"}}, {Tool: "refund", State: trace.Broken, Error: "Marlowe has no <id>", Times: 1}, {Tool: "refund", State: trace.OK, Times: 2}},
		}
		if i == 0 {
			task.Words = []string{"marlowe", "parcel", "refund"}
			task.Outcome = trace.Failed
			task.Steps = append(task.Steps, trace.Step{Tool: "ask Marlowe about it", State: trace.OK, Times: 1})
		}
		traces = append(traces, &trace.Trace{Session: fmt.Sprint("s", i), Agent: "marlowe-bot", Events: 9, Tasks: []trace.Task{task}})
	}
	return Input{
		Tenant: "marlowe-inc", Agent: "marlowe-bot", Root: strings.Repeat("ab", 32), Size: 54,
		Artifacts: []*hmx.Artifact{
			rated,
			artifactOf(t, "a-playbook", hmx.FailurePlaybook{FailurePattern: "Marlowe", Symptoms: []string{"Marlowe"}, Extra: extra}, errExtra),
			artifactOf(t, "a-schema", hmx.TaskSchema{Steps: []hmx.TaskStep{{Description: "ask Marlowe", ToolsUsed: []string{"look"}}, {ToolsUsed: []string{"tell Marlowe"}}}}, nil),
			artifactOf(t, "0192 of Marlowe", hmx.CausalPattern{Cause: "Marlowe", Effect: "Marlowe"}, nil),
		},
		Traces:   slices.Values(traces),
		Entities: []Kind{{"person", 3}, {"tool", 2}, {"Marlowe himself", 1}},
		Links:    []Link{{"Marlowe", "parcel 7", 3}, {"parcel 7", "Marlowe", 2}, {"Marlowe", "Marlowe", 9}},
		Uses: Usage{
			Sections: []Use{{"facts", 10, 8}, {"marlowe", 1, 1}}, Sources: []Use{{"memory", 10, 7}},
			Tags: []Use{{"billing", 4, 3}, {"about Marlowe", 4, 4}}, Things: []Use{{"a-schema", 4, 4}, {"thing of Marlowe", 1, 1}},
		},
	}
}

func TestMake(t *testing.T) {
	data := encodedOf(t, must(t, shop(t)))
	const golden = "testdata/shop.json"
	if *update {
		if err := os.WriteFile(golden, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(data)); d != "" {
		t.Error(d)
	}
}

// Words said in few sessions do not occur in a fingerprint, wherever they are.
func TestNoText(t *testing.T) {
	data := encodedOf(t, must(t, shop(t)))
	if bytes.Contains(bytes.ToLower(data), []byte("marlowe")) {
		t.Errorf("%s", data)
	}
	if !bytes.Contains(data, []byte("parcel")) {
		t.Error("a common word is missing")
	}
}

// Canary words in every text of an input do not occur in the output.
func TestCanaries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		canary := rapid.StringMatching(`[a-z]{6,12}`).Draw(t, "canary")
		said := func(label string) string {
			return rapid.SampledFrom([]string{"%s is here", "the %s", "x %s\n", "\"%s", "%s'", "é%s", "<%s>", "never %s again", "%s@b.c", "$%s"}).Draw(t, label)
		}
		text := func(label string) string { return fmt.Sprintf(said(label), canary) }
		extra := hmx.Extra{"note": hmx.Raw(`"` + canary + `"`)}
		a := &hmx.Artifact{ArtifactID: text("id"), Title: text("title"), Summary: canary, Tags: []string{canary}, AgentID: hmx.Some(canary), ContentHash: canary, SourceEvents: []string{canary}}
		if err := a.SetContent(hmx.TaskSchema{Preconditions: []string{canary}, Steps: []hmx.TaskStep{{Description: canary, ToolsUsed: []string{text("used")}}}, Extra: extra}); err != nil {
			t.Fatal(err)
		}
		a.ContentHash = canary
		task := trace.Task{Goal: canary, Words: []string{canary}, Said: []string{canary}, Steps: []trace.Step{
			{Tool: text("tool"), Shape: canary, State: trace.Broken, Error: canary, Said: []string{canary}, Times: 1, Args: []trace.Arg{{Name: canary, Tool: canary}}}, {Tool: "look", Error: canary, State: trace.Broken},
		}, Choices: []trace.Choice{{Question: canary, Chosen: canary, Reason: canary, Others: []string{canary}}}}
		traces := slices.Repeat([]*trace.Trace{{Session: canary, Agent: canary, Tasks: []trace.Task{task}}}, MinWordSessions-1)
		for part := range MinWordSessions { // of the last session: it counts as one
			traces = append(traces, &trace.Trace{Session: canary, Part: part + 1, Agent: canary, Tasks: []trace.Task{task}})
		}
		f, err := Make(Input{
			Tenant: canary, Agent: canary, Root: canary, Artifacts: []*hmx.Artifact{a}, Traces: slices.Values(traces),
			Entities: []Kind{{text("kind"), 3}}, Links: []Link{{canary, text("b"), 3}},
			Uses: Usage{Sections: []Use{{canary, 1, 1}}, Sources: []Use{{canary, 1, 1}}, Tags: []Use{{text("tag"), 1, 1}}, Things: []Use{{text("thing"), 1, 1}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		data, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.ToLower(string(data)), canary) && !strings.Contains(string(frame), canary) {
			t.Fatalf("%q is in %s", canary, data)
		}
	})
}

// frame is an empty fingerprint: the words of the format itself, and those of a tool called
// look.
var frame = []byte(`artifacts behaviour errors count mended signature tool follows from judged succeeded tasks tools broke name taken went graph kinds pairs words hash lukasa_fingerprint origins events size root priors sections things sources shown text sessions confidence content_hash observed success_rate title type version task_schema artifact look`)

// The maximum size holds with all lists full, and all names and counts as long as allowed.
func TestFull(t *testing.T) {
	long := func(i, most int) string { s := fmt.Sprintf("x%d", i); return s + strings.Repeat("n", most-len(s)) }
	hash := func(i, digits int) string { return fmt.Sprintf("%0*x", digits, i) }
	f := &Fingerprint{Format: Format, Behaviour: Behaviour{Tasks: maxCount, Judged: maxCount, Succeeded: maxCount}}
	fill := func(n int, add func(i int)) {
		for i := range n {
			add(i)
		}
	}
	fill(MaxOrigins, func(i int) {
		f.Origins = append(f.Origins, Origin{hash(i, 32), hash(i, 64), 1 << 53, 1 << 53})
	})
	fill(MaxArtifacts, func(i int) {
		f.Artifacts = append(f.Artifacts, Artifact{long(i, maxID), "x-" + strings.Repeat("v", 18) + "-" + strings.Repeat("t", 19), 1 << 53, hash(i, 64), long(i, 46) + " > " + long(i, 47), 0.1234, maxCount, 0.1234})
	})
	fill(MaxTools, func(i int) {
		f.Behaviour.Tools = append(f.Behaviour.Tools, Tool{long(i, maxName), maxCount, maxCount, maxCount, maxCount, maxCount})
	})
	fill(MaxFollows, func(i int) {
		f.Behaviour.Follows = append(f.Behaviour.Follows, Follow{long(i, maxName), long(i, maxName), maxCount})
	})
	fill(MaxErrors, func(i int) {
		f.Behaviour.Errors = append(f.Behaviour.Errors, Error{hash(i, 32), long(i, maxName), maxCount, maxCount})
	})
	fill(MaxKinds, func(i int) { f.Graph.Kinds = append(f.Graph.Kinds, Kind{long(i, maxName), maxCount}) })
	fill(MaxPairs, func(i int) {
		f.Graph.Pairs = append(f.Graph.Pairs, Pair{hash(i, 32), hash(i+MaxPairs, 32), maxCount})
	})
	fill(MaxWords, func(i int) {
		f.Words = append(f.Words, Word{strings.Repeat("é", 11) + string(rune('a'+i/26)) + string(rune('a'+i%26)), maxCount, maxCount})
	})
	for _, s := range hmx.Sections() {
		f.Uses.Sections = append(f.Uses.Sections, Use{string(s), maxCount, maxCount})
	}
	for _, s := range hmx.SourceTypes() {
		f.Uses.Sources = append(f.Uses.Sources, Use{string(s), maxCount, maxCount})
	}
	fill(MaxTags, func(i int) { f.Uses.Tags = append(f.Uses.Tags, Use{long(i, maxName), maxCount, maxCount}) })
	fill(MaxThings, func(i int) { f.Uses.Things = append(f.Uses.Things, Use{long(i, maxID), maxCount, maxCount}) })
	f, err := Merge(f, f)
	if err != nil {
		t.Fatal(err)
	}
	data := encodedOf(t, f)
	if len(f.Artifacts) != MaxArtifacts || len(f.Words) != MaxWords || len(f.Uses.Things) != MaxThings {
		t.Errorf("%d artifacts, %d words, %d things", len(f.Artifacts), len(f.Words), len(f.Uses.Things))
	}
	t.Logf("%d bytes", len(data))
	if _, err := Decode(data); err != nil {
		t.Error(err)
	}
}

// hostile is an input of any size.
func hostile(t *rapid.T) Input {
	word := rapid.SampledFrom([]string{"a", "look", "refund", "Ship It", "naïve", "\x00\xff", strings.Repeat("x", 500), "öäü", "<b>", "a/b.c", "parcel", "money", "order"})
	num := rapid.SampledFrom([]int64{-5, 0, 1, 2, 3, 7, 100, 1 << 31, math.MaxInt64})
	use := func(name *rapid.Generator[string]) *rapid.Generator[Use] {
		return rapid.Custom(func(t *rapid.T) Use { return Use{name.Draw(t, "name"), num.Draw(t, "shown"), num.Draw(t, "used")} })
	}
	sections := rapid.SampledFrom([]string{"facts", "core", "episodes", "nowhere"})
	step := rapid.Custom(func(t *rapid.T) trace.Step {
		return trace.Step{Tool: word.Draw(t, "tool"), Error: word.Draw(t, "error"), State: trace.State(rapid.IntRange(0, 2).Draw(t, "state")), Times: uint32(rapid.SampledFrom([]int64{0, 1, 5, math.MaxUint32}).Draw(t, "times"))}
	})
	task := rapid.Custom(func(t *rapid.T) trace.Task {
		words := rapid.SliceOfNDistinct(word, 0, 4, rapid.ID[string]).Draw(t, "words")
		return trace.Task{Words: words, Outcome: trace.Outcome(rapid.IntRange(0, 2).Draw(t, "outcome")), Steps: rapid.SliceOfN(step, 0, 8).Draw(t, "steps")}
	})
	one := rapid.Custom(func(t *rapid.T) *trace.Trace {
		return &trace.Trace{Events: rapid.IntRange(0, 9).Draw(t, "events"), Tasks: rapid.SliceOfN(task, 0, 4).Draw(t, "tasks")}
	})
	artifact := rapid.Custom(func(t *rapid.T) *hmx.Artifact {
		a := &hmx.Artifact{ArtifactID: word.Draw(t, "id"), Version: num.Draw(t, "version"), Confidence: rapid.SampledFrom([]float64{0, 0.123456, 1, -3, 7, math.NaN(), math.Inf(1)}).Draw(t, "confidence"), ContentHash: word.Draw(t, "hash")}
		a.ArtifactType = rapid.SampledFrom([]hmx.ArtifactType{hmx.TypeTaskSchema, hmx.TypeDecisionPolicy, "x-a-b", "odd", hmx.ArtifactType("x-a-" + strings.Repeat("b", 99))}).Draw(t, "type")
		a.Content = hmx.Raw(rapid.SampledFrom([]string{"", "{", `{"steps":[{"tools_used":["look","refund"]},{"tools_used":["Ship It"]}]}`, `{"basis":"after"}`}).Draw(t, "content"))
		if rapid.Bool().Draw(t, "rated") {
			a.SuccessRate, a.ObservedCount = hmx.Some(0.5), hmx.Some(num.Draw(t, "observed"))
		}
		return a
	})
	many := rapid.IntRange(0, 3).Draw(t, "many")
	in := Input{
		Tenant: word.Draw(t, "tenant"), Agent: word.Draw(t, "agent"), Root: word.Draw(t, "root"), Size: num.Draw(t, "size"),
		Traces: slices.Values(rapid.SliceOfN(one, 0, 8).Draw(t, "traces")), Artifacts: rapid.SliceOfN(artifact, 0, 8).Draw(t, "artifacts"),
		Entities: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Kind { return Kind{word.Draw(t, "kind"), num.Draw(t, "count")} }), 0, 8).Draw(t, "entities"),
		Links:    rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Link { return Link{word.Draw(t, "a"), word.Draw(t, "b"), num.Draw(t, "count")} }), 0, 8).Draw(t, "links"),
		Uses:     Usage{rapid.SliceOfN(use(sections), 0, 5).Draw(t, "sections"), rapid.SliceOfN(use(word), 0, 3).Draw(t, "sources"), rapid.SliceOfN(use(word), 0, 8).Draw(t, "tags"), rapid.SliceOfN(use(word), 0, 8).Draw(t, "things")},
	}
	for i := range many * 60 { // more than the lists hold
		name := fmt.Sprintf("n%d", i*7919%1000)
		in.Links = append(in.Links, Link{name, "z", int64(i % 5)})
		in.Uses.Tags = append(in.Uses.Tags, Use{name, int64(i % 7), int64(i % 3)})
		in.Artifacts = append(in.Artifacts, &hmx.Artifact{ArtifactID: name, ArtifactType: hmx.TypeTaskSchema, Confidence: 0.5, ObservedCount: hmx.Some(int64(i % 11))})
	}
	return in
}

func made(t *rapid.T, label string) *Fingerprint {
	f, err := Make(rapid.Custom(hostile).Draw(t, label))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func bytesOf(t *rapid.T, f *Fingerprint, err error) []byte {
	var data []byte
	if err == nil {
		data, err = f.Encode()
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(data) >= MaxBytes {
		t.Fatalf("it has %d bytes", len(data))
	}
	return data
}

// For any input, the output is valid, small and decodes to the same.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := made(t, "a")
		data := bytesOf(t, f, nil)
		back, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if err := back.Verify(); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(f, back); d != "" {
			t.Fatal(d)
		}
		if !bytes.Equal(bytesOf(t, back, nil), data) {
			t.Fatal("other bytes")
		}
	})
}

func TestMergeAll(t *testing.T) {
	if _, err := MergeAll(); !errors.Is(err, fault.InvalidArgument) {
		t.Error(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := made(t, "a"), made(t, "b")
		two, err := Merge(a, b)
		want := bytesOf(t, two, err)
		all, err := MergeAll(b, a, b)
		if !bytes.Equal(bytesOf(t, all, err), want) {
			t.Fatal(cmp.Diff(two, all))
		}
		one, err := MergeAll(a)
		if !bytes.Equal(bytesOf(t, one, err), bytesOf(t, a, nil)) {
			t.Fatal("one is not itself")
		}
	})
}

func TestMergeLaws(t *testing.T) {
	merge := func(t *rapid.T, a, b *Fingerprint) *Fingerprint {
		f, err := Merge(a, b)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := made(t, "a"), made(t, "b"), made(t, "c")
		same := func(law string, x, y *Fingerprint) {
			if !bytes.Equal(bytesOf(t, x, nil), bytesOf(t, y, nil)) {
				t.Fatalf("%s: %s", law, cmp.Diff(x, y))
			}
		}
		same("idempotent", merge(t, a, a), a)
		same("commutative", merge(t, a, b), merge(t, b, a))
		same("associative", merge(t, merge(t, a, b), c), merge(t, a, merge(t, b, c)))
		same("absorbs", merge(t, merge(t, a, b), a), merge(t, a, b))
	})
}

// The order of the input makes no difference.
func TestOrder(t *testing.T) {
	in := shop(t)
	traces := slices.Collect(in.Traces)
	want := encodedOf(t, must(t, in))
	rapid.Check(t, func(rt *rapid.T) {
		again := in
		again.Traces = slices.Values(rapid.Permutation(traces).Draw(rt, "traces"))
		again.Artifacts = rapid.Permutation(in.Artifacts).Draw(rt, "artifacts")
		again.Links = rapid.Permutation(in.Links).Draw(rt, "links")
		again.Entities = rapid.Permutation(in.Entities).Draw(rt, "entities")
		again.Uses.Tags = rapid.Permutation(in.Uses.Tags).Draw(rt, "tags")
		f, err := Make(again)
		if !bytes.Equal(bytesOf(rt, f, err), want) {
			rt.Fatal("other bytes")
		}
	})
}

// A million names do not make it large, and the best supported are kept.
func TestShrinks(t *testing.T) {
	var traces iter.Seq[*trace.Trace] = func(yield func(*trace.Trace) bool) {
		for i := range 20_000 {
			name := fmt.Sprintf("tool_%d_%s", i, strings.Repeat("x", 30))
			task := trace.Task{Steps: []trace.Step{{Tool: name, Error: name, State: trace.Broken, Times: uint32(i + 1), Trust: record.Tool}}}
			if !yield(&trace.Trace{Tasks: []trace.Task{task}}) {
				return
			}
		}
	}
	f := must(t, Input{Traces: traces})
	encodedOf(t, f)
	if n := len(f.Behaviour.Tools); n != MaxTools || f.Behaviour.Tools[0].Taken != 20_000 || f.Behaviour.Tools[n-1].Taken != 20_000-MaxTools+1 {
		t.Errorf("%d tools from %+v to %+v", n, f.Behaviour.Tools[0], f.Behaviour.Tools[n-1])
	}
}

func TestPriors(t *testing.T) {
	p := must(t, shop(t)).Priors()
	if p.Section(hmx.SectionFacts) != 0.75 || p.Section(hmx.SectionGoals) != 0.5 || !p.Shown() {
		t.Errorf("%+v", p)
	}
	for name, tc := range map[string]struct {
		id      string
		section hmx.Section
		source  hmx.SourceType
		tags    []string
		want    float64
		known   bool
	}{
		"shown":             {"a-schema", hmx.SectionProcedures, hmx.SourceArtifact, []string{"billing"}, 0.8333, true},
		"artifact":          {"a-playbook", hmx.SectionProcedures, hmx.SourceArtifact, nil, 0.75, true},
		"tag":               {"m", hmx.SectionFacts, hmx.SourceMemory, []string{"other", "billing"}, 0.6667, true},
		"type":              {"m", hmx.SectionGoals, hmx.SourceMemory, nil, 0.6667, true},
		"type of a section": {"m", hmx.SectionFacts, hmx.SourceMemory, nil, 0, false},
		"nothing":           {"m", hmx.SectionGoals, hmx.SourcePolicy, []string{"other"}, 0, false},
	} {
		if x, known := p.Of(tc.id, tc.section, tc.source, tc.tags); x != tc.want || known != tc.known {
			t.Errorf("%s: %v %v", name, x, known)
		}
	}
	if none := must(t, Input{}).Priors(); none.Shown() || none.Section(hmx.SectionFacts) != 0.5 {
		t.Errorf("%+v", none)
	}
}

func TestDecodeRefuses(t *testing.T) {
	good := string(encodedOf(t, must(t, shop(t))))
	replaced := func(old, with string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%s is not in %s", old, good)
		}
		return strings.Replace(good, old, with, 1)
	}
	for name, tc := range map[string]struct {
		text string
		code fault.Code
		says string
	}{
		"nothing":      {"", fault.InvalidDocument, "not strict JSON"},
		"list":         {"[]", fault.InvalidDocument, "it is no object"},
		"cut":          {good[:len(good)-2], fault.InvalidDocument, "not strict JSON"},
		"twice":        {`{"hash":"",` + good[1:], fault.InvalidDocument, "not strict JSON"},
		"newer":        {replaced(`"lukasa_fingerprint":1`, `"lukasa_fingerprint":2`), fault.NewerFormat, "format 2 is not 1"},
		"no format":    {replaced(`"lukasa_fingerprint":1,`, ``), fault.InvalidDocument, "/lukasa_fingerprint: it is missing"},
		"odd format":   {replaced(`"lukasa_fingerprint":1`, `"lukasa_fingerprint":"1"`), fault.InvalidDocument, "it is no number"},
		"unknown":      {`{"text":"hello",` + good[1:], fault.InvalidDocument, "/text: there is no such member"},
		"other case":   {replaced(`"words":`, `"Words":`), fault.InvalidDocument, "/words: it is missing"},
		"inner":        {replaced(`"taken":`, `"note":"x","taken":`), fault.InvalidDocument, "/behaviour/tools/0/note: there is no such member"},
		"no list":      {replaced(`"kinds":[`, `"kinds":{},"x":[`), fault.InvalidDocument, "/graph/kinds: it is no array"},
		"negative":     {replaced(`"tasks":6`, `"tasks":-6`), fault.InvalidDocument, "it is no whole number"},
		"fraction":     {replaced(`"tasks":6`, `"tasks":6.5`), fault.InvalidDocument, "it is no whole number"},
		"digits":       {replaced(`"success_rate":0.6667`, `"success_rate":0.66671`), fault.InvalidDocument, "/success_rate: it is not a number from 0 to 1 with up to four"},
		"counts":       {replaced(`"mended":5`, `"mended":50`), fault.InvalidDocument, "/behaviour/errors/0/mended: it is more than count"},
		"title":        {replaced(`"look > refund"`, `"look > refund now"`), fault.InvalidDocument, "/title: it is not names of tools"},
		"order":        {replaced(`{"count":3,"name":"person"},{"count":2,"name":"tool"}`, `{"count":2,"name":"tool"},{"count":3,"name":"person"}`), fault.InvalidDocument, "/graph/kinds/1: it is not in its place"},
		"same twice":   {replaced(`{"count":3,"name":"person"},`, `{"count":3,"name":"person"},{"count":2,"name":"person"},`), fault.InvalidDocument, "/graph/kinds/1: an earlier entry has the same subject"},
		"rare word":    {replaced(`"text":"parcel"`, `"text":"Parcel"`), fault.InvalidDocument, "/words/0/text: it is no word"},
		"long":         {good + strings.Repeat(" ", MaxRead), fault.TooLarge, "bytes"},
		"nested":       {strings.Repeat(`{"a":`, 5000), fault.InvalidDocument, "not strict JSON"},
		"tool":         {replaced(`"name":"look"`, `"name":"look here"`), fault.InvalidDocument, "it is no name of a tool"},
		"section":      {replaced(`"name":"facts"`, `"name":"lies"`), fault.InvalidDocument, "/priors/sections/0/name: it is no section"},
		"used":         {replaced(`"used":8`, `"used":80`), fault.InvalidDocument, "/priors/sections/0/used: it is more than shown"},
		"hash of odds": {replaced(`"hash":"`, `"hash":"x`), fault.InvalidDocument, "/hash"},
	} {
		_, err := Decode([]byte(tc.text))
		if !errors.Is(err, tc.code) || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f, err := Decode([]byte(" " + replaced(`"judged":6,"succeeded":5`, `"judged":5,"succeeded":5`) + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(); !errors.Is(err, fault.InvalidDocument) || !strings.Contains(err.Error(), "/hash") {
		t.Error(err)
	}
	if _, err := f.Encode(); err == nil {
		t.Error("a changed fingerprint is written")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"lukasa_fingerprint":1}`))
	if data, err := os.ReadFile("testdata/shop.json"); err == nil {
		f.Add(data)
		for i := 0; i+60 < len(data); i += len(data) / 20 {
			f.Add(slices.Concat(data[:i], data[i+30:]))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := Decode(data)
		if err != nil {
			if fault.CodeOf(err) == fault.Internal {
				t.Fatal(err)
			}
			return
		}
		if x.Verify() != nil {
			if err := x.seal(); err != nil {
				t.Fatal(err)
			}
		}
		out := encodedOf(t, x)
		again, err := Decode(out)
		if err != nil || cmp.Diff(x, again) != "" {
			t.Fatal(err, cmp.Diff(x, again))
		}
		if m, err := Merge(x, again); err != nil || !bytes.Equal(encodedOf(t, m), out) {
			t.Fatal(err)
		}
		x.Priors()
	})
}
