package jsonform

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"lukasa.dev/internal/canon"
)

// Types of a made-up protocol.
type (
	raw    string
	others map[string]raw
	moment struct{ text string }
	some   struct {
		Value int64
		Set   bool
	}
	maybe struct {
		Value inner
		Set   bool
	}
	colour string
	inner  struct {
		Name   string  `json:"name"`
		Weight float64 `json:"weight,omitzero"`
		Others others  `json:"-"`
	}
	outer struct {
		Zulu   string           `json:"zulu"`
		Alpha  colour           `json:"alpha,omitzero"`
		Count  some             `json:"count,omitzero"`
		Inner  inner            `json:"inner,omitzero"`
		Maybe  maybe            `json:"maybe,omitzero"`
		List   []inner          `json:"list,omitzero"`
		Map    map[colour]int64 `json:"map,omitzero"`
		Next   *inner           `json:"next,omitzero"`
		At     moment           `json:"at,omitzero"`
		Raw    raw              `json:"raw,omitzero"`
		Flag   bool             `json:"flag,omitzero"`
		hidden int
		Others others `json:"-"`
	}
)

func parse(s string) (moment, error) {
	if !strings.HasPrefix(s, "day ") {
		return moment{}, errors.New("no day")
	}
	return moment{s}, nil
}

func testForm() *Form[raw, others, moment] {
	return New[raw, others](parse, func(t reflect.Type) bool { return t == reflect.TypeFor[some]() || t == reflect.TypeFor[maybe]() })
}

// TestForm: both forms of a value, and the value that comes back.
func TestForm(t *testing.T) {
	t.Parallel()
	f := testForm()
	for _, c := range []struct {
		value              outer
		compact, canonical string
	}{
		{outer{}, `{"zulu":""}`, `{"zulu":""}`},
		{outer{hidden: 1, Zulu: "z\u2028\"\n", Alpha: "a", Count: some{0, true}, Inner: inner{Weight: 1e21}, Maybe: maybe{inner{}, true}, List: []inner{{Name: "x"}, {Others: others{"y": "[ 1.50 ]"}}},
			Map: map[colour]int64{"b": 1, "a": 1<<53 + 1}, Next: &inner{Name: "n"}, At: moment{"day 1"}, Raw: `{"b" : 1e2, "a":0}`, Flag: true,
			Others: others{"\U0001F600": "1", "\uffff": `"2"`, "amid": "null"}},
			`{"zulu":"z` + "\u2028" + `\"\n","alpha":"a","count":0,"inner":{"name":"","weight":1e21},"maybe":{"name":""},"list":[{"name":"x"},{"name":"","y":[1.50]}],"map":{"a":9007199254740993,"b":1},` +
				`"next":{"name":"n"},"at":"day 1","raw":{"b":1e2,"a":0},"flag":true,"amid":null,"` + "\uffff" + `":"2","` + "\U0001F600" + `":1}`,
			`{"alpha":"a","amid":null,"at":"day 1","count":0,"flag":true,"inner":{"name":"","weight":1e+21},"list":[{"name":"x"},{"name":"","y":[1.5]}],"map":{"a":9007199254740992,"b":1},` +
				`"maybe":{"name":""},"next":{"name":"n"},"raw":{"a":0,"b":100},"zulu":"z` + "\u2028" + `\"\n","` + "\U0001F600" + `":1,"` + "\uffff" + `":"2"}`},
		// A member in place of an absent field, of a kind that the field cannot hold.
		{outer{Others: others{"zulu": "7", "count": `"x"`}}, `{"count":"x","zulu":7}`, `{"count":"x","zulu":7}`},
		// A field that is set wins over a member of its name.
		{outer{Zulu: "z", Others: others{"zulu": "7"}}, `{"zulu":"z"}`, `{"zulu":"z"}`},
	} {
		compact, err := f.Append([]byte("x"), &c.value)
		if err != nil || string(compact) != "x"+c.compact {
			t.Errorf("%s\nis not\n%s: %v", compact, c.compact, err)
		}
		direct, err := f.AppendCanonical(nil, c.value)
		if err != nil || string(direct) != c.canonical {
			t.Errorf("%s\nis not\n%s: %v", direct, c.canonical, err)
		}
		if want, err := canon.Append(nil, compact[1:]); err != nil || !bytes.Equal(direct, want) {
			t.Errorf("%s\nis not the canonical form\n%s: %v", direct, want, err)
		}
		var back outer
		if err := f.Decode(c.compact, &back); err != nil {
			t.Error(err)
		}
		if again, err := f.Append(nil, back); err != nil || string(again) != c.compact {
			t.Errorf("%s came back as %s: %v", c.compact, again, err)
		}
	}
}

