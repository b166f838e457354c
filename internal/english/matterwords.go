package english

import "lukasa.dev/internal/typed"

// Words that tell the agent's own work from the program or the text that a message orders.

var (
	// Crafts are verbs that are used only for the work on a project.
	Crafts = List("rebase squash force-push amend stash cherry-pick revert lint mock vendor bump pin reformat refactor uninstall auto-merge upgrade downgrade branch bypass")

	// Handling are verbs of what agents and programs do, so that it depends on what is
	// handled.
	Handling = List("push commit merge deploy publish release ship run edit touch modify change install tag review test document sign open")

	// Talking are verbs of how an agent talks to the user.
	Talking = List("ask confirm tell explain answer reply respond suggest recommend guess assume invent summarize summarise")

	// Strong are words of a project that no program handles.
	Strong = Phrases("main|master|trunk|develop|prod|production|staging|upstream|origin|git|force push|force pushes|commit|commits|branch|branches|pr|prs|mr|mrs|pull request|pull requests|ci|pre-commit|lint|linter|lockfile|lockfiles|lock file|lock files|" +
		"migrations|migrations folder|dependency|dependencies|deps|secrets|credentials|tags|repo|repository|monorepo|codebase|vendor|generated|no-verify|co-author|co-authored-by|sudo|changelog|hotfix|hotfixes|release branch|release branches")

	// materials are words of a project that some programs handle, too.
	materials = List("file files folder folders directory directories test tests suite code build builds pipeline hooks dependencies package packages database databases db backups backup server servers cluster machine laptop release releases migration script scripts",
		"config configuration history formatter environment red green review reviews merged")

	// Parties are phrases of the user and the agent.
	Parties = Phrases("me|my|you|your|yourself|asking|permission|approval|consent")

	// Certain are words of what a piece of work has that the message orders.
	Certain = Phrases("the|this|that|these|those|it|them")

	// Clients are the users of a program.
	Clients = Phrases("user|users|customer|customers|client|clients|guest|guests|admin|admins|member|members|visitor|visitors|user's|users'|tenant|tenants|account|accounts|moderators|editors|subscribers|players|patients|students|buyers|sellers")

	// Runtime are phrases of what happens while a program runs.
	Runtime = Phrases("twice|more than once|at once|at the same time|simultaneously|concurrently|in parallel|per session|per user|per request|per account|same user|of one user|different users|another user's|other users|other users'|the same|a second time|in a row")

	// Rewords are verbs of changing a text, improves are those of texts and of other work, and
	// wordings are what texts are called.
	Rewords  = List("translate rephrase reword paraphrase summarise summarize shorten proofread convert critique turn transcribe quote")
	Improves = List("improve polish review rewrite format explain extend compare check correct fix edit update remove delete change discuss judge rate grade evaluate")
	Wordings = Phrases("as markdown|as a table|as json|as a list|into tickets|into a list|into markdown|this prompt|the prompt|this text|the text|this section|that section|this rule|these rules|the rules above|the wording|this sentence|these sentences|this paragraph|this list|the list above|this system prompt|the above|this policy|this wording|this guideline|these guidelines|the following")

	// RuleFiles are files of instructions for agents that have no ending.
	RuleFiles = List("cursorrules windsurfrules clinerules goosehints aider readme contributing")

	// Grants are verbs of what a program lets its users do or see.
	Grants = List("allow permit deny show display hide redirect charge notify prompt accept reject")

	// Admits are those of what it takes and refuses.
	Admits = List("allow permit deny accept reject let")

	// Bare are words that begin a ban without an addressee.
	Bare = List("nobody no all every each any it direct force everyone everybody")

	// Agents are how the agent is called, by its name or its kind.
	Agents = func() WordSet { return typed.Agents() }

	// AgentKinds are words before those.
	AgentKinds = List("the all any ai coding automated autonomous our my dear every each you and other sub")

	// ErrandVerbs are verbs of orders that are no piece of work of their own, and say nothing
	// of what a rule is about.
	ErrandVerbs = List("use open run commit push merge rebase squash ask tell explain show go do keep continue proceed carry look see read wait try stop start begin answer reply deploy release tag review test lint format")

	// Enforcing are verbs of orders that see to it that a rule is kept.
	Enforcing = List("add implement enforce configure validate check hide disable return throw raise make create write adjust change set build reject block store mock update extend fix handle guard protect ensure prevent")

	// Adding are those of making something new.
	Adding = List("extend update change adapt adjust add implement write create make set configure enforce validate")

	// Predicates are verbs of what is said of a rule, and subordinate are words behind which
	// they belong to another sentence.
	Predicates  = List("is are was were makes sounds seems should would could might must works means has does looks feels helps sucks")
	Subordinate = List("that which who whose if when unless while because before after until what where whether since as so it there how why once whenever")

	// Sources are where words stand that are no user's, and utterances are what they are called.
	Sources    = List("wiki handbook docs doc documentation readme contributing guide guidelines manual page article book blog website email mail slack chat transcript confluence notion site repo template prompt")
	Utterances = List("feedback review complaint ticket report notes testimonial survey prompt message mail email comment quote excerpt text snippet tweet post wiki readme docs handbook transcript answer reply caption headline")

	// Backward are phrases that point back at a rule.
	Backward = Phrases("it|that|this|for that|for this|that way|accordingly|so that|these|those")

	// Checks are what enforces a rule.
	Checks = Phrases("check|checks|guard|validation|constraint|trigger|hook|job|action|workflow|protection|policy|permission|permissions|middleware|test|tests|lint rule|linter|error|warning|dialog|403|404|409|401|422")

	// Automata are what acts in place of an agent.
	Automata = Phrases("hook|hooks|pipeline|workflow|github action|github actions|ci job|ci|job|branch protection|protection|script|bot|linter|lint rule|cron|cronjob|scheduler|dockerfile|makefile|cli|chatbot|policy|daemon|deployment system|release tool|merge queue|codeowners|permissions|role|roles")

	// Talkers are what talks to people.
	Talkers = Phrases("bot|chatbot|assistant|agent|prompt|support|faq|helpdesk|greeter|endpoint|api|command|game|quiz")

	// Puts are verbs of putting a text somewhere.
	Puts = List("put add write insert append paste include copy save document note record place move store commit")

	// Opinions are phrases of questions about what was stated.
	Opinions = Phrases("wrong with|which ones|which one|do we follow|violations|do you think|you think|make sense|makes sense|thoughts|opinion|opinions|agree|good idea|bad idea|good rule|bad rule|still true|true|still valid|valid|correct|right|accurate|what does|mean|means|these rules|those rules|this rule|that rule|the rule|the rules|" +
		"these|those|who wrote|who said|enforced|too strict|reasonable|is that|is this|is it|are they|missing|add anything|a good one|why not|clear enough|sound|sounds|read|reads|grammar|spelling|better|which of|where does|how would|would you phrase|still apply|still applies|really|necessary|overkill|outdated|up to date")

	// Public are phrases of texts for many readers.
	Public = Phrases("welcome to|for contributing|to contribute|by contributing|your contribution|your first|fork the|will not be merged|will not be accepted|will be rejected|will be closed|open an issue|maintained by|volunteers|issue tracker|bug reports|feature requests|feel free to open|violations|contributions are welcome|welcome contributions|pull requests are welcome|prs are welcome|contributing guide|contribution guidelines|code of conduct|interest in contributing|this guide|this document|this handbook|this readme|contributors|new contributors|" +
		"maintainers|the maintainers|all employees|employees must|team members|all developers|developers must|developers should|engineers must|engineers should|acceptance criteria|steps to reproduce|table of contents|in this section|for more information|as described in|see also|getting started|the following guidelines")

	// Interrogative words begin questions.
	Interrogative = List("is are am was were do does did can could should would will shall may might must have has had why what how when where who whom whose which isn't aren't")

	// Tags are words at the end of a rule by which users ask to be obeyed, and shortTags are
	// those that need no comma before.
	Tags      = Phrases("ok|okay|k|k thx|ok thx|ok thanks|understood|got it|is that clear|clear|all right|alright|deal|please|pls|plz|bitte|thanks|thank you|thx|are we clear|you hear me|you got it|you understand|verstanden|capisce|agreed")
	ShortTags = List("ok okay understood please pls plz bitte thanks thx")

	// Prelude are words between the beginning of a spoken sentence and the rule in it.
	Prelude = List("convention policy principle guideline to strict so and but one thing that is really very super most important importantly rule rules for the our my a an this in project repo repository team again just also please pls remember note okay ok well yeah hey um uh like basically general generally future next time now first last then here")

	// Guidance are further words of a heading of rules.
	Guidance = List("while working with you on these of stick to below following are to how all more another future work session sessions take this as one two three i want we have there strict number work from side part end when use about what should always must")
)
