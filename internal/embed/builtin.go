package embed

import (
	_ "embed"
	"sync"
)

// builtinName changes with the rows: it identifies the vector space.
const builtinName = "static-en-256/1"

// builtinData is the model as it is in the repository. Its license and its origin
// are beside it.
//
//go:embed model/static-en-256.hse
var builtinData string

// builtin decodes the model on first use, so that a command which embeds nothing does not pay
// for it.
var builtin = sync.OnceValue(func() *Model {
	m, err := Decode(builtinName, builtinData)
	if err != nil {
		panic("embed: the built-in model: " + err.Error()) // the program was built wrong
	}
	return m
})

// Builtin returns the built-in model. It is decoded once.
func Builtin() *Model { return builtin() }
