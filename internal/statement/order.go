package statement

import "strings"

// led returns a clause without what people say before it.
func (c clause) led() clause {
	c.lead()
	return c
}

// requested returns what a clause asks for, without the words that make it polite: "could
// you please".
func (c clause) requested() clause {
	c, _ = c.cutOne(courtesies())
	for fillers()[c.at(0).low] || c.at(0).low == "to" {
		c = c.skip(1)
	}
	return c
}

// casts reports whether a sentence gives the agent a role: "you are an expert", "act as".
func (c clause) casts() bool {
	if _, ok := c.cut("your task is", "your job is", "your role is", "your goal is"); ok {
		return true
	}
	return plays()[c.at(0).low] || c.at(0).low == "you" && c.at(1).low == "are" && (c.at(2).low == "a" || c.at(2).low == "an" || c.at(2).capital && c.at(2).low != "i" || agents()[c.at(2).low])
}

// orders reports whether a sentence asks for a piece of work.
func (c clause) orders() bool {
	for _, w := range c.words {
		if bindingWords()[w.low] && !enforcing()[c.at(0).low] {
			return false // it orders to obey
		}
	}
	if _, ok := c.cut("can you", "could you", "would you", "will you", "can we", "could we", "let us", "we need", "we should", "i need", "i want", "i would like", "it should", "it must", "it needs", "help me", "there should"); ok {
		return true
	}
	if first, next := c.at(0).low, c.at(1).low; (actions()[first] || tasks()[first]) && !c.at(0).quoted && next != "is" && next != "are" {
		return next != "it" && next != "them" || enforcing()[first] // what to do with what a rule names is no work of its own
	}
	for i := 1; i < min(6, len(c.words)); i++ {
		if low := c.words[i].low; c.at(0).low == "the" && (low == "should" || low == "must" || low == "needs") {
			return true
		}
	}
	return false
}

// drafts reports whether a sentence asks for a text to be written.
func (c clause) drafts() bool {
	if composes()[c.at(0).low] {
		for _, w := range c.words[1:min(6, len(c.words))] {
			if strings.HasSuffix(w.low, ".md") || ruleFiles()[strings.Trim(w.low, ".@")] {
				return true
			}
		}
	}
	return invents()[c.at(0).low] && !c.has(strong()) || (composes()[c.at(0).low] || rewrites()[c.at(0).low] || determiners()[c.at(0).low]) && (clause{c.words[:min(8, len(c.words))]}).opening().agentsPart().has(writings())
}

// edits reports whether a sentence orders something to be done with the words that stand
// beside it: "translate it", "improve this prompt".
func (c clause) edits() bool {
	verb := c.at(0).low
	return rewords()[verb] && (c.has(wordings()) || c.has(backward()) || c.at(1).low == "them") || improves()[verb] && c.has(wordings())
}

// files reports whether a sentence orders that what stands beside it is put somewhere: "put
// this in the README".
func (c clause) files() bool {
	if !puts()[c.at(0).low] {
		return false
	}
	for i := 1; i < len(c.words); i++ {
		if w := c.words[i].low; pointsBelow()[w] && !houses()[c.at(i+1).low] {
			for _, w := range c.words[1:] {
				if documents()[w.low] || fileName(w.low) || ruleFiles()[strings.Trim(w.low, ".@")] {
					return true
				}
			}
		}
	}
	return false
}

// agentsPart returns a clause up to where the user acts: "draft them here and I post them".
func (c clause) agentsPart() clause {
	for i, w := range c.words {
		if i > 0 && w.low == "i" && !subordinate()[c.words[i-1].low] {
			return clause{c.words[:i]}
		}
	}
	return c
}
