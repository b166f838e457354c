package recognize

import (
	"strings"
	"sync"
)

// wordKind is what a word in capitals can be.
type wordKind uint8

const (
	plainNoun wordKind = iota // it can be a name, or part of one
	sentence                  // it often begins a sentence, and is no name
	calendar                  // a month or a day: a time
	honorific                 // it stands before a name
)

// sentenceWords are English words that are written in capitals for where they
// stand: they begin sentences, are labels before a colon, or are said aloud.
const sentenceWords = "a about above absolutely according actually add after again ah aha ahh all almost already alright also although always am amazing an and another any anybody " +
	"anyone anything anyway anyways apparently appreciate are as ask at aw awesome aww awww back basically be beautiful because been before being believe best better between both " +
	"bring btw but by bye call can cannot catch check cheers cool come congrats congratulations could create currently da dear definitely delete did do does doing done down dude " +
	"during each either else enjoy enough especially even eventually ever every everybody everyone everything exactly excellent excited exciting explain fair fantastic far few " +
	"finally find fine first fix for fortunately from fun further generate get getting give glad go goes going gonna good got gotcha gotta great guess guys ha had haha hahaha hang happy " +
	"has have having he heard hello help hence her here hers hey hi him his hmm hold honestly hope hopefully how however i idk if imagine imo in indeed inspiring instead interesting into is it its " +
	"just keep keeping kind know last lately later least less let like list literally lol look looking looks lots love lovely loving made make making many may maybe me mean meanwhile " +
	"might mind mine more morning most moreover much must my myself need neither never nevertheless next nice night no nobody none nope nor not note nothing now obviously of off oh ok okay " +
	"omg on once one only oops open or originally other others otherwise ouch our ours out over overall own perfect perhaps personally plan playing please plus possibly precisely " +
	"pretty probably put quick quite rather read reading really recently regarding regardless remember remove respect return right run running said same say saying second see seeing " +
	"seems seriously several shall she should show similarly simply since so some somebody somehow someone something sometimes somewhere soon sorry sounds specifically start started " +
	"still stop such super support sure surely sweet take taking talk tell test thank thankfully thanks that the their theirs them themselves then there therefore these they thing things " +
	"think this those though three through throughout thus til till time to today together tomorrow tonight too took totally tough true truly try trying two ugh ultimately um under " +
	"understood unfortunately unless until up update upon us use using usually verify very via view volunteering wait walk wanna want wanted was watch way we welcome well went were what " +
	"whatever when whenever where whereas wherever whether which while who whoever whole whom whose why will wish with within without woah wonderful word work working would wow " +
	"write yay yea yeah year yep yes yesterday yet yo you your yours yourself yup " +
	// Labels.
	"answer ai assistant attention bot bug caution context conclusion description details edit error example eur exception expected fail failed failure false fixed fyi goal hint human " +
	"image important info input int issue key label message name null nan observation option options output pass passed photo problem ps query question re reason reminder request " +
	"response result results role source step steps subject success successfully successful summary system task thought thoughts tip title todo tool total tbd type usd user value " +
	"version warning yaml " +
	// Said in capitals.
	"ac adhd asap atm dm faq gb id ids ii iii iv kb lmao mb nda pc phd pm rip tv tvs ui ur url vip vs wifi ps5 xoxo"

// calendarWords are times, and no names.
const calendarWords = "january february march april june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec " +
	"monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun mondays tuesdays wednesdays thursdays fridays saturdays sundays"

// honorifics stand before a name, with or without a stop.
const honorifics = "mr mrs ms miss dr prof sir madam rev st"

// joiners may stand between the words of a name.
const joiners = "of de del der den di da du van von la le el the y bin"

var (
	capitalWords = sync.OnceValue(indexCapitals)
	joinerWords  = IndexWords(joiners)
)

func indexCapitals() map[string]wordKind {
	x := map[string]wordKind{}
	for list, kind := range map[string]wordKind{sentenceWords: sentence, calendarWords: calendar, honorifics: honorific} {
		for _, w := range strings.Fields(list) {
			x[w] = kind
		}
	}
	return x
}

// maxListedWord is the length of the longest word in the lists.
const maxListedWord = 16

// kindOfWord returns what a word in capitals can be.
func kindOfWord(w string) wordKind {
	if len(w) > maxListedWord {
		return plainNoun
	}
	var buf [maxListedWord]byte
	for i := range len(w) {
		c := w[i]
		if c-'A' < 26 {
			c |= 0x20
		}
		buf[i] = c
	}
	return capitalWords()[string(buf[:len(w)])]
}
