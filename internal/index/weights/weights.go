// Package weights is the index of learned salience weights: how much each factor
// of salience counts for an agent, by the feedback about its tasks.
//
// # Tables
//
//	a  tenant, agent            → weights: five numbers, and the number of feedbacks
//	i  tenant, agent, position  → input: what one feedback teaches
//	f  tenant, id of a feedback → the position of its input
//
// # Who teaches
//
// A feedback teaches the agent that it names if it says which factors mattered
// (its profile) and has at least the trust of a user, or was written by that
// agent. So an agent tunes only its own weights; text from tools and web pages
// tunes none.
//
// # What is guaranteed
//
// Weights are [salience.Weights.Learn] over the existing inputs, by position,
// from [salience.Cold]. A forgotten, expired or erased feedback is reverted: the
// weights are then as if it had never existed.
//
// # What is not
//
// Reads within a group do not see its changes before its end.
package weights

import (
	"encoding/binary"
	"math"
	"slices"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/salience"
)

// Prefix is the first byte of the fold's keys.
const Prefix = 'W'

const format = 1

const (
	tableAgent    = 'a'
	tableInput    = 'i'
	tableFeedback = 'f'
)

// Weights is the fold. The changes of the current group are kept in memory until
// its end, since the inputs of an agent may have to be read again then.
type Weights struct {
	touched map[agentKey]*lesson
}

// agentKey is an agent of a tenant.
type agentKey struct {
	tenant uint32
	agent  index.Digest
}

// lesson is the changes of a group for an agent.
type lesson struct {
	weights salience.Weights
	learned uint64
	added   []input         // in the order of their positions
	removed map[uint64]bool // positions of earlier inputs
	stale   bool            // an input was removed, so the weights must be computed again
}

// input is the input of one feedback.
type input struct {
	position uint64
	signal   float64 // -1 to 1: away from the profile, or toward it
	profile  salience.Profile
}

// New returns the fold.
func New() *Weights {
	w := &Weights{}
	w.Reset()
	return w
}

// Name is the fold's name.
func (w *Weights) Name() string { return "weights" }

// Prefix is the first byte of the fold's keys.
func (w *Weights) Prefix() byte { return Prefix }

// Format is the number of the fold's layout.
func (w *Weights) Format() uint32 { return format }

// Reset drops the current group.
func (w *Weights) Reset() { w.touched = make(map[agentKey]*lesson) }

