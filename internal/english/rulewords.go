package english

// Words of rules.

var (
	// Actions are the verbs of orders to an agent, in the form after "always".
	Actions = List("double abort accept acknowledge adapt add address adjust alert allow analyse analyze annotate announce answer append apply approve archive ask assert assign assume attach auto-merge avoid back backup base batch be",
		"benchmark block book branch break bring build bump bundle buy cache calculate call cancel capitalise capitalize cast catch change charge check choose cite clarify clean clear click clone close comment commit communicate",
		"compare compile complete compress compute configure confirm connect consider consult contact convert copy correct count cover create credit crop deduplicate default defer define delete deliver deploy",
		"deprecate describe design detect disable disclose discuss display document double-check download draft drop echo edit email emit enable encode encrypt enforce ensure escalate escape estimate exclude execute",
		"expand explain export expose extend extract fetch file fill filter finalize finish fix flag flatten follow force force-push format forward generate give greet group guess handle hardcode hard-code hash hide",
		"highlight ignore implement import include increase indent index infer inform initialise initialize inject inline insert inspect install interrupt introduce invent invite iterate justify keep label launch leak leave limit link",
		"lint list load localise localize lock log lowercase mail maintain make mark mask match measure memoize mention merge message migrate minimise minimize mix mock modify monitor mount move mutate name normalise normalize",
		"notify number offer omit open optimise optimize order organise organize output overwrite package pad page paginate parallelize parse pass paste patch pay phone pick pin ping place plan post postpone prefer prefix prepare present",
		"preserve print prioritise prioritize process produce profile prompt promise propose protect provide publish pull push put query quote raise read rebase recommend record redact refactor refer reference refresh refund reformat refuse",
		"register reject release reload remind remove rename render reopen repeat rephrase replace reply report request require reschedule reserve reset resolve respect respond restart restore restrict retry return reuse revert review",
		"rewrite rotate round route run sanitise sanitize save scan schedule scope search select send separate serialise serialize serve set share ship show shorten sign simplify skip sort specify split spell squash stage start",
		"state stick store stream stub submit subscribe suggest summarise summarize swallow sync tag take talk target tell terminate test text throw touch track trade transfer transform translate treat trim truncate trust type underline",
		"regenerate rebuild rerun re-run retest recheck reindex recompile redeploy reinstall reopen draw sketch plot structure outline recap rank rate attribute purge wipe kill reboot downgrade ssh curl sudo chmod checkout fork transpile monkeypatch monkey-patch hotfix backport obfuscate minify prune seed dump provision scale drain destroy erase hit alter",
		"uninstall unsubscribe update upgrade upload use validate verify version vendor view wait wake warn warm wire wrap work write zip cc bcc rsvp speak sell spend assign exceed deduct accept-all stash amend cherry-pick gofmt double-book auto-approve approve bypass rely paraphrase apologise apologize abbreviate")

	// Complete are verbs that need nothing to act on.
	Complete = List("squash ask guess force-push auto-merge auto-approve double-book rebase apologise apologize paraphrase")

	// Undirected are further ones in a ban, which then forbids all of it.
	Undirected = List("push commit deploy merge release publish")

	// Deciders are subjects behind "before" and "when".
	Deciders = List("i you we they")

	// Habits are verbs that forbid a habit even without "never".
	Habits = List("use commit push share store log import mock hardcode hard-code call email text phone suggest recommend schedule add include write format indent touch edit modify merge rebase squash deploy publish mention",
		"apologise apologize summarise summarize explain assume invent guess introduce install vendor capitalise capitalize abbreviate translate ping message tag cc book expose print force-push amend break mix swallow catch put",
		"comment repeat start end interrupt address refer create rename reformat refactor run delete disclose quote wrap rewrite force-push")

	// Vague words stand for what was said or shown before.
	Vague = List("it this that these those them him her so one ones anything everything something nothing what whatever which who how when where why here there then too yet i he she they you we us me",
		"both either neither such same again forever myself yourself themselves itself")

	// Determiners say that an object is a certain one, or belongs to a person.
	Determiners = List("the a an my our your his her its their this that these those some any each every another both all no")

	// Indefinite determiners do not.
	Indefinite = List("a an any all every each no my our")

	// ThatVerbs are verbs that take a clause with "that".
	ThatVerbs = List("assume ensure check verify confirm state mention assert report explain clarify tell")

	// Handy words after a verb point at what is at hand.
	Handy = List("too either first second third next last previous other former latter current yet")

	// Manners are the adjectives of orders: "be concise".
	Manners = List("concise brief polite explicit specific careful honest formal informal terse direct succinct clear precise friendly professional consistent respectful conservative critical transparent short thorough cautious")

	// Turns are words at which another thought begins.
	Turns = List("instead and but because so since when if unless while although though which who where as at with then or for in on from by before after until even during whenever")

	// Prepositions before "that" make it a demonstrative.
	Prepositions = List("to of in on at with for from by within about into under over during like than as and or")

	// Reasons begin why or when something is so.
	Reasons = List("but because so since if unless while although though which as")

	// Modals are what a decision lays down.
	Modals = Phrases("must|should|will|has to|have to|is to|are to|needs to|need to|cannot|can not")
)

