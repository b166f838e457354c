//go:build !unix

package bench

import "time"

// processTime returns zero: how long processors have worked for this process is not
// known here.
func processTime() time.Duration { return 0 }
