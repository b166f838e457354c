package fault

import "slices"

// All returns every entry, in the order of the catalogue. The slice is the
// caller's own.
func All() []Entry { return slices.Clone(catalogue[:]) }
