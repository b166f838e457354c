package bench

import (
	_ "embed"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"lukasa.dev/hmx"
)

// Parameters of the tenant.
const (
	madeUp        = 60_000 // invented words besides those of the list
	zipfExponent  = 1.05
	recallAgents  = 50
	people        = 300
	recallFiles   = 4_000
	recallTags    = 40
	openSessions  = 12 // at the same time
	leastTurns    = 20 // per session
	mostTurns     = 200
	topicWords    = 24 // recurring words of a session
	recallFormat  = 2  // version of the way such tenants are built
	recallHidden  = 7  // a tag that the scope of some callers hides
	corpusSeed    = 0x6c756b617361
	sourceWindow  = 20_000 // upper end of the ranks of question words
	sourceCommon  = 150    // lower end, mostly
	guideBits     = 12
	eventIDPrefix = "evt-"
)

// commonWords are the most frequent words of English, the most frequent first.
//
//go:embed recallwords.txt
var commonWords string

// turn maps an event of the stream to its session and its place there.
type turn struct {
	session  uint32
	sequence uint16
}

// corpus is a year of what agents, people and tools say to each other. It is deterministic, and
// safe for concurrent reads.
type corpus struct {
	words  []string // the most frequent first
	bounds []uint32 // upper end of the share of each word, of 2^32
	guide  []uint32 // the first word of each range of shares
	names  []string // of people
	files  []string
	turns  []turn
	start  time.Time
	step   time.Duration // between two events
}

// newCorpus returns a corpus of the given number of events.
func newCorpus(events int) *corpus {
	chance := rand.New(rand.NewPCG(corpusSeed, 0))
	c := &corpus{start: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)}
	c.step = c.end().Sub(c.start) / time.Duration(max(events, 1))
	c.makeWords(chance)
	c.makeShares()
	first := []string{
		"Ada", "Grace", "Edsger", "Barbara", "Alan", "Donald", "Frances", "Ken", "Dennis", "Margaret", "Leslie", "Tony", "Radia", "Niklaus",
		"Hedy", "John", "Katherine", "Linus", "Adele", "Brian", "Jean", "Claude", "Lynn", "Peter", "Sophie", "Robin", "Vint", "Shafi", "Judea", "Karen",
	}
	for i := range people {
		last := c.words[len(c.words)-1-i*7]
		c.names = append(c.names, first[i%len(first)]+" "+title(last))
	}
	for i := range recallFiles {
		w := func() string { return c.words[200+chance.IntN(20_000)] }
		ending := []string{"go", "ts", "py", "md", "sql", "yaml"}[i%6]
		c.files = append(c.files, fmt.Sprintf("services/%s/%s/%s_%s.%s", w(), w(), w(), w(), ending))
	}
	c.makeTurns(chance, events)
	return c
}

// end is the end of the year.
func (c *corpus) end() time.Time { return c.start.AddDate(1, 0, 0) }

// makeWords invents words and mixes them with the real ones: all very common words are real,
// and fewer and fewer of the others.
func (c *corpus) makeWords(chance *rand.Rand) {
	onsets := strings.Fields("b c d f g h k l m n p r s t v w z br ch cl dr fl gr kl pl pr sh sk sl st th tr")
	nuclei := strings.Fields("a e i o u a e i o ai ea ou ie")
	codas := []string{"", "", "", "n", "r", "s", "l", "m", "t", "nd", "st", "rk", "ck"}
	endings := []string{"", "", "", "", "", "s", "ed", "ing", "er", "ly", "tion", "ment"}
	common := strings.Fields(commonWords)
	seen := make(map[string]bool, len(common)+madeUp)
	for _, w := range common {
		seen[w] = true
	}
	pick := func(list []string) string { return list[chance.IntN(len(list))] }
	invented := make([]string, 0, madeUp)
	for len(invented) < madeUp {
		w := ""
		for range 2 + chance.IntN(2) {
			w += pick(onsets) + pick(nuclei)
		}
		w += pick(codas) + pick(endings)
		if !seen[w] {
			seen[w] = true
			invented = append(invented, w)
		}
	}
	const allReal = 1000
	c.words = append(make([]string, 0, len(common)+madeUp), common[:min(allReal, len(common))]...)
	rest := common[len(c.words):]
	for len(rest)+len(invented) > 0 {
		// Half of them, until the real ones are used up.
		if len(rest) > 0 && (len(invented) == 0 || chance.IntN(2) == 0) {
			c.words, rest = append(c.words, rest[0]), rest[1:]
		} else {
			c.words, invented = append(c.words, invented[0]), invented[1:]
		}
	}
}

