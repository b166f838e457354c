package roster

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sync/atomic"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/column"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/record"
)

// View is the roster of a tenant at one state. It is safe for concurrent use if its
// reader is.
type View struct {
	rows   *column.View
	reader kv.Reader
	tenant uint32
}

// Open returns the roster of a tenant as a reader sees it. Size is how many records
// the tenant has there; cache may be nil.
func Open(r kv.Reader, tenant uint32, size uint64, cache *column.Cache) (*View, error) {
	v, err := rows.Open(r, tenant, size, cache)
	if err != nil {
		return nil, err
	}
	return &View{v, r, tenant}, nil
}

// Chunks is how many chunks of 1,024 positions there are.
func (v *View) Chunks() int { return v.rows.Chunks() }

// Private reports whether any document is private.
func (v *View) Private() (bool, error) {
	prefix := index.NewKey(nil, Prefix, tablePrivate, v.tenant)
	it, err := v.reader.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return false, err
	}
	any := it.First()
	return any, it.Close()
}

// Each calls visit for the documents of a chunk, in order, with their offsets in it.
func (v *View) Each(chunk int, visit func(offset int, row *Row)) error {
	c, err := v.rows.Chunk(chunk)
	if err != nil || c == nil {
		return err
	}
	i := 0
	for word, w := range c.Live {
		for ; w != 0; w &= w - 1 {
			row := rowOf(c, i)
			visit(64*word+bits.TrailingZeros64(w), &row)
			i++
		}
	}
	return nil
}

// Live returns a bitmap of the live documents of a chunk; nil if there are none.
func (v *View) Live(chunk int) (*[16]uint64, error) {
	c, err := v.rows.Chunk(chunk)
	if err != nil || c == nil {
		return nil, err
	}
	live := bitset(c.Live)
	return &live, nil
}

// Words returns how many tokens the documents in a mask have outside of their tags, and
// how many documents they are.
func (v *View) Words(mask Mask) (documents, words uint64, err error) {
	err = v.masked(mask, planeSize, 6, func(size []byte) {
		documents++
		words += uint64(binary.LittleEndian.Uint32(size[2:]))
	})
	return documents, words, err
}

// Speak reports which of some speakers said one of the documents in a mask.
func (v *View) Speak(mask Mask, who map[Speaker]bool) (map[Speaker]bool, error) {
	speak := make(map[Speaker]bool)
	err := v.masked(mask, planeSpeaker, 8, func(speaker []byte) {
		if s := Speaker(binary.LittleEndian.Uint64(speaker)); s != 0 && who[s] {
			speak[s] = true
		}
	})
	return speak, err
}

// Newest returns the latest time, not after until, of the documents of a kind in a
// mask, or of all if it is nil; and false if there are none.
func (v *View) Newest(k record.Kind, until int64, mask Mask) (newest int64, ok bool, err error) {
	for chunk := range v.rows.Chunks() {
		c, err := v.rows.Chunk(chunk)
		if err != nil {
			return 0, false, err
		}
		if c == nil {
			continue
		}
		var m *bitset // requested when something is newer
		asked := mask == nil
		heads, times := c.Plane(planeHead), c.Plane(planeTime)
		i := 0
		for word, w := range c.Live {
			for ; w != 0; w &= w - 1 {
				at := int64(binary.LittleEndian.Uint64(times[8*i:]))
				if is := record.Kind(heads[4*i]) == k; is && at <= until && (!ok || at > newest) {
					if !asked {
						if m, err = mask(chunk); err != nil {
							return 0, false, err
						}
						asked = true
					}
					if mask == nil || m != nil && m[word]>>bits.TrailingZeros64(w)&1 != 0 {
						newest, ok = at, true
					}
				}
				i++
			}
		}
	}
	return newest, ok, nil
}

