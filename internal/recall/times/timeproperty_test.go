package times

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// checkRefs checks the invariants of the references in a query.
func checkRefs(t *testing.T, query string, now time.Time) []TimeRef {
	t.Helper()
	refs := ParseTime(query, now)
	if len(refs) > MaxTimeRefs {
		t.Fatalf("%q: %d references", query, len(refs))
	}
	end := 0
	for _, r := range refs {
		if r.Start < end || r.Start >= r.End || r.End > len(query) || r.Text != query[r.Start:r.End] {
			t.Fatalf("%q: %+v at %d to %d behind %d", query, r, r.Start, r.End, end)
		}
		end = r.End
		if utf8.ValidString(query) && !utf8.ValidString(r.Text) {
			t.Fatalf("%q: %q cuts a character", query, r.Text)
		}
		for _, at := range []time.Time{r.From, r.Until} {
			if y := at.Year(); y < 1 || y > 9999 || at.Location() != time.UTC {
				t.Fatalf("%q: %+v is out of bounds", query, r)
			}
		}
		switch r.Kind {
		case TimeRange:
			if !r.From.Before(r.Until) || Near(r, r.From) != 1 || Near(r, r.Until.Add(-1)) != 1 {
				t.Fatalf("%q: %+v is inverted", query, r)
			}
		case TimeBefore:
			if !r.From.IsZero() || Near(r, r.Until.Add(-1)) != 1 {
				t.Fatalf("%q: %+v has a beginning", query, r)
			}
		case TimeAfter:
			if !r.Until.IsZero() || Near(r, r.From) != 1 {
				t.Fatalf("%q: %+v has an end", query, r)
			}
		case TimeAnchor:
			if r.Anchor == "" || r.Direction == 0 || !strings.HasSuffix(r.Text, r.Anchor) || r.Strict {
				t.Fatalf("%q: %+v is no event", query, r)
			}
		default:
			t.Fatalf("%q: %+v has no kind", query, r)
		}
		if r.Kind != TimeAnchor && (r.Anchor != "" || r.Direction != 0) || r.Grain <= 0 || r.Strict && r.Soft {
			t.Fatalf("%q: %+v", query, r)
		}
		if again := ParseTime(query, now); fmt.Sprint(again) != fmt.Sprint(refs) {
			t.Fatalf("%q: %v, and then %v", query, refs, again)
		}
	}
	return refs
}

// vocabulary is every word with a meaning, and some without.
func vocabulary() []string {
	return strings.Fields(`January may May march March April june Aug dec Sunday tue Tuesday sat Sun second minute hours day
		days week weeks fortnight month quarter year decades one two ten first third spring fall winter summer morning night
		yesterday today tomorrow tonight early mid late beginning middle end Q3 H1 am pm half weekend last previous past this
		next the a few couple several of in on at and to from between since until through before after by during when around
		ago earlier later recently other older newer more less over than onwards every my that we it is was did look but port
		ms now - – , . ? ' ’ : / 7 3 31 30 1999 2023 2024 7th 1990s 90s 24h 3pm 10:30 2023-05-07 05/07/2023 2023-05 999999999
		0 0000 9999 migration Postgres moving é 日本 zürich we've it's last-minute foo_bar Tuesday's`)
}

// TestParseTimeProperties combines words at random.
func TestParseTimeProperties(t *testing.T) {
	words := vocabulary()
	rng := rand.New(rand.NewPCG(1, 2))
	nows := []time.Time{testNow(), time.Date(2024, 2, 29, 23, 59, 59, 999, time.UTC), {}, lastTime(), time.Date(2023, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3600))}
	found := 0
	for range 8000 {
		var b strings.Builder
		for range 1 + rng.IntN(14) {
			b.WriteString(words[rng.IntN(len(words))])
			if rng.IntN(8) > 0 {
				b.WriteByte(' ')
			}
		}
		found += len(checkRefs(t, b.String(), nows[rng.IntN(len(nows))]))
	}
	if found < 2000 {
		t.Errorf("only %d references", found)
	}
}

