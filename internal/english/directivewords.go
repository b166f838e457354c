package english

import "lukasa.dev/internal/typed"

// Words of orders to the agent.

var (
	// Lasting are phrases by which an order is meant for every time.
	Lasting = Phrases("ever|any more|anymore|any longer|from now on|from here on|in future|in the future|for the future|for future|in all future|for all future|in any future|for any future|going forward|moving forward|at any time|in general|as a general rule|as a rule|every time|each time|everytime|at any point|on my behalf|a rule for|rule for you|standing instruction|standing rule|once and for all|permanently|for the whole project|for the whole session|now or in the future|until i say otherwise|effective immediately|from this moment on|from today|from this point on|from now|for as long as|never again|" +
		"for good|no matter what|for this whole|for the entire project/session|for the rest of this project|for the rest of our work|for everything after|for everything from|throughout|in all of our work|in all our work|for all your/our|on any instance|in any directory|in any case|in any of your|now and later|today and later|from here on out|as long as we work|without exception|no exceptions|on your own|yourself|without asking|without my|without checking|not now and not|at all times|by default|each and every|for the rest of the project|for everything you")

	// ToAgent are phrases by which a ban is for the agent, and houseRule those of where or how
	// long it holds.
	ToAgent   = Phrases("from you|by you|of yours|you write/give/add/make/create|your|unless i|to me|for you")
	HouseRule = Phrases("in this repo/project/codebase/crate/module/workspace/firmware|on this machine/box/host/laptop/computer/server/codebase/repo/project|a rule for|is a rule|is the rule|your rules|are rules|from you")

	// StandsFor are verbs of how what the agent makes is to be.
	StandsFor = List("get go stay live belong carry start end follow come")

	// Foretold are verbs of predictions ("you will never know"), and Because are words that
	// begin the reason why something cannot be.
	Foretold = List("be know understand guess find see need believe regret notice get have like miss want lose")
	Because  = Phrases("because|since|as it|until|anyway")

	// Pleas are words that make a ban a request, and nominal are verbs whose plural is a noun.
	Pleas   = List("please pls plz bitte")
	nominal = List("delete install insert edit rename download upload restart rewrite")

	// Answering are what agents say to users.
	Answering = Phrases("every reply|every answer|every response|every message|your replies|your answers|your responses|your messages|replies|your answer|your reply")

	// SQLWords are statements of SQL.
	SQLWords = List("drop truncate delete alter insert update grant inserts updates deletes drops truncates ddl dml")

	// Traces are what agents leave behind in what they write.
	Traces = Phrases("emoji|emojis|comments|todos|summaries|recaps|apologies|disclaimers|explanations|idioms|jargon|markdown|placeholders|stubs|mocks|abbreviations|filler|flattery|exclamation marks|em dashes|network|network access|internet access|sql|ddl|dml")

	// Untouched are phrases for what agents must leave as it is, or not use.
	Untouched = Phrases("off limits|off-limits|untouchable|taboo|a no go|a no-go|read only|read-only|immutable|sacred|forbidden|banned|verboten|prohibited|none of your business|not your business|not yours|not yours to touch/change/edit/run|not for you|not your job")

	// Beseeching are phrases of a request that goes on with "to never".
	Beseeching = Phrases("i ask you|i beg you|i urge you|i expect you|i want you|i order you|i would ask you|i must ask you|i have to ask you")

	// Emphatic are sentences that only say that the one before is meant for every time.
	Emphatic = Phrases("ever|always|never|every time|each time|every single time|no exceptions|no exception|without exception|period|full stop|i mean it|no matter what|from now on|at all times|not now and not later|not once|seriously|in general|for good|not ever|always and everywhere|each one|every one|every single one|i am serious|i mean that|dead serious|for the whole session/project|in any repo/project|not even once|under any circumstances|this is serious|no excuses|not negotiable|understood|never ever|not a single one")

	// Ruling are phrases by which something is called a rule.
	Ruling = Phrases("a rule|a general rule|the rule|a standing rule|a hard rule|also for you|non-negotiable|not negotiable|company policy|policy|not up for discussion|your rule|permanent|a standing request|a standing order|how we do it|for all you|for everything you|for good")
	// Wanted are words before "is that you" by which a user says what is wanted.
	Wanted = List("want need ask expect rule thing remember important point wish request")

	// Belongings are phrases for what a project has that agents can reach. Programs handle such,
	// too.
	Belongings = Phrases("migrations|workflow|workflows|table|tables|rows|redis|postgres|terminal|secrets|token|tokens|credentials|passwords|keys|network|internet|the web|registry|image|images|container|containers|volume|volumes|process|processes|port|ports|slack|emails|packages|dependencies|comments|emojis|tests|system python|vendor|generated|subagents|sub-agents|gpu|gpus")

	// Momentary are phrases by which something is for the moment.
	Momentary = Phrases("now|yet|today|tonight|tomorrow|for now|right now|until|till|first|again|just|this time|in this pr|in this commit|so far|at the moment|while you|while i|here|too much|too many|instead of")

	// Recalls are phrases with which users refer to what they said before.
	Recalls = Phrases("i told you to|i told you not|i said you|when i said|when i told|told you about")

	// Wanting are phrases by which a user says what is wanted of the agent.
	Wanting = Phrases("want is that you|need is that you|is that you never|is that you always")

	// Wholes are words for everything that a rule is said to hold for, and inMind what is to be
	// kept in mind.
	Wholes = Phrases("everything|every|all|any|always|future|you")
	InMind = Phrases("in mind|that|this|them|these")

	// Subjoins are words behind which no order of the user begins: what follows is a condition, a
	// question or reported speech.
	Subjoins = List("if whether because why how what when while which who whom where as than that since although though unless until think thinks thought know knows believe guess assume suppose hope sure say says said wonder like")

	// SpokenJoints are words by which spoken thoughts are joined.
	SpokenJoints = List("and but so also then okay ok um uh well plus please pls yeah right now again or way thing future")

	// unverbs are no verbs, or none of a deed.
	unverbs = List("forget get worry hesitate bother cease disappoint dare hate mind know been seen heard had has have having is are was were be being need needs want wants like likes love seem think believe feel guess able sure supposed going gonna gotta only just even again more less much many enough quite rather almost nearly",
		"told said did went saw got took came knew gave found made wrote ran put let's not no yes if then there when thing stuff direct main test-wise same wrong right good bad better best new old and or but nor neither either yet both because")

	// Speakers are the names of speakers in a log of a conversation with a model.
	Speakers = func() WordSet { return typed.Speakers() }

	// Nothings are words behind "no" that forbid nothing.
	Nothings = List("exception exceptions excuse excuses ifs discussion debate joke kidding cap problem problems worries worry idea ideas need reason one longer more matter way doubt thanks thank pressure rush hurry luck difference change changes wonder chance clue big hard issue issues errors error result results response sense point such other")

	// faults are verbs of what goes wrong.
	faults = List("forget ignore miss skip break fail mess struggle lose hallucinate invent repeat assume misread overcomplicate confuse guess get seem end wind apologise apologize try leave")

	// Virtues are verbs of what is wanted of an agent.
	Virtues = List("ask check test verify listen read answer reply tell document explain finish learn remember think help care pay understand confirm validate mention show")
)
