package journal

// Waiting returns how many callers wait for the next group.
func Waiting[R any](c *Committer[R]) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiting.n
}

// Dir returns the directory of the log.
func (l *Log) Dir() string { return l.opts.Dir }

// Buffer returns the memory that holds Header and Body, for use with the next
// Read once this frame is no longer needed.
func (f *Frame) Buffer() []byte { return f.buf }
