package stated

import (
	"strings"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/memory"
)

// Identity is a name or an account that users state as their own.
type Identity struct {
	// Account says that it identifies an account or a person, as a number or an address
	// does. Otherwise it is a name, which several people may have.
	Account bool
	// About is the subject of the statement, and Who its value in lower case.
	About, Who string
}

// Same reports whether two identities can belong to one person. A name may be incomplete.
func (i Identity) Same(other Identity) bool {
	if i.About != other.About || i.Who == other.Who {
		return i.About == other.About
	}
	return !i.Account && (strings.HasPrefix(i.Who, other.Who+" ") || strings.HasPrefix(other.Who, i.Who+" "))
}

// Personal reports whether a statement is about its speaker, or takes back a statement that
// may be. Rules and statements about a project are not personal.
func (s *Statement) Personal() bool {
	return strings.HasPrefix(s.Subject, "user/") || strings.HasPrefix(s.Subject, "about/")
}

// Identity returns the identity that a statement gives the user, if it gives one.
func (s *Statement) Identity() (id Identity, ok bool) {
	account, ok := identities[s.Subject]
	if !ok || s.Type != memory.TypeFact || s.Retraction || s.Temporary() {
		return Identity{}, false
	}
	words := english.Split(s.Text, english.Sentence{To: len(s.Text)})
	var who []string
	for i := 0; i < len(words) && who == nil; i++ {
		if naming()[words[i].Low] {
			who = nameAt(words[i+1:])
		}
	}
	if who == nil {
		return Identity{}, false
	}
	id = Identity{Account: account, About: s.Subject, Who: strings.Join(who, " ")}
	if !account {
		id.About = "user/name"
	}
	return id, true
}

// maxNamed is how many words a name has at most.
const maxNamed = 4

// nameAt returns the words of the name or the number that some words begin with.
func nameAt(words []english.Word) (who []string) {
	for len(words) > 0 && (words[0].Low == "now" || words[0].Low == "actually") {
		words = words[1:]
	}
	for _, w := range words {
		if !w.Capital && !strings.ContainsAny(w.Low, "0123456789@_") || w.Low == "i" || len(who) == maxNamed {
			break
		}
		if who = append(who, w.Low); w.Stop != 0 {
			break
		}
	}
	return who
}

var (
	// naming are words before a name or a number.
	naming = english.List("is am me by called named")

	// identities are the subjects that say who a user is. The value is true for those that
	// identify an account.
	identities = map[string]bool{
		"user/name": false, "user/full-name": false, "user/first-name": false,
		"user/id": true, "user/user-id": true, "user/username": true, "user/login": true, "user/handle": true,
		"user/account": true, "user/account-id": true, "user/account-name": true, "user/account-number": true,
		"user/customer-id": true, "user/customer-number": true, "user/member-id": true, "user/member-number": true,
		"user/membership-id": true, "user/membership-number": true, "user/employee-id": true, "user/employee-number": true,
		"user/patient-id": true, "user/student-id": true, "user/email": true, "user/phone": true,
	}
)
