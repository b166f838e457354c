package learn

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"maps"
	"slices"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/sessions"
	"lukasa.dev/internal/stated"
	"lukasa.dev/internal/statement"
)

// The statements that hold are cached beside the traces, in a file for each tenant. If it is lost,
// damaged or of another state, it is ignored. It is removed with the traces before an erasure is
// acknowledged.
//
//	8 bytes   saidMark
//	uvarint   saidFormat, statement.Version
//	uvarint   length of the tenant's name, and the name
//	32 bytes  root of the tenant
//	uvarint   how many records it had then
//	uvarint   length of the statements that hold, and these as JSON
//	4 bytes   CRC-32C of all before, little-endian
const (
	saidFormat = 1
	saidMark   = "lukasasd"
	saidSuffix = "-said"
)

// savedSaying is the content of a file.
type savedSaying struct {
	Several  bool                       `json:"several,omitempty"`
	First    map[string]stated.Identity `json:"first,omitempty"`
	One      []stated.Identity          `json:"one,omitempty"`
	Sessions map[string]stated.Identity `json:"sessions,omitempty"`
	Live     []savedThing               `json:"live,omitempty"` // those of one owner in order
}

// savedThing is one statement that holds.
type savedThing struct {
	ID       string          `json:"id"`
	Type     memory.Type     `json:"type"`
	Subject  string          `json:"subject,omitempty"`
	Text     string          `json:"text"`
	Position uint64          `json:"position"`
	Speaker  string          `json:"speaker,omitempty"`
	Claims   string          `json:"claims,omitempty"`
	Voice    string          `json:"voice,omitempty"` // the session that distinguishes it
	Project  string          `json:"project,omitempty"`
	Strength memory.Strength `json:"strength,omitempty"`
	Polarity memory.Polarity `json:"polarity,omitempty"`
	Topic    string          `json:"topic,omitempty"`
	Base     string          `json:"base,omitempty"` // unless it equals the text
	When     int64           `json:"when"`
	Born     uint64          `json:"born"`
	Session  string          `json:"session,omitempty"`
	Events   []string        `json:"events"`
}

// save returns what is cached.
func (s *saying) save() *savedSaying {
	out := &savedSaying{Several: s.voices.several, First: s.voices.first, Sessions: s.voices.sessions}
	for id, is := range s.voices.one {
		if is {
			out.One = append(out.One, id)
		}
	}
	slices.SortFunc(out.One, func(a, b stated.Identity) int {
		return cmp.Or(cmp.Compare(a.About, b.About), cmp.Compare(a.Who, b.Who))
	})
	owners := slices.SortedFunc(maps.Keys(s.live), func(a, b whose) int {
		return cmp.Or(cmp.Compare(a.project, b.project), cmp.Compare(a.Speaker, b.Speaker), cmp.Compare(a.claims, b.claims), cmp.Compare(a.Voice.session, b.Voice.session))
	})
	for _, own := range owners {
		for _, k := range s.live[own] {
			x := savedThing{
				ID: k.ID, Type: k.Type, Subject: k.Subject, Text: k.Text, Position: k.Position, Speaker: own.Speaker, Claims: own.claims,
				Voice: own.Voice.session, Project: own.project, Strength: k.strength, Polarity: k.polarity, Topic: k.topic, When: k.when, Born: k.born,
				Session: k.session, Events: k.events,
			}
			if k.base != k.squashed {
				x.Base = k.base
			}
			out.Live = append(out.Live, x)
		}
	}
	return out
}

// saying returns what was cached of a tenant.
func (x *savedSaying) saying(tenant string) *saying {
	s := newSaying(tenant)
	s.voices.several = x.Several
	maps.Copy(s.voices.first, x.First)
	maps.Copy(s.voices.sessions, x.Sessions)
	for _, id := range x.One {
		s.voices.one[id] = true
	}
	for i := range x.Live {
		k := &x.Live[i]
		own := whose{Voice{k.Speaker, k.Claims, k.Voice}, k.Project}
		thing := &saidThing{
			Known: stated.Known{ID: k.ID, Type: k.Type, Subject: k.Subject, Text: k.Text, Trust: record.User, Position: k.Position},
			whose: own, strength: k.Strength, polarity: k.Polarity, topic: k.Topic, squashed: squash(k.Text), base: k.Base,
			when: k.When, born: k.Born, session: k.Session, events: k.Events,
		}
		if thing.base == "" {
			thing.base = thing.squashed
		}
		as := statement.Statement{Type: k.Type, Subject: k.Subject, Text: k.Text}
		thing.who, _ = as.Identity()
		s.live[own] = append(s.live[own], thing)
	}
	return s
}

