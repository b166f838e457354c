package statement

import (
	"strings"

	"lukasa.dev/internal/english"
)

// led returns a clause without its introductory words.
func afterLead(c english.Clause) english.Clause {
	english.TakeLead(&c)
	return c
}

// requested returns what a clause asks for, without the words that make it polite: "could
// you please".
func requested(c english.Clause) english.Clause {
	c, _ = c.CutOne(english.Courtesies())
	for english.Fillers()[c.At(0).Low] || c.At(0).Low == "to" {
		c = c.Skip(1)
	}
	return c
}

// casts reports whether a sentence gives the agent a role: "you are an expert", "act as".
func casts(c english.Clause) bool {
	if _, ok := c.Cut("your task is", "your job is", "your role is", "your goal is"); ok {
		return true
	}
	return english.Plays()[c.At(0).Low] || c.At(0).Low == "you" && c.At(1).Low == "are" && (c.At(2).Low == "a" || c.At(2).Low == "an" || c.At(2).Capital && c.At(2).Low != "i" || english.Agents()[c.At(2).Low])
}

// orders reports whether a sentence asks for a piece of work.
func orders(c english.Clause) bool {
	for _, w := range c {
		if english.BindingWords()[w.Low] && !english.Enforcing()[c.At(0).Low] {
			return false // it is an order to obey
		}
	}
	if _, ok := c.Cut("can you", "could you", "would you", "will you", "can we", "could we", "let us", "we need", "we should", "i need", "i want", "i would like", "it should", "it must", "it needs", "help me", "there should"); ok {
		return true
	}
	if first, next := c.At(0).Low, c.At(1).Low; (english.Actions()[first] || english.Tasks()[first]) && !c.At(0).Quoted && next != "is" && next != "are" {
		return next != "it" && next != "them" || english.Enforcing()[first] // what to do with what a rule names is no work of its own
	}
	for i := 1; i < min(6, len(c)); i++ {
		if low := c[i].Low; c.At(0).Low == "the" && (low == "should" || low == "must" || low == "needs") {
			return true
		}
	}
	return false
}

// drafts reports whether a sentence asks for a text to be written.
func drafts(c english.Clause) bool {
	if english.Composes()[c.At(0).Low] {
		for _, w := range c[1:min(6, len(c))] {
			if strings.HasSuffix(w.Low, ".md") || english.RuleFiles()[strings.Trim(w.Low, ".@")] {
				return true
			}
		}
	}
	return english.Invents()[c.At(0).Low] && !c.Has(english.Strong()) || (english.Composes()[c.At(0).Low] || english.Rewrites()[c.At(0).Low] || english.Determiners()[c.At(0).Low]) && agentsPart(c[:min(8, len(c))].Opening()).Has(english.Writings())
}

// edits reports whether a sentence orders work on the text beside it: "translate it",
// "improve this prompt".
func edits(c english.Clause) bool {
	verb := c.At(0).Low
	return english.Rewords()[verb] && (c.Has(english.Wordings()) || c.Has(english.Backward()) || c.At(1).Low == "them") || english.Improves()[verb] && c.Has(english.Wordings())
}

// files reports whether a sentence orders to store the text beside it: "put this in the
// README".
func isFiling(c english.Clause) bool {
	if !english.Puts()[c.At(0).Low] {
		return false
	}
	for i := 1; i < len(c); i++ {
		if w := c[i].Low; english.PointsBelow()[w] && !english.Houses()[c.At(i+1).Low] {
			for _, w := range c[1:] {
				if english.Documents()[w.Low] || english.FileName(w.Low) || english.RuleFiles()[strings.Trim(w.Low, ".@")] {
					return true
				}
			}
		}
	}
	return false
}

// agentsPart returns a clause up to where the user acts: "draft them here and I post them".
func agentsPart(c english.Clause) english.Clause {
	for i, w := range c {
		if i > 0 && w.Low == "i" && !english.Subordinate()[c[i-1].Low] {
			return c[:i]
		}
	}
	return c
}
