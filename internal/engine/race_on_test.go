//go:build race

package engine_test

// slower is how much less is done where everything takes longer.
const slower = 8
