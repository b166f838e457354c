package learn

import (
	"encoding/json"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/sessions"
	"lukasa.dev/internal/statement"
)

// Whose words are whose. "My timezone is CET" and, in another session, "My timezone is
// PST" are one person's change of mind or two people's facts. Who has a name in the
// metadata of a message is that person. All others are taken for one person, until two
// of them say that they are different people: from then on, in the order of the journal,
// what a person says of themself is kept apart by who they said they are, and of those
// who did not say it by session. Rules, and what is said of a project, are the tenant's.
//
// Only what was said before counts, so whoever compiles in portions finds the same.

// Voice is whose words something is.
type Voice struct {
	Speaker string // as the metadata of messages names them
	claims  string // who they say that they are
	session string // where neither is known, and there are several people
}

// metadata returns what a memory says of whose words it is, and of what it is about if it
// is a standing instruction.
func (v Voice) metadata(topic string) hmx.Raw {
	all := make(map[string]string)
	switch {
	case v.Speaker != "":
		all["speaker"] = v.Speaker
	case v.claims != "":
		all["claims_to_be"] = v.claims
	case v.session != "":
		all["session"] = v.session
	}
	if topic != "" {
		all["topic"] = topic
	}
	if len(all) == 0 {
		return ""
	}
	out, _ := json.Marshal(all) // texts can be written
	return hmx.Raw(out)
}

// VoiceOf returns whose words a memory is, as its metadata says; someone else's may name
// nobody.
func VoiceOf(metadata hmx.Raw) Voice {
	var named struct {
		Speaker string `json:"speaker"`
		Claims  string `json:"claims_to_be"`
		Session string `json:"session"`
	}
	_ = json.Unmarshal([]byte(metadata), &named)
	return Voice{named.Speaker, named.Claims, named.Session}
}

// path returns a voice as a part of a key.
func (v Voice) path() string {
	name := v.Speaker
	switch {
	case v.claims != "":
		name = "as-" + v.claims
	case v.session != "":
		name = "in-" + v.session
	}
	if name == "" {
		return ""
	}
	return strings.Trim(strings.ReplaceAll(name, "/", "-"), " ") + "/"
}

// voices tells whose words are whose, as far as was said.
type voices struct {
	several bool // people without a name
	// first is who they said that they are, by what says it, as long as they are one, and
	// one all that it was said to be.
	first map[string]statement.Identity
	one   map[statement.Identity]bool
	// sessions is who the user of a session said that they are.
	sessions map[string]statement.Identity
}

func newVoices() *voices {
	return &voices{first: make(map[string]statement.Identity), one: make(map[statement.Identity]bool), sessions: make(map[string]statement.Identity)}
}

// hear takes in what a message states, and returns whose words that is.
func (v *voices) hear(m *sessions.Said, x *statement.Statement) Voice {
	if m.Speaker != "" {
		return Voice{Speaker: m.Speaker}
	}
	if id, ok := x.Identity(); ok {
		v.meet(m.Session, id, x.Correction)
	}
	if !x.Personal() {
		return Voice{}
	}
	id, named := v.sessions[m.Session]
	switch {
	case named && v.one[id], !named && !v.several:
		return Voice{}
	case named:
		return Voice{claims: id.Who}
	}
	return Voice{session: m.Session}
}

// meet takes in who the user of a session says that they are. Whoever puts it right is the
// one that they were.
func (v *voices) meet(session string, id statement.Identity, corrects bool) {
	if known, ok := v.first[id.About]; ok && !corrects && !known.Same(id) {
		v.several = true
	}
	if !v.several {
		v.first[id.About] = id
		v.one[id] = true
	}
	// What tells an account apart says more than a name.
	if known, ok := v.sessions[session]; !ok || id.Account || !known.Account {
		v.sessions[session] = id
	}
}
