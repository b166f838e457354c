package statement

// Words of what users say of themselves and of their own.

var (
	// untold are verbs and nouns after "I like" that tell nothing of a taste.
	untold = set("think say imagine believe ask hear see know hearing seeing knowing thinking being getting idea way fact sound look everything how keep admit bother complain help working book change cancel request",
		"thank proceed upgrade add have confirm use make apologize inform")

	// addressed are words of whom one speaks to.
	addressed = phrases("you|your|yours")

	// pointing are words that stand for what was said before.
	pointing = phrases("it|them|him|her|here|there")

	// customs are verbs of "I never X" that tell of a taste.
	customs = set("eat drink fly travel sit wear use smoke drive take commit review buy cook bike commute check attend answer accept deploy book code program prefer work")

	// likings are verbs of liking.
	likings = set("like love enjoy prefer want need")

	// counts begin what somebody has.
	counts = set("a an no one two three four five six seven eight 1 2 3 4 5 6 7 8")

	// kin is what somebody has for years.
	kin = set("kid kids child children son sons daughter daughters dog dogs cat cats brother brothers sister sisters siblings horse wife husband twins allergy dyslexia adhd asthma diabetes")

	// conditions are what somebody is for years, with the subject of each.
	conditions = map[string]string{
		"vegan": "user/diet", "vegetarian": "user/diet", "pescatarian": "user/diet", "celiac": "user/diet", "coeliac": "user/diet", "gluten-free": "user/diet", "intolerant": "user/diet", "kosher": "user/diet",
		"lactose-intolerant": "user/diet", "diabetic": "user/health", "dyslexic": "user/health", "asthmatic": "user/health", "epileptic": "user/health", "colorblind": "user/health", "colour-blind": "user/health",
		"color-blind": "user/health", "colourblind": "user/health", "deaf": "user/health", "left-handed": "user/handedness", "right-handed": "user/handedness", "married": "user/family", "divorced": "user/family",
		"single": "user/family", "widowed": "user/family", "retired": "user/role",
	}

	// roles are what somebody does for a living.
	roles = set("engineer developer programmer designer nurse doctor physician surgeon dentist teacher student lawyer attorney accountant architect scientist researcher writer author journalist editor photographer artist musician",
		"actor actress chef cook baker manager director ceo cto founder consultant analyst freelancer contractor mechanic electrician plumber pilot therapist psychologist counselor professor lecturer postdoc librarian translator",
		"vegan vegetarian pescatarian mathematician statistician physicist chemist biologist economist historian linguist admin administrator sysadmin sre devops recruiter salesperson pharmacist veterinarian farmer paralegal",
		"maintainer coach trainer dancer filmmaker screenwriter producer barista firefighter paramedic veteran widower widow intern undergraduate undergrad sophomore citizen")

	// sentenceCase are words in capitals that are no names, ranks are those of what somebody is a
	// member of, and peoples those of where somebody comes from or what somebody believes.
	sentenceCase = set("i a the so not very just and but on in at from")
	ranks        = set("basic bronze business diamond economy elite executive gold platinum premium pro silver standard vip")
	peoples      = set("african american arab arabic asian australian austrian belgian brazilian british bulgarian canadian chinese croatian czech danish dutch egyptian english european finnish french german greek hungarian indian indonesian",
		"iranian irish israeli italian japanese kenyan korean latino malaysian mexican nigerian norwegian pakistani persian polish portuguese romanian russian scottish serbian slovak spanish swedish swiss thai turkish ukrainian vietnamese welsh",
		"atheist buddhist catholic christian hindu jewish mormon muslim orthodox protestant sikh")

	// reaches are verbs of goals.
	reaches = set("be become learn finish complete write publish save lose retire graduate launch ship reach migrate read pass earn build run master start quit pay release cut reduce hit grow win")

	// deadlines are phrases of a time that is not near, and seasons are further ones behind "by".
	deadlines = phrases("by the time i am|before i turn|this year|next year")
	seasons   = set("spring summer fall autumn winter christmas q1 q2 q3 q4")

	// spans are lengths of time that are not short.
	spans = set("year years quarter quarters decade decades")

	// goals are what a goal is called.
	goals = set("goal goals aim objective ambition dream")
)

var (
	// favoured words before a noun make it one with a value.
	favoured = set("favorite favourite preferred default usual native home go-to first second")

	// values are what has a value that lasts.
	values = set("name surname nickname names id username handle login email e-mail mail address phone number mobile birthday birthdate timezone zone pronouns job occupation profession title role employer company",
		"nationality citizenship language diet allergy allergies type size height weight age degree major university college school thesis field specialty department github gitlab slack linkedin twitter website blog domain",
		"os editor ide shell distro keyboard browser locale currency airport hours schedule extension team budget salary account anniversary hometown city country religion faith hobby hobbies passion strategy approach",
		"preference preferences policy rule stack setup framework branch repo repository workflow")

	// loose are values that a plain word can tell.
	loose = set("name surname nickname names handle username login timezone zone pronouns job occupation profession title role language diet allergy allergies type hobby hobbies passion field thesis specialty major nationality religion faith",
		"editor ide shell os distro browser locale currency preference branch framework stack database db orm linter formatter manager broker queue runtime style tracker license licence registry convention policy")

	// active are those that can be something one does.
	active = set("job occupation profession hobby hobbies passion field role specialty")

	// errands are verbs of goals that are near.
	errands = set("understand find figure fix get see know resolve cancel change book make sure return ask check confirm solve debug")

	// passingThings are values of the moment, or of what is at hand.
	passingThings = set("confirmation tracking case")

	// passingNames are such when the noun ends in them.
	passingNames = set("issue problem question concern point guess request reason plan plans part thing one ones memory moment scene bit day week mood way advice bet",
		"feeling thought understanding situation answer suggestion luck fault bad pleasure place photo pic version code time option")

	// things are what one has and can say more of.
	things = set("laptop computer machine desktop phone car bike dog cat pet house apartment server router printer camera tablet monitor guitar horse puppy kitten watch browser bank insurer insurance doctor dentist gym church")

	// persons are those whom one has.
	persons = set("wife husband partner spouse girlfriend boyfriend fiance fiancee son daughter kid baby mother mom mum father dad brother sister boss manager supervisor advisor assistant colleague coworker mentor lawyer",
		"accountant landlord roommate flatmate friend dog cat doctor dentist therapist teacher coach cofounder co-founder reviewer teammate client neighbor neighbour grandmother grandfather aunt uncle cousin niece nephew")

	// unsettled words after "is" tell how a thing is just now, or nothing.
	unsettled = set("not wrong missing broken gone lost down late changing being still getting running so too very the same listed hacked locked blocked unknown private confidential different going working great good bad awesome",
		"amazing full empty invalid incorrect correct right valid on off in out up ready done fine ok okay what why how that because full crazy busy hectic packed almost already about under over also shown below above attached",
		"like simple important easy hard tough limited tight flexible open killing hurting slow fast dead stuck sick tired better worse nice cool terrible horrible perfect beautiful cute adorable closed corrupt corrupted live active inactive offline online misspelled expired all unclear unavailable exhausting draining demanding boring stressful rewarding fulfilling challenging interesting exciting acting having")
)
