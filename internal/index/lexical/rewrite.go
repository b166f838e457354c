package lexical

import (
	"slices"

	"lukasa.dev/internal/text"
)

// withdrawal is a posting to remove from a segment.
type withdrawal struct {
	term   text.Term
	offset uint32
}

// rewrite removes documents from a segment that stays. Each row with terms of
// theirs is written once.
func (b *builder) rewrite(seg segment, gone []member, terms []uint64) error {
	begin := b.shape.begin(seg)
	var list []withdrawal
	for i := range gone {
		for _, t := range terms[gone[i].from:gone[i].to] {
			list = append(list, withdrawal{text.Term(t >> weightBits), uint32(gone[i].position - begin)})
		}
	}
	slices.SortFunc(list, func(x, y withdrawal) int {
		switch {
		case x.term != y.term && x.term < y.term:
			return -1
		case x.term != y.term:
			return 1
		}
		return int(x.offset) - int(y.offset)
	})
	bits := b.bitsOf(seg, gone)
	for len(list) > 0 {
		bucket, n := b.shape.bucketOf(seg.level, list[0].term), 1
		for n < len(list) && b.shape.bucketOf(seg.level, list[n].term) == bucket {
			n++
		}
		if err := b.rewriteBucket(seg, bucket, list[:n], bits); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// rewriteBucket removes postings from a bucket.
func (b *builder) rewriteBucket(seg segment, bucket uint16, list []withdrawal, gone []uint64) error {
	row, ok, err := b.tx.Get(bucketKey(b.key, b.tenant, seg, bucket), nil)
	if err != nil {
		return err
	}
	var r bucketReader
	if !ok || !r.open(row) {
		return damaged("a bucket")
	}
	b.bucket = bucket
	top := text.Term(bucket>>8) << firstShift
	for r.next() {
		term := top | text.Term(r.suffix)
		n := 0
		for n < len(list) && list[n].term == term {
			n++
		}
		from := len(b.out.bodies)
		if n == 0 {
			b.out.bodies = append(b.out.bodies, r.body...)
		} else if err := b.rewriteBody(seg, term, r.body, list[:n], gone); err != nil {
			return err
		}
		list = list[n:]
		if len(b.out.bodies) > from {
			b.out.add(term, from)
		}
	}
	if !r.done() || len(list) > 0 {
		return damaged("a bucket")
	}
	if b.out.number == 0 {
		return b.tx.Delete(bucketKey(b.key, b.tenant, seg, bucket))
	}
	return b.flush(seg)
}

// rewriteBody appends to the bucket a body without the postings on the list, or
// nothing if none are left.
func (b *builder) rewriteBody(seg segment, term text.Term, body []byte, list []withdrawal, gone []uint64) error {
	width := b.shape.spans[seg.level]
	n, chunked, rest, ok := readBody(body, width)
	if !ok || n < len(list) {
		return damaged("a bucket")
	}
	left := n - len(list)
	if chunked && b.shape.chunks(left) == b.shape.chunks(n) {
		return b.rewriteChunks(seg, term, rest, n, list, gone)
	}
	b.list.clear()
	if _, err := b.load(seg, term, body, 0); err != nil {
		return err
	}
	if chunked { // it is divided differently from now on
		if err := b.deleteChunks(seg, term); err != nil {
			return err
		}
	}
	if b.list.drop(0, 0, gone); len(b.list.offsets) != left {
		return damaged("a list of postings")
	}
	if left == 0 {
		return nil
	}
	return b.writeBody(seg, term)
}

// rewriteChunks removes postings from their chunks.
func (b *builder) rewriteChunks(seg segment, term text.Term, rest []byte, n int, list []withdrawal, gone []uint64) (err error) {
	var ok bool
	if b.chunks, ok = b.shape.readChunks(b.chunks[:0], rest, n, b.shape.spans[seg.level]); !ok {
		return damaged("a bucket")
	}
	b.out.bodies = appendHead(b.out.bodies, n-len(list), true)
	for i := range b.chunks {
		c := &b.chunks[i]
		k := 0
		for k < len(list) && list[k].offset < c.end {
			k++
		}
		if k == 0 {
			continue
		}
		list = list[k:]
		b.list.clear()
		if err := b.loadChunk(seg, term, i, 0); err != nil {
			return err
		}
		had := len(b.list.offsets)
		if b.list.drop(0, 0, gone); had-len(b.list.offsets) != k {
			return damaged("a list of postings")
		}
		if err = b.writeChunk(seg, term, i, c, &b.list); err == nil && c.n == 0 {
			err = b.tx.Delete(b.key)
		}
		if err != nil {
			return err
		}
	}
	b.out.bodies = appendChunks(b.out.bodies, b.chunks)
	return nil
}
