package statement

import "lukasa.dev/internal/memory"

// Words of what ends or limits a rule.

var (
	// renewed are phrases by which what is allowed is allowed again.
	renewed = phrases("again|now|from now on|going forward|after all|once more|anytime|any time|as of now|from today|in future|in the future|as before")

	// resumed are those that mean more than the moment.
	resumed = phrases("again|from now on|going forward|after all|once more|anytime|any time|in future|in the future|as before")

	// onwards are phrases by which a permission is for good.
	onwards = phrases("from now on|going forward|from here on|in the future|in future|any time|anytime|whenever you want|whenever you like|always")

	// refusals are phrases by which what is allowed is not, or is only asked for.
	refusals = phrases("not|never|only|once|if|when|until|after|before|see|check|find|use it|run it")

	// lapsed are phrases by which a rule has ended.
	lapsed = phrases("no longer applies|no longer apply|no longer holds|no longer counts|no longer stands|is no longer valid|is no longer in force|does not apply anymore|does not apply any more/longer|does not hold anymore|does not hold any more/longer|" +
		"is off|is lifted|is gone|is history|is void|is obsolete|is cancelled|is canceled|is revoked|is over|is dead|is dropped|is suspended|has been lifted|has been dropped")

	// renewals are the last words of such.
	renewals = set("again now anytime please thanks forward")

	// again are words behind "you may" that stand for a deed.
	again = set("do so that it this though too of course still")

	// lapses are phrases by which what was asked for no longer is.
	lapses = phrases("no longer|from now on|now|going forward|in future|in the future|after all")

	// limits begin where or when something is allowed.
	limits = set("on in for at during if when whenever within inside only unless")

	// earlier are words between "my" and "rule".
	earlier = set("earlier previous last old first second latest recent other prior former above standing whole entire new own")

	// removes are verbs by which parts of a program go, too, such as a rule of a validator.
	removes = set("remove delete discard undo cancel")

	// places are where rules of programs stand, which are no rules of the user.
	places = phrases("from the|in the config|in the file|eslint|firewall|css|lint|nginx|iptables|webpack|prettier|ruff|makefile")

	// ruleNouns are what users call what they stated, with its type.
	ruleNouns = map[string]memory.Type{
		"rule": memory.TypeConstraint, "instruction": memory.TypeConstraint, "constraint": memory.TypeConstraint, "restriction": memory.TypeConstraint, "ban": memory.TypeConstraint,
		"policy": memory.TypeConstraint, "requirement": memory.TypeConstraint, "guideline": memory.TypeConstraint, "prohibition": memory.TypeConstraint, "preference": memory.TypePreference, "fact": memory.TypeFact, "note": memory.TypeFact,
	}
)
