package english

const monthNames = "january february march april june july august september october november december"

// Words at the beginning of sentences, and words that disqualify a sentence.

var (
	// Stress are adverbs that change nothing of what is stated.
	Stress = List("hereby really just absolutely definitely strongly generally usually personally typically also still basically honestly truly totally simply certainly very much kindly obviously")

	// Fillers come before a statement.
	Fillers = List("omg und auch ps please pls plz bitte also and so but well oh again plus first firstly second secondly third finally lastly additionally furthermore btw just kindly then besides anyway quick ideally preferably")

	// Vocatives are words behind the name of the agent that is spoken to.
	Vocatives = List("you do never always please pls dont don't from")

	// Greetings come before a statement, with a name or not, up to a comma.
	Greetings = List("hi hello hey thanks thank sure certainly yes yeah yep ok okay great perfect alright right good greetings dear sorry cool nice awesome understood absolutely")

	// Labels come before a statement and a colon.
	Labels = List("listen attention caution hinweis wichtig regel achtung important rule reminder preference preferences constraint constraints warning ps policy instruction requirement")

	// Headed are what a heading of a rule is called, and sizes are words before it.
	Headed = List("thing things don'ts dos remember memorize memorise rule rules policy request wish convention principle guideline favour favor instruction")
	Sizes  = List("security git branch branching commit deployment release coding code workflow working small quick simple little important final golden ground house general basic hard strict few some team project company personal next")

	// Frames begin a situation of which something is said.
	Frames = List("when whenever in for on before after while every each during with inside")

	// Wishes are verbs of what the agent may come to do.
	Wishes = List("ever need want have must")

	// Sayings are verbs of "when I say X, do Y".
	Sayings = List("say ask type write mention tell request")

	// Past are verbs that make a situation one of the past.
	Past = List("was were had did used went")

	// Bygones are further ones of what happened.
	Bygones = List("lost spent got broke took wrote made just already have")

	// Misspelt are words as hasty and spoken users write them.
	Misspelt = map[string]string{
		"u": "you", "ur": "your", "thou": "you", "shalt": "shall", "nevr": "never", "neevr": "never", "nver": "never", "neber": "never", "agian": "again", "agin": "again", "alwyas": "always", "alway": "always", "allways": "always",
		"teh": "the", "pelase": "please", "pleas": "please", "plese": "please", "dotn": "dont", "dnt": "dont", "shoud": "should", "msut": "must",
	}

	// Hesitations are what is said between words.
	Hesitations = List("um uh uhm umm uhh erm hmm hm")

	// Calendar are days and months, but for the one that is a verb, too.
	Calendar = List("monday tuesday wednesday thursday friday saturday sunday", monthNames)
	Months   = List(monthNames)

	// Asides are nouns of a situation that make what follows an opinion or an example.
	Asides = List("experience opinion view book mind theory practice respect example instance reason all short summary fact addition conclusion contrast general years")

	// abbreviations have a stop that ends no sentence.
	abbreviations = List("e.g i.e etc vs mr mrs ms dr prof st approx fig inc ltd co dept est a.m p.m jr sr")

	// shortIs are words whose 's is an "is".
	shortIs = List("it that he she there what here name email timezone username birthday address who where let")

	// OwnWords in an announcement say that the words to come are the user's own.
	OwnWords = List("remember rules rule preferences preference conventions guidelines constraints my our keep prefer always never please facts")

	// BindingWords say that what is to come is to be obeyed.
	BindingWords = List("remember follow obey respect keep stick rules rule")

	// Documents are what a user pastes, or wants something to be written into.
	Documents = List("requirements readme contributing changelog docs doc documentation wiki log logs output email mail transcript article snippet excerpt traceback stacktrace ticket issue page website post thread newsletter criteria acceptance scenario checklist todo faq entry footer header banner headline",
		"paste clipboard stdout stderr diff patch spec specification plan schema script docstring comment comments template prompt test tests function class method story essay poem letter slack announcement feedback changelog license")

	// extensions are how names of files end.
	extensions = List("md txt go py js ts tsx jsx rs java kt rb c h cc cpp cs sh yml yaml json toml ini cfg conf html css sql rst adoc mdc log env lock xml csv")

	// PointsBelow are words that refer to the text below, and TellingWords are verbs that
	// attribute it to a speaker or a program.
	PointsBelow  = List("this these following follows below here")
	TellingWords = List("said says wrote writes reads read states stated printed prints returned returns shows showed responded replied outputs logged told tells")

	// Titles are the last words of titles of texts that are pasted.
	Titles = List("notes minutes practices guidelines principles agenda retro handbook wiki excerpt policy feedback summary protocol thread comments")

	// PrintedWords are what others wrote or a program printed.
	PrintedWords = List("output log logs transcript email mail response traceback readme printout dump stdout stderr")

	// ForeignWords in an announcement say that they are not.
	ForeignWords = List("handbook wiki guide manual confluence notion best practices principles said says saying say wrote writes reads states stated output log logs error errors message email mail docs documentation readme article review prompt trace traceback stack",
		"response snippet code text quote quotes lyrics transcript config policy terms paste pasted file reply replied told tells answer page website post comment book poem letter example he she they it",
		"following below printed returned shows got prints instructions results result description ticket report tweet blog passage excerpt input contents content")
)

