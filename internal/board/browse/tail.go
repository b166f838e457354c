package browse

import (
	"context"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/column"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Limits of one part of a tail: events, skipped positions, bytes.
const (
	tailEvents    = 64
	tailPositions = 4096
	tailBytes     = 64 << 10
)

// TailQuery selects new events.
type TailQuery struct {
	Tenant  string
	From    uint64        // the first position to read
	Session string        // empty for all
	Agent   string        // empty for all
	Type    hmx.EventType // empty for all
	Until   uint64        // the position after the last to read; zero for all
	View    access.View
}

// Tailed is a part of a tail.
type Tailed struct {
	Events []*board.StoredEvent // in the order in which they were recorded
	// Next is where to continue. It is Size when there is no more for now.
	Next uint64
	Size uint64 // of the tenant
	// Damaged is how many unreadable records were skipped.
	Damaged int
}

// Tail returns events in the order of recording, from a position on: a part of them, in
// bounded time and memory. A tenant without records has none yet.
func (b *Browser) Tail(ctx context.Context, q TailQuery) (*Tailed, error) {
	if err := memory.CheckTenant(q.Tenant); err != nil {
		return nil, err
	}
	part := &Tailed{Next: q.From}
	err := b.core.ReadAs(ctx, q.Tenant, q.View, func(s board.State) error {
		q.View, part.Size = s.View, s.Tenant.Size
		return b.tail(ctx, s, &q, part)
	})
	if fault.CodeOf(err) == fault.NotFound {
		err = nil // no record yet
	}
	return part, err
}

// tail fills a part.
func (b *Browser) tail(ctx context.Context, s board.State, q *TailQuery, part *Tailed) error {
	until := s.Tenant.Size
	if q.Until > 0 {
		until = min(until, q.Until)
	}
	likely, err := likelyIn(s, q)
	if err != nil {
		return err
	}
	bytes := 0
	for passed := 0; part.Next < until && passed < tailPositions && len(part.Events) < tailEvents && bytes < tailBytes; passed++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if likely != nil {
			at, found, err := likely.next(part.Next, until)
			if part.Next = at; err != nil || !found {
				return err
			}
		}
		ev, err := b.core.EventAt(s, part.Next)
		switch code := fault.CodeOf(err); {
		case code == fault.Erased, code == fault.NotFound: // or no event
		case code == fault.Damaged: // verify says where
			part.Damaged++
		case err != nil:
			return err
		case q.wants(ev):
			part.Events = append(part.Events, ev)
			bytes += ev.Event.Size()
		}
		part.Next++
	}
	return nil
}

// tailChunks is how many chunks of rows a part reads in search of matching events.
const tailChunks = 256

// likely finds events that may match by the rows of the roster, so that others need not
// be read.
type likely struct {
	rows    *roster.View
	class   roster.Class
	agent   roster.Agent
	session index.Digest
	q       *TailQuery

	left  int // chunks
	chunk int
	list  []uint64 // positions in the chunk
}

// likelyIn returns the finder of a query; nil if it matches all events.
func likelyIn(s board.State, q *TailQuery) (*likely, error) {
	if q.Session == "" && q.Agent == "" && q.Type == "" {
		return nil, nil
	}
	rows, err := roster.Open(s.Reader, s.Tenant.Number, s.Tenant.Size, nil)
	if err != nil {
		return nil, err
	}
	return &likely{
		rows: rows, class: roster.ClassOf(string(q.Type)), agent: roster.AgentOf(q.Agent), session: index.DigestOf(q.Session),
		q: q, left: tailChunks, chunk: -1,
	}, nil
}

// next returns the first position in [from, until) that may match. Without one it returns
// how far it searched.
func (x *likely) next(from, until uint64) (at uint64, found bool, err error) {
	for from < until {
		if c := int(from / column.ChunkDocs); c != x.chunk {
			if x.left == 0 {
				return from, false, nil
			}
			x.left--
			if err := x.load(c); err != nil {
				return from, false, err
			}
		}
		if i, _ := slices.BinarySearch(x.list, from); i < len(x.list) && x.list[i] < until {
			return x.list[i], true, nil
		}
		from = (uint64(x.chunk) + 1) * column.ChunkDocs
	}
	return until, false, nil
}

// load reads the rows of a chunk.
func (x *likely) load(chunk int) error {
	x.chunk, x.list = chunk, x.list[:0]
	if chunk >= x.rows.Chunks() {
		return nil
	}
	return x.rows.Each(chunk, func(offset int, row *roster.Row) {
		if row.Kind == record.Event && (x.q.Type == "" || row.Class == x.class) && (x.q.Agent == "" || row.Agent == x.agent) &&
			(x.q.Session == "" || row.Session == x.session) {
			x.list = append(x.list, uint64(chunk)*column.ChunkDocs+uint64(offset))
		}
	})
}

// wants reports whether an event matches.
func (q *TailQuery) wants(ev *board.StoredEvent) bool {
	e := ev.Event
	return (q.Session == "" || e.SessionID == q.Session) && (q.Agent == "" || e.AgentID == q.Agent) &&
		(q.Type == "" || e.EventType == q.Type) && access.SeesEvent(q.View, ev.Event)
}
