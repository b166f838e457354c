package canon

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// vectors is the folder of the RFC 8785 test data, kept beside the checkout.
const vectors = "../../../shared/data/jcs"

func needVectors(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(vectors); err != nil {
		t.Skipf("the RFC 8785 vectors are not at %s beside this checkout: %v", vectors, err)
	}
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestVectorFiles(t *testing.T) {
	needVectors(t)
	inputs, err := filepath.Glob(filepath.Join(vectors, "input", "*.json"))
	if err != nil || len(inputs) < 6 {
		t.Fatalf("found %d inputs (%v), the set has 6", len(inputs), err)
	}
	for _, in := range inputs {
		file := filepath.Base(in)
		t.Run(file, func(t *testing.T) {
			got, err := Append(nil, read(t, in))
			if err != nil {
				t.Fatal(err)
			}
			if want := read(t, vectors, "output", file); !bytes.Equal(got, want) {
				t.Errorf("output\n got %s\nwant %s", got, want)
			}
			dump := string(read(t, vectors, "outhex", strings.TrimSuffix(file, ".json")+".txt"))
			want, err := hex.DecodeString(strings.Join(strings.Fields(dump), ""))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("outhex\n got %x\nwant %x", got, want)
			}
		})
	}
}

func TestVectorNumbers(t *testing.T) {
	needVectors(t)
	z, err := gzip.NewReader(bytes.NewReader(read(t, vectors, "es6numbers100k.txt.gz")))
	if err != nil {
		t.Fatal(err)
	}
	lines, bad := 0, 0
	for s := bufio.NewScanner(z); s.Scan() && bad < 20; lines++ {
		digits, want, _ := strings.Cut(s.Text(), ",")
		u, err := strconv.ParseUint(digits, 16, 64)
		if err != nil {
			t.Fatalf("line %d: %v", lines+1, err)
		}
		if !checkNumber(t, math.Float64frombits(u), want) {
			bad++
		}
	}
	if bad == 0 && lines != 100_000 {
		t.Errorf("read %d numbers, the set has 100000", lines)
	}
}

// checkNumber writes f directly and through the reader, from its shortest and
// from a long decimal text.
func checkNumber(t *testing.T, f float64, want string) bool {
	t.Helper()
	if got := AppendNumber(nil, f); string(got) != want {
		t.Errorf("AppendNumber(%x) = %s, want %s", math.Float64bits(f), got, want)
		return false
	}
	for _, text := range []string{want, strconv.FormatFloat(f, 'e', 25, 64)} {
		if got, err := Append([]byte("x"), []byte(text)); err != nil || string(got) != "x"+want {
			t.Errorf("Append(x, %s) = %s, %v, want x%s", text, got, err, want)
			return false
		}
	}
	return true
}

// The numbers of RFC 8785, appendix B, which are on both sides of each border.
func TestNumberBits(t *testing.T) {
	for _, c := range []struct {
		bits uint64
		want string
	}{
		{0x0000000000000000, "0"},
		{0x8000000000000000, "0"},
		{0x0000000000000001, "5e-324"},
		{0x8000000000000001, "-5e-324"},
		{0x7fefffffffffffff, "1.7976931348623157e+308"},
		{0xffefffffffffffff, "-1.7976931348623157e+308"},
		{0x4340000000000000, "9007199254740992"},
		{0xc340000000000000, "-9007199254740992"},
		{0x4430000000000000, "295147905179352830000"},
		{0x44b52d02c7e14af5, "9.999999999999997e+22"},
		{0x44b52d02c7e14af6, "1e+23"},
		{0x44b52d02c7e14af7, "1.0000000000000001e+23"},
		{0x444b1ae4d6e2ef4e, "999999999999999700000"},
		{0x444b1ae4d6e2ef4f, "999999999999999900000"},
		{0x444b1ae4d6e2ef50, "1e+21"},
		{0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
		{0x3eb0c6f7a0b5ed8d, "0.000001"},
		{0x41b3de4355555553, "333333333.3333332"},
		{0x41b3de4355555554, "333333333.33333325"},
		{0x41b3de4355555555, "333333333.3333333"},
		{0x41b3de4355555556, "333333333.3333334"},
		{0x41b3de4355555557, "333333333.33333343"},
		{0xbecbf647612f3696, "-0.0000033333333333333333"},
		{0x43143ff3c1cb0959, "1424953923781206.2"},
	} {
		checkNumber(t, math.Float64frombits(c.bits), c.want)
	}
}

// TestShortNumbers: numbers with few digits, and those next to them, are written like all
// others.
func TestShortNumbers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 1))
	for i := range 200_000 {
		x := float64(rnd.Uint64N(1<<rnd.IntN(52))) / []float64{1, 10, 1e3, 1e4, 1e6, 1e7}[i%6]
		for _, f := range []float64{x, -x, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, 0)} {
			want := "0"
			if f != 0 {
				want = strconv.FormatFloat(f, 'f', -1, 64)
			}
			if abs := math.Abs(f); abs != 0 && abs < 1e-6 {
				continue // written with an exponent
			}
			if got := string(AppendNumber(nil, f)); got != want {
				t.Fatalf("%v is %s, want %s", f, got, want)
			}
		}
	}
}

