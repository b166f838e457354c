package memory

// Prepare normalises a body made in Go and applies every rule to it. Problems
// name items of lists in the order they were given in.
func Prepare(b Body) error {
	own, ok := b.(body)
	if !ok {
		b.Normalize()
		return b.Validate()
	}
	own.defaults()
	defer own.order()
	return own.Validate()
}
