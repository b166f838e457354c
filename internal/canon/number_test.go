package canon

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestInt(t *testing.T) {
	for _, c := range []struct {
		text     string
		v        int64
		ok       bool
		integral bool
	}{
		{"0", 0, true, true},
		{"-0", 0, true, true},
		{"0.0", 0, true, true},
		{"-0e5", 0, true, true},
		{"0e-999", 0, true, true},
		{"1", 1, true, true},
		{"1.0", 1, true, true},
		{"1e3", 1000, true, true},
		{"1.5e1", 15, true, true},
		{"1500e-2", 15, true, true},
		{"-1500E-2", -15, true, true},
		{"0.001e3", 1, true, true},
		{"0.5", 0, false, false},
		{"15e-2", 0, false, false},
		{"1e-400", 0, false, false}, // zero as a double, but not as a number
		{"9223372036854775807", math.MaxInt64, true, true},
		{"9223372036854775807.0", math.MaxInt64, true, true},
		{"922337203685477580.7e1", math.MaxInt64, true, true},
		{"9223372036854775808", 0, false, true},
		{"9223372036854775808.0", 0, false, true},
		{"-9223372036854775808", math.MinInt64, true, true},
		{"-9223372036854775808.000", math.MinInt64, true, true},
		{"-9223372036854775809", 0, false, true},
		{"9007199254740993", 1<<53 + 1, true, true}, // exact, although no double is
		{"9007199254740993e0", 1<<53 + 1, true, true},
		{"1e18", 1e18, true, true},
		{"1e19", 0, false, true},
		{"1e308", 0, false, true},
		{"1e-308", 0, false, false},
		{strings.Repeat("1", 40), 0, false, true},
		// Exponents and digits that cancel out, however long.
		{"0." + strings.Repeat("0", 1_499_999) + "1e1500000", 1, true, true},
		{"0." + strings.Repeat("0", 1_499_999) + "1e1499999", 0, false, false},
		{"1" + strings.Repeat("0", 1_500_000) + "e-1500000", 1, true, true},
		{"1" + strings.Repeat("0", 1_500_000) + "e-1500001", 0, false, false},
		{"0e99999999999999999999", 0, true, true},
		{"1e-99999999999999999999", 0, false, false},
	} {
		var d Doc
		if f := d.Parse([]byte(c.text)); f != nil {
			t.Errorf("%.40s: %v", c.text, f)
			continue
		}
		v, ok := d.Int(0)
		if v != c.v && ok || ok != c.ok || d.Integral(0) != c.integral {
			t.Errorf("%.40s: Int() = %d, %v, Integral() = %v, want %d, %v, %v", c.text, v, ok, d.Integral(0), c.v, c.ok, c.integral)
		}
	}
}

func TestCompareIntAndInRange(t *testing.T) {
	bounds := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 53, -100, -10, -1, 0, 1, 9, 10, 100, 1 << 53, 1<<53 + 1, 1e18, math.MaxInt64 - 1, math.MaxInt64}
	texts := []string{
		"0", "-0", "0.0", "0.5", "0.5e1", "0.5E300", "-0.5", "0e99", "999999999999999999", "1", "1.0", "-1", "1e1", "10.00", "0.1e2", "1e2", "100", "1e-2", "-1e-400", "1e-400",
		"1.00000000000000000001", "0.99999999999999999999", "-1.00000000000000000001", "-0.99999999999999999999",
		"1.0000000000000", "9.9999999999999", "99.999999999999", "-99.999999999999", "999999999999999", "1000000000000000",
		"9007199254740991", "9007199254740992", "9007199254740993", "9007199254740993.5", "9.007199254740993e15",
		"9223372036854775806", "9223372036854775807", "9223372036854775807.1", "9223372036854775808", "92233720368547758070",
		"-9223372036854775807", "-9223372036854775808", "-9223372036854775808.1", "-9223372036854775809",
		"1e18", "10e17", "0.1E19", "1e300", "-1e300",
	}
	for _, text := range texts {
		r, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatal(text)
		}
		var d Doc
		if f := d.Parse([]byte(text)); f != nil {
			t.Fatal(f)
		}
		for _, bound := range bounds {
			if got, want := d.CompareInt(0, bound), r.Cmp(new(big.Rat).SetInt64(bound)); got != want {
				t.Errorf("CompareInt(%s, %d) = %d, want %d", text, bound, got, want)
			}
			for _, most := range bounds {
				want := r.Cmp(new(big.Rat).SetInt64(bound)) >= 0 && r.Cmp(new(big.Rat).SetInt64(most)) <= 0
				if d.InRange(0, bound, most) != want {
					t.Errorf("InRange(%s, %d, %d) = %v", text, bound, most, !want)
				}
			}
		}
	}
}

