package english

import (
	"strings"
	"sync"
)

// Fold returns a word in the form in which words of rules and actions are compared: in lower
// case, without the ending of a number or a tense, with one of several synonyms.
func Fold(word string) string { return ending(Exact(word)) }

// Exact returns a name in the form in which names are compared: in lower case, with one of
// several synonyms.
func Exact(name string) string {
	w := strings.ToLower(name)
	if same, ok := sameAs[w]; ok {
		return same
	}
	return w
}

// sameAs are words that stand for others.
var sameAs = map[string]string{
	"prod": "production", "prd": "production", "repo": "repository", "repos": "repository", "db": "database", "dbs": "database",
	"dir": "directory", "dirs": "directory", "folder": "directory", "folders": "directory", "pkg": "package", "deps": "dependency", "dependencies": "dependency",
	"directories": "directory", "repositories": "repository", "k8s": "kubernetes", "pr": "pullrequest", "prs": "pullrequest", "stage": "staging",
	"deletion": "delete", "deletions": "delete", "installation": "install", "cancellation": "cancel", "modification": "modify", "modifications": "modify",
	"creation": "create", "migration": "migrate", "migrations": "migrate", "execution": "execute", "deployment": "deploy", "deployments": "deploy",
	"removal": "remove", "payments": "payment", "e-mail": "email", "e-mails": "email", "mail": "email", "mails": "email", "overwritten": "overwrite",
	"ran": "run", "using": "use", "used": "use", "sent": "send", "paid": "pay", "wrote": "write", "written": "write", "db:migrate": "migrate", "pipe": "piped-into", "piping": "piped-into", "pipes": "piped-into",
}

// ending removes the ending of a plural or a tense.
func ending(w string) string {
	n := len(w)
	switch {
	case n < 4:
		return w
	case strings.HasSuffix(w, "ies"):
		return w[:n-3] + "i"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "xes"):
		return w[:n-2]
	case strings.HasSuffix(w, "ing") && n >= 6 && vowelIn(w[:n-3]):
		return silent(undoubled(w[:n-3]))
	case strings.HasSuffix(w, "ed") && n >= 5 && vowelIn(w[:n-2]):
		return silent(undoubled(w[:n-2]))
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return ending(w[:n-1])
	}
	return silent(w)
}

// silent makes one ending of those that verbs lose before others.
func silent(w string) string {
	if n := len(w); n > 3 && w[n-1] == 'e' {
		return w[:n-1]
	} else if n > 3 && w[n-1] == 'y' {
		return w[:n-1] + "i"
	}
	return w
}

func undoubled(w string) string {
	if n := len(w); n > 3 && w[n-1] == w[n-2] && strings.IndexByte("bdgmnprt", w[n-1]) >= 0 {
		return w[:n-1]
	}
	return w
}

func vowelIn(w string) bool { return strings.ContainsAny(w, "aeiouy") }

// FoldSet is a set of folded words.
type FoldSet map[string]bool

func Folded(lists ...string) FoldSet {
	s := FoldSet{}
	for _, list := range lists {
		for w := range strings.FieldsSeq(list) {
			s[Fold(w)] = true
		}
	}
	return s
}

// FoldedList returns the set of the words of lists, which is made when it is first asked for.
func FoldedList(lists ...string) func() FoldSet {
	return sync.OnceValue(func() FoldSet { return Folded(lists...) })
}

// RuleFillers are words of a rule that say nothing about which action it means.
var RuleFillers = List("a an the any all some this that these those our my your their its his her to into onto in on at of for from with within inside under by via and " +
	"directly straight ever again please just simply manually anything everything something stuff things thing it them us me you we i he they be been being is are was " +
	"whole entire code changes change commands command tools tool program there here also too yourself agent agents assistant which who as do does did have has had " +
	"called named out up off hand actually really absolutely only")

// Means are the verbs that say that something is used, whatever it does.
var Means = FoldedList("use run call execute invoke start launch try using utilise utilize work")

// Deeds are the words of rules that are taken for what is done.
var Deeds = FoldedList("push deploy delete remove drop truncate erase wipe purge destroy install uninstall add commit merge rebase reset revert amend publish release ship edit modify change alter touch write overwrite " +
	"create make move rename copy read open send email post pay refund charge transfer cancel book buy purchase order sell spend withdraw kill stop start restart reboot shutdown scale rollback roll update upgrade downgrade " +
	"build test lint format run use call execute invoke launch fetch download upload pull clone checkout switch tag force sign approve grant revoke query select insert migrate seed apply provision import export share " +
	"pipe disable enable bypass skip log print store save archive close assign exceed schedule reply answer forward message notify connect ssh chmod chown prune clean discard squash cherry-pick stash exec empty rotate invite ban block")

// Observable are what is done before something else and leaves a step of its own.
var Observable = FoldedList("test lint linter formatter format build typecheck compile pull fetch rebase backup back plan diff status migrate commit install vet check verify validate audit scan")

// Consents are words for what people say to each other, which no step shows.
var Consents = FoldedList("ask asking approval approve permission consent confirm confirmation review reviewed reviewer sign-off signoff tell telling notify inform discuss agree agreement")

// WentWell are words that say that something went well.
var WentWell = FoldedList("pass passes passing passed green succeed succeeds succeeded success successful successfully ok clean locally first suite full complete completely")

// Times are words that say when, which an action does not tell.
var Times = FoldedList("monday tuesday wednesday thursday friday saturday sunday weekend weekday holiday night evening morning afternoon noon midnight today tomorrow tonight now yet christmas month week year quarter hour hours am pm daytime nighttime eod")

// RuleManners are words that say how or by whom, which an action does not show.
var RuleManners = FoldedList("automatically blindly unnecessarily unattended silently alone needlessly twice often frequently immediately quickly carelessly")

// Environments are names of where something runs. They are looked for inside longer
// names of machines, too.
var Environments = FoldedList("production staging live prod")

// Workplaces are what a rule says it holds in, and that is where the agent works anyway.
var Workplaces = List("repo repository project codebase workspace monorepo app application")
