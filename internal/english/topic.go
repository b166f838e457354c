package english

import "strings"

// maxTopic is how many words a topic has at most.
const maxTopic = 12

// Topic returns what triggers a standing instruction, as it is written: what users ask
// about, or what the agent is about to do.
func (c Clause) Topic(text string) string {
	words := c.trigger()
	for len(words) > 0 && (Determiners()[words[0].Low] || words[0].Low == "ever") {
		words = words[1:]
	}
	for len(words) > 0 && (Fillers()[words[len(words)-1].Low] || Vague()[words[len(words)-1].Low] || words[len(words)-1].Low == "instead") {
		words = words[:len(words)-1]
	}
	if len(words) == 0 || len(words) > maxTopic || len(words) == 1 && Vague()[words[0].Low] {
		return ""
	}
	return strings.Join(strings.Fields(text[words[0].From:words[len(words)-1].To]), " ")
}

// trigger returns the words of what triggers an instruction, which stand before its
// first comma or at its end.
func (c Clause) trigger() []Word {
	if Frames()[c.At(0).Low] || c.At(0).Low == "if" || c.At(0).Low == "anytime" || c.At(0).Low == "any" {
		for i := range min(14, len(c)) {
			if c[i].Stop == ',' {
				return c[:i+1].Triggers(true)
			}
		}
		return nil
	}
	for i := 2; i+1 < len(c); i++ {
		if c[i].Quoted {
			continue
		}
		if t := Clause(c.until(i)).Triggers(false); t != nil {
			return t
		}
	}
	return nil
}

// until returns the words from a number to the next mark.
func (c Clause) until(from int) []Word {
	for i := from; i < len(c); i++ {
		if c[i].Stop != 0 && c[i].Stop != '(' {
			return c[from : i+1]
		}
	}
	return c[from:]
}

// Triggers returns what a clause names that tells when an instruction is meant; leading
// says that it stands before the instruction.
func (c Clause) Triggers(leading bool) []Word {
	first, rest := c.At(0).Low, c.Skip(1)
	switch first {
	case "every", "each", "any":
		if c.At(1).Low != "time" {
			return nil
		}
		rest = c.Skip(2)
	case "when", "whenever", "if", "anytime":
	case "before", "after":
		return rest.step()
	case "for", "in":
		if rest.At(0).Low == "questions" || rest.At(0).Low == "requests" || rest.At(0).Low == "anything" {
			if about, ok := rest.Skip(1).Cut("about", "on", "for", "related to", "regarding"); ok {
				return about
			}
			return nil
		}
		if !leading || len(rest) > 4 || Determiners()[rest.At(0).Low] && rest.At(0).Low != "a" && rest.At(0).Low != "an" || Houses()[rest.At(len(rest)-1).Low] || rest.Has(Passing()) || Asides()[rest.At(0).Low] || rest.At(0).Low == "future" {
			return nil
		}
		return rest
	default:
		return nil
	}
	switch subject := rest.At(0).Low; {
	case subject == "i" || subject == "we":
		return rest.Skip(1).asking(first, leading)
	case subject == "you":
		if first == "if" || Past()[rest.At(1).Low] || rest.At(1).Low == "can" || rest.At(1).Low == "have" {
			return nil
		}
		return rest.Skip(1).doing()
	case Gerund(subject, Actions()) != "" || talks()[subject]:
		return rest.doing()
	}
	return nil
}

// asking returns what users ask about.
func (c Clause) asking(first string, leading bool) []Word {
	for c.At(0).Low == "ever" || Stress()[c.At(0).Low] {
		c = c.Skip(1)
	}
	if !Sayings()[c.At(0).Low] && !hands()[c.At(0).Low] {
		if first == "if" || !leading && first == "when" {
			return nil
		}
		return c.doing()
	}
	rest := c.Skip(1)
	for rest.At(0).Low == "you" || rest.At(0).Low == "a" && rest.At(1).Low == "question" || rest.At(0).Low == "question" || rest.At(0).Low == "questions" || rest.At(0).Low == "something" {
		rest = rest.Skip(1)
	}
	if about, ok := rest.Cut("about", "for", "to", "on", "regarding", "concerning", "related to", "how to"); ok {
		rest = about
	}
	return rest
}

// doing returns what the agent is about to do.
func (c Clause) doing() []Word {
	for _, am := range []string{"are", "am", "about", "to", "go", "want", "need", "ever"} {
		if c.At(0).Low == am {
			c = c.Skip(1)
		}
	}
	if talks()[c.At(0).Low] {
		if about, ok := c.Skip(1).Cut("about", "on"); ok {
			return about
		}
		return c.Skip(1)
	}
	return c
}

// step returns the step before or after which something is to be done.
func (c Clause) step() []Word {
	switch first := c.At(0).Low; {
	case first == "you" || first == "we":
		if Past()[c.At(1).Low] || c.At(1).Low == "have" || c.At(1).Low == "are" {
			return nil
		}
		return c.Skip(1)
	case first == "every" || first == "each" || first == "any" || first == "a" || first == "an":
		return c.Skip(1)
	case Gerund(first, Actions()) != "":
		return c
	}
	return nil
}

var (
	// hands are verbs by which users bring something before the agent.
	hands = List("send paste share give post upload show provide bring raise want need")

	// Pastes are those of putting it there as it is.
	Pastes = List("paste send share post upload")

	// talks are verbs of talking about something.
	talks = List("discussing talking discuss talk chatting speaking asked")
)
