package node

import (
	"bufio"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// Bounds of the memory of a process without a configured limit.
const (
	leastMemory = 256 << 20
	usualLeast  = 512 << 20
	usualMost   = 4 << 30
	unknown     = 2 << 30 // for a machine that does not report its memory
)

// shares is how the memory of the process is divided.
type shares struct {
	total  int64
	cache  int64 // of blocks read from the index
	recall int64 // of the searcher's cache
	bodies int64 // of requests
	intake int64 // of events that are not recorded yet
}

// share divides the configured memory.
func (c *Config) share() shares {
	total := int64(c.Memory)
	if total == 0 {
		total = min(max(machineMemory()/2, usualLeast), usualMost)
	}
	part := func(of, least, most int64) int64 { return min(max(total/of, least), most) }
	return shares{
		total:  total,
		cache:  part(10, 16<<20, 512<<20),
		recall: part(3, 64<<20, 2<<30),
		bodies: part(16, 16<<20, 256<<20),
		intake: part(32, 8<<20, 64<<20),
	}
}

// limit sets the memory limit of the garbage collector. It excludes memory outside of the heap:
// the store's blocks in a build with cgo, and the code itself. GOMEMLIMIT takes precedence.
func (s shares) limit() {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	outside := s.total/16 + outsideHeap(s.cache)
	debug.SetMemoryLimit(max(s.total-outside, leastMemory/2))
}

// machineMemory is the memory of the machine or of its container.
func machineMemory() int64 {
	most := int64(math.MaxInt64)
	for _, name := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(name); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
				most = min(most, n)
			}
		}
	}
	if n, ok := memTotal("/proc/meminfo"); ok {
		return min(most, n)
	}
	if most == math.MaxInt64 {
		return unknown
	}
	return most
}

// memTotal reads the memory of the machine from Linux.
func memTotal(name string) (int64, bool) {
	f, err := os.Open(name)
	if err != nil {
		return 0, false
	}
	defer func() { _ = f.Close() }() // it was only read
	for lines := bufio.NewScanner(f); lines.Scan(); {
		rest, ok := strings.CutPrefix(lines.Text(), "MemTotal:")
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		return n << 10, err == nil && n > 0
	}
	return 0, false
}
