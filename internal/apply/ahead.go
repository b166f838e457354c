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
// reach aheadBytes first.
const (
	aheadRecords = 128
	aheadBytes   = 4 << 20
)

// aheadItem is one record of a replay, read and decoded ahead of its fold.
type aheadItem struct {
	record   index.Record
	at, next journal.LSN
	passed   *journal.Damage // damage that was passed over
	err      error           // ends the replay
}

// aheadReader reads a journal ahead of the goroutine that folds it, and computes
// what takes time and needs no state: the references, words and vector of an
// event.
type aheadReader struct {
	batches chan []aheadItem
	quit    chan struct{}
	batch   []aheadItem
}

// readAhead starts to read. It takes over the scanner.
func readAhead(ctx context.Context, scan *journal.Scanner) *aheadReader {
	a := &aheadReader{batches: make(chan []aheadItem, 4), quit: make(chan struct{})}
	go a.run(ctx, scan)
	return a
}

// next returns the next record, and false after the last one.
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

// stop ends the reading and waits until the journal is released.
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
			return // the folding goroutine checks the context too
		}
	}
}

// readItem reads one record. ended is true at the end of the journal, and after
// an error that ends a replay.
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
	// The scanner overwrites this with the next record.
	frame.Header, frame.Body = bytes.Clone(frame.Header), bytes.Clone(frame.Body)
	item.at, item.next = frame.LSN, frame.Next
	r, err := Decode(&frame)
	if err != nil && r.Header.Kind != 0 && r.Header.Kind < record.Tombstone {
		// One invalid payload must not lose all others. A control record is not
		// passed over: it may say that records are gone.
		item.passed = &journal.Damage{Part: journal.PartBody, From: frame.LSN, To: frame.Next, Detail: err.Error()}
		r, err = index.Record{LSN: r.LSN, Header: r.Header, Leaf: r.Leaf, Damaged: true}, nil
	}
	item.record, item.err = r, err
	return item, err != nil
}
