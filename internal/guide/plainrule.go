package guide

import (
	"regexp"
	"strings"
	"sync"
)

// plainly returns a rule in the words that are read: people forbid the same in many forms.
// "Nobody may push to main." is "never push to main.", and what needs a person's consent is
// forbidden without it.
func plainly(text string) string {
	for _, f := range ruleForms() {
		text = f.found.ReplaceAllString(text, f.put)
	}
	return unended(text)
}

// ruleForm is a way to say something, and how it is read.
type ruleForm struct {
	found *regexp.Regexp
	put   string
}

// ruleForms are read in order. They are compiled when the first rule is read.
var ruleForms = sync.OnceValue(func() []ruleForm {
	var out []ruleForm
	for _, f := range [][2]string{
		// The subject is the agent.
		{`(?i)\b(no one|nobody|no agent|none of you) (may ever|may|can|should|must|shall|is allowed to|ever|is to) `, "never "},
		{`(?i)\b(no one|nobody) (push|commit|deploy|merge|delete|publish|install|edit|touch|rebase)(es|s)?\b`, "never $2"},
		{`(?i)\b(you|agents|we) (shall|must|may|can) (not|never) `, "never "},
		{`(?i)\b(you|agents|we) (are|is) (not|never) (allowed|permitted|supposed) to `, "never "},
		{`(?i)\bi (do not|don't|never) (ever )?want you to `, "never "},
		{`(?i)\b(under no circumstances|in no case|on no account)( should you| may you| must you| shall you)?,? `, "never "},
		// A noun for the deed.
		{`(?i)\bno (direct )?(push|commit|merge|deploy|release|migration|rebase|install)(e?s|ments?)? (to|on|in|into|from) `, "never $2 $4 "},
		{`(?i)\b(push|commit|deploy|merg|delet|publish|install|edit|rebas|forc|us|releas|writ)ing ([^.;:!?]{1,80}?) is (strictly )?(forbidden|prohibited|not allowed|disallowed|a no-go|banned|off limits|off-limits|taboo)`, "never ${1}\x01 $2"},
		// Two rules in a sentence.
		{`(?i),? and (never|always|do not|don't) `, ". $1 "},
		// What needs a person's consent.
		{`(?i),? (without (first )?(asking|checking with|consulting|telling)\b[^.;:!?]*|without (my|our|explicit|prior|written)? ?(approval|permission|consent|ok|okay|go-ahead|say-so|confirmation|authorization)\b[^.;:!?]*)`, ", unless I say so"},
		// Names of one branch.
		{`(?i)\b(main)/(master)\b`, "main or master"},
		{`(?i)\b(origin|upstream)/(main|master|develop|production|staging)\b`, "$2"},
		{`(?i) (on your own|by yourself|yourself|for me|pls|please)([.!,;]|$)`, "$2"},
	} {
		out = append(out, ruleForm{regexp.MustCompile(f[0]), f[1]})
	}
	return out
})

// unended puts the verb back whose ending was taken off.
func unended(text string) string {
	at := strings.IndexByte(text, 1)
	if at < 0 {
		return text
	}
	from := strings.LastIndexByte(text[:at], ' ') + 1
	verb := strings.ToLower(text[from:at])
	switch verb {
	case "merg", "delet", "rebas", "forc", "us", "releas", "writ":
		verb += "e"
	}
	return text[:from] + verb + text[at+1:]
}