// checkNumberNode compares number n of a flawless text with math/big.
func checkNumberNode(t *testing.T, d *Doc, n Node) {
	t.Helper()
	text := string(d.Raw(n))
	if len(text) > 200 || strings.ContainsAny(text, "eE") && len(text)-strings.IndexAny(text, "eE") > 6 {
		return // big.Rat would write out the exponent
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("big.Rat does not read %q", text)
	}
	if d.Integral(n) != r.IsInt() {
		t.Fatalf("Integral(%s) = %v", text, d.Integral(n))
	}
	v, ok := d.Int(n)
	if want := r.IsInt() && r.Num().IsInt64(); ok != want || ok && v != r.Num().Int64() {
		t.Fatalf("Int(%s) = %d, %v", text, v, ok)
	}
	floor := new(big.Int).Div(r.Num(), r.Denom())
	for bound := int64(-1); bound <= 1 && floor.IsInt64(); bound++ {
		b := new(big.Int).Add(floor, big.NewInt(bound))
		if !b.IsInt64() {
			continue
		}
		if got, want := d.CompareInt(n, b.Int64()), r.Cmp(new(big.Rat).SetInt(b)); got != want {
			t.Fatalf("CompareInt(%s, %s) = %d, want %d", text, b, got, want)
		}
		for _, other := range []int64{0, 1, math.MinInt64, math.MaxInt64} {
			o := new(big.Rat).SetInt64(other)
			if d.InRange(n, other, b.Int64()) != (r.Cmp(o) >= 0 && r.Cmp(new(big.Rat).SetInt(b)) <= 0) ||
				d.InRange(n, b.Int64(), other) != (r.Cmp(o) <= 0 && r.Cmp(new(big.Rat).SetInt(b)) >= 0) {
				t.Fatalf("InRange(%s) is wrong between %s and %d", text, b, other)
			}
		}
	}
	if f, _ := r.Float64(); f != d.Float(n) {
		t.Fatalf("Float(%s) = %v, want %v", text, d.Float(n), f)
	}
}

// The shortest form is the same number in no more bytes than any usual form.
func TestAppendShortest(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", 1: "1", -1: "-1", 0.1: "0.1", 100: "100", 1000: "1e3", 1e20: "1e20", 1e21: "1e21", -2.5e-7: "-2.5e-7", 0.001: "1e-3", 0.25: "0.25",
		123456: "123456", 5e-324: "5e-324", math.MaxFloat64: "1.7976931348623157e308",
	} {
		if got := string(AppendShortest([]byte("x"), f)); got != "x"+want {
			t.Errorf("AppendShortest(%v) = %s, want x%s", f, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Filter(func(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }).Draw(t, "f")
		got := AppendShortest(nil, f)
		var d Doc
		if flaws := d.Parse(got); flaws != nil || d.Float(0) != f {
			t.Fatalf("%v became %s: %v", f, got, flaws)
		}
		for _, format := range []byte("efg") {
			if other := strconv.AppendFloat(nil, f, format, -1, 64); len(other) < len(got) {
				t.Fatalf("%s is shorter than %s", other, got)
			}
		}
	})
}
