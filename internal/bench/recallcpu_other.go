//go:build !unix

package bench

import "time"

// processTime returns zero: the processor time of this process is unknown here.
func processTime() time.Duration { return 0 }
