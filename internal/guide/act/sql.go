package act

import (
	"strings"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/programs"
	"lukasa.dev/internal/trace/shapes"
)

const (
	maxStatements = 32  // of SQL
	maxSQLWords   = 256 // of a statement
)

// sqlBegins reports whether a text begins as a statement of SQL does.
func sqlBegins(text string) bool {
	w := sqlWords(text)
	if len(w) < 2 {
		return false
	}
	switch w[0] {
	case "delete":
		return w[1] == "from"
	case "insert":
		return w[1] == "into"
	case "update":
		return contains(w, "set")
	case "select", "with":
		return contains(w, "from")
	case "drop", "alter", "create", "truncate":
		return w[0] == "truncate" || sqlKinds()[w[1]] || contains(w[:min(len(w), 5)], "table")
	case "grant", "revoke":
		return contains(w, "on") || contains(w, "to") || contains(w, "from")
	}
	return false
}

var sqlKinds = english.List("table database schema index view column user role function trigger sequence materialized temporary temp unique type extension")

// sqlWords returns the words of the first statement in lower case, without what stands
// in single quotes or in comments.
func sqlWords(text string) []string {
	words, _ := sqlStatement(text)
	return words
}

// sqlStatement returns the words of the first statement, and what follows it.
func sqlStatement(text string) (words []string, rest string) {
	start := -1
	end := func(i int) {
		if start >= 0 && len(words) < maxSQLWords {
			words = append(words, strings.ToLower(strings.Trim(text[start:i], "`\"[]")))
		}
		start = -1
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\'':
			end(i)
			for i++; i < len(text) && text[i] != '\''; i++ {
			}
		case c == '-' && strings.HasPrefix(text[i:], "--"):
			end(i)
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '/' && strings.HasPrefix(text[i:], "/*"):
			end(i)
			n := strings.Index(text[i:], "*/")
			if n < 0 {
				return words, ""
			}
			i += n + 1
		case c == ';':
			end(i)
			return words, text[i+1:]
		case english.LetterOrDigit(c) || c == '_' || c == '.' || c == '`' || c == '"' || c == '[' || c == ']':
			if start < 0 {
				start = i
			}
		default:
			end(i)
		}
	}
	end(len(text))
	return words, ""
}

// sqlIn returns the SQL that a command hands to a database.
func (a *Act) sqlIn(c *shapes.Command) []string {
	if !programs.Databases()[a.Program] {
		return nil
	}
	var list []string
	for _, w := range c.Words[1:] {
		if sqlBegins(w) {
			list = append(list, w)
		} else if _, value, ok := strings.Cut(w, "="); ok && sqlBegins(value) {
			list = append(list, value)
		}
	}
	return list
}

// sqlActs returns what statements do, where by is the act that runs them.
func sqlActs(text string, by *Act) []*Act {
	var list []*Act
	for text = text[:min(len(text), maxValue*4)]; text != "" && len(list) < maxStatements; {
		var words []string
		before := text
		words, text = sqlStatement(text)
		if len(words) == 0 {
			continue
		}
		a := New(strings.TrimSpace(before[:len(before)-len(text)]))
		AddAll(a.Names, by.Names)
		AddAll(a.Where, by.Exact)
		for w := range by.Nouns {
			if english.Environments()[w] {
				a.Nouns[w] = true
			}
		}
		a.statement(words)
		list = append(list, a)
		if words[0] == "alter" && contains(words, "drop") {
			b := New(a.Text)
			AddAll(b.Names, by.Names)
			b.statement([]string{"drop", "column"})
			list = append(list, b)
		}
	}
	return list
}

// statement notes what one statement does.
func (a *Act) statement(w []string) {
	a.Names["sql"], a.Where[english.Fold("database")] = true, true
	a.Verbs[english.Fold(w[0])], a.Keywords[w[0]] = true, true
	AddAll(a.Verbs, english.Folded("run execute query"))
	AddAll(a.Nouns, english.Folded("statement query sql"))
	does := func(words, to string) { AddAll(a.Verbs, english.Folded(words)); AddAll(a.Nouns, english.Folded(to)) }
	at := -1 // where the name of what it is about stands
	switch w[0] {
	case "delete":
		does("delete remove", "row rows record records data")
		at = behind(w, "from")
	case "truncate":
		does("truncate delete empty wipe", "row rows record records data table")
		if at = 1; len(w) > 1 && w[1] == "table" {
			at = 2
		}
	case "drop":
		does("drop delete remove", "")
		at = a.kind(w)
	case "alter":
		does("alter change modify", "schema")
		at = a.kind(w)
	case "create":
		does("create add", "")
		at = a.kind(w)
	case "insert":
		does("insert add write", "row rows record records data database")
		at = behind(w, "into")
	case "update":
		does("update change modify write edit", "row rows record records data database")
		at = 1
	case "select", "with":
		does("select read", "data")
		at = behind(w, "from")
	case "grant", "revoke":
		does("", "permission permissions privilege privileges access")
	}
	for _, x := range w {
		if x == "where" || x == "limit" {
			a.Names[english.Fold(x)] = true
		}
	}
	if at > 0 && at < len(w) {
		for part := range strings.SplitSeq(w[at], ".") {
			a.Nouns[english.Fold(strings.Trim(part, "`\"[]"))] = true
		}
	}
}

// kind adds the kind of object that a statement is about, and returns the index of its name.
func (a *Act) kind(w []string) int {
	for i := 1; i < len(w) && i < 6; i++ {
		if !sqlKinds()[w[i]] {
			continue
		}
		a.Nouns[english.Fold(w[i])] = true
		if w[i] == "table" {
			AddAll(a.Nouns, english.Folded("data"))
		}
		for i++; i < len(w) && (w[i] == "if" || w[i] == "not" || w[i] == "exists" || sqlKinds()[w[i]]); i++ {
		}
		return i
	}
	return -1
}

func behind(w []string, word string) int {
	for i, x := range w {
		if x == word {
			return i + 1
		}
	}
	return -1
}

func contains(w []string, word string) bool { return behind(w, word) > 0 }
