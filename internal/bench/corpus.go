package bench

import (
	"math/rand/v2"
	"time"
)

// Tenant is whose events a [Corpus] has.
const Tenant = tenant

// Corpus is the events and questions of [Recall], for those who measure what stands above
// the engine. It is the same whenever it is made.
type Corpus struct {
	c      *corpus
	chance *rand.Rand
	room   said
}

// NewCorpus returns a corpus of so many events.
func NewCorpus(events int) *Corpus {
	return &Corpus{c: newCorpus(events), chance: rand.New(rand.NewPCG(corpusSeed, 2))}
}

// AppendLine appends event i, as a line with its end.
func (c *Corpus) AppendLine(dst []byte, i int) []byte {
	c.c.event(i, &c.room)
	return append(dst, c.room.line...)
}

// Question returns the next question, which some event answers.
func (c *Corpus) Question() string { return c.c.ask(c.chance).text }

// LatencyOf says how long calls took, which it sorts. There is at least one.
func LatencyOf(times []time.Duration) Latency {
	var all time.Duration
	for _, t := range times {
		all += t
	}
	return latency(times, 0, all)
}