// masked visits one plane, of width bytes, of the rows in a mask, in order.
func (v *View) masked(mask Mask, plane, width int, visit func(part []byte)) error {
	for chunk := range v.rows.Chunks() {
		m, err := mask(chunk)
		if err != nil {
			return err
		}
		if m == nil {
			continue
		}
		c, err := v.rows.Chunk(chunk)
		if err != nil {
			return err
		}
		if c == nil {
			continue
		}
		rest := c.Plane(plane)
		for word, w := range c.Live {
			for ; w != 0; w &= w - 1 {
				if m[word]>>bits.TrailingZeros64(w)&1 != 0 {
					visit(rest)
				}
				rest = rest[width:]
			}
		}
	}
	return nil
}

// Row returns the row of a document, and false if it does not exist.
func (v *View) Row(position uint64) (Row, bool, error) {
	c, i, err := v.at(position)
	if err != nil || c == nil {
		return Row{}, false, err
	}
	return rowOf(c, i), true, nil
}

// Closer reports whether a document needs a closer look, and false if it does not
// exist. Artifacts do: later records decide whether one is in use. It is cheaper than
// Row.
func (v *View) Closer(position uint64) (closer, ok bool, err error) {
	c, i, err := v.at(position)
	if err != nil || c == nil {
		return false, false, err
	}
	head := c.Plane(planeHead)[4*i:]
	return head[2]&flagCloser != 0 || record.Kind(head[0]) == record.Artifact, true, nil
}

// at returns the chunk and the row number of a document; no chunk if it does not exist.
func (v *View) at(position uint64) (*column.Chunk, int, error) {
	if position >= v.rows.Size() {
		return nil, 0, nil
	}
	c, err := v.rows.Chunk(int(position / column.ChunkDocs))
	if err != nil || c == nil {
		return nil, 0, err
	}
	i := c.Index(int(position % column.ChunkDocs))
	if i < 0 {
		return nil, 0, nil
	}
	return c, i, nil
}

// Conditions select documents. All given conditions must hold; of a list one item must.
type Conditions struct {
	Kinds       []record.Kind
	Classes     []string
	Agents      []string
	Sessions    []string
	NotSessions []string       // in none of these
	From        hmx.Opt[int64] // inclusive
	Until       hmx.Opt[int64] // exclusive
	MinTrust    record.Trust   // minimum
	Tags        []string       // as far as the signature shows
}

// empty reports whether there are no conditions.
func (c *Conditions) empty() bool {
	return len(c.Kinds) == 0 && len(c.Classes) == 0 && len(c.Agents) == 0 && len(c.Sessions) == 0 && len(c.NotSessions) == 0 &&
		!c.From.Set && !c.Until.Set && c.MinTrust == 0 && len(c.Tags) == 0
}

// Mask returns a bitmap of the selected documents of a chunk; nil for none. It is the
// type of [index.Filter.Mask].
type Mask = func(chunk int) (*[16]uint64, error)

// bitset is a bit for each row of a chunk, or for each of its positions.
type bitset = [column.ChunkDocs / 64]uint64

// Filter returns the mask of the conditions, or nil if it is everything. It caches the
// result of a chunk, and is safe for concurrent use.
func (v *View) Filter(c Conditions) Mask {
	if c.empty() {
		return nil
	}
	tests := c.tests()
	known := make([]atomic.Pointer[bitset], v.rows.Chunks())
	none := new(bitset)
	return func(chunk int) (*[16]uint64, error) {
		if chunk < 0 || chunk >= len(known) {
			return nil, nil
		}
		mask := known[chunk].Load()
		if mask == nil {
			var err error
			if mask, err = v.mask(chunk, tests); err != nil {
				return nil, err
			}
			if mask == nil {
				mask = none
			}
			known[chunk].Store(mask)
		}
		if mask == none {
			return nil, nil
		}
		return mask, nil
	}
}

