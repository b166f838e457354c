package english

import (
	"slices"
	"strings"
)

// Deed is what a rule is about, in the form in which rules and what lifts them are
// compared: a verb, what it acts on, and under which condition. Words that change nothing
// ("directly", "straight", "again") and prepositions are left out, so that "push straight to main"
// and "push to the main branch directly" are one deed, while "push to develop" and
// "force-push" are others.
type Deed struct {
	Verb      string
	object    []string // sorted, without repetitions and without what only names a kind
	all       []string // the same with it
	Condition string   // "without review", "before 10"
	topic     string   // what the rule is bound to
}

// DeedOf returns the deed of the subject of a rule.
func DeedOf(subject string) (d Deed, ok bool) {
	rest, ok := strings.CutPrefix(subject, "rule/")
	if !ok {
		return Deed{}, false
	}
	rest, d.topic, _ = strings.Cut(rest, "/")
	return d.Read(strings.Split(rest, "-"))
}

// Read fills in a deed from the words of a subject.
func (d Deed) Read(words []string) (Deed, bool) {
	stems := make([]string, 0, len(words)) // of what is done, and of what to
	var condition []string
	for i, w := range words {
		if len(stems) > 0 && conditional()[w] {
			for _, w := range words[i:] {
				if low := Stem(w); !Plainly()[low] {
					condition = append(condition, low)
				}
			}
			break
		}
		if !Plainly()[w] && !Joins()[w] && !(len(stems) > 0 && straight()[w] && leads()[stems[0]]) {
			stems = append(stems, alike(Stem(w))...)
		}
	}
	if len(stems) > 1 && (stems[0] == "use" || stems[0] == "do" || stems[0] == "make" || stems[0] == "perform") && (stems[1] == "force" || Practises()[stems[1]]) {
		stems = stems[1:] // "use force push" is to force-push
	}
	if len(stems) == 0 {
		return Deed{}, false
	}
	d.Verb, d.Condition = VerbAlike(stems[0]), strings.Join(condition, " ")
	d.object = slices.Clone(stems[1:])
	slices.Sort(d.object)
	d.object = slices.Compact(d.object)
	d.all = d.object
	if kindless := slices.DeleteFunc(slices.Clone(d.object), func(w string) bool { return kinds()[w] }); len(kindless) > 0 {
		d.object = kindless
	}
	return d, true
}

// Same reports whether two deeds are one.
func (d Deed) Same(o Deed) bool {
	return d.Verb == o.Verb && d.Condition == o.Condition && d.topic == o.topic && slices.Equal(d.object, o.object)
}

// Within reports whether a deed is a part of another, wider one: the same verb and all
// that it acts on, and more said of where or when.
func (d Deed) Within(wide Deed) bool {
	if d.Verb != wide.Verb || d.topic != wide.topic && wide.topic != "" || wide.Condition != "" && wide.Condition != d.Condition {
		return false
	}
	for _, w := range wide.object {
		if !slices.Contains(d.all, w) {
			return false
		}
	}
	return !d.Same(wide)
}

// alike returns the words that a word stands for.
func alike(low string) []string {
	switch low {
	case "pr", "mr", "prs", "mrs":
		return []string{"pull", "request"}
	case "prod":
		return []string{"production"}
	case "dev":
		return []string{"development"}
	case "config":
		return []string{"configuration"}
	}
	return []string{low}
}

// VerbAlike returns the verb by which others of its meaning are compared.
func VerbAlike(low string) string {
	if same, ok := verbs[low]; ok {
		return same
	}
	return low
}

var (
	// Plainly are words that change nothing of what is done.
	Plainly = List("ever again now just simply anymore please still anyway always never")

	// Joins are prepositions between a verb and what it acts on.
	Joins = List("to into onto on in at of for with by from over via through up out against towards and or as")

	// conditional words begin the condition of a rule.
	conditional = List("without unless before until after if when whenever except while during till once")

	// kinds are nouns that only give the kind of a named object.
	kinds = List("branch repo folder directory file command tool program package")

	// verbs are those that mean the same in a rule, with one of them.
	verbs = map[string]string{
		"remove": "delete", "erase": "delete", "modify": "edit", "change": "edit", "alter": "edit", "touch": "edit", "execute": "run", "launch": "run", "reply": "answer", "respond": "answer",
		"display": "show", "mail": "email", "summarise": "summarize", "apologise": "apologize", "organise": "organize",
	}
)
