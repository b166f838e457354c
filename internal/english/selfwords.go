package english

// Words with which users speak of themselves and of what they own.

var (
	// Untold are verbs and nouns after "I like" that express no taste.
	Untold = List("think say imagine believe ask hear see know hearing seeing knowing thinking being getting idea way fact sound look everything how keep admit bother complain help working book change cancel request",
		"thank proceed upgrade add have confirm use make apologize inform")

	// Addressed are words for the person addressed.
	Addressed = Phrases("you|your|yours")

	// Pointing are words that stand for what was said before.
	Pointing = Phrases("it|them|him|her|here|there")

	// Customs are verbs of "I never X" that express a taste.
	Customs = List("eat drink fly travel sit wear use smoke drive take commit review buy cook bike commute check attend answer accept deploy book code program prefer work")

	// Likings are verbs of liking.
	Likings = List("like love enjoy prefer want need")

	// Counts are the words before what a person has: "two kids".
	Counts = List("a an no one two three four five six seven eight 1 2 3 4 5 6 7 8")

	// Kin is what a person has for years.
	Kin = List("kid kids child children son sons daughter daughters dog dogs cat cats brother brothers sister sisters siblings horse wife husband twins allergy dyslexia adhd asthma diabetes")

	// Conditions are what a person is for years, with the subject of each.
	Conditions = map[string]string{
		"vegan": "user/diet", "vegetarian": "user/diet", "pescatarian": "user/diet", "celiac": "user/diet", "coeliac": "user/diet", "gluten-free": "user/diet", "intolerant": "user/diet", "kosher": "user/diet",
		"lactose-intolerant": "user/diet", "diabetic": "user/health", "dyslexic": "user/health", "asthmatic": "user/health", "epileptic": "user/health", "colorblind": "user/health", "colour-blind": "user/health",
		"color-blind": "user/health", "colourblind": "user/health", "deaf": "user/health", "left-handed": "user/handedness", "right-handed": "user/handedness", "married": "user/family", "divorced": "user/family",
		"single": "user/family", "widowed": "user/family", "retired": "user/role",
	}

	// Roles are what a person does for a living.
	Roles = List("engineer developer programmer designer nurse doctor physician surgeon dentist teacher student lawyer attorney accountant architect scientist researcher writer author journalist editor photographer artist musician",
		"actor actress chef cook baker manager director ceo cto founder consultant analyst freelancer contractor mechanic electrician plumber pilot therapist psychologist counselor professor lecturer postdoc librarian translator",
		"vegan vegetarian pescatarian mathematician statistician physicist chemist biologist economist historian linguist admin administrator sysadmin sre devops recruiter salesperson pharmacist veterinarian farmer paralegal",
		"maintainer coach trainer dancer filmmaker screenwriter producer barista firefighter paramedic veteran widower widow intern undergraduate undergrad sophomore citizen")

	// SentenceCase are capitalized words that are not names, Ranks are levels of a membership,
	// and Peoples are the nationalities and beliefs of a person.
	SentenceCase = List("i a the so not very just and but on in at from")
	Ranks        = List("basic bronze business diamond economy elite executive gold platinum premium pro silver standard vip")
	Peoples      = List("african american arab arabic asian australian austrian belgian brazilian british bulgarian canadian chinese croatian czech danish dutch egyptian english european finnish french german greek hungarian indian indonesian",
		"iranian irish israeli italian japanese kenyan korean latino malaysian mexican nigerian norwegian pakistani persian polish portuguese romanian russian scottish serbian slovak spanish swedish swiss thai turkish ukrainian vietnamese welsh",
		"atheist buddhist catholic christian hindu jewish mormon muslim orthodox protestant sikh")

	// Reaches are verbs of goals.
	Reaches = List("be become learn finish complete write publish save lose retire graduate launch ship reach migrate read pass earn build run master start quit pay release cut reduce hit grow win")

	// Deadlines are phrases of a time that is not near, and seasons are further ones behind "by".
	Deadlines = Phrases("by the time i am|before i turn|this year|next year")
	Seasons   = List("spring summer fall autumn winter christmas q1 q2 q3 q4")

	// Spans are lengths of time that are not short.
	Spans = List("year years quarter quarters decade decades")

	// Goals are what a goal is called.
	Goals = List("goal goals aim objective ambition dream")
)

var (
	// Favoured words before a noun make it one with a value.
	Favoured = List("favorite favourite preferred default usual native home go-to first second")

	// Values are what has a value that lasts.
	Values = List("name surname nickname names id username handle login email e-mail mail address phone number mobile birthday birthdate timezone zone pronouns job occupation profession title role employer company",
		"nationality citizenship language diet allergy allergies type size height weight age degree major university college school thesis field specialty department github gitlab slack linkedin twitter website blog domain",
		"os editor ide shell distro keyboard browser locale currency airport hours schedule extension team budget salary account anniversary hometown city country religion faith hobby hobbies passion strategy approach",
		"preference preferences policy rule stack setup framework branch repo repository workflow")

	// Loose are values that a plain word can tell.
	Loose = List("name surname nickname names handle username login timezone zone pronouns job occupation profession title role language diet allergy allergies type hobby hobbies passion field thesis specialty major nationality religion faith",
		"editor ide shell os distro browser locale currency preference branch framework stack database db orm linter formatter manager broker queue runtime style tracker license licence registry convention policy")

	// Active are those that can be something one does.
	Active = List("job occupation profession hobby hobbies passion field role specialty")

	// Errands are verbs of goals that are near.
	Errands = List("understand find figure fix get see know resolve cancel change book make sure return ask check confirm solve debug")

	// PassingThings are values of the moment, or of what is at hand.
	PassingThings = List("confirmation tracking case")

	// PassingNames are such when the noun ends in them.
	PassingNames = List("issue problem question concern point guess request reason plan plans part thing one ones memory moment scene bit day week mood way advice bet",
		"feeling thought understanding situation answer suggestion luck fault bad pleasure place photo pic version code time option")

	// Possessions are what one has and can say more of.
	Possessions = List("laptop computer machine desktop phone car bike dog cat pet house apartment server router printer camera tablet monitor guitar horse puppy kitten watch browser bank insurer insurance doctor dentist gym church")

	// Persons are nouns of people and pets after "my".
	Persons = List("wife husband partner spouse girlfriend boyfriend fiance fiancee son daughter kid baby mother mom mum father dad brother sister boss manager supervisor advisor assistant colleague coworker mentor lawyer",
		"accountant landlord roommate flatmate friend dog cat doctor dentist therapist teacher coach cofounder co-founder reviewer teammate client neighbor neighbour grandmother grandfather aunt uncle cousin niece nephew")

	// Unsettled words after "is" describe a temporary condition, or nothing.
	Unsettled = List("not wrong missing broken gone lost down late changing being still getting running so too very the same listed hacked locked blocked unknown private confidential different going working great good bad awesome",
		"amazing full empty invalid incorrect correct right valid on off in out up ready done fine ok okay what why how that because full crazy busy hectic packed almost already about under over also shown below above attached",
		"like simple important easy hard tough limited tight flexible open killing hurting slow fast dead stuck sick tired better worse nice cool terrible horrible perfect beautiful cute adorable closed corrupt corrupted live active inactive offline online misspelled expired all unclear unavailable exhausting draining demanding boring stressful rewarding fulfilling challenging interesting exciting acting having")
)
