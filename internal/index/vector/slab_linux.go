package vector

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// preferLarge asks for large pages. It is only a hint.
func preferLarge(memory []byte) {
	const page = 2 << 20
	at := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	from := int(-at & (page - 1))
	to := len(memory) &^ (page - 1)
	if to += from; to > len(memory) {
		to -= page
	}
	if from < to {
		_ = unix.Madvise(memory[from:to], unix.MADV_HUGEPAGE)
	}
}
