package english

// Words that distinguish rules for the work from the behaviour of programs and from orders.

var (
	// Practises are verbs of how an agent works.
	Practises = List("push commit merge rebase squash force-push deploy publish release ship run edit touch modify change delete remove rename create move install uninstall use ask show confirm tell explain answer reply review test lint format",
		"tag amend stash cherry-pick revert reset branch bump pin upgrade vendor mock skip assume guess invent suggest recommend summarize summarise translate document force bypass auto-merge add refactor reformat email",
		"message schedule book buy spend overwrite check verify double-check comment approve share disclose")

	// Processes are verbs whose rules are never requirements on a program.
	Processes = List("push commit merge rebase squash force-push deploy publish release ship run edit touch modify install uninstall ask confirm tell explain answer reply review test lint tag amend stash cherry-pick revert branch",
		"bump pin upgrade downgrade vendor mock bypass auto-merge refactor reformat email message schedule book buy spend share disclose approve sign suggest recommend guess assume invent summarize summarise document")

	// Customary are those of a group.
	Customary = List("break push commit merge rebase squash force-push deploy publish release ship tag branch review lint format document mock vendor bump pin edit touch amend cherry-pick auto-merge use run test skip hardcode hard-code")

	// Entrusted are verbs for what a group must do with what it was given.
	Entrusted = List("store share expose log delete disclose send email install sell lose leak keep encrypt back")

	// hosts are where a person works.
	hosts = List("machine computer laptop box host workstation account organisation organization tenant")

	// Behaves are verbs for the behaviour of programs.
	Behaves = List("return throw raise emit accept reject parse render print log store call close open catch swallow handle validate escape encode decode encrypt serialize serialise deserialize fetch retry cache set allocate block wait",
		"include display hide send read write update load save sort filter round trim truncate default exit redirect insert append reuse compute calculate expose output generate produce convert normalize normalise start restart lock unlock",
		"require request allow deny permit pass wrap omit ignore propagate initialize initialise cast copy mutate iterate index inject mount stream serve route resolve respond sanitize sanitise quote pad match select query fill follow put",
		"place keep preserve show delete create add remove check assert count label mark highlight treat make")

	// Parts are parts of programs: a rule about one is a requirement on its behaviour.
	Parts = Phrases("thread|threads|event loop|the ui|worker|workers|handler|endpoint|component|button|dialog|modal|page|form|field|fields|spinner|popup|queue|buffer|socket|widget|menu|sidebar|items|payload|callback|promise|goroutine|mutex|lock|" +
		"request|requests|response body|the new|the existing|the following")

	// roles that are played, and games.
	Plays = List("act play pretend imagine roleplay role-play simulate behave")

	// Tasks are further verbs of orders.
	Tasks = List("port scaffold prototype polish tidy tweak hook style look see try investigate debug figure find help continue go do work begin fix solve proceed carry")

	// Causes are verbs of orders that make something else act.
	Causes = List("make ensure let have force cause allow")

	// Embeds begin the object of an order, which "and never" continues.
	Embeds = List("that which so who where whether if when because such until how")

	// Narrators begin a story about a person, and wordy are words of what is written.
	Narrators = List("i he she they people some others most many teams companies you it this that there who if when because while since although though")
	Wordy     = List("rule rules says say said title text wording sentence called named reads line lines section message comment heading")

	// Data are what a program handles: with one of them "we push" describes code.
	Data = Phrases("transaction|transactions|tx|offset|offsets|event|events|item|items|element|elements|value|values|row|rows|column|columns|state|history|stack|queue|lock|locks|memory|dict|dicts|map|maps|array|arrays|object|objects|" +
		"notification|notifications|message to|job|jobs|buffer|handler|callback|the result|the response|the error|hook|node|nodes|cell|cells|session|sessions|cookie|cookies|cache|the key|the keys|resource|resources")

	// Amiss are phrases of a failure, which is no rule.
	Amiss = Phrases("problem|that is why|the issue|mistake|here|correctly|properly|actually|in that case|at all|so it|so the|so we|which means|which is|and then|even though|leak|crash|bug|error")

	// Chores are what a group runs.
	Chores = Phrases("tests|test|linter|linters|lint|formatter|ci|suite|migration|migrations|build|type checker|benchmarks")

	// Products are what an agent produces: a rule about one is a rule for the work.
	Products = Phrases("commit|commits|pr|prs|pull request|pull requests|branch|branches|commit message|commit messages|changelog|tests|answers|replies|explanations|your answer|your reply|your response|your responses|diff|ticket|code review|without asking|without my approval|without my permission|unless i|me|yourself|on your own|on my behalf|documentation files|new files")

	// Bounds may follow a ban.
	Bounds = List("to of on in without into onto from before after during unless except while here anymore for with at outside and or ever please until")

	// Counted are phrases of a count: with one of them "no commits" is a number.
	Counted = Phrases("yet|found|since|so far|in the last|in the past|were|was|are|is|have|has|left|today")

	// Branches are nouns that are definite without referring to the current task.
	Branches = Phrases("the main|the master|the release|the production|the default|the trunk|the staging|the prod")

	// Arrives are verbs of arrival, and Unless are words of a condition for it.
	Arrives = List("goes gets lands ships is leaves may must reaches enters")
	Unless  = Phrases("without|unless|before|until|except|only after")

	// Bans are phrases after a forbidden act.
	Bans = []string{"forbidden", "strictly forbidden", "prohibited", "strictly prohibited", "banned", "not allowed", "never allowed", "not permitted", "never ok", "never okay", "off limits", "off-limits", "a no-go", "not ok", "not okay", "taboo"}

	// Addressees are the addressees of a ban that binds the agent.
	Addressees = List("you everyone everybody all any agents bots every")

	// Unasked are phrases that make a ban without a verb permanent.
	Unasked = Phrases("without my|without asking|without permission|without approval|without consent|ever|without a review|without review")

	// Alone are phrases of leaving something as it is, for good, and aloneForNow of doing so
	// for a while.
	Alone       = Phrases("alone always|always alone|alone forever|alone for ever")
	AloneForNow = Phrases("for now|today|right now|at the moment|while|until")

	// Yielding are phrases that end a custom.
	Yielding = Phrases("but today|but now|but this|but we|but i|but sometimes|but lately|but in this|except today")

	// Pieces are pieces of work that can have requirements.
	Pieces = List("fix fixes bugfix bugfixes change changes commit commits message messages pr prs branch branches release releases merge merges deployment deployments deploy deploys migration migrations")

	// DeedNouns are nouns of acts, with their verbs.
	DeedNouns = map[string]string{
		"push": "push", "pushes": "push", "commits": "commit", "merges": "merge", "deploys": "deploy", "deployments": "deploy", "releases": "release", "rebases": "rebase", "force-pushes": "force-push", "force-push": "force-push", "commit": "commit", "deploy": "deploy", "deployment": "deploy", "merge": "merge", "release": "release", "rebase": "rebase",
	}

	// Composes are verbs that order a text, and Writings are kinds of texts.
	Composes = List("write draft compose create prepare make")
	Writings = Phrases("poem|essay|story|email|mail|message|memo|notice|reminder|poster|sign|letter|post|article|text|paragraph|speech|report|blog|summary|haiku|song|tweet|ad|description|bio|abstract|headline|slogan|caption|script|dialogue|novel|chapter|toast|invitation|announcement|press release|cover letter|resume|review|notes|docs|documentation|changelog|readme|comment|comments|docstring|commit message|title|slides|slide|deck|presentation|checklist|cheat sheet|agenda|git rules|list of rules|rules for|guidelines for|tips|tutorial|guide")

	// Invents are verbs that order something made of words, whatever it is.
	Invents = List("brainstorm invent translate summarize summarise paraphrase proofread rephrase")

	// Courtesies are phrases before a request.
	Courtesies = Phrases("can you|could you|would you|will you|help me|i want you to|i need you to|i would like you to|i need|i want|let us")

	// Rewrites are those of texts and of code.
	Rewrites = List("generate suggest propose rewrite")
)
