package english

import "lukasa.dev/internal/memory"

// Words of what ends or limits a rule.

var (
	// Renewed are phrases by which what is allowed is allowed again.
	Renewed = Phrases("again|now|from now on|going forward|after all|once more|anytime|any time|as of now|from today|in future|in the future|as before")

	// Resumed are those that mean more than the moment.
	Resumed = Phrases("again|from now on|going forward|after all|once more|anytime|any time|in future|in the future|as before")

	// Onwards are phrases by which a permission is for good.
	Onwards = Phrases("from now on|going forward|from here on|in the future|in future|any time|anytime|whenever you want|whenever you like|always")

	// Refusals are phrases by which what is allowed is not, or is only asked for.
	Refusals = Phrases("not|never|only|once|if|when|until|after|before|see|check|find|use it|run it")

	// Lapsed are phrases by which a rule has ended.
	Lapsed = Phrases("no longer applies|no longer apply|no longer holds|no longer counts|no longer stands|is no longer valid|is no longer in force|does not apply anymore|does not apply any more/longer|does not hold anymore|does not hold any more/longer|" +
		"is off|is lifted|is gone|is history|is void|is obsolete|is cancelled|is canceled|is revoked|is over|is dead|is dropped|is suspended|has been lifted|has been dropped")

	// Renewals are the last words of such.
	Renewals = List("again now anytime please thanks forward")

	// Again are words behind "you may" that stand for a deed.
	Again = List("do so that it this though too of course still")

	// Lapses are phrases by which what was asked for no longer is.
	Lapses = Phrases("no longer|from now on|now|going forward|in future|in the future|after all")

	// Limits begin where or when something is allowed.
	Limits = List("on in for at during if when whenever within inside only unless")

	// Earlier are words between "my" and "rule".
	Earlier = List("earlier previous last old first second latest recent other prior former above standing whole entire new own")

	// Removes are verbs by which parts of a program go, too, such as a rule of a validator.
	Removes = List("remove delete discard undo cancel")

	// Places are where rules of programs stand, which are no rules of the user.
	Places = Phrases("from the|in the config|in the file|eslint|firewall|css|lint|nginx|iptables|webpack|prettier|ruff|makefile")

	// RuleNouns are what users call what they stated, with its type.
	RuleNouns = map[string]memory.Type{
		"rule": memory.TypeConstraint, "instruction": memory.TypeConstraint, "constraint": memory.TypeConstraint, "restriction": memory.TypeConstraint, "ban": memory.TypeConstraint,
		"policy": memory.TypeConstraint, "requirement": memory.TypeConstraint, "guideline": memory.TypeConstraint, "prohibition": memory.TypeConstraint, "preference": memory.TypePreference, "fact": memory.TypeFact, "note": memory.TypeFact,
	}
)
