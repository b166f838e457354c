package english

// Words of how groups work.

var (
	// Uses are verbs of using.
	Uses = List("use using")

	// Works are verbs of how a group works.
	Works = List("use adopt deploy release ship support target host publish version tag branch merge squash rebase review lint document build bump pin vendor avoid require enforce follow store log encrypt rotate backup archive bill",
		"invoice charge refund onboard freeze standardize standardise commit format mock cache index write")

	// Resolves are verbs of what a group decides.
	Resolves = List("use adopt drop deploy release ship support target host publish version tag branch merge squash rebase review lint document build bump pin vendor avoid require enforce follow store log encrypt rotate backup archive",
		"bill invoice charge refund onboard freeze standardize standardise migrate replace remove deprecate keep split rewrite automate postpone launch raise lower limit cap ban forbid allow disable enable rename hire outsource accept",
		"commit format mock cache index write test run move switch merge")

	// Project is what a group has of which a value lasts.
	Project = List("repo repository branch database db stack ci pipeline server environment url api language framework deadline license licence version cloud provider tracker cadence sla convention conventions office headquarters timezone",
		"budget tool linter formatter manager runtime orm queue broker domain style guide guideline guidelines standard standards policy limit threshold cluster region registry cdn platform name port hours target objective schema",
		"password-policy model vendor supplier bank currency slug namespace monorepo codebase backend frontend package retention")

	// Houses are groups, and what they work on.
	Houses = List("repo repository project codebase team company org organisation organization monorepo service app application backend frontend website library package api department lab group pipeline cluster crate firmware workspace")

	// Surroundings are those with whom a group deals, and where.
	Surroundings = List("client clients customer customers staging production prod supplier school clinic store")

	// Present are verbs of what is so.
	Present = List("is are has have uses use needs need runs lives works must should can will does do prefers likes hates wants requires expects starts ends opens closes goes means costs takes listens resides belongs contains holds expires serves hosts owns")

	// Comforts are phrases of what is said to cheer up or to advise.
	Comforts = Phrases("sometimes|important|okay to|ok to|worth it|in life|always be|is key|the best|life is|everyone|everybody|nobody|no one|people|takes time")

	// idle words carry no meaning in a subject.
	idle = List("a an the to of my our your his her its their you i we please any all ever that it is are be do not never always own at us me and anymore")

	// spellings are words that are written in more than one way.
	spellings = map[string]string{
		"favorite": "favourite", "color": "colour", "e-mail": "email", "mail": "email", "cellphone": "phone", "mobile": "phone", "telephone": "phone", "authorise": "authorize", "summarise": "summarize",
		"organise": "organize", "repository": "repo", "db": "database", "licence": "license", "surname": "last-name",
	}
)
