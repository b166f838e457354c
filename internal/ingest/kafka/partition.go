package kafka

import "github.com/twmb/franz-go/pkg/kgo"

// partition is the fetched and uncommitted messages of a partition, by offset.
type partition struct {
	entries []*entry
}

// entry is one message.
type entry struct {
	record *kgo.Record
	done   bool
}

// add tracks a message. Offsets grow.
func (p *partition) add(r *kgo.Record) *entry {
	e := &entry{record: r}
	p.entries = append(p.entries, e)
	return e
}

// end returns the last of the unbroken run of completed messages from the first on,
// or nil if the first is not complete.
func (p *partition) end() *kgo.Record {
	var last *kgo.Record
	for _, e := range p.entries {
		if !e.done {
			break
		}
		last = e.record
	}
	return last
}

// forget drops what is committed, up to and including end.
func (p *partition) forget(end *kgo.Record) {
	n := 0
	for n < len(p.entries) && p.entries[n].record.Offset <= end.Offset {
		n++
	}
	p.entries = append(p.entries[:0:0], p.entries[n:]...)
}
