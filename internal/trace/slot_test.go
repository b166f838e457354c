package trace

import (
	"strings"
	"testing"

	"lukasa.dev/internal/trace/shapes"
)

func TestSlots(t *testing.T) {
	for _, c := range []struct {
		slot   shapes.Slot
		values string // one a line
	}{
		{shapes.SlotText, "San Francisco\nMia\nHi! I'm new here\ninProgress\n(13 - 11) + 2\na=b\n@user\nMia Li <mia@x.org>"},
		{shapes.SlotWord, "economy\none_way\nno\nin-progress\nmodify"},
		{shapes.SlotID, "mia_li_3668\nHAT069\n2FBBAH\ncredit_card_4421486\nORD-2024-117\ngpt-4\n#4711\ncall_oIHazX6yQrB8hUwl4cRilFKj\n12:34:56:78\n1.2.3\n+49-30-123456"},
		{shapes.SlotUUID, "019e5a3b-7c4d-7000-8000-000000000001\n019E5A3B-7C4D-7000-8000-00000000000F"},
		{shapes.SlotHash, "9f2c1ab\nd41d8cd98f00b204e9800998ecf8427e"},
		{shapes.SlotInt, "0\n-12\n7447\n+3"},
		{shapes.SlotNumber, "3.14\n-0.5\n1,203.50\n$1,203.50\n99%\n€12"},
		{shapes.SlotDate, "2024-05-20\n2024/05/20\n20.05.2024\n5/20/24"},
		{shapes.SlotTime, "2024-05-15T09:00:00.000Z\n2024-05-15 15:00:00\n06:00:00\n9:30\n3:30 PM\n2026-11-02T09:00:00+01:00"},
		{shapes.SlotEmail, "mia.li3818@example.com"},
		{shapes.SlotPath, "billing/refund.go\n/etc/hosts\n./x\nmain.rs\nC:\\Users\\x\nfix/refund-rounding\nREADME.md\n.env"},
		{shapes.SlotURL, "https://api.example.com/v1\npostgres://u:p@h/db\nwww.example.com\ns3://bucket/key"},
		{shapes.SlotCode, "JFK\nUSD\nUHDAHF\nUK"},
	} {
		for v := range strings.SplitSeq(c.values, "\n") {
			if got := shapes.SlotOf(v); got != c.slot {
				t.Errorf("%q is %s, want %s", v, got, c.slot)
			}
		}
	}
	if shapes.SlotOf("") != shapes.SlotText || shapes.SlotOf(strings.Repeat("a", 2*shapes.MaxSlotText)) != shapes.SlotText || shapes.Slot(200).String() != "<text>" {
		t.Error("what is no value is no text")
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Hi! I'd like to book a flight from New York to Seattle on May 20th.", "book flight new york seattle"},
		{"Don't push to main; it's broken (again).", "push main broken"},
		{"my id is mia_li_3668, mail mia@x.org, card 7447", "mail org card"},
		{"Über-Größe Ñandú 航班", "über größe ñandú 航班"},
		{strings.Repeat("x", 40) + " word word", "word"},
		{"", ""},
	} {
		r := Reader{shared: &Strings{}}
		if got := strings.Join(r.texts(r.fold(r.newList(), c.text, MaxSaid)), " "); got != c.want {
			t.Errorf("%q has the words %q, want %q", c.text, got, c.want)
		}
	}
}

func TestSpokenKeepsBothEnds(t *testing.T) {
	r := Reader{shared: &Strings{}}
	long := "cancel order " + strings.Repeat("lorem ", 300) + "refund voucher"
	var list []int32
	r.spoken(&list, "earlier order", 8)
	r.spoken(&list, long, 8)
	if got, want := strings.Join(r.texts(list), " "), "cancel order lorem refund voucher earlier"; got != want {
		t.Errorf("the words are %q, want %q", got, want)
	}
	r.spoken(&list, "alpha bravo charlie delta echo foxtrot golf", 3)
	if len(list) != 3 {
		t.Errorf("%d words, and 3 were wanted", len(list))
	}
}

// TestLexiconForgets holds that a reader which has met very many words reads on as one
// that has not.
func TestLexiconForgets(t *testing.T) {
	old := NewReader(&Strings{})
	for i := range 2 * maxLexicon {
		word := []byte{byte('a' + i%26), byte('a' + i/26%26), byte('a' + i/676%26), byte('a' + i/17576%26), 'x'}
		old.number(word)
	}
	s := newSession().user("cancel the blue order").agent("which blue order").user("the lamp").call("cancel", "{}", "1", true)
	for _, e := range s.events {
		old.Add(e)
	}
	if got, want := dump(old.Trace()), dump(traceOf(t, s.events)); got != want {
		t.Errorf("it reads\n%s, want\n%s", got, want)
	}
	if len(old.lexicon.words) > maxLexicon {
		t.Errorf("%d words are known", len(old.lexicon.words))
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"  fix \n the\tbug  ", 20, "fix the bug"},
		{"fix the rounding bug", 15, "fix the"},
		{"fix the rounding bug", 17, "fix the rounding"},
		{"unbroken", 4, "unbr"},
		{"größer", 4, "grö"},
		{"a\u202eb\x1b[0m\xffc", 20, "ab [0mc"},
	} {
		if got := shapes.Clip(c.text, c.limit); got != c.want || len(got) > c.limit {
			t.Errorf("%q clipped to %d is %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}

func TestLeaveAndVerdict(t *testing.T) {
	for text, want := range map[string]bool{
		"Thanks!": true, "Perfect, thank you so much for your help. Bye!": true, "No, that's all. Thank you!": true,
		"Yes, thank you.": false, "Thanks, now rename it too": false, "ok": false, "": false, "great": false,
	} {
		if closes(text) != want {
			t.Errorf("%q takes leave: %v", text, !want)
		}
	}
	for text, want := range map[string]Outcome{
		"Great, it works now.": Succeeded, "That fixed it!": Succeeded, "It didn't work, same error": Failed, "still failing": Failed, "this is still broken": Failed,
		"Does it work?": Unknown, "tell me when it works": Unknown, "It works, but the colour is off": Unknown, "network": Unknown, "": Unknown,
	} {
		if got := verdict(text); got != want {
			t.Errorf("%q says %s, want %s", text, outcomes[got], outcomes[want])
		}
	}
}
