package kv

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// heldKeys are keys like those of the folds: a table, a tenant, a digest that some of
// them share, a number.
func heldKeys(chance *rand.Rand, n, tenants, names int, down bool) [][]byte {
	list := make([][]byte, n)
	for i := range list {
		key := append(make([]byte, 0, 30), 'T', "sa"[chance.IntN(2)])
		key = binary.BigEndian.AppendUint32(key, uint32(chance.IntN(tenants)))
		name := uint64(chance.IntN(names)+1) * 0x9e3779b97f4a7c15
		key = binary.BigEndian.AppendUint64(key, name)
		key = binary.BigEndian.AppendUint64(key, name*name)
		number := uint64(i / 2) // some keys occur twice
		if down {
			number = ^number
		}
		list[i] = binary.BigEndian.AppendUint64(key, number)
	}
	return list
}

// Writes are handed over in key order, those to one key by time.
func TestHeldOrder(t *testing.T) {
	var h heldWrites
	rapid.Check(t, func(rt *rapid.T) {
		chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		keys := heldKeys(chance, rapid.IntRange(0, 3000).Draw(rt, "writes"), rapid.IntRange(1, 2).Draw(rt, "tenants"),
			rapid.SampledFrom([]int{1, 3, 40, 5000}).Draw(rt, "names"), rapid.Bool().Draw(rt, "down"))
		if rapid.Bool().Draw(rt, "mixed") {
			chance.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		}
		if len(keys) > 0 && rapid.Bool().Draw(rt, "short") {
			keys[0] = keys[0][:2]
		}
		want := make([]int, len(keys))
		h.bytes, h.list = h.bytes[:0], h.list[:0]
		for i, key := range keys {
			want[i] = i
			h.add(key, nil, false)
		}
		slices.SortStableFunc(want, func(a, b int) int { return bytes.Compare(keys[a], keys[b]) })
		got := make([]int, 0, len(keys))
		for _, name := range h.sort() {
			for _, p := range h.tables[name].places {
				got = append(got, p.write)
			}
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("%d keys in another order", len(keys))
		}
	})
}

// Of the writes that may be read again, find returns the last one to a key, also among
// keys with the same hash.
func TestHeldFind(t *testing.T) {
	h := newHeld()
	rapid.Check(t, func(rt *rapid.T) {
		h.bytes, h.list = h.bytes[:0], h.list[:0]
		clear(h.own)
		want := make(map[string]string)
		var places []int
		for range rapid.IntRange(0, 60).Draw(rt, "writes") {
			key := rapid.StringMatching(`[ab]{0,3}`).Draw(rt, "key")
			value := rapid.StringMatching(`[xyz]{0,2}`).Draw(rt, "value")
			if rapid.IntRange(0, 3).Draw(rt, "blind") == 0 {
				h.add([]byte(key), []byte(value), false)
				continue
			}
			h.addOwn([]byte(key), []byte(value), false)
			want[key], places = value, append(places, len(h.list)-1)
			if rapid.Bool().Draw(rt, "alike") { // as if all had one hash
				h.chain(places)
			}
		}
		for _, key := range []string{"", "a", "b", "ab", "ba", "aaa", "bbb", "abab"} {
			w, value := h.find([]byte(key)), ""
			if w != nil {
				value = string(h.value(w))
			}
			if expected, ok := want[key]; ok != (w != nil) || value != expected {
				rt.Fatalf("%q is %q, want %q", key, value, expected)
			}
		}
	})
}

// chain makes the table lead from each hash to the last of the writes at the given
// places, and from there to all earlier ones.
func (h *heldWrites) chain(places []int) {
	last := 0
	for _, i := range places {
		h.list[i].before, last = last, i+1
	}
	for hash := range h.own {
		h.own[hash] = last
	}
}

// BenchmarkHeldSort sorts the writes of a transaction.
func BenchmarkHeldSort(b *testing.B) {
	for _, names := range []int{12, 5000} {
		b.Run(map[int]string{12: "few names", 5000: "many names"}[names], func(b *testing.B) {
			var h heldWrites
			for _, key := range heldKeys(rand.New(rand.NewPCG(1, 0)), 8192, 1, names, names > 12) {
				h.add(key, nil, false)
			}
			for b.Loop() {
				h.sort()
			}
		})
	}
}
