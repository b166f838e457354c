package ruletext

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

// Verbs of what agents do to a project, plainly, and as they stand before "ing".
const (
	baseForms = `push|commit|deploy|merge|delete|publish|install|edit|rebase|force-push|use|release|write|run|remove|change|modify|touch|drop|create|add|start|stop|restart|apply|send|open|update|upgrade`
	stemForms = `push|committ|commit|deploy|merg|delet|publish|install|edit|rebas|force-push|us|releas|writ|runn|remov|chang|modify|touch|dropp|creat|add|start|stopp|restart|apply|send|open|updat|upgrad`
)

// ruleForms are read in order. They are compiled when the first rule is read.
var ruleForms = sync.OnceValue(func() []ruleForm {
	var out []ruleForm
	for _, f := range [][2]string{
		{`(?i)\bwithout (my|our) review\b`, "without my approval"},
		// Who is spoken to.
		{`(?i)^(?:(?:hey|hi|dear|claude|codex|gemini|opencode|copilot|cursor|assistant|agent|pls|plz|please|kindly|and|so|also|ok|okay),? )+`, ""},
		// What only says that it is for good.
		{`(?i),? (?:any ?more|any longer|ever again|from now on|from here on|from this point on|in (?:the )?future|going forward|at any time|at all|ever)([.,;!?]|$)`, "$1"},
		{`(?i)(^|[.;:] )(?:until i say otherwise|from now on|from here on|from this point on),? `, "$1"},
		// Who asks, and where it holds that holds everywhere.
		{`(?i)\b(?:therefore )?i (?:ask|beg|urge|expect|order) you,?(?: [^.;:!?]{1,40},)? to (never|not|always) `, "$1 "},
		{`(?i)^not `, "do not "},
		{`(?i)\bno more ([^.;:!?]{1,60}?) from you\b`, "no $1"},
		{`(?i)\bno more `, "no "},
		{`(?i),? (?:in any (?:directory|folder|repo|project|case)|on any (?:instance|machine|host|branch)|on this (?:machine|box|host|laptop|computer))([.,;!?]|$)`, "$1"},
		// A ban is a sentence of its own.
		{`(?i), (?:and )?no `, ". no "},
		{`(?i), ((?:\S+ ){1,3}(?:is|are) (?:strictly )?(?:forbidden|prohibited|banned|taboo|off limits|off-limits))`, ". $1"},
		// What needs a person's consent before it is done.
		{`(?i)\b(?:(?:always|please|you must|you have to|you need to) )*(?:ask|check with|confirm with|consult|tell|talk to)(?: me| us)?(?: first)?(?: for permission)? before (?:you )?(?:ever )?(` + baseForms + `)\b([^.;:!?]*)`, "never $1$2, unless I say so"},
		{`(?i)\b(?:(?:always|please|you must|you have to|you need to) )*(?:ask|check with|confirm with|consult|tell|talk to)(?: me| us)?(?: first)?(?: for permission)? before (` + stemForms + `)ing\b([^.;:!?]*)`, "never ${1}\x01$2, unless I say so"},
		{`(?i)\bnothing (?:goes|gets|lands|is pushed|is merged)(?: directly)? (?:in)?to `, "never push to "},
		{`(?i)\bif you (?:ever )?(?:need|want|have) to (` + baseForms + `)\b([^.;:!?,]*), (?:you )?(?:stop and )?(?:ask|check with|come to)(?: me)?(?: first)?\b`, "never $1$2, unless I say so"},
		{`(?i)\b(?:work|stay|write|edit|touch files) only (?:in|inside|within|under|below) (?:the )?(\S+?)([.,;!?]|$)`, "never edit files outside $1$2"},
		// What is not to be touched.
		{`(?i)\b(?:keep (?:your )?)?hands off(?: of)? `, "never touch "},
		{`(?i)\b(?:stay|keep) (?:away from|out of|off) `, "never touch "},
		{`(?i)\bleave (\S+(?: \S+){0,4}?) alone\b`, "never touch $1"},
		{`(?i)(^|[.;:,] )([^.;:!?,]{1,60}?) (?:is|are) (?:read[ -]only|immutable|untouchable)(?: for you)?`, "${1}never edit $2"},
		{`(?i)(^|[.;:,] )(\S+) (?:is|are) off[ -]limits for (?:direct )?(push|commit|merge|deploy)(?:e?s|ing|ments?)?`, "${1}never $3 to $2"},
		{`(?i)(^|[.;:,] )((?:[^\s,;:!?]+ ){0,5}?[^\s,;:!?]+) (?:is|are) (?:none of your business|not your business|not yours|sacred)(?: to \w+)?`, "${1}$2 is off limits"},
		{`(?i)\b(?:treat|consider|regard) (?:everything |anything |all files )?(?:under |in |inside |below )?([^.;:!?,]{1,60}?) as (?:read[ -]only|immutable|untouchable|off[ -]limits)(?: for [^.;:!?,]*)?`, "never edit $1"},
		{`(?i)\bhit ((?:[\w-]+\.)+[\w-]+|localhost)\b`, "call $1"},
		{`(?i)\bno (\S+) piped (?:in)?to (\S+)`, "never pipe $1 into $2"},
		{`(?i)\b(?:no|never use) (?:new )?(?:npm |pip |go |cargo )?(dependenc\w+|packages?|librar\w+)( unless| without| from| in|[.,;!?]|$)`, "never add $1$2"},
		// The subject is the agent.
		{`(?i)\b(?:you are|you're) (?:strictly )?(?:forbidden|prohibited) (?:to|from) `, "never "},
		{`(?i)\byou (?:do not have|don't have|have no) (?:my )?permission to `, "never "},
		{`(?i)\bi forbid you (?:to|from) `, "never "},
		{`(?i)\byou (?:don't|dont|do not) get to `, "never "},
		{`(?i)\b(use|spawn|start|launch) (?:any )?sub-?agents?\b`, "use task or agent or spawn_agent or subagent"},
		{`(?i)\bonly i (?:may |can |ever )?(push|merge|deploy|publish|commit|release)\b`, "never $1"},
		{`(?i)\b(?:our team|the team|this team) never (` + baseForms + `|force-push)(?:es|s)?\b`, "never $1"},
		{`(?i)\b(no one|nobody|no agent|none of you) (may ever|may|can|should|must|shall|is allowed to|ever|is to) `, "never "},
		{`(?i)\b(no one|nobody) (push|commit|deploy|merge|delete|publish|install|edit|touch|rebase)(es|s)?\b`, "never $2"},
		{`(?i)\b(you|agents|we) (shall|must|may|can) (not|never) `, "never "},
		{`(?i)\b(?:you|agents|we)(?: are| is|'re) (?:not|never) (?:(?:allowed|permitted|supposed) )?to `, "never "},
		{`(?i)\bi (?:really |just )?(do not|don't|dont|never) (ever )?want you to (ever )?`, "never "},
		{`(?i)\b(?:don't|dont|do not) you (?:dare(?: to)?|ever) `, "never "},
		{`(?i)\b(?:skip|bypass) (?:the )?(?:pre-commit |commit |git )?hooks?\b`, "use --no-verify"},
		{`(?i)\bnew (dependenc|package|librar)`, "$1"},
		{`(?i)\b(print|show|log|output|display) (?:the )?contents? of `, "$1 "},
		{`(?i)\b(under no circumstances|in no case|on no account)( should you| may you| must you| shall you)?,? `, "never "},
		// A noun for the deed.
		{`(?i)\b(?:never use|absolutely no|no) (?:changes|edits|modifications) (?:to|in|of) ([^.;:!?]{1,60}?)(?: by you| from you)?([.,;!?]|$)`, "never edit $1$2"},
		{`(?i)\bno force[- ]push(?:es|ing)?\b`, "never force-push"},
		{`(?i)\b(read|open|view|print|touch|edit) (?:anything|any files?|any of the files) (?:in|under|inside|within|from|below) `, "$1 "},
		{`(?i)\bno (direct )?(push|commit|merge|deploy|release|migration|rebase|install)(e?s|ments?)? (to|on|in|into|from) `, "never $2 $4 "},
		{`(?i)\b(push|commit|deploy|merg|delet|publish|install|edit|rebas|forc|us|releas|writ)ing ([^.;:!?]{1,80}?) is (strictly )?(forbidden|prohibited|not allowed|disallowed|a no-go|banned|off limits|off-limits|taboo)`, "never ${1}\x01 $2"},
		{`(?i)\b(edit|touch|change|modify|delete|rename) (?:any |the |all )?(proto|sql|yaml|yml|json|toml|csv|tf|ipynb|lock|svg) files\b`, "$1 *.$2 files"},
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
	case "merg", "delet", "rebas", "forc", "us", "releas", "writ", "remov", "chang", "creat", "updat", "upgrad":
		verb += "e"
	case "runn", "dropp", "stopp", "committ":
		verb = verb[:len(verb)-1]
	}
	return text[:from] + verb + text[at+1:]
}
