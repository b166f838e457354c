package recall

import (
	"unicode/utf8"

	"lukasa.dev/internal/recall/times"
)

// queryWord is the role of a word in the classification of a query.
type queryWord uint8

const (
	queryNone     queryWord = iota
	queryStop               // stop word
	queryLead               // stop word that leads to a question: please, me, and
	queryWhen               // when
	queryWhere              // where
	queryWho                // who, whose
	queryWhy                // why
	queryHow                // how
	queryWhat               // what, which
	queryBe                 // is, can: at the beginning, a yes-or-no question
	queryWas                // was: likewise, about the past
	queryDid                // did: likewise, about past actions
	queryHappened           // happened; the last of the words without meaning of their own

	querySeek       // leads to a question: show, find, tell
	queryRemember   // likewise: remember, remind
	queryMany       // many, much, often, long
	queryCome       // how come
	queryAgo        // how long ago
	queryCaused     // caused
	queryTimeNoun   // time, date, year
	queryPlaceNoun  // city, country
	queryPersonNoun // person, people
	queryDo         // imperative: deploy, build
	queryRepair     // fix, debug
	queryWrong      // error, fails
	querySteps      // steps, procedure
	queryNewest     // latest, current
)

// asksYesNo reports whether a sentence that begins with the word is a yes-or-no question.
func (w queryWord) asksYesNo() bool { return w == queryBe || w == queryWas || w == queryDid }

// longestQueryWord is the length of the longest word that queryMeaning knows.
const longestQueryWord = 16

// lowerInto writes a word in lower case and returns it. For words that are not ASCII, except
// for the apostrophe, the result is empty: none of them has a role here.
func lowerInto(dst *[longestQueryWord]byte, w string) []byte {
	n := 0
	for i := 0; i < len(w); i++ {
		c := w[i]
		if c >= utf8.RuneSelf {
			if times.Apostrophe(w[i:]) == 0 {
				return nil
			}
			c = '\''
			i += len("’") - 1
		}
		dst[n] = times.LowerByte(c)
		n++
	}
	return dst[:n]
}

// queryMeaning returns the role of a lower-case word.
func queryMeaning(w []byte) queryWord {
	switch string(w) {
	case "when", "when'd":
		return queryWhen
	case "where":
		return queryWhere
	case "who", "whom", "whose":
		return queryWho
	case "why":
		return queryWhy
	case "how":
		return queryHow
	case "what", "which":
		return queryWhat
	case "is", "are", "am", "do", "does", "has", "have", "can", "could", "should", "would", "will", "shall", "must", "may",
		"might", "isn't", "aren't", "hasn't", "haven't", "couldn't", "shouldn't", "wouldn't":
		return queryBe
	case "was", "were", "wasn't", "weren't":
		return queryWas
	case "did", "had", "didn't", "hadn't":
		return queryDid
	case "many", "much", "often", "long", "far", "old", "big", "large":
		return queryMany
	case "come":
		return queryCome
	case "ago":
		return queryAgo
	case "happened", "happens", "happen":
		return queryHappened
	case "caused", "causes":
		return queryCaused
	case "time", "date", "day", "year", "month", "week", "weekday":
		return queryTimeNoun
	case "city", "country", "place", "town", "location", "street", "directory", "folder":
		return queryPlaceNoun
	case "person", "people", "user", "author", "colleague", "customer":
		return queryPersonNoun
	case "deploy", "build", "run", "install", "configure", "setup", "create", "add", "remove", "delete", "update", "upgrade",
		"migrate", "write", "implement", "refactor", "test", "restart", "start", "stop", "release", "rollback", "roll", "rotate",
		"enable", "disable", "connect", "publish", "generate", "convert", "move", "rename", "merge", "open", "close", "set",
		"back", "restore", "provision", "scale", "review", "prepare", "make", "use", "change", "optimize", "optimise", "port":
		return queryDo
	case "fix", "debug", "diagnose", "troubleshoot", "investigate", "repair":
		return queryRepair
	case "error", "errors", "exception", "exceptions", "fail", "fails", "failed", "failing", "failure", "failures", "crash",
		"crashes", "crashed", "crashing", "panic", "panics", "traceback", "stacktrace", "timeout", "timeouts", "broken", "bug",
		"bugs", "segfault", "wrong", "refused", "denied", "undefined", "deadlock", "hangs", "hanging", "leak", "broke", "breaks",
		"outage", "flaky":
		return queryWrong
	case "steps", "step", "procedure", "instructions", "guide", "tutorial", "howto", "runbook", "checklist", "workflow":
		return querySteps
	case "latest", "newest", "current", "currently", "now", "still", "nowadays":
		return queryNewest
	case "remember", "remind", "recall", "recap":
		return queryRemember
	case "show", "tell", "give", "find", "know", "want", "need", "like", "wonder", "explain", "describe":
		return querySeek
	case "please", "me", "so", "and", "but", "ok", "okay", "hey", "hi", "hello", "well", "also", "then", "in", "at", "on", "for",
		"to", "from", "since", "by", "about", "with", "of", "until", "you", "i", "i'd":
		return queryLead
	case "a", "an", "the", "this", "that", "these", "those", "there", "here", "it", "its", "it's", "i'm", "i've", "i'll",
		"he", "she", "we", "they", "him", "her", "us", "them", "my", "your", "his", "our", "their", "mine", "yours", "ours",
		"theirs", "myself", "be", "been", "being", "having", "doing", "done", "or", "not", "no", "nor", "if", "as", "than",
		"too", "very", "just", "into", "onto", "over", "under", "out", "up", "down", "off", "again", "once", "during", "before",
		"after", "between", "through", "while", "because", "both", "each", "any", "all", "some", "such", "own", "same", "only",
		"other", "more", "most", "ever", "yet", "let", "let's", "we're", "we've", "we'll", "we'd", "you're", "you've", "they're",
		"they've", "that's", "there's", "what's", "who's", "where's", "how's", "got", "get", "via", "per", "upon", "within",
		"without", "against", "among", "etc", "s", "t", "don't", "doesn't", "can't", "cannot", "won't":
		return queryStop
	}
	return queryNone
}
