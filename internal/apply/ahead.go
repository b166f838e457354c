package apply

import (
	"bytes"
	"context"
	"errors"
	"io"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

// aheadRecords is how many records are handed over at once, unless their payloads
// reach aheadBytes before.
const (
	aheadRecords = 128
	aheadBytes   = 4 << 20
)

// aheadItem is one record of a replay, read and decoded before its turn.
type aheadItem struct {
	record   index.Record
	at, next journal.LSN
	passed   *journal.Damage // met and passed
	err      error           // ends the replay
}

// aheadReader reads a journal ahead of whoever folds it, and finds out what takes
// time and no state: what an event is about, its words, its vector.
type aheadReader struct {
	batches chan []aheadItem
	quit    chan struct{}
	batch   []aheadItem
}

// readAhead begins to read. The scanner is the reader's from then on.
func readAhead(ctx context.Context, scan *journal.Scanner) *aheadReader {
	a := &aheadReader{batches: make(chan []aheadItem, 4), quit: make(chan struct{})}
	go a.run(ctx, scan)
	return a
}

// next returns the next record, and false behind the last one.
func (a *aheadReader) next() (*aheadItem, bool) {
	if len(a.batch) == 0 {
		if a.batch = <-a.batches; len(a.batch) == 0 {
			return nil, false
		}
	}
	item := &a.batch[0]
	a.batch = a.batch[1:]
	return item, true
}

// stop ends the reading and waits until the journal is let go.
func (a *aheadReader) stop() {
	close(a.quit)
	for range a.batches {
	}
}

func (a *aheadReader) run(ctx context.Context, scan *journal.Scanner) {
	defer close(a.batches)
	defer scan.Close()
	counter := tokens.O200k()
	for ended := false; !ended; {
		batch, size := make([]aheadItem, 0, aheadRecords), 0
		for len(batch) < aheadRecords && size < aheadBytes && !ended {
			var item aheadItem
			if item, ended = readItem(scan); ended && item.err == nil {
				break
			}
			if r := &item.record; r.Event != nil {
				r.Reading = kind.ReadForms(r.Event, counter)
			}
			item.record.Doc()
			item.record.Glanced()
			batch, size = append(batch, item), size+len(item.record.Payload)
		}
		if len(batch) == 0 {
			return
		}
		select {
		case a.batches <- batch:
		case <-a.quit:
			return
		case <-ctx.Done():
			return // whoever folds asks the context too
		}
	}
}

// readItem reads one record. At the end of the journal, and behind an error that
// ends a replay, ended is true.
func readItem(scan *journal.Scanner) (item aheadItem, ended bool) {
	var frame journal.Frame
	err := scan.Next(&frame)
	if err == io.EOF {
		return item, true
	}
	if Bodiless(err) {
		item.passed, _ = errors.AsType[*journal.Damage](err)
		frame.Erased, err = true, nil
	}
	if err != nil {
		item.err = err
		return item, true
	}
	// The scanner reads the next one over this.
	frame.Header, frame.Body = bytes.Clone(frame.Header), bytes.Clone(frame.Body)
	item.at, item.next = frame.LSN, frame.Next
	r, err := Decode(&frame)
	if err != nil && r.Header.Kind != 0 && r.Header.Kind < record.Tombstone {
		// One payload that breaks a rule must not cost all the others. A control
		// is not passed over: it may say that something is gone.
		item.passed = &journal.Damage{Part: journal.PartBody, From: frame.LSN, To: frame.Next, Detail: err.Error()}
		r, err = index.Record{LSN: r.LSN, Header: r.Header, Leaf: r.Leaf, Damaged: true}, nil
	}
	item.record, item.err = r, err
	return item, err != nil
}