// TestDecode: exact names, and a value of the wrong kind goes to the others.
func TestDecode(t *testing.T) {
	t.Parallel()
	f := testForm()
	for text, want := range map[string]outer{
		`{"Zulu":"x","zulu":"y"}`: {Zulu: "y", Others: others{"Zulu": `"x"`}},
		`{"zulu":1,"count":1.5}`:  {Others: others{"zulu": "1", "count": "1.5"}},
		`{"count":null,"flag":1}`: {Others: others{"count": "null", "flag": "1"}},
		`{"count":3,"at":"x"}`:    {Count: some{3, true}, Others: others{"at": `"x"`}},
		`{"at":"day 2"}`:          {At: moment{"day 2"}},
		`{"alpha":""}`:            {Others: others{"alpha": `""`}}, // it was there
		`{"list":[{},1]}`:         {Others: others{"list": "[{},1]"}},
		`{"map":{"a":"x"}}`:       {Others: others{"map": `{"a":"x"}`}},
		`{"next":null}`:           {Others: others{"next": "null"}},
		`{"next":1}`:              {Others: others{"next": "1"}},
		`{"raw": [1, 2] }`:        {Raw: "[1, 2]"},
		`{"hidden":1}`:            {Others: others{"hidden": "1"}},
		`{"inner":{"weight":2}}`:  {Inner: inner{Weight: 2}},
	} {
		var got outer
		if err := f.Decode(text, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v: %v", text, got, want, err)
		}
	}
	for _, text := range []string{"", "[]", "1", `{"a":1,"a":2}`, `{"a":1} x`, "{\"a\":\"\xff\"}"} {
		if err := f.Decode(text, new(outer)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// TestRefused: a value without a JSON form is named by its pointer, and nothing is appended.
func TestRefused(t *testing.T) {
	t.Parallel()
	f := testForm()
	for pointer, c := range map[string]struct {
		value outer
		code  canon.FlawCode
	}{
		"/zulu":          {outer{Zulu: "\xff"}, canon.FlawUTF8},
		"/inner/weight":  {outer{Inner: inner{Weight: math.Inf(1)}}, canon.FlawNumber},
		"/list/1/name":   {outer{List: []inner{{}, {Name: "\xff"}}}, canon.FlawUTF8},
		"/a~1b~0":        {outer{Others: others{"a/b~": "{"}}, canon.FlawSyntax},
		"/raw":           {outer{Raw: "1 2"}, canon.FlawTrailing},
		"/maybe/value/x": {outer{Maybe: maybe{inner{Others: others{"value": `{"x":1e999}`}}, true}}, canon.FlawNumber},
	} {
		for name, write := range map[string]func([]byte, any) ([]byte, error){"compact": f.Append, "canonical": f.AppendCanonical} {
			got, err := write([]byte("kept"), c.value)
			e, ok := err.(*Error)
			if !ok || e.Pointer != pointer || e.Code != c.code || string(got) != "kept" {
				t.Errorf("%s %s: %s %+v", name, pointer, got, err)
			}
		}
	}
	if err := Within("x", errors.ErrUnsupported); err != errors.ErrUnsupported {
		t.Error(err)
	}
}

// TestManyItems: two goroutines write a list of many objects like one, and the first value without a
// JSON form is named.
func TestManyItems(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	f := testForm()
	for _, n := range []int{manyObjects - 1, manyObjects, manyObjects + 1, 301} {
		list, want := make([]inner, n), make([]string, n)
		for i := range list {
			list[i].Name, want[i] = fmt.Sprint(i), fmt.Sprintf(`{"name":"%d"}`, i)
		}
		if got, err := f.Append(nil, list); err != nil || string(got) != "["+strings.Join(want, ",")+"]" {
			t.Errorf("%d items: %s %v", n, got, err)
		}
		for _, bad := range []int{n - 1, n / 2, 1} {
			list[bad].Name = "\xff"
			if _, err := f.Append(nil, list); err == nil || err.(*Error).Pointer != fmt.Sprintf("/%d/name", bad) {
				t.Errorf("%d items, bad from %d: %v", n, bad, err)
			}
		}
	}
}

// FuzzDecode: what is read is written as JSON with the same meaning.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{}`, `{"zulu":"x","count":1,"list":[{"name":"a","b":[]}],"map":{"a":1},"next":{},"raw":{"a":1e2},"x":null}`, `{"alpha":"","inner":{"weight":0}}`, `[1]`} {
		f.Add(s)
	}
	form := testForm()
	f.Fuzz(func(t *testing.T, text string) {
		var v outer
		if form.Decode(text, &v) != nil {
			return
		}
		written, err := form.Append(nil, v)
		if err != nil {
			t.Fatalf("%s is read and not written: %v", text, err)
		}
		var again outer
		if err := form.Decode(string(written), &again); err != nil {
			t.Fatalf("%s became %s: %v", text, written, err)
		}
		if same, err := form.Append(nil, again); err != nil || !bytes.Equal(same, written) {
			t.Fatalf("%s became %s, then %s", text, written, same)
		}
		direct, err := form.AppendCanonical(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := canon.Append(nil, written); err != nil || !bytes.Equal(direct, want) {
			t.Fatalf("%s, canonical %s, not %s", text, direct, want)
		}
	})
}
