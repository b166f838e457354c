package text

// stopWords are words that say next to nothing about the subject of a text: function words,
// question words, and auxiliary verbs. They are almost half of what people write. Among the
// lists tried, this one gave the best recall for questions about conversations.
//
// Contractions with n't are written without the apostrophe, as they are compared.
var stopWords = map[string]bool{
	"a": true, "an": true, "the": true,
	"and": true, "or": true, "but": true, "if": true, "then": true, "than": true, "so": true,
	"as": true, "at": true, "by": true, "for": true, "from": true, "in": true, "into": true, "of": true,
	"on": true, "onto": true, "to": true, "with": true, "without": true, "about": true, "over": true,
	"under": true, "up": true, "down": true, "out": true, "off": true,

	"is": true, "am": true, "are": true, "was": true, "were": true, "be": true, "been": true, "being": true,
	"do": true, "does": true, "did": true, "doing": true, "done": true,
	"have": true, "has": true, "had": true, "having": true,
	"will": true, "would": true, "shall": true, "should": true, "can": true, "could": true,
	"may": true, "might": true, "must": true,

	"i": true, "me": true, "my": true, "mine": true, "myself": true,
	"you": true, "your": true, "yours": true, "yourself": true,
	"he": true, "him": true, "his": true, "himself": true,
	"she": true, "her": true, "hers": true, "herself": true,
	"it": true, "its": true, "itself": true,
	"we": true, "us": true, "our": true, "ours": true, "ourselves": true,
	"they": true, "them": true, "their": true, "theirs": true, "themselves": true,

	"this": true, "that": true, "these": true, "those": true, "there": true, "here": true,
	"what": true, "which": true, "who": true, "whom": true, "whose": true,
	"when": true, "where": true, "why": true, "how": true,

	"not": true, "no": true, "nor": true, "too": true, "very": true, "just": true, "also": true,
	"only": true, "own": true, "same": true, "such": true, "both": true, "each": true, "any": true,
	"all": true, "some": true, "more": true, "most": true, "other": true,

	"aint": true, "arent": true, "cant": true, "couldnt": true, "didnt": true, "doesnt": true, "dont": true,
	"hadnt": true, "hasnt": true, "havent": true, "isnt": true, "mustnt": true, "neednt": true,
	"shant": true, "shouldnt": true, "wasnt": true, "werent": true, "wont": true, "wouldnt": true,
}
