package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
)

// BenchmarkPack makes packs of 10,000 events.
func BenchmarkPack(b *testing.B) {
	const events = 10_000
	board := openWith(b, "data", packOptions(disk.NewMem(), newClock()))
	chance := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 4000)
	for i := range words {
		for range 1 + chance.IntN(4) {
			words[i] += string([]byte{"bcdfghklmnprstvz"[chance.IntN(16)], "aeiou"[chance.IntN(5)]})
		}
	}
	say := func(n int) string {
		said := make([]string, n)
		for i := range said {
			said[i] = words[min(chance.IntN(len(words)), chance.IntN(len(words)))]
		}
		return strings.Join(said, " ")
	}
	list := make([]*hmx.Event, events)
	for i := range list {
		list[i] = eventWith(b, "acme", fmt.Sprint("e", i), fmt.Sprint("s", i/50), int64(i%50), say(5+chance.IntN(60)), "")
	}
	must(b)(board.AppendEvents(ctx, user, list))
	for _, budget := range []int{2000, 8000} {
		b.Run(fmt.Sprint(budget), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := board.Pack(ctx, engine.PackOptions{Tenant: "acme", Query: say(6), Budget: budget}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
