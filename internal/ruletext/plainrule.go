package ruletext

import (
	"regexp"
	"strings"
	"sync"

	"lukasa.dev/internal/english"
)

// plainly rewrites a rule in the words that the parser knows, since people forbid the same in
// many forms. "Nobody may push to main." becomes "never push to main.", and an act that needs a
// person's consent is forbidden without it.
func plainly(text string) string {
	for i := range ruleForms() {
		text = ruleForms()[i].plain(text)
	}
	return text
}

// plain rewrites the matches of a form in a text. A form with a verb matches only verbs of English
// orders.
func (f *ruleForm) plain(text string) string {
	if f.verb == noVerb {
		return f.found.ReplaceAllString(text, f.put)
	}
	return f.found.ReplaceAllStringFunc(text, func(found string) string {
		at := f.found.FindStringSubmatchIndex(found)
		verb := f.verb.base(strings.ToLower(found[at[2]:at[3]]))
		if verb == "" {
			return found
		}
		put := f.found.ExpandString(nil, f.put, found, at)
		return strings.Replace(string(put), verbMark, verb, 1)
	})
}

// verbForm is the form in which a rule has its verb.
type verbForm uint8

const (
	noVerb   verbForm = iota
	asBase            // push
	asThird           // pushes
	asGerund          // pushing
)

// verbMark stands for the verb in the replacement of a form.
const verbMark = "\x01"

// base returns the base form of a word in a form, or "" if it is not a verb.
func (v verbForm) base(low string) string {
	verbs := english.Actions()
	switch {
	case v == asGerund:
		return english.Gerund(low, verbs)
	case verbs[low] || low == "stop":
		return low
	case v == asThird:
		for _, ending := range [...]string{"s", "es"} {
			if base, ok := strings.CutSuffix(low, ending); ok && verbs[base] {
				return base
			}
		}
	}
	return ""
}

// ruleForm is a pattern and its replacement.
type ruleForm struct {
	found *regexp.Regexp
	put   string
	verb  verbForm // of the first group
}

// A word that may be a verb, and one that may be the form of one in -ing.
const (
	aVerb   = `([a-z]+(?:-[a-z]+)*)`
	aGerund = `([a-z]+(?:-[a-z]+)*ing)`
)