// Both returns the intersection of two masks, the first of which may be nil. It caches
// the result of a chunk, and is safe for concurrent use.
func (v *View) Both(a, b Mask) Mask {
	if a == nil {
		return b
	}
	known := make([]atomic.Pointer[bitset], v.rows.Chunks())
	return func(chunk int) (*[16]uint64, error) {
		if chunk < 0 || chunk >= len(known) {
			return nil, nil
		}
		if both := known[chunk].Load(); both != nil {
			return both, nil
		}
		x, err := b(chunk)
		if err != nil || x == nil {
			return nil, err
		}
		y, err := a(chunk)
		if err != nil || y == nil {
			return nil, err
		}
		both, any := new(bitset), uint64(0)
		for i := range both {
			both[i] = x[i] & y[i]
			any |= both[i]
		}
		if any == 0 {
			return nil, nil
		}
		known[chunk].Store(both)
		return both, nil
	}
}

// mask computes which documents of a chunk are selected, or nil if none are.
func (v *View) mask(chunk int, tests []test) (*bitset, error) {
	c, err := v.rows.Chunk(chunk)
	if err != nil || c == nil {
		return nil, err
	}
	planes := make([][]byte, len(tests))
	for i, t := range tests {
		planes[i] = c.Plane(t.plane)
	}
	var wanted bitset
	any := uint64(0)
	for first := 0; first < c.Len(); first += 64 {
		n := min(64, c.Len()-first)
		word := ^uint64(0) >> (64 - n)
		for i, t := range tests {
			if word &= t.rows(planes[i][first*t.width:], n); word == 0 {
				break
			}
		}
		wanted[first/64] = word
		any |= word
	}
	if any == 0 {
		return nil, nil
	}
	if c.Len() == column.ChunkDocs {
		return &wanted, nil
	}
	return spread(&wanted, &c.Live), nil
}

// spread moves bits of rows to the offsets of their documents.
func spread(wanted *bitset, live *column.Live) *bitset {
	out, i := new(bitset), 0
	for word, w := range live {
		n := bits.OnesCount64(w)
		if n == 0 {
			continue
		}
		all := ^uint64(0) >> (64 - n)
		x := wanted[i/64] >> (i % 64)
		if rest := 64 - i%64; rest < n {
			x |= wanted[i/64+1] << rest
		}
		i += n
		switch x &= all; x {
		case 0:
		case all:
			out[word] = w
		default:
			for ; x != 0; x, w = x>>1, w&(w-1) {
				out[word] |= x & 1 << bits.TrailingZeros64(w)
			}
		}
	}
	return out
}

// test is a test of rows.
type test struct {
	plane, width int
	// rows returns a bitmap of the first n rows of the plane that pass.
	rows func(plane []byte, n int) uint64
}

// tests returns the tests of the conditions, cheap and selective ones first.
func (c *Conditions) tests() (list []test) {
	if len(c.Kinds) > 0 || c.MinTrust > 0 {
		list = append(list, headTest(c.Kinds, c.MinTrust))
	}
	if c.From.Set || c.Until.Set {
		list = append(list, timeTest(c.From.Or(math.MinInt64), c.Until))
	}
	if len(c.Classes) > 0 {
		list = append(list, classTest(digests(c.Classes)))
	}
	if len(c.Agents) > 0 {
		list = append(list, agentTest(digests(c.Agents)))
	}
	if len(c.Tags) > 0 {
		list = append(list, tagTest(c.Tags))
	}
	if len(c.Sessions) > 0 {
		list = append(list, sessionTest(digests(c.Sessions), true))
	}
	if len(c.NotSessions) > 0 {
		list = append(list, sessionTest(digests(c.NotSessions), false))
	}
	return list
}

func digests(names []string) (list []index.Digest) {
	for _, name := range names {
		list = append(list, index.DigestOf(name))
	}
	return list
}

