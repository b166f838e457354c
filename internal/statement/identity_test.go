package statement

import (
	"testing"

	"lukasa.dev/internal/stated"
)

// TestIdentity: the identities that users state, and statements about users.
func TestIdentity(t *testing.T) {
	for _, c := range []struct {
		text     string
		about    string // empty if it does not say who they are
		who      string
		account  bool
		personal bool
	}{
		{"My name is Ana.", "user/name", "ana", false, true},
		{"My name is Mia Li, and I need help.", "user/name", "mia li", false, true},
		{"My full name is Mia Li.", "user/name", "mia li", false, true},
		{"I'm Mia Li.", "user/name", "mia li", false, true},
		{"You can call me Bo.", "user/name", "bo", false, true},
		{"Actually, my name is Anna.", "user/name", "anna", false, true},
		{"Sure, my user ID is mia_li_3668.", "user/user-id", "mia_li_3668", true, true},
		{"My email address is now ana@example.com.", "user/email", "ana@example.com", true, true},
		{"My account number is 12345.", "user/account-number", "12345", true, true},
		{"My timezone is CET.", "", "", false, true},
		{"I prefer tea.", "", "", false, true},
		{"Forget that I like jazz.", "", "", false, true},
		{"Always sign commits.", "", "", false, false},
		{"We use pnpm, not npm.", "", "", false, false},
		{"Our database is Postgres.", "", "", false, false},
	} {
		found := Read(c.text)
		if len(found) != 1 {
			t.Errorf("%s: %d statements", c.text, len(found))
			continue
		}
		id, ok := found[0].Identity()
		if ok != (c.about != "") || id.About != c.about || id.Who != c.who || id.Account != c.account {
			t.Errorf("%s: %+v, %v", c.text, id, ok)
		}
		if got := found[0].Personal(); got != c.personal {
			t.Errorf("%s: personal is %v", c.text, got)
		}
	}
}

func TestSameIdentity(t *testing.T) {
	name := func(who string) stated.Identity { return stated.Identity{About: "user/name", Who: who} }
	account := func(who string) stated.Identity { return stated.Identity{About: "user/id", Who: who, Account: true} }
	for _, c := range []struct {
		a, b stated.Identity
		same bool
	}{
		{name("mia"), name("mia"), true}, {name("mia"), name("mia li"), true}, {name("mia li"), name("mia chen"), false}, {name("mia"), name("mi"), false},
		{account("a"), account("a"), true}, {account("a"), account("a b"), false}, {name("a"), account("a"), false},
	} {
		if got := c.a.Same(c.b); got != c.same {
			t.Errorf("%+v and %+v: %v", c.a, c.b, got)
		}
		if got := c.b.Same(c.a); got != c.same {
			t.Errorf("%+v and %+v: %v", c.b, c.a, got)
		}
	}
}
