package english

import "strings"

// Words of rules for the agent, wherever they stand in a sentence.

var (
	// AgentDeeds are verbs of what agents do to a project and its surroundings.
	AgentDeeds = List(strings.Join([]string{
		"push force-push commit amend rebase squash merge tag branch stash revert reset checkout cherry-pick run rerun re-run execute install uninstall upgrade downgrade bump update download upload fetch pull edit touch change modify alter delete remove drop",
		"truncate move rename overwrite rewrite reformat format open read write print log deploy redeploy release publish ship restart reboot start stop kill launch send post email message call use add create copy ask tell mention show put insert paste disable",
		"enable skip bypass mock hardcode introduce import refactor test lint generate regenerate guess assume invent apologize apologise commit report wait query migrate seed purge wipe destroy share expose spawn see look work leave pass include paste document stick stay take",
	}, " "))

	// Supposes are words at the beginning of what is supposed.
	Supposes = List("if when whenever while once as because since although though unless until")

	// Minding are phrases by which the agent is to keep something in mind.
	Minding = Phrases("insist that|expect that|ask that|demand that|require that|is important that|is essential that|is crucial that|remember that|remember|note that|in mind|make sure that|be aware that|wants that|want is that|need is that|want that")

	// Demanding are those by which what the agent does is demanded.
	Demanding = Phrases("insist that|is important that|is essential that|is crucial that|remember that|note that|wants that|expect that|ask that|demand that|require that|want is that|need is that")

	// Unbounded are words by which a rule has no end.
	Unbounded = Phrases("never|always|not")

	// ByAgent are phrases of what the agent makes.
	ByAgent = Phrases("you write/give/add/make/create/produce/generate|from you|by you")

	// Pleading are phrases of a question that asks to do something always.
	Pleading = Phrases("please always|please never|please do not|please stop")

	// ToWhom are phrases by which rules are for the agent.
	ToWhom = Phrases("for you|for agents|for the agent|for all agents|for ai|for claude|for codex|for gemini|you must follow|you must|you have to|you follow|you obey|your work|that you should|you do|i tell you")

	// ForGood are phrases by which a rule is for good, and nothing else.
	ForGood = Phrases("ever again|ever|again|any more|anymore|any longer|from now on|from now|from here on out|from here on|from this point on|going forward|moving forward|in future|in the future|at any time|at any point|permanently|for good|until i say otherwise|at all times|henceforth|from today on|from today|as of today|under any circumstances|no exceptions|without exception|no matter what")

	// Forward are phrases by which an order is one for every time.
	Forward = Phrases("from now on|from here on|from this point on|going forward|moving forward|in future|in the future|for the future|at all times|every time|each time|until i say otherwise|in general|as a general rule|permanently|henceforth|from today|as of today|without exception|no exceptions|for everything you|in everything you|for all your|for the rest of our|whatever you")

	// ForNow are phrases by which an order is for the moment.
	ForNow = Phrases("now|yet|today|tonight|tomorrow|for now|right now|until|till|first|this time|in this pr|in this commit|so far|at the moment|for the moment|this once|just once")
)
