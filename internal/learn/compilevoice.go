package learn

import (
	"encoding/json"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/sessions"
	"lukasa.dev/internal/stated"
	"lukasa.dev/internal/statement"
)

// Attribution of statements to speakers. "My timezone is CET" and, in another session, "My
// timezone is PST" are one person's change of mind or facts about two people. A speaker
// with a name in the metadata of a message is that person. All others count as one person,
// until two of them identify themselves differently: from then on, in journal order, what
// people say about themselves is separated by the identity they stated, and otherwise by
// session. Rules, and statements about a project, belong to the tenant.
//
// Only earlier statements count, so that compiles in portions find the same.

// Voice identifies a speaker.
type Voice struct {
	Speaker string // the name in the metadata of messages
	claims  string // the identity that they stated
	session string // if neither is known, and there are several people
}

// metadata returns the metadata of a speaker's memory, with the topic if it is a standing
// instruction.
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
	out, _ := json.Marshal(all) // never fails for texts
	return hmx.Raw(out)
}

// VoiceOf returns the speaker in a memory's metadata; metadata of other writers may name
// none.
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

// voices attributes statements to speakers.
type voices struct {
	several bool // there are several people without a name
	// first is the identity that they stated, by topic, as long as they count as one
	// person, and one all identities that were stated.
	first map[string]stated.Identity
	one   map[stated.Identity]bool
	// sessions is the identity that the user of a session stated.
	sessions map[string]stated.Identity
}

func newVoices() *voices {
	return &voices{first: make(map[string]stated.Identity), one: make(map[stated.Identity]bool), sessions: make(map[string]stated.Identity)}
}

// hear processes a statement of a message, and returns its speaker.
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

// meet processes the identity that the user of a session states. A correction keeps the
// person the same.
func (v *voices) meet(session string, id stated.Identity, corrects bool) {
	if known, ok := v.first[id.About]; ok && !corrects && !known.Same(id) {
		v.several = true
	}
	if !v.several {
		v.first[id.About] = id
		v.one[id] = true
	}
	// An account identifies a person better than a name.
	if known, ok := v.sessions[session]; !ok || id.Account || !known.Account {
		v.sessions[session] = id
	}
}
