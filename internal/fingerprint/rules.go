package fingerprint

import (
	"fmt"
	"slices"
	"strings"

	"lukasa.dev/hmx"
)

// check applies the rules beyond the types.
func (f *Fingerprint) check() error {
	b, p := &f.Behaviour, &f.Uses
	if f.Format != Format {
		return broken("/lukasa_fingerprint", "it is not 1")
	}
	if !hexadecimal(f.Hash, 64) {
		return broken("/hash", "it is no SHA-256 of 64 hexadecimal digits")
	}
	if broke := first(within("tasks", b.Tasks), within("judged", b.Judged), atMost("judged", b.Judged, "tasks", b.Tasks), atMost("succeeded", b.Succeeded, "judged", b.Judged)); broke.rule != "" {
		return broken("/behaviour/"+broke.field, broke.rule)
	}
	section := func(u Use) flaw {
		return first(demand("name", slices.Contains(hmx.Sections(), hmx.Section(u.Name)), "it is no section of packs"), u.flaw())
	}
	source := func(u Use) flaw {
		return first(demand("name", slices.Contains(hmx.SourceTypes(), hmx.SourceType(u.Name)), "it is no type of source"), u.flaw())
	}
	tag := func(u Use) flaw { return first(isName("name", u.Name, maxName), u.flaw()) }
	thing := func(u Use) flaw { return first(isID("name", u.Name), u.flaw()) }
	for _, err := range []error{
		checkList("/origins", f.Origins, MaxOrigins, Origin.flaw),
		checkList("/artifacts", f.Artifacts, MaxArtifacts, Artifact.flaw),
		checkList("/behaviour/tools", b.Tools, MaxTools, Tool.flaw),
		checkList("/behaviour/follows", b.Follows, MaxFollows, Follow.flaw),
		checkList("/behaviour/errors", b.Errors, MaxErrors, Error.flaw),
		checkList("/graph/kinds", f.Graph.Kinds, MaxKinds, Kind.flaw),
		checkList("/graph/pairs", f.Graph.Pairs, MaxPairs, Pair.flaw),
		checkList("/words", f.Words, MaxWords, Word.flaw),
		checkList("/priors/sections", p.Sections, len(hmx.Sections()), section),
		checkList("/priors/sources", p.Sources, len(hmx.SourceTypes()), source),
		checkList("/priors/tags", p.Tags, MaxTags, tag),
		checkList("/priors/things", p.Things, MaxThings, thing),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkList applies the rules of a list: its length, its order, unique keys, and each entry's
// own.
func checkList[T entry](at string, list []T, most int, judge func(T) flaw) error {
	if list == nil {
		return broken(at, "it is missing")
	}
	if len(list) > most {
		return broken(at, fmt.Sprintf("it has %d entries; %d are the most", len(list), most))
	}
	seen := make(map[string]bool, len(list))
	for i, e := range list {
		here := fmt.Sprintf("%s/%d", at, i)
		if x := judge(e); x.rule != "" {
			return broken(here+"/"+x.field, x.rule)
		}
		switch {
		case seen[e.key()]:
			return broken(here, "an earlier entry has the same subject")
		case i > 0 && ordered(list[i-1], e) >= 0:
			return broken(here, "it is not in its place: most support first, then by name")
		}
		seen[e.key()] = true
	}
	return nil
}

// flaw is a broken rule of a member. The zero value is none.
type flaw struct{ field, rule string }

// first returns the first flaw.
func first(list ...flaw) flaw {
	for _, x := range list {
		if x.rule != "" {
			return x
		}
	}
	return flaw{}
}

// demand returns a flaw unless kept is set.
func demand(field string, kept bool, rule string) flaw {
	if kept {
		return flaw{}
	}
	return flaw{field, rule}
}

// within requires a count to be in its range.
func within(field string, n int64) flaw {
	return demand(field, n >= 0 && n <= maxCount, "it is no count from 0 to 2^32")
}

// counted requires a count of at least one.
func counted(field string, n int64) flaw {
	return demand(field, n >= 1 && n <= maxCount, "it is no count from 1 to 2^32")
}

// atMost requires a count to be in its range, and not above another.
func atMost(field string, n int64, of string, most int64) flaw {
	return first(within(field, n), demand(field, n <= most, "it is more than "+of))
}

func isHash(field, v string, digits int) flaw {
	return demand(field, hexadecimal(v, digits), fmt.Sprintf("it is no hash of %d hexadecimal digits", digits))
}

func isName(field, v string, most int) flaw {
	return demand(field, named(v, most), fmt.Sprintf("it is no name: up to %d letters, digits and _ . : - /, a letter first", most))
}

func isID(field, v string) flaw {
	return demand(field, identifier(v), fmt.Sprintf("it is no id: up to %d letters, digits and _ . : - /", maxID))
}

func isTool(field, v string) flaw {
	return demand(field, toolNamed(v), fmt.Sprintf("it is no name of a tool: up to %d letters, digits and _ . : - /, a letter first, or tool: and a hash", maxName))
}

func isShare(field string, x float64) flaw {
	return demand(field, share(x) == x, "it is not a number from 0 to 1 with up to four decimals")
}

// hexadecimal reports whether a text is a hash with the given number of digits.
func hexadecimal(v string, digits int) bool {
	if len(v) != digits {
		return false
	}
	for i := range len(v) {
		if c := v[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func toolNamed(v string) bool {
	rest, ok := strings.CutPrefix(v, "tool:")
	return named(v, maxName) || ok && hexadecimal(rest, 32)
}

func (e Origin) flaw() flaw {
	return first(isHash("id", e.ID, 32), demand("root", e.Root == "" || hexadecimal(e.Root, 64), "it is no root of 64 hexadecimal digits, nor empty"))
}

func (e Artifact) flaw() flaw {
	tools := true
	for part := range strings.SplitSeq(e.Title, " > ") {
		tools = tools && toolNamed(part)
	}
	known := slices.Contains(hmx.ArtifactTypes(), hmx.ArtifactType(e.Type)) || named(e.Type, maxType) && hmx.CustomType(e.Type)
	rated := flaw{}
	if e.SuccessRate != -1 {
		rated = isShare("success_rate", e.SuccessRate)
	}
	return first(
		isID("id", e.ID), demand("type", known, "it is no type of artifact"), demand("version", e.Version >= 1, "it is no version from 1"),
		demand("content_hash", e.ContentHash == "" || hexadecimal(e.ContentHash, 64), "it is no hash of 64 hexadecimal digits, nor empty"),
		demand("title", e.Title == "" || tools && len(e.Title) <= maxTitle, fmt.Sprintf("it is not names of tools joined by \" > \", of up to %d bytes", maxTitle)),
		isShare("confidence", e.Confidence), within("observed", e.Observed), rated,
	)
}

func (e Tool) flaw() flaw {
	return first(
		isTool("name", e.Name), counted("taken", e.Taken), atMost("went", e.Went, "taken", e.Taken), atMost("broke", e.Broke, "taken", e.Taken),
		atMost("judged", e.Judged, "taken", e.Taken), atMost("succeeded", e.Succeeded, "judged", e.Judged),
	)
}

func (e Follow) flaw() flaw {
	from := flaw{}
	if e.From != "" {
		from = isTool("from", e.From)
	}
	return first(from, isTool("to", e.To), counted("count", e.Count))
}

func (e Error) flaw() flaw {
	return first(isHash("signature", e.Signature, 32), isTool("tool", e.Tool), counted("count", e.Count), atMost("mended", e.Mended, "count", e.Count))
}

func (e Kind) flaw() flaw { return first(isName("name", e.Name, maxName), counted("count", e.Count)) }

func (e Pair) flaw() flaw {
	return first(isHash("a", e.A, 32), isHash("b", e.B, 32), demand("b", e.A < e.B, "it is not behind a"), counted("count", e.Count))
}

func (e Word) flaw() flaw {
	return first(
		demand("text", common(e.Text), fmt.Sprintf("it is no word of 3 to %d bytes, of letters in lower case", maxWord)), within("tasks", e.Tasks),
		demand("tasks", e.Tasks >= MinWordTasks, fmt.Sprintf("it is less than %d; rarer words are left out", MinWordTasks)),
		demand("sessions", e.Sessions >= MinWordSessions, fmt.Sprintf("it is less than %d; rarer words are left out", MinWordSessions)),
		atMost("sessions", e.Sessions, "tasks", e.Tasks),
	)
}

func (e Use) flaw() flaw {
	return first(counted("shown", e.Shown), atMost("used", e.Used, "shown", e.Shown))
}
