package bench

import (
	"math/rand/v2"
	"time"
)

// Tenant is the tenant of the events of a [Corpus].
const Tenant = tenant

// Corpus is the events and questions of [Recall], for measurements of layers above the engine.
// It is deterministic.
type Corpus struct {
	c      *corpus
	chance *rand.Rand
	room   said
}

// NewCorpus returns a corpus of the given number of events.
func NewCorpus(events int) *Corpus {
	return &Corpus{c: newCorpus(events), chance: rand.New(rand.NewPCG(corpusSeed, 2))}
}

// AppendLine appends event i as a line with its end.
func (c *Corpus) AppendLine(dst []byte, i int) []byte {
	c.c.event(i, &c.room)
	return append(dst, c.room.line...)
}

// Question returns the next question, which some event answers.
func (c *Corpus) Question() string { return c.c.ask(c.chance).text }

// LatencyOf returns the distribution of times, which it sorts. There must be at least one.
func LatencyOf(times []time.Duration) Latency {
	var all time.Duration
	for _, t := range times {
		all += t
	}
	return latency(times, 0, all)
}