// TestParseTimeByHand finds the same days by a walk over the calendar.
func TestParseTimeByHand(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		now := time.Date(1990+rng.IntN(60), 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rng.Int64N(366*24*3600)) * time.Second)
		today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
		// walk goes day by day until found holds.
		walk := func(from time.Time, step int, found func(d time.Time) bool) time.Time {
			for !found(from) {
				from = from.AddDate(0, 0, step)
			}
			return from
		}
		weekday := time.Weekday(rng.IntN(7))
		on := func(d time.Time) bool { return d.Weekday() == weekday }
		monday := func(d time.Time) bool { return d.Weekday() == time.Monday }
		month := time.Month(1 + rng.IntN(12))
		first := func(d time.Time) bool { return d.Day() == 1 && d.Month() == month }
		day := 1 + rng.IntN(28)
		n := 1 + rng.IntN(30)
		week := walk(today, -1, monday)
		thatMonth := walk(today, -1, first)
		thatDay := walk(today, -1, func(d time.Time) bool { return d.Day() == day && d.Month() == month })
		lastMonth := walk(walk(today, -1, func(d time.Time) bool { return d.Day() == 1 }).AddDate(0, 0, -1), -1, func(d time.Time) bool { return d.Day() == 1 })
		for _, tc := range []struct {
			query       string
			from, until time.Time
		}{
			{"last " + weekday.String(), walk(today.AddDate(0, 0, -1), -1, on), time.Time{}},
			{"on " + weekday.String(), walk(today, -1, on), time.Time{}},
			{"next " + weekday.String(), walk(today.AddDate(0, 0, 1), 1, on), time.Time{}},
			{"this " + weekday.String(), walk(week, 1, on), time.Time{}},
			{weekday.String() + " last week", walk(week.AddDate(0, 0, -7), 1, on), time.Time{}},
			{"yesterday", today.AddDate(0, 0, -1), time.Time{}},
			{fmt.Sprintf("%d days ago", n), today.AddDate(0, 0, -n), time.Time{}},
			{fmt.Sprintf("%s %d", month, day), thatDay, time.Time{}},
			{fmt.Sprintf("on %d %s", day, month.String()[:3]), thatDay, time.Time{}},
			{"last week", week.AddDate(0, 0, -7), week},
			{fmt.Sprintf("%d weeks ago", n), week.AddDate(0, 0, -7*n), week.AddDate(0, 0, -7*n+7)},
			{"in " + month.String(), thatMonth, walk(thatMonth.AddDate(0, 0, 1), 1, func(d time.Time) bool { return d.Day() == 1 })},
			{"last month", lastMonth, walk(today, -1, func(d time.Time) bool { return d.Day() == 1 })},
			{"last year", time.Date(now.Year()-1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(now.Year(), 1, 1, 0, 0, 0, 0, time.UTC)},
			{fmt.Sprintf("past %d hours", n), now.Add(-time.Duration(n) * time.Hour), now},
		} {
			if tc.until.IsZero() {
				tc.until = tc.from.AddDate(0, 0, 1)
			}
			refs := ParseTime("what did we do "+tc.query+"?", now)
			if len(refs) != 1 || refs[0].Kind != TimeRange || !refs[0].From.Equal(tc.from) || !refs[0].Until.Equal(tc.until) {
				t.Fatalf("%s at %s: %s, want %s .. %s", tc.query, now, shortRefs(refs), shortTime(tc.from), shortTime(tc.until))
			}
		}
	}
}

// TestParseTimeHostile parses hostile input in bounded work.
func TestParseTimeHostile(t *testing.T) {
	for _, part := range []string{
		"a", "9", "9 ", "7 May ", "early ", "Tuesday the ", "day before ", "between ", "between May and ", "since the ", "last ",
		"2023-05-", "2023-05-07T10:30:15.1", "in may x ", "\xff", "é", "'s ", "week of the day before ", "from 3 to ", "- ", "the end of the ",
		"first week of ", "a few days before ", "after we ", "May-", "1990s", "3-5-7-", "last 3 days of ", "Mon-", "2020-",
	} {
		checkRefs(t, strings.Repeat(part, (64<<10)/len(part)), testNow())
	}
	text := strings.Repeat("nothing in it ", 1<<20/14) + "yesterday"
	if refs := checkRefs(t, text, testNow()); len(refs) != 1 || refs[0].Text != "yesterday" {
		t.Errorf("%v", refs)
	}
	if refs := checkRefs(t, strings.Repeat("yesterday ", 100), testNow()); len(refs) != MaxTimeRefs {
		t.Errorf("%d references", len(refs))
	}
	if refs := ParseTime("yesterday", time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC)); refs != nil {
		t.Errorf("%v", refs)
	}
}

