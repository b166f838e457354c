package hmx

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// The canonical form that is written directly equals that of the other encoding, for any pack.
func TestCanonicalAtOnce(t *testing.T) {
	for seed := range uint64(2000) {
		f := filler{rand.New(rand.NewPCG(seed, 1))}
		p := &Pack{}
		f.fill(reflect.ValueOf(p).Elem(), 0)
		want, err := canonical(encode(nil, p))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got, err := encodeCanonical(nil, p); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("seed %d: %v\n%s\nis not\n%s", seed, err, got, want)
		}
	}
}

// Two goroutines write a list of many objects like one, and the first value without a JSON form
// is named.
func TestManyObjects(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for _, n := range []int{63, 64, 65, 301} {
		p := &Pack{Entries: make([]Entry, n)}
		f := filler{rand.New(rand.NewPCG(uint64(n), 1))}
		for i := range p.Entries {
			f.fill(reflect.ValueOf(&p.Entries[i]).Elem(), 0)
		}
		whole, err := encodeCanonical(nil, p.Entries)
		if err != nil {
			t.Fatal(err)
		}
		want := []byte("[")
		for i := range p.Entries {
			if want, err = encodeCanonical(want, p.Entries[i]); err != nil {
				t.Fatal(err)
			}
			want = append(want, ',')
		}
		if want[len(want)-1] = ']'; !bytes.Equal(whole, want) {
			t.Errorf("%d entries:\n%s\nis not\n%s", n, whole, want)
		}
		for _, bad := range [][]int{{n - 1}, {1, n - 1}} {
			for _, i := range bad {
				p.Entries[i].Content = "\xff"
			}
			var refused *EncodeError
			if _, err := p.Canonical(); !errors.As(err, &refused) || refused.Pointer != fmt.Sprintf("/entries/%d/content", bad[0]) {
				t.Errorf("%d entries, %v bad: %v", n, bad, err)
			}
		}
	}
}

// filler fills values at random.
type filler struct{ *rand.Rand }

var fillTexts = []string{"", "a", "é", "\U0001F600", "\uffff", "a\"b\\c\n\x00\x7f\u2028", "sections", "</script>", "0"}
var fillRaws = []Raw{"", `{"b":1e2,"a":[1.50,{"z":null,"y":"\u0041\u00e9"}]}`, "[]", `"x\/y"`, "1e300", "-0", "12345678901234567890"}
var fillNumbers = []float64{0, 1, -1, 0.1, 1e20, 1e21, 1e-7, 1.5e300, 1 << 53, 0.30000000000000004}
var fillIntegers = []int64{0, 1, -7, 1 << 53, 1<<53 + 1, -1 << 62, 1<<63 - 1, 100000}

func (f filler) text() string { return fillTexts[f.IntN(len(fillTexts))] }

func (f filler) fill(v reflect.Value, deep int) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[Raw]() {
			v.SetString(string(fillRaws[f.IntN(len(fillRaws))]))
			return
		}
		v.SetString(f.text())
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(fillIntegers[f.IntN(len(fillIntegers))])
	case reflect.Float64:
		v.SetFloat(fillNumbers[f.IntN(len(fillNumbers))])
	case reflect.Pointer:
		if deep < 6 && f.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), deep+1)
		}
	case reflect.Slice:
		for range f.IntN(3) {
			x := reflect.New(v.Type().Elem()).Elem()
			f.fill(x, deep+1)
			v.Set(reflect.Append(v, x))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.IntN(4) {
			key, x := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key, deep+1)
			f.fill(x, deep+1)
			v.SetMapIndex(key, x)
		}
	case reflect.Struct:
		f.structure(v, deep)
	}
}

func (f filler) structure(v reflect.Value, deep int) {
	if v.Type() == reflect.TypeFor[Time]() {
		at, err := ParseTime("2026-01-01T00:00:00.5Z")
		if err == nil && f.IntN(2) == 0 {
			v.Set(reflect.ValueOf(at))
		}
		return
	}
	if isOpt(v.Type()) {
		if f.IntN(2) == 0 {
			f.fill(v.FieldByName("Value"), deep+1)
			v.FieldByName("Set").SetBool(true)
		}
		return
	}
	for i := range v.NumField() {
		if v.Field(i).CanSet() && f.IntN(4) > 0 {
			f.fill(v.Field(i), deep+1)
		}
	}
	var names []string
	for i := range v.NumField() {
		if name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	if extra := v.FieldByName("Extra"); extra.IsValid() && f.IntN(2) == 0 && len(names) > 0 {
		// A member in place of an absent field, and others.
		extra.Set(reflect.ValueOf(Extra{names[f.IntN(len(names))]: "7", f.text() + "\ue000": "[]", "\U0001F600": "{}"}))
	}
}