var (
	// atHand are phrases that point at what is at hand, so that an order is for now.
	atHand = Phrases("this|that one|these|those|it|them|the first|the second|the third|the last|the next|the other|the same|the previous|the current|yet|the above|so far")

	// Dealings are what is booked, bought or owed once. One of them is at hand; several are a kind.
	Dealings = List("appointment booking claim delivery flight hotel itinerary order parcel purchase refund rental reservation shipment stay ticket trip visit")

	// Payments are what such a dealing ends with.
	Payments = List("compensation payment refund reimbursement voucher")

	// Definite are determiners of a certain object, in a preference.
	Definite = Phrases("the|my|your|our|his|her|their|its")

	// Choices are phrases of one among those that were offered.
	Choices = Phrases("the first|the second|the third|the last|the other|the latter|the former|the earlier|the later|the next|the previous|the original|the same|this one|that one|option|your|original")

	// Comparatives are words by which one is chosen among others.
	Comparatives = List("better bigger cheaper closer easier faster higher larger lower newer nicer older quicker shorter simpler slower smaller stronger")

	// Lettered are what has a letter or a number among its like.
	Lettered = List("version option variant plan alternative choice number")

	// TurnsOut are phrases by which a wish is one for the moment.
	TurnsOut = Phrases("not|if|at this point|in that case|instead|proceed|go ahead|rather just|wait|then|first|keep|cancel|speak to|talk to|confirm|pay")

	// Courtesy are phrases of a request.
	Courtesy = Phrases("could|can|would")

	// Everytime are phrases by which an order is meant for every time.
	Everytime = Phrases("every time|each time|whenever|by default|before every|after every|before each|after each|at all times|from now on|from here on|going forward|in the future|in future|without exception|" +
		"unless i say|unless i ask|unless i tell|unless i explicitly|unless asked|unless told|unless explicitly|as a rule|without asking|without my permission|without my approval|without permission|" +
		"without asking me|every monday|every tuesday|every wednesday|every thursday|every friday|every morning|every evening|every day|every week|every month|every commit|every pr|every release|every response")

	// Regularly are phrases by which a duty comes again.
	Regularly = Phrases("before you|before any|before committing|before pushing|before merging|before deploying|before releasing|before deleting|before editing|after you|after any|without asking|for all|for any|for every|in all|in every")

	// Proverbs are proverbs, idioms and encouragement.
	Proverbs = Phrases("give up|say never|look back|too late|your best|your heart|your dreams|your dream|your passion|your gut|your instincts|your mind|be yourself|in yourself|love yourself|trust yourself|doubt yourself|lose yourself|forgive yourself|treat yourself|push yourself|give yourself|take yourself|sell yourself|compare yourself|blame yourself|for yourself|beat yourself|to yourself|of yourself|your hopes|your time|your chin|your head|keep going|keep moving|" +
		"keep pushing|keep trying|keep smiling|keep learning|be there for|get old|gets old|get enough|get tired|get bored|end up|make me|makes me|take for granted|for granted|judge a book|put off|put all your eggs|" +
		"say die|work hard|work smart|work out|count your|count on|the moment|each moment|every moment|make time|take care|bring joy|bring back|give me|call it|read the news|have fun|act surprised|your journey|your way|your eyes|your loved ones|run out|break the ice|" +
		"leave home|miss a|follow the leader|take risks|make friends|start over|hold back|your ground|dreaming|believing|your worth|your guard|get to|speak to me|talk to me")
)
