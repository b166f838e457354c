package compile

import "lukasa.dev/internal/numeric"

// significant is the significance level over all pairs together.
const significant = 0.01

// table counts tasks: with both cause and effect, with only the cause or the effect, with none.
type table struct{ both, causeOnly, effectOnly, none int }

// fisher returns Fisher's exact test of the table.
func (t table) fisher() float64 {
	return numeric.Fisher(t.both, t.causeOnly, t.effectOnly, t.none)
}

// lift returns how much more often the effect came with the cause than without, with half an
// observation added to either.
func (t table) lift() float64 {
	with := (float64(t.both) + 0.5) / float64(t.both+t.causeOnly+1)
	without := (float64(t.effectOnly) + 0.5) / float64(t.effectOnly+t.none+1)
	return with / without
}