var (
	// Corrections are phrases before what puts something right.
	Corrections = Phrases("scratch that|on second thought|on second thoughts|i meant|my mistake|i was wrong|i changed my mind|i have changed my mind|change of plan|change of policy|change of plans|actually|correction" +
		"|not quite|that is wrong|that is not right|that is incorrect|you got that wrong")

	// Memos are phrases before what is to be remembered.
	Memos = Phrases("as a reminder|for future reference|for the record|for your records|just so you know|so you know|heads up|quick note|side note|good to know")

	// Generals are phrases before what is said beside the matter.
	Generals = Phrases("by the way|btw|one more thing|one thing|in general|as a rule|as a general rule|new rule|house rule|rule number one|another rule|one rule|rule|for future reference|ground rule" +
		"|golden rule")

	// Openings are further phrases before a statement.
	Openings = Phrases("by the way|one more thing|one thing|as i said|like i said|as mentioned|for context|for background|just so we are clear|to be clear|in general|as a rule|as a general rule|by default" +
		"|as a side note|before we start|before we go on|before we continue|before you go on|before you continue|before i forget|while we are at it|before you start|before we begin|first of all|ground rule|ground rules|golden rule|one rule|my rule|our rule|another rule|last thing|another thing" +
		"|most important|a few rules|some rules|a few ground rules|some ground rules|two rules|three rules|my rules|our rules|house rules|i have told you before|as i told you|i told you before" +
		"|i have said it before|and yes|of course|no matter what|whatever happens|once and for all|as always|as usual|for future sessions|for the next sessions|in any case|at any rate" +
		"|as an agent|as an ai|as an ai agent|as a coding agent|as the agent|as my agent|be so kind and|be so nice and|do me a favour and|do me a favor and|it is important that you" +
		"|it is important to me that you|it is important to us that you|i beg you|i ask you|i am begging you|it is essential that you|it is crucial that you|it is vital that you|it is important that|it is essential that|it is crucial that|it is important to|it is essential to|it is crucial to" +
		"|it is vital that|very important|new rule|house rule|rule number one")

	// Unearnest are phrases of jokes, guesses, suppositions and reports.
	Unearnest = Phrases("lol|haha|hahaha|lmao|rofl|jk|just kidding|kidding|yeah right|as if|if i were|would have|could have|should have|imagine|pretend|suppose|supposing|hypothetically|let us say|" +
		"maybe|perhaps|probably|i guess|not sure|might|presumably|apparently|supposedly|i suppose|i think|i believe|" +
		"he said|she said|they said|he says|she says|they say|people say|he told|she told|they told|told me|told us|said to|i was told|according to|he wrote|she wrote|so to speak|" +
		"quote unquote|in theory|what could go wrong|what could possibly go wrong|great idea|worked so well|worked great|brilliant idea|genius|oh great|oh sure|yeah sure|sure sure|good luck|because obviously|who needs|or not|or something|i see|i get it|as it seems|it seems|looks like|turns out|or whatever|idk|i wish|no idea")

	// Hedges make a rule a wish.
	Hedges = Phrases("ideally|if possible|when possible|where possible|preferably|if you can|when you can|whenever possible|wherever possible|try to|unless necessary|as much as possible")

	// Passing are phrases that bind a statement to a time or a task.
	Passing = Phrases("for this exercise/challenge/puzzle/kata/game/round/demo/test/review/feature/function/change/refactoring/step/part/module/bug/fix/issue/ticket/task/one/session/job/conversation/thread/chat/file/pr/commit/request/meeting/email/message/answer/question|" +
		"in this conversation/session/chat/thread/file/pr/commit/message/answer/task/challenge/exercise/job/step/change/branch|during this task/session/job|on this one|with this one|" +
		"today|tonight|tomorrow|right now|for now|for the moment|at the moment|this time|one time|this once|for once|just once|only once|this week|this month|this afternoon|this morning|this evening|this weekend|" +
		"next week|for the next|for the rest of|this sprint|this quarter|temporarily|these days only|during the freeze|" +
		"until tomorrow/monday/tuesday/wednesday/thursday/friday/saturday/sunday/next|until the end|until further notice|until then|until i say/tell|" +
		"until january/february/march/april/may/june/july/august/september/october/november/december/noon/i/we|" +
		"till tomorrow/monday/friday/next/then|while i am|while we are|as long as i am")

	// Onset are words before a time by which something begins then.
	Onset = List("starting from of since beginning")

	// Changes are phrases that say that something has changed.
	Changes = Phrases("no longer|anymore|any more|is now|are now|has changed to|have changed to|not anymore")

	// Anymore ends a negated clause.
	Anymore = Phrases("anymore|any more|any longer")

	// Bygone are phrases that make a decision or a change one of the past.
	Bygone = Phrases("yesterday|last night|last week|last weekend|last month|last year|ago|back then|earlier today|the other day|in the end|this past|that day")

	// Secrets are what is not kept.
	Secrets = Phrases("password|passwords|passphrase|passcode|pin|pin code|pin number|ssn|social security|cvv|cvc|credit card|debit card|card number|card ending|api key|secret key|private key|access key|access token|" +
		"auth token|bearer token|security code|security question|bank account number|routing number|iban|seed phrase|recovery code|mother's maiden")
)
