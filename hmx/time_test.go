package hmx

import (
	"regexp"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

func TestParseTime(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // in UTC with nanoseconds; empty if refused
	}{
		{"2026-03-14T03:00:00.000Z", "2026-03-14T03:00:00Z"},
		{"2026-03-14T03:00:00Z", "2026-03-14T03:00:00Z"},
		{"2026-03-14t03:00:00z", "2026-03-14T03:00:00Z"},
		{"2026-03-14T03:00:00+01:30", "2026-03-14T01:30:00Z"},
		{"2026-03-14T03:00:00-23:59", "2026-03-15T02:59:00Z"},
		{"2026-03-14T03:00:00.1Z", "2026-03-14T03:00:00.1Z"},
		{"2026-03-14T03:00:00.123456789999Z", "2026-03-14T03:00:00.123456789Z"},
		{"2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"},
		{"2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"},
		{"0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"},
		{"0000-02-29T00:00:00Z", "0000-02-29T00:00:00Z"},
		{"9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"},
		{"2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999999999Z"},
		{"2017-01-01T00:59:60.5+01:00", "2016-12-31T23:59:59.999999999Z"},

		{"2016-12-31T23:58:60Z", ""}, {"2016-12-31T23:59:60+01:00", ""}, {"2016-12-31T23:59:61Z", ""},
		{"1900-02-29T00:00:00Z", ""}, {"2026-02-29T00:00:00Z", ""}, {"2026-04-31T00:00:00Z", ""}, {"2026-13-01T00:00:00Z", ""},
		{"2026-00-01T00:00:00Z", ""}, {"2026-01-00T00:00:00Z", ""}, {"2026-01-32T00:00:00Z", ""},
		{"2026-03-14T24:00:00Z", ""}, {"2026-03-14T03:60:00Z", ""}, {"2026-03-14T03:00:00", ""}, {"2026-03-14T03:00Z", ""},
		{"2026-03-14 03:00:00Z", ""}, {"2026-03-14T03:00:00.Z", ""}, {"2026-03-14T03:00:00,5Z", ""}, {"2026-03-14T03:00:00+0100", ""},
		{"2026-03-14T03:00:00+24:00", ""}, {"2026-03-14T03:00:00-24:00", ""}, {"2026-03-14T03:00:00+10:60", ""}, {"2026-03-14T03:00:00+1:00", ""},
		{"2026-03-14T03:00:00Z ", ""}, {" 2026-03-14T03:00:00Z", ""}, {"+026-03-14T03:00:00Z", ""}, {"", ""}, {"2026-03-14", ""}, {"1773457200", ""},
		{"２０２６-03-14T03:00:00Z", ""}, {"2026-03-14T03:00:00\x00Z", ""},
	} {
		got, err := ParseTime(c.text)
		switch {
		case c.want == "" && err == nil:
			t.Errorf("ParseTime(%q) = %v, want an error", c.text, got.Time())
		case c.want != "" && err != nil:
			t.Errorf("ParseTime(%q): %v", c.text, err)
		case c.want != "" && got.Time().Format(time.RFC3339Nano) != c.want:
			t.Errorf("ParseTime(%q) = %s, want %s", c.text, got.Time().Format(time.RFC3339Nano), c.want)
		case c.want != "" && got.String() != c.text:
			t.Errorf("ParseTime(%q) forgot its text: %q", c.text, got)
		}
	}
}

// A leap second sorts between the second before it and the one after.
func TestLeapSecondKeepsOrder(t *testing.T) {
	var last Time
	for _, s := range []string{"2016-12-31T23:59:59.5Z", "2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"} {
		now, err := ParseTime(s)
		if err != nil {
			t.Fatal(err)
		}
		if now.Compare(last) <= 0 {
			t.Errorf("%s does not sort after %s", now, last)
		}
		last = now
	}
}

// Where time.Parse follows RFC 3339, the two agree.
func TestTimeAgreesWithTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := time.FixedZone("", 60*rapid.IntRange(-1439, 1439).Draw(t, "zone"))
		want := time.Unix(rapid.Int64Range(-62135596800, 253402214400).Draw(t, "sec"), rapid.Int64Range(0, 999999999).Draw(t, "ns")).In(zone)
		got, err := ParseTime(want.Format(time.RFC3339Nano))
		if err != nil {
			if y := want.Year(); y < 0 || y > 9999 {
				return
			}
			t.Fatal(err)
		}
		if !got.Time().Equal(want) {
			t.Fatalf("%s read as %v", got, got.Time())
		}
		if again := TimeOf(want); again.Compare(got) != 0 {
			t.Fatalf("TimeOf(%v) = %v", want, again)
		}
		if again, err := ParseTime(TimeOf(want).String()); err != nil || again.Compare(got) != 0 {
			t.Fatalf("TimeOf(%v) does not read back: %v %v", want, again, err)
		}
	})
}

// dateTimeGrammar is the ABNF of RFC 3339, which does not restrict ranges.
var dateTimeGrammar = regexp.MustCompile(dateTimeFormat.Pattern)

// FuzzTime compares the parser with the date-time format of a JSON Schema library, and with the
// standard library where that is known to be right.
func FuzzTime(f *testing.F) {
	for _, s := range []string{"2026-03-14T03:00:00.000Z", "2016-12-31T23:59:60Z", "2026-03-14t03:00:00-24:00", "2024-02-29T23:59:59.9+23:59"} {
		f.Add(s)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("time.json", map[string]any{"type": "string", "format": "date-time"}); err != nil {
		f.Fatal(err)
	}
	schema := c.MustCompile("time.json")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseTime(s)
		ours, theirs := err == nil, schema.Validate(s) == nil
		if !dateTimeGrammar.MatchString(s) {
			theirs = false // it accepts signs as digits: 03:00:-0
		}
		if ours != theirs {
			t.Fatalf("%q: ours %v, the schema library %v", s, ours, theirs)
		}
		if std, stdErr := time.Parse(time.RFC3339Nano, s); err == nil && stdErr == nil && !std.Equal(got.Time()) {
			t.Fatalf("%q is %v, the standard library says %v", s, got.Time(), std)
		}
	})
}
