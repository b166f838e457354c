package statement

import "strings"

// maxTopic is how many words a topic has at most.
const maxTopic = 12

// topic returns what triggers a standing instruction, as it is written: what users ask
// about, or what the agent is about to do.
func (c clause) topic(text string) string {
	words := c.trigger()
	for len(words) > 0 && (determiners()[words[0].low] || words[0].low == "ever") {
		words = words[1:]
	}
	for len(words) > 0 && (fillers()[words[len(words)-1].low] || vague()[words[len(words)-1].low] || words[len(words)-1].low == "instead") {
		words = words[:len(words)-1]
	}
	if len(words) == 0 || len(words) > maxTopic || len(words) == 1 && vague()[words[0].low] {
		return ""
	}
	return strings.Join(strings.Fields(text[words[0].from:words[len(words)-1].to]), " ")
}

// trigger returns the words of what triggers an instruction, which stand before its
// first comma or at its end.
func (c clause) trigger() []word {
	if frames()[c.at(0).low] || c.at(0).low == "if" || c.at(0).low == "anytime" || c.at(0).low == "any" {
		for i := range min(14, len(c.words)) {
			if c.words[i].stop == ',' {
				return clause{c.words[:i+1]}.triggers(true)
			}
		}
		return nil
	}
	for i := 2; i+1 < len(c.words); i++ {
		if c.words[i].quoted {
			continue
		}
		if t := (clause{c.until(i)}).triggers(false); t != nil {
			return t
		}
	}
	return nil
}

// until returns the words from a number to the next mark.
func (c clause) until(from int) []word {
	for i := from; i < len(c.words); i++ {
		if c.words[i].stop != 0 && c.words[i].stop != '(' {
			return c.words[from : i+1]
		}
	}
	return c.words[from:]
}

// triggers returns what a clause names that tells when an instruction is meant; leading
// says that it stands before the instruction.
func (c clause) triggers(leading bool) []word {
	first, rest := c.at(0).low, c.skip(1)
	switch first {
	case "every", "each", "any":
		if c.at(1).low != "time" {
			return nil
		}
		rest = c.skip(2)
	case "when", "whenever", "if", "anytime":
	case "before", "after":
		return rest.step()
	case "for", "in":
		if rest.at(0).low == "questions" || rest.at(0).low == "requests" || rest.at(0).low == "anything" {
			if about, ok := rest.skip(1).cut("about", "on", "for", "related to", "regarding"); ok {
				return about.words
			}
			return nil
		}
		if !leading || len(rest.words) > 4 || determiners()[rest.at(0).low] && rest.at(0).low != "a" && rest.at(0).low != "an" || houses()[rest.at(len(rest.words)-1).low] || rest.has(passing()) || asides()[rest.at(0).low] || rest.at(0).low == "future" {
			return nil
		}
		return rest.words
	default:
		return nil
	}
	switch subject := rest.at(0).low; {
	case subject == "i" || subject == "we":
		return rest.skip(1).asking(first, leading)
	case subject == "you":
		if first == "if" || past()[rest.at(1).low] || rest.at(1).low == "can" || rest.at(1).low == "have" {
			return nil
		}
		return rest.skip(1).doing()
	case gerund(subject, actions()) != "" || talks()[subject]:
		return rest.doing()
	}
	return nil
}

// asking returns what users ask about.
func (c clause) asking(first string, leading bool) []word {
	for c.at(0).low == "ever" || stress()[c.at(0).low] {
		c = c.skip(1)
	}
	if !sayings()[c.at(0).low] && !hands()[c.at(0).low] {
		if first == "if" || !leading && first == "when" {
			return nil
		}
		return c.doing()
	}
	rest := c.skip(1)
	for rest.at(0).low == "you" || rest.at(0).low == "a" && rest.at(1).low == "question" || rest.at(0).low == "question" || rest.at(0).low == "questions" || rest.at(0).low == "something" {
		rest = rest.skip(1)
	}
	if about, ok := rest.cut("about", "for", "to", "on", "regarding", "concerning", "related to", "how to"); ok {
		rest = about
	}
	return rest.words
}

// doing returns what the agent is about to do.
func (c clause) doing() []word {
	for _, am := range []string{"are", "am", "about", "to", "go", "want", "need", "ever"} {
		if c.at(0).low == am {
			c = c.skip(1)
		}
	}
	if talks()[c.at(0).low] {
		if about, ok := c.skip(1).cut("about", "on"); ok {
			return about.words
		}
		return c.skip(1).words
	}
	return c.words
}

// step returns the step before or after which something is to be done.
func (c clause) step() []word {
	switch first := c.at(0).low; {
	case first == "you" || first == "we":
		if past()[c.at(1).low] || c.at(1).low == "have" || c.at(1).low == "are" {
			return nil
		}
		return c.skip(1).words
	case first == "every" || first == "each" || first == "any" || first == "a" || first == "an":
		return c.skip(1).words
	case gerund(first, actions()) != "":
		return c.words
	}
	return nil
}

// questioned returns where a clause says of what it is meant to be asked, or 0.
func (c clause) questioned() int {
	for i := 2; i+2 < len(c.words); i++ {
		switch c.words[i].low {
		case "when", "whenever", "if", "anytime":
			if c.words[i+1].low == "i" && sayings()[c.at(i+2).low] {
				return i
			}
		}
	}
	return 0
}

var (
	// hands are verbs by which users bring something before the agent.
	hands = set("send paste share give post upload show provide bring raise want need")

	// pastes are those of putting it there as it is.
	pastes = set("paste send share post upload")

	// talks are verbs of talking about something.
	talks = set("discussing talking discuss talk chatting speaking asked")
)