// Apply adds the input of a feedback, or reverts it.
func (w *Weights) Apply(tx *kv.Txn, r *index.Record) error {
	if b, ok := r.Body.(*memory.Feedback); ok {
		return w.teach(tx, r, b)
	}
	switch c := r.Control.(type) {
	case *memory.Tombstone:
		if c.Target == record.Feedback {
			return w.takeBack(tx, r.Tenant, thingOf(r.Header.Tenant, c.ID))
		}
	case *memory.Expiry:
		for i := range r.Targets {
			if b, ok := r.Targets[i].Body.(*memory.Feedback); ok {
				if err := w.takeBack(tx, r.Tenant, thingOf(r.Header.Tenant, b.ID)); err != nil {
					return err
				}
			}
		}
	case *memory.Redaction:
		for _, t := range c.Targets {
			if t.Kind == record.Feedback {
				if err := w.takeBack(tx, r.Tenant, index.Digest(t.ID[:16])); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// thingOf returns the digest of a feedback's id.
func thingOf(tenant, id string) index.Digest {
	sum := record.ID(tenant, record.Feedback, id)
	return index.Digest(sum[:16])
}

// teaches reports whether a feedback changes the weights of the agent it names.
func teaches(h *record.Header, b *memory.Feedback) bool {
	return b.Profile.Set && (h.Trust >= record.User || h.Trust >= record.Agent && h.Actor == b.AgentID)
}

// signal returns the outcome of a task as a number: the score if there is one.
func signal(b *memory.Feedback) float64 {
	if b.Score.Set {
		return b.Score.Value
	}
	switch b.Outcome {
	case memory.OutcomeSuccess:
		return 1
	case memory.OutcomePartial:
		return 0.25
	}
	return -1
}

func (w *Weights) teach(tx *kv.Txn, r *index.Record, b *memory.Feedback) error {
	thing := thingOf(r.Header.Tenant, b.ID)
	if err := w.takeBack(tx, r.Tenant, thing); err != nil {
		return err // of the previous version
	}
	if !teaches(&r.Header, b) {
		return nil
	}
	agent := index.DigestOf(b.AgentID)
	l, err := w.lesson(tx, agentKey{r.Tenant, agent})
	if err != nil {
		return err
	}
	in := input{position: r.Header.Position, signal: signal(b), profile: salience.Profile(b.Profile.Value)}
	l.added = append(l.added, in)
	l.learn(in)
	own := binary.BigEndian.AppendUint64(agent[:], in.position)
	return tx.Set(index.NewKey(nil, Prefix, tableFeedback, r.Tenant).Digest(thing), own)
}

// learn adds one input to the weights.
func (l *lesson) learn(in input) {
	l.weights = l.weights.Learn(in.signal, in.profile)
	l.learned++
}

// lesson returns the changes of the group for an agent.
func (w *Weights) lesson(tx *kv.Txn, key agentKey) (*lesson, error) {
	if l := w.touched[key]; l != nil {
		return l, nil
	}
	weights, learned, err := weightsOf(tx, key)
	if err != nil {
		return nil, err
	}
	l := &lesson{weights: weights, learned: learned, removed: make(map[uint64]bool)}
	w.touched[key] = l
	return l, nil
}

// takeBack reverts the input of a feedback, if it has one.
func (w *Weights) takeBack(tx *kv.Txn, tenant uint32, thing index.Digest) error {
	key := index.NewKey(nil, Prefix, tableFeedback, tenant).Digest(thing)
	v, ok, err := tx.Get(key, nil)
	if err != nil || !ok {
		return err
	}
	if len(v) != 24 {
		return damaged("a feedback")
	}
	if err := tx.Delete(key); err != nil {
		return err
	}
	l, err := w.lesson(tx, agentKey{tenant, index.Digest(v[:16])})
	if err != nil {
		return err
	}
	l.stale = true
	position := index.Uint64At(v[16:])
	i := slices.IndexFunc(l.added, func(in input) bool { return in.position == position })
	if i >= 0 {
		l.added = slices.Delete(l.added, i, i+1)
	} else {
		l.removed[position] = true
	}
	return nil
}

// Finish writes the changes of the group.
func (w *Weights) Finish(tx *kv.Txn) error {
	for key, l := range w.touched {
		if err := l.write(tx, key); err != nil {
			return err
		}
	}
	clear(w.touched)
	return nil
}

func (l *lesson) write(tx *kv.Txn, key agentKey) error {
	if l.stale {
		if err := l.renew(tx, key); err != nil {
			return err
		}
	}
	for position := range l.removed {
		if err := tx.Delete(inputKey(key, position)); err != nil {
			return err
		}
	}
	for _, in := range l.added {
		if err := tx.SetBlind(inputKey(key, in.position), in.encode(nil)); err != nil {
			return err
		}
	}
	if l.learned == 0 {
		return tx.Delete(agentsKey(key))
	}
	return tx.SetBlind(agentsKey(key), encodeWeights(nil, l.weights, l.learned))
}

// renew learns again from the remaining inputs. Those of the group are not
// written yet, in either kind of transaction.
func (l *lesson) renew(tx *kv.Txn, key agentKey) error {
	prefix := index.NewKey(nil, Prefix, tableInput, key.tenant).Digest(key.agent)
	it, err := tx.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	l.weights, l.learned = salience.Cold(), 0
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			it.Close()
			return err
		}
		k := it.Key()
		in, ok := decodeInput(v)
		if !ok || len(k) != len(prefix)+8 {
			it.Close()
			return damaged("an input")
		}
		if !l.removed[index.Uint64At(k[len(prefix):])] {
			l.learn(in)
		}
	}
	if err := it.Close(); err != nil {
		return err
	}
	for _, in := range l.added {
		l.learn(in)
	}
	return nil
}

// For returns the weights of an agent, and the number of feedbacks behind them.
// Without any they are the cold ones.
func For(r kv.Reader, tenant uint32, agent string) (w salience.Weights, learned uint64, err error) {
	return weightsOf(r, agentKey{tenant, index.DigestOf(agent)})
}

func weightsOf(r kv.Reader, key agentKey) (w salience.Weights, learned uint64, err error) {
	v, ok, err := r.Get(agentsKey(key), nil)
	if err != nil || !ok {
		return salience.Cold(), 0, err
	}
	if w, learned, ok = decodeWeights(v); !ok {
		return salience.Cold(), 0, damaged("the weights of an agent")
	}
	return w, learned, nil
}

func agentsKey(key agentKey) []byte {
	return index.NewKey(nil, Prefix, tableAgent, key.tenant).Digest(key.agent)
}

func inputKey(key agentKey, position uint64) []byte {
	return index.NewKey(nil, Prefix, tableInput, key.tenant).Digest(key.agent).Uint64(position)
}

// layout begins every value of weights and inputs: a byte, then numbers of 8
// bytes each, big-endian, IEEE 754 except for the count.
const layout = 1

func (in input) encode(dst []byte) []byte {
	p := in.profile
	return appendNumbers(append(dst, layout), in.signal, p.Recency, p.Access, p.Citations, p.Importance)
}

// decodeInput reads the output of encode, except for the position, which is in
// the key.
func decodeInput(v []byte) (in input, ok bool) {
	n, ok := numbers(v)
	if !ok || len(n) != 5 {
		return in, false
	}
	return input{signal: n[0], profile: salience.Profile{Recency: n[1], Access: n[2], Citations: n[3], Importance: n[4]}}, true
}

func encodeWeights(dst []byte, w salience.Weights, learned uint64) []byte {
	dst = appendNumbers(append(dst, layout), w.Recency, w.Access, w.Citations, w.Importance, w.Similarity)
	return binary.BigEndian.AppendUint64(dst, learned)
}

// decodeWeights reads the output of encodeWeights.
func decodeWeights(v []byte) (w salience.Weights, learned uint64, ok bool) {
	if len(v) < 8 {
		return w, 0, false
	}
	v, count := v[:len(v)-8], v[len(v)-8:]
	n, ok := numbers(v)
	if !ok || len(n) != 5 {
		return w, 0, false
	}
	w = salience.Weights{Recency: n[0], Access: n[1], Citations: n[2], Importance: n[3], Similarity: n[4]}
	return w, binary.BigEndian.Uint64(count), true
}

func appendNumbers(dst []byte, list ...float64) []byte {
	for _, n := range list {
		dst = binary.BigEndian.AppendUint64(dst, math.Float64bits(n))
	}
	return dst
}

// numbers reads the output of appendNumbers after the layout.
func numbers(v []byte) (list []float64, ok bool) {
	if len(v) == 0 || v[0] != layout || len(v)%8 != 1 {
		return nil, false
	}
	for rest := v[1:]; len(rest) > 0; rest = rest[8:] {
		list = append(list, math.Float64frombits(binary.BigEndian.Uint64(rest)))
	}
	return list, true
}

// damaged says that a value of the index is unreadable.
func damaged(what string) error {
	return fault.Newf(fault.Damaged, "%s in the index of weights cannot be read", what).
		WithFix("`lukasa rebuild` rebuilds the index from the journal")
}

var _ index.Fold = (*Weights)(nil)