// ruleForms apply in order. They are compiled when the first rule is read.
var ruleForms = sync.OnceValue(func() []ruleForm {
	var out []ruleForm
	for _, f := range []struct {
		found, put string
		verb       verbForm
	}{
		{`(?i)\bwithout (my|our) review\b`, "without my approval", noVerb},
		// The addressee.
		{`(?i)^(?:(?:hey|hi|dear|claude|codex|gemini|opencode|copilot|cursor|assistant|agent|pls|plz|please|kindly|and|so|also|ok|okay),? )+`, "", noVerb},
		// Words that only say that it is permanent.
		{`(?i),? (?:any ?more|any longer|ever again|from now on|from here on|from this point on|in (?:the )?future|going forward|at any time|at all|ever)([.,;!?]|$)`, "$1", noVerb},
		{`(?i)(^|[.;:] )(?:until i say otherwise|from now on|from here on|from this point on),? `, "$1", noVerb},
		// The speaker, and the scope of a rule that holds everywhere.
		{`(?i)\b(?:therefore )?i (?:ask|beg|urge|expect|order) you,?(?: [^.;:!?]{1,40},)? to (never|not|always) `, "$1 ", noVerb},
		{`(?i)^not `, "do not ", noVerb},
		{`(?i)\bno more ([^.;:!?]{1,60}?) from you\b`, "no $1", noVerb},
		{`(?i)\bno more `, "no ", noVerb},
		{`(?i),? (?:in any (?:directory|folder|repo|project|case)|on any (?:instance|machine|host|branch)|on this (?:machine|box|host|laptop|computer))([.,;!?]|$)`, "$1", noVerb},
		// A ban is a sentence of its own.
		{`(?i), (?:and )?no `, ". no ", noVerb},
		{`(?i), ((?:\S+ ){1,3}(?:is|are) (?:strictly )?(?:forbidden|prohibited|banned|taboo|off limits|off-limits))`, ". $1", noVerb},
		// Acts that need a person's consent beforehand.
		{`(?i)\b(?:(?:always|please|you must|you have to|you need to) )*(?:ask|check with|confirm with|consult|tell|talk to)(?: me| us)?(?: first)?(?: for permission)? before (?:you )?(?:ever )?` + aVerb + `\b((?:[^.;:!?]|[.:]\w)*)`, "never " + verbMark + "$2, unless I say so", asBase},
		{`(?i)\b(?:(?:always|please|you must|you have to|you need to) )*(?:ask|check with|confirm with|consult|tell|talk to)(?: me| us)?(?: first)?(?: for permission)? before ` + aGerund + `\b((?:[^.;:!?]|[.:]\w)*)`, "never " + verbMark + "$2, unless I say so", asGerund},
		{`(?i)\bnothing (?:goes|gets|lands|is pushed|is merged)(?: directly)? (?:in)?to `, "never push to ", noVerb},
		{`(?i)\bif you (?:ever )?(?:need|want|have) to ` + aVerb + `\b([^.;:!?,]*), (?:you )?(?:stop and )?(?:ask|check with|come to)(?: me)?(?: first)?\b`, "never " + verbMark + "$2, unless I say so", asBase},
		{`(?i)\b(?:work|stay|write|edit|touch files) only (?:in|inside|within|under|below) (?:the )?(\S+?)([.,;!?]|$)`, "never edit files outside $1$2", noVerb},
		// What is not to be touched.
		{`(?i)\b(?:keep (?:your )?)?hands off(?: of)? `, "never touch ", noVerb},
		{`(?i)\b(?:stay|keep) (?:away from|out of|off) `, "never touch ", noVerb},
		{`(?i)\bleave (\S+(?: \S+){0,4}?) alone\b`, "never touch $1", noVerb},
		{`(?i)(^|[.;:,] )([^.;:!?,]{1,60}?) (?:is|are) (?:read[ -]only|immutable|untouchable)(?: for you)?`, "${1}never edit $2", noVerb},
		{`(?i)(^|[.;:,] )(\S+) (?:is|are) off[ -]limits for (?:direct )?(push|commit|merge|deploy)(?:e?s|ing|ments?)?`, "${1}never $3 to $2", noVerb},
		{`(?i)(^|[.;:,] )((?:[^\s,;:!?]+ ){0,5}?[^\s,;:!?]+) (?:is|are) (?:none of your business|not your business|not yours|sacred)(?: to \w+)?`, "${1}$2 is off limits", noVerb},
		{`(?i)\b(?:treat|consider|regard) (?:everything |anything |all files )?(?:under |in |inside |below )?([^.;:!?,]{1,60}?) as (?:read[ -]only|immutable|untouchable|off[ -]limits)(?: for [^.;:!?,]*)?`, "never edit $1", noVerb},
		{`(?i)\bhit ((?:[\w-]+\.)+[\w-]+|localhost)\b`, "call $1", noVerb},
		{`(?i)\bno (\S+) piped (?:in)?to (\S+)`, "never pipe $1 into $2", noVerb},
		{`(?i)\b(?:no|never use) (?:new )?(?:npm |pip |go |cargo )?(dependenc\w+|packages?|librar\w+)( unless| without| from| in|[.,;!?]|$)`, "never add $1$2", noVerb},
		// The subject is the agent.
		{`(?i)\b(?:you are|you're) (?:strictly )?(?:forbidden|prohibited) (?:to|from) `, "never ", noVerb},
		{`(?i)\byou (?:do not have|don't have|have no) (?:my )?permission to `, "never ", noVerb},
		{`(?i)\bi forbid you (?:to|from) `, "never ", noVerb},
		{`(?i)\byou (?:don't|dont|do not) get to `, "never ", noVerb},
		{`(?i)\b(use|spawn|start|launch) (?:any )?sub-?agents?\b`, "use task or agent or spawn_agent or subagent", noVerb},
		{`(?i)\bonly i (?:may |can |ever )?` + aVerb + `\b`, "never " + verbMark, asBase},
		{`(?i)\b(?:our team|the team|this team) never ` + aVerb + `\b`, "never " + verbMark, asThird},
		{`(?i)\b(no one|nobody|no agent|none of you) (may ever|may|can|should|must|shall|is allowed to|ever|is to) `, "never ", noVerb},
		{`(?i)\b(?:no one|nobody) ` + aVerb + `\b`, "never " + verbMark, asThird},
		{`(?i)\b(you|agents|we) (shall|must|may|can) (not|never) `, "never ", noVerb},
		{`(?i)\b(?:you|agents|we)(?: are| is|'re) (?:not|never) (?:(?:allowed|permitted|supposed) )?to `, "never ", noVerb},
		{`(?i)\bi (?:really |just )?(do not|don't|dont|never) (ever )?want you to (ever )?`, "never ", noVerb},
		{`(?i)\b(?:don't|dont|do not) you (?:dare(?: to)?|ever) `, "never ", noVerb},
		{`(?i)\b(?:skip|bypass) (?:the )?(?:pre-commit |commit |git )?hooks?\b`, "use --no-verify", noVerb},
		{`(?i)\bnew (dependenc|package|librar)`, "$1", noVerb},
		{`(?i)\b(print|show|log|output|display) (?:the )?contents? of `, "$1 ", noVerb},
		{`(?i)\b(under no circumstances|in no case|on no account)( should you| may you| must you| shall you)?,? `, "never ", noVerb},
		// A noun for the deed.
		{`(?i)\b(?:never use|absolutely no|no) (?:changes|edits|modifications) (?:to|in|of) ([^.;:!?]{1,60}?)(?: by you| from you)?([.,;!?]|$)`, "never edit $1$2", noVerb},
		{`(?i)\bno force[- ]push(?:es|ing)?\b`, "never force-push", noVerb},
		{`(?i)\b(read|open|view|print|touch|edit) (?:anything|any files?|any of the files) (?:in|under|inside|within|from|below) `, "$1 ", noVerb},
		{`(?i)\bno (direct )?(push|commit|merge|deploy|release|migration|rebase|install)(e?s|ments?)? (to|on|in|into|from) `, "never $2 $4 ", noVerb},
		{`(?i)\b` + aGerund + ` ([^.;:!?]{1,80}?) is (strictly )?(forbidden|prohibited|not allowed|disallowed|a no-go|banned|off limits|off-limits|taboo)`, "never " + verbMark + " $2", asGerund},
		{`(?i)\b(edit|touch|change|modify|delete|rename) (?:any |the |all )?(proto|sql|yaml|yml|json|toml|csv|tf|ipynb|lock|svg) files\b`, "$1 *.$2 files", noVerb},
		// Two rules in a sentence.
		{`(?i),? and (never|always|do not|don't) `, ". $1 ", noVerb},
		// Acts that need a person's consent.
		{`(?i),? (without (first )?(asking|checking with|consulting|telling)\b[^.;:!?]*|without (my|our|explicit|prior|written)? ?(approval|permission|consent|ok|okay|go-ahead|say-so|confirmation|authorization)\b[^.;:!?]*)`, ", unless I say so", noVerb},
		// Names of one branch.
		{`(?i)\b(main)/(master)\b`, "main or master", noVerb},
		{`(?i)\b(origin|upstream)/(main|master|develop|production|staging)\b`, "$2", noVerb},
		{`(?i) (on your own|by yourself|yourself|for me|pls|please)([.!,;]|$)`, "$2", noVerb},
	} {
		out = append(out, ruleForm{regexp.MustCompile(f.found), f.put, f.verb})
	}
	return out
})