// touched prepends the changed memories that were known before to the list of all, by the position of
// their first message.
func (s *saying) touched() {
	known := make(map[string]bool)
	for _, k := range s.things {
		known[k.ID] = true
	}
	var old []*saidThing
	for _, k := range s.done {
		if !known[k.ID] {
			known[k.ID] = true
			old = append(old, k)
		}
	}
	slices.SortStableFunc(old, func(a, b *saidThing) int { return cmp.Or(cmp.Compare(a.born, b.born), cmp.Compare(a.ID, b.ID)) })
	s.things = append(old, s.things...)
}

// settled drops the recorded changes, which are written.
func (s *saying) settled() {
	for _, list := range s.live {
		for _, k := range list {
			k.ops = nil
		}
	}
	s.things, s.done = nil, nil
}

func memoryThing(t *ledger.Tenant, id string) catalog.Thing {
	return catalog.ThingOf(t.Name, record.Memory, id)
}

// encode returns a file.
func (x *learned) encode(tenant string) ([]byte, error) {
	text, err := json.Marshal(x.saying.save())
	if err != nil {
		return nil, err
	}
	out := append([]byte(nil), saidMark...)
	for _, n := range []uint64{saidFormat, statement.Version, uint64(len(tenant))} {
		out = binary.AppendUvarint(out, n)
	}
	out = append(out, tenant...)
	out = append(out, x.root[:]...)
	out = binary.AppendUvarint(out, x.size)
	out = binary.AppendUvarint(out, uint64(len(text)))
	out = append(out, text...)
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, crc32.MakeTable(crc32.Castagnoli))), nil
}

// parseLearned reads a file, or returns nil if it is not of this tenant and version.
func parseLearned(data []byte, tenant string) *learned {
	end := len(data) - 4
	if end < len(saidMark) || string(data[:len(saidMark)]) != saidMark ||
		crc32.Checksum(data[:end], crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(data[end:]) {
		return nil
	}
	r := sessions.TraceBytes{Rest: data[len(saidMark):end]}
	format, version, name := r.Number(), r.Number(), string(r.Part())
	x := &learned{}
	if copy(x.root[:], r.Bytes(uint64(len(x.root)))) < len(x.root) {
		return nil
	}
	x.size = r.Number()
	text := r.Part()
	var saved savedSaying
	if r.Short || len(r.Rest) > 0 || format != saidFormat || version != statement.Version || name != tenant || json.Unmarshal(text, &saved) != nil {
		return nil
	}
	x.saying = saved.saying(tenant)
	return x
}

// learnedBefore returns the cached statements of this state or an earlier one, or nil. Only the
// holder of the semaphore may call it, change the result and cache it again.
func (b *Learner) learnedBefore(s board.State, erasures uint64) (*learned, error) {
	if x, ok := b.learning.kept.Take(s.Tenant.Name); ok && x.erasures == erasures && x.size <= s.Tenant.Size {
		return x, nil
	}
	data, err := b.sessions.ReadBeside(s.Tenant.Name, saidSuffix)
	if err != nil {
		if s.Tenant.Size <= learnBehind {
			return &learned{saying: newSaying(s.Tenant.Name)}, nil // everything can be read
		}
		return nil, nil
	}
	x := parseLearned(data, s.Tenant.Name)
	if x == nil || x.size > s.Tenant.Size {
		return nil, nil
	}
	root, err := board.RootWhen(s, x.size)
	if err != nil || root != x.root {
		return nil, err
	}
	return x, nil
}

// keepSaid caches the statements, all of which are written, unless something was erased since or the
// cache is newer. Only the holder of the semaphore may call it. A failed write is ignored: the file
// is a cache.
func (b *Learner) keepSaid(ctx context.Context, tenant string, x *learned) error {
	if err := b.core.Enter(ctx); err != nil {
		return err
	}
	defer b.core.Leave()
	if old, ok := b.learning.kept.Get(tenant); ok && old.erasures == x.erasures && old.size > x.size && old.partial == x.partial {
		return nil
	}
	x.saying.settled()
	data, err := x.encode(tenant)
	if err != nil {
		return err
	}
	b.sessions.KeepBeside(tenant, saidSuffix, data, x.erasures, func() { b.learning.kept.Put(tenant, x) })
	return nil
}