// TestNear checks times beside a range.
func TestNear(t *testing.T) {
	one := func(query string) TimeRef { return ParseTime(query, testNow())[0] }
	day := func(m time.Month, d int) time.Time { return time.Date(2026, m, d, 0, 0, 0, 0, time.UTC) }
	for _, tc := range []struct {
		query string
		at    time.Time
		want  float64
	}{
		{"yesterday", day(11, 10), 1},
		{"yesterday", day(11, 11).Add(-1), 1},
		{"yesterday", day(11, 11), 1},
		{"yesterday", day(11, 12), 0.25},
		{"yesterday", day(11, 9), 0.25},
		{"yesterday", day(11, 13), 1.0 / 9},
		{"in the last minute", testNow().Add(-91 * time.Minute), 1.0 / 16},
		{"before May 7", day(5, 1), 1},
		{"before May 7", day(5, 8), 0.25},
		{"after May 7", day(5, 7), 0.25},
		{"after May 7", day(5, 9), 1},
		{"since 2026", time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), 0.25},
		{"before the release", day(5, 9), 0},
	} {
		if got := Near(one(tc.query), tc.at); got != tc.want {
			t.Errorf("%s at %s: %v, want %v", tc.query, tc.at, got, tc.want)
		}
	}
	if got := Near(TimeRef{}, day(1, 1)); got != 0 {
		t.Errorf("no reference: %v", got)
	}
	r := one("yesterday")
	for last, d := 2.0, 0; d < 4000; d++ {
		n := Near(r, r.Until.AddDate(0, 0, d))
		if n >= last || n <= 0 || n != Near(r, r.From.AddDate(0, 0, -d)) {
			t.Fatalf("%d days off: %v after %v", d, n, last)
		}
		last = n
	}
}

// TestTimeRefStrings prints references and their parts.
func TestTimeRefStrings(t *testing.T) {
	for query, want := range map[string]string{
		"yesterday":          "range 2026-11-10T00:00:00Z/2026-11-11T00:00:00Z",
		"before 2023":        "before ../2023-01-01T00:00:00Z",
		"since 2023":         "after 2023-01-01T00:00:00Z/..",
		"after the release":  "anchor after the release",
		"since the release":  "anchor since the release",
		"until the release":  "anchor until the release",
		"during the release": "anchor during the release",
		"before the release": "anchor before the release",
	} {
		r := ParseTime(query, testNow())[0]
		if got := r.Kind.String() + " " + r.String(); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if TimeKind(0).String()+Direction(0).String()+(TimeRef{}).String() != "" {
		t.Error("what is not there has a name")
	}
}

func FuzzParseTime(f *testing.F) {
	for _, w := range vocabulary() {
		f.Add("since "+w+" 7 of "+w, int64(0))
	}
	f.Add("between 3 and 5 June 2023, or after we moved to Postgres last week", int64(1794393000))
	f.Fuzz(func(t *testing.T, query string, at int64) {
		checkRefs(t, query, time.Unix(at%(1<<37), 0))
	})
}

func BenchmarkParseTime(b *testing.B) {
	for _, query := range []string{
		"What did Caroline say about the adoption agency last Tuesday",
		"How do I deploy the payments service to the staging cluster?",
		"Which decisions were made between March and May 2023 on auth",
		"why does the build fail since we moved to Postgres in June 2",
	} {
		b.Run(query[:8], func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(query)))
			now := testNow()
			for b.Loop() {
				ParseTime(query, now)
			}
		})
	}
}