// bit is 1 for true.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// headTest tests for one of some kinds, and for a trust.
func headTest(kinds []record.Kind, least record.Trust) test {
	var kind, trust [256]uint64
	for i := range kind {
		kind[i], trust[i] = bit(len(kinds) == 0), bit(i >= int(least))
	}
	for _, k := range kinds {
		kind[k] = 1
	}
	return test{planeHead, 4, func(plane []byte, n int) (passed uint64) {
		for i := range n {
			passed |= kind[plane[4*i]] & trust[plane[4*i+1]] << i
		}
		return passed
	}}
}

// timeTest tests for a time in [from, until).
func timeTest(from int64, until hmx.Opt[int64]) test {
	last := int64(math.MaxInt64)
	none := until.Set && until.Value <= from
	if until.Set && !none {
		last = until.Value - 1
	}
	// Unsigned arithmetic: begin and the length of the interval.
	begin, most := uint64(from), uint64(last)-uint64(from)
	return test{planeTime, 8, func(plane []byte, n int) (passed uint64) {
		if none {
			return 0
		}
		for i := range n {
			passed |= bit(binary.LittleEndian.Uint64(plane[8*i:])-begin <= most) << i
		}
		return passed
	}}
}

// set is a set of numbers.
type set struct {
	few  []uint64
	many map[uint64]bool // if there are more than a few
}

// maxFew is how many numbers are compared one by one.
const maxFew = 8

func setOf(list []uint64) (s set) {
	if len(list) <= maxFew {
		return set{few: list}
	}
	s.many = make(map[uint64]bool, len(list))
	for _, v := range list {
		s.many[v] = true
	}
	return s
}

// has is 1 if v is among them.
func (s *set) has(v uint64) (any uint64) {
	if s.many != nil {
		return bit(s.many[v])
	}
	for _, w := range s.few {
		any |= bit(v == w)
	}
	return any
}

// begins returns the first 64 bits of digests.
func begins(names []index.Digest) set {
	list := make([]uint64, len(names))
	for i := range names {
		list[i] = binary.LittleEndian.Uint64(names[i][:])
	}
	return setOf(list)
}

// classTest tests for one of some classes.
func classTest(names []index.Digest) test {
	list := make([]uint64, len(names))
	for i := range names {
		list[i] = uint64(classOf(names[i]))
	}
	wanted := setOf(list)
	return test{planeClass, 4, func(plane []byte, n int) (passed uint64) {
		for i := range n {
			passed |= wanted.has(uint64(binary.LittleEndian.Uint32(plane[4*i:]))) << i
		}
		return passed
	}}
}

// agentTest tests for one of some agents.
func agentTest(names []index.Digest) test {
	wanted := begins(names)
	return test{planeAgent, 8, func(plane []byte, n int) (passed uint64) {
		for i := range n {
			passed |= wanted.has(binary.LittleEndian.Uint64(plane[8*i:])) << i
		}
		return passed
	}}
}

// tagTest tests for one of some tags.
func tagTest(names []string) test {
	wanted := make([]Tags, len(names))
	for i, name := range names {
		wanted[i] = TagOf(name)
	}
	return test{planeTags, 8, func(plane []byte, n int) (passed uint64) {
		for i := range n {
			tags := Tags(binary.LittleEndian.Uint64(plane[8*i:]))
			for _, w := range wanted {
				passed |= bit(tags.Has(w)) << i
			}
		}
		return passed
	}}
}

// sessionTest tests for one of some sessions, or for none of them.
func sessionTest(names []index.Digest, in bool) test {
	wanted := make(map[index.Digest]bool, len(names))
	for _, name := range names {
		wanted[name] = true
	}
	begin := begins(names)
	return test{planeSession, 16, func(plane []byte, n int) (passed uint64) {
		for i := range n {
			name := plane[16*i:]
			found := begin.has(binary.LittleEndian.Uint64(name)) != 0 && wanted[index.Digest(name)]
			passed |= bit(found == in) << i
		}
		return passed
	}}
}