// makeShares gives each word its share by Zipf's law.
func (c *corpus) makeShares() {
	total := 0.0
	shares := make([]float64, len(c.words))
	for i := range shares {
		shares[i] = math.Pow(float64(i+1), -zipfExponent)
		total += shares[i]
	}
	c.bounds = make([]uint32, len(c.words))
	sum := 0.0
	for i, s := range shares {
		sum += s / total
		c.bounds[i] = uint32(min(sum, 1) * math.MaxUint32)
	}
	c.bounds[len(c.bounds)-1] = math.MaxUint32
	c.guide = make([]uint32, 1<<guideBits+1)
	for i := range c.guide {
		at := uint64(i) << (32 - guideBits)
		c.guide[i] = uint32(sort.Search(len(c.bounds)-1, func(k int) bool { return uint64(c.bounds[k]) >= at }))
	}
}

// draw returns a random word by its share.
func (c *corpus) draw(chance *rand.Rand) uint32 {
	u := chance.Uint32()
	at := u >> (32 - guideBits)
	low, high := c.guide[at], c.guide[at+1]
	for low < high {
		if middle := (low + high) / 2; c.bounds[middle] < u {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// makeTurns determines the order of events; some sessions overlap.
func (c *corpus) makeTurns(chance *rand.Rand, events int) {
	type open struct {
		session    uint32
		next, last uint16
	}
	sessions := make([]open, openSessions)
	begun := uint32(0)
	begin := func() open {
		begun++
		return open{begun - 1, 0, uint16(leastTurns + chance.IntN(mostTurns-leastTurns+1))}
	}
	for i := range sessions {
		sessions[i] = begin()
	}
	c.turns = make([]turn, events)
	for i := range c.turns {
		s := &sessions[chance.IntN(len(sessions))]
		c.turns[i] = turn{s.session, s.next}
		if s.next++; s.next == s.last {
			*s = begin()
		}
	}
}

// said is an event of the corpus, and what it was made of.
type said struct {
	line    []byte
	words   []uint32 // the words of its text, in order
	speaker string   // of a message
	session string
	agent   string
	tags    []string
	at      time.Time
	text    []byte // room

	chance *rand.Rand
	source *rand.PCG
}

// sessionName names a session.
func sessionName(i uint32) string { return fmt.Sprintf("session-%07d", i) }

// tagName names a tag.
func tagName(i int) string { return "topic-" + strconv.Itoa(i) }

// event makes event i, reusing the memory of e.
func (c *corpus) event(i int, e *said) {
	if e.chance == nil {
		e.source = rand.NewPCG(0, 0)
		e.chance = rand.New(e.source)
	}
	t := c.turns[i]
	e.source.Seed(corpusSeed+1, uint64(t.session))
	agent := e.chance.IntN(recallAgents)
	speakers := [3]int{e.chance.IntN(people), e.chance.IntN(people), e.chance.IntN(people)}
	topic := e.chance.Uint64()
	e.source.Seed(corpusSeed+2, uint64(i))
	chance := e.chance
	e.words, e.text, e.tags, e.speaker = e.words[:0], e.text[:0], e.tags[:0], ""
	e.session, e.agent = sessionName(t.session), "agent-"+strconv.Itoa(agent)
	e.at = c.start.Add(time.Duration(i) * c.step)
	if chance.IntN(10) < 3 {
		for range 1 + chance.IntN(2) {
			e.tags = append(e.tags, tagName(min(chance.IntN(recallTags), chance.IntN(recallTags))))
		}
	}
	name, content, metadata := "", "", ""
	file := func() string { return c.files[min(chance.IntN(recallFiles), chance.IntN(recallFiles))] }
	switch n := chance.IntN(100); {
	case n < 62:
		name = "message"
		e.speaker = c.names[speakers[chance.IntN(len(speakers))]]
		metadata = `"speaker":"` + e.speaker + `"`
		content = `{"role":"` + []string{"user", "assistant"}[chance.IntN(2)] + `","text":"` + c.prose(e, topic, 6+chance.IntN(36)) + `"}`
	case n < 73:
		name = "tool_call"
		content = `{"tool_name":"` + []string{"search_code", "read_file", "web_search", "query_db", "run_tests"}[chance.IntN(5)] +
			`","call_id":"call-` + strconv.Itoa(i) + `","arguments":{"path":"` + file() + `","query":"` + c.prose(e, topic, 10+chance.IntN(10)) + `"}}`
	case n < 84:
		name = "tool_result"
		content = `{"tool_name":"search_code","call_id":"call-` + strconv.Itoa(max(i-1, 0)) + `","success":` + strconv.FormatBool(chance.IntN(8) > 0) +
			`,"duration_ms":` + strconv.Itoa(chance.IntN(900)) + `,"result":{"path":"` + file() + `","text":"` + c.prose(e, topic, 10+chance.IntN(40)) + `"}}`
	case n < 92:
		name = "file_edit"
		content = `{"path":"` + file() + `","operation":"modify","lines_added":` + strconv.Itoa(chance.IntN(80)) + `,"lines_removed":` + strconv.Itoa(chance.IntN(30)) +
			`,"diff":"@@ -4 +4 @@\n-// ` + c.prose(e, topic, 5+chance.IntN(10)) + `\n+// ` + c.prose(e, topic, 5+chance.IntN(20)) + `"}`
	default:
		name = "command_exec"
		content = `{"command":"make ` + c.words[300+chance.IntN(5000)] + `","exit_code":` + strconv.Itoa(chance.IntN(2)) +
			`,"duration_ms":` + strconv.Itoa(chance.IntN(9000)) + `,"stdout":"` + c.prose(e, topic, 10+chance.IntN(40)) + `"}`
	}
	b := append(e.line[:0], `{"hmx_version":"HMX-1.0","event_id":"`...)
	b = append(b, eventIDPrefix...)
	b = fmt.Appendf(b, "%012d", i)
	b = append(append(b, `","event_type":"`...), name...)
	b = append(append(b, `","agent_id":"`...), e.agent...)
	b = append(append(b, `","tenant_id":"`...), tenant...)
	b = append(append(b, `","session_id":"`...), e.session...)
	b = append(append(b, `","timestamp":"`...), hmx.TimeOf(e.at).String()...)
	b = strconv.AppendInt(append(b, `","sequence":`...), int64(t.sequence), 10)
	b = append(append(b, `,"content":`...), content...)
	b = append(append(b, `,"metadata":{`...), metadata...)
	b = append(b, '}')
	for k, tag := range e.tags {
		b = append(b, []string{`,"tags":["`, `","`}[min(k, 1)]...)
		b = append(b, tag...)
	}
	if len(e.tags) > 0 {
		b = append(b, `"]`...)
	}
	e.line = append(b, "}\n"...)
}

// prose returns sentences of n words: some are recurring words of the session, some are
// identifiers, and some are numbers. No character needs escaping in JSON.
func (c *corpus) prose(e *said, topic uint64, n int) string {
	chance, from := e.chance, len(e.text)
	left := 0 // words left in the sentence
	for i := range n {
		if i > 0 {
			e.text = append(e.text, ' ')
		}
		begins := left == 0
		if begins {
			left = 6 + chance.IntN(12)
		}
		rank := uint32(0)
		if chance.IntN(5) == 0 {
			// Log-uniform over 2^8 to 2^14 ranks.
			h := (topic + uint64(chance.IntN(topicWords))) * 0x9e3779b97f4a7c15
			rank = uint32(sourceCommon + (h>>33)%(1<<(8+(h>>29)%7)))
		} else {
			rank = c.draw(chance)
		}
		e.words = append(e.words, rank)
		at := len(e.text)
		e.text = append(e.text, c.words[rank]...)
		switch sort := chance.IntN(100); {
		case sort < 2:
			e.text = append(e.text, title(c.words[c.draw(chance)])...)
		case sort < 3:
			e.text = strconv.AppendInt(append(e.text, ' '), int64(chance.IntN(5000)), 10)
		case begins:
			e.text[at] -= 'a' - 'A'
		}
		if left--; left == 0 || i == n-1 {
			e.text = append(e.text, '.')
			left = 0
		}
	}
	return string(e.text[from:])
}

// title returns a capitalised word.
func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// question is a question, and the event that it was made from.
type question struct {
	text  string
	event int
	named bool // it names the speaker
	timed bool // it names the time
	said  *said
}

// Percentages of questions that name the speaker, among those from messages, and that name the
// time.
const (
	askNamed = 20
	askTimed = 12
)

// ask makes a question from some words of a random event, most of which are neither very common
// nor very rare.
func (c *corpus) ask(chance *rand.Rand) question {
	e := &said{}
	for {
		i := chance.IntN(len(c.turns))
		c.event(i, e)
		want := 3 + chance.IntN(6)
		words := c.telling(chance, e.words, want)
		if len(words) < 3 {
			continue
		}
		q := question{event: i, said: e}
		text := strings.Join(words, " ")
		switch n := chance.IntN(100); {
		case n < askTimed:
			q.timed = true
			when := []string{e.at.Format("in January 2006"), e.at.Format("on 2 January 2006"), e.at.Format("in January")}[chance.IntN(3)]
			text = "what happened " + when + " with " + text
		case n < askTimed+askNamed && e.speaker != "":
			q.named = true
			text = "what did " + e.speaker + " say about " + text
		case n%4 == 0:
			text = "how was it with the " + text + "?"
		}
		q.text = text
		return q
	}
}

// telling returns up to want different words, most of which are neither very common nor very
// rare.
func (c *corpus) telling(chance *rand.Rand, from []uint32, want int) (words []string) {
	ranks := slices.Clone(from)
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	chance.Shuffle(len(ranks), func(i, k int) { ranks[i], ranks[k] = ranks[k], ranks[i] })
	for _, usual := range []bool{true, false} {
		for _, r := range ranks {
			if len(words) == want {
				break
			}
			middle := r >= sourceCommon && r < sourceWindow
			if usual && middle && chance.IntN(6) > 0 || !usual && r >= 20 && !middle {
				words = append(words, c.words[r])
			}
		}
	}
	return words
}