// Texts as people write them, and their canonical form.
func TestCanonicalTexts(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"-0", "0"},
		{"-0.0e+7", "0"},
		{"0e999", "0"},
		{"1e-400", "0"},
		{"-1e-400", "0"},
		{"1.0", "1"},
		{"1E3", "1000"},
		{"-1e+03", "-1000"},
		{"100000000000000000000", "100000000000000000000"},
		{"1e20", "100000000000000000000"},
		{"1e21", "1e+21"},
		{"1000000000000000000000", "1e+21"},
		{"999999999999999934463", "999999999999999900000"},
		{"999999999999999999999", "1e+21"},
		{"1e-6", "0.000001"},
		{"0.000001", "0.000001"},
		{"1e-7", "1e-7"},
		{"0.0000001", "1e-7"},
		{"1.5e-10", "1.5e-10"},
		{"1e-100", "1e-100"},
		{"4.9406564584124654e-324", "5e-324"},
		{"2.4703282292062327e-324", "0"},
		{"1.7976931348623157e308", "1.7976931348623157e+308"},
		{"1.7976931348623158e308", "1.7976931348623157e+308"},
		{"9007199254740991", "9007199254740991"},
		{"9007199254740992", "9007199254740992"},
		{"9007199254740993", "9007199254740992"},
		{"-9007199254740993", "-9007199254740992"},
		{"999999999999999", "999999999999999"},
		{"333333333.33333329", "333333333.3333333"},
		{"0.1", "0.1"},
		{"0.30000000000000004", "0.30000000000000004"},
		{strings.Repeat("9", 308), "1e+308"},
		{"0." + strings.Repeat("0", 400) + "1e401", "1"},

		{`""`, `""`},
		{`"\u0000\u0001\u001F\u007F"`, "\"\\u0000\\u0001\\u001f\x7f\""},
		{`"\b\f\n\r\t\u0008\u000c\u000A\u000d\u0009"`, `"\b\f\n\r\t\b\f\n\r\t"`},
		{`"\"\\\/\u0022\u005C\u002f"`, `"\"\\/\"\\/"`},
		{`"\u20ac\u20AC€"`, `"€€€"`},
		{`"\ud83d\uDE00"`, `"😀"`},
		{`"\uFFFE\uffff\u2028\u2029\ufeff"`, "\"\uFFFE\uFFFF\u2028\u2029\uFEFF\""},
		{`"<>&'\u003c"`, `"<>&'<"`},
		{`"A\u030a Å"`, "\"A\u030a Å\""}, // no Unicode normalisation

		{" [ ] ", "[]"},
		{"\t{\n}\r\n", "{}"},
		{`[true ,false , null]`, `[true,false,null]`},
		{`[[],{},[[]],[{}]]`, `[[],{},[[]],[{}]]`},
		{`{"b":{"d":1,"c":[{"z":1,"y":2}]},"a":0}`, `{"a":0,"b":{"c":[{"y":2,"z":1}],"d":1}}`},
		{`{"a":1,"A":2,"aa":3,"":4}`, `{"":4,"A":2,"a":1,"aa":3}`},
		{`{"10":1,"9":2}`, `{"10":1,"9":2}`},
		{`{"\u0061":1,"\n":2}`, `{"\n":2,"a":1}`},
		// U+1F600 is D83D DE00 in UTF-16 and so comes before U+E000 and U+FB33.
		{"{\"\uFB33\":1,\"\uE000\":2,\"😀\":3,\"\uD7FF\":4}", "{\"\uD7FF\":4,\"😀\":3,\"\uE000\":2,\"\uFB33\":1}"},
	} {
		got, err := Append(nil, []byte(c.text))
		if err != nil || string(got) != c.want {
			t.Errorf("Append(%s)\n got %s, %v\nwant %s", c.text, got, err, c.want)
		}
	}
}
