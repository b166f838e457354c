package english

// Directive is an order that a clause gives the agent: its operators, in whatever order they
// are said, and the deed.
type Directive struct {
	You      bool // the agent is addressed
	Modal    bool // it must, may, shall or is allowed to
	Duty     bool // it must or has to
	Negative bool
	Absolute bool // never, always, ever, only, under no circumstances
	Only     bool
	Deed     Clause // from the verb on
}

// Directive reads the operators at the beginning of a clause. Those of one directive come in
// many orders: "you must never", "never must you", "please don't you ever".
func (c Clause) Directive() (d Directive, ok bool) {
	switch rest, found := c.Cut("i do not ever want you to", "i never ever want you to", "i never want you to", "i do not want you to ever"); {
	case found:
		d.You, d.Negative, d.Absolute, c = true, true, true, rest
	default:
		if rest, found := c.Cut("i do not want you to", "i would rather you did not", "i would rather you do not", "i would prefer you did not", "i would prefer if you did not"); found {
			d.You, d.Negative, c = true, true, rest
		} else if rest, found := c.Cut("i want you to", "i need you to", "i expect you to", "i would like you to", "make sure you", "make sure that you", "i would appreciate it if you would"); found {
			d.You, c = true, rest
		}
	}
	if rest, found := c.Cut("under no circumstances", "under no circumstance", "in no case", "on no account", "at no time", "at no point"); found {
		d.You, d.Negative, d.Absolute, c = true, true, true, rest
	}
	if rest, found := c.Cut("i do not want you", "i never want you"); found && Gerund(rest.At(0).Low, Actions()) != "" {
		d.You, d.Negative, c = true, true, rest.Based()
	}
	if rest, found := c.Cut("make it a habit to", "make it your habit to", "get in the habit to"); found {
		d.You, d.Absolute, c = true, true, rest
	}
	light := false // a verb that says nothing was passed over: "you make never a commit"
	for len(c) > 0 {
		w := c.At(0)
		if w.Quoted {
			break
		}
		if rest, found := c.Cut("have to", "need to", "are to"); found {
			if d.Negative && w.Low != "are" {
				return d, false // it is not needed
			}
			d.Modal, d.Duty, c = true, true, rest
			continue
		}
		switch {
		case w.Low == "you":
			d.You = true
		case w.Low == "must" || w.Low == "shall":
			d.Modal, d.Duty = true, true
		case w.Low == "may" || w.Low == "should" || w.Low == "can" || w.Low == "will" && (c.At(1).Low == "not" || c.At(1).Low == "never"):
			d.Modal = true
		case w.Low == "are" && (c.At(1).Low == "not" || c.At(1).Low == "never"):
			// "you are not allowed to": the phrase follows.
		case (w.Low == "do" || d.You && w.Low == "make") && (c.At(1).Low == "not" || c.At(1).Low == "never"):
			d.You, light = true, true // an imperative addresses the one who reads it
		case w.Low == "to" && !d.You && (c.At(1).Low == "never" || c.At(1).Low == "not" || c.At(1).Low == "always"):
			d.You = true // "I ask you to never": the sentence said whom
		case w.Low == "not":
			d.Negative = true
		case w.Low == "allowed" || w.Low == "permitted" || w.Low == "supposed":
			d.Modal = true
		case w.Low == "never":
			d.Negative, d.Absolute = true, true
		case w.Low == "ever" && d.Negative, w.Low == "always":
			d.Absolute = true
		case w.Low == "only":
			d.Only, d.Absolute = true, true
		case w.Low == "to" && (d.Absolute || d.Modal):
		case Stress()[w.Low] || Fillers()[w.Low] && w.Stop == 0 || w.Low == "ever":
		default:
			if light && Determiners()[w.Low] {
				c = Clause(append([]Word{{Low: "make"}}, c...))
			}
			d.Deed = c
			return d, d.Absolute || d.Negative || d.Modal
		}
		if w.Stop != 0 && w.Low != "please" && !(d.Absolute && w.Stop == ',') {
			return d, false
		}
		c = c.Skip(1)
	}
	return d, false
}
