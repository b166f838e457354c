package recall

// beside does something in a goroutine of its own. What it returns waits for that, as often
// as it is called, and a panic goes on there.
func beside(do func() error) (wait func() error) {
	done := make(chan struct{})
	var err error
	var panicked any
	go func() {
		defer close(done)
		defer func() { panicked = recover() }()
		err = do()
	}()
	return func() error {
		if <-done; panicked != nil {
			panic(panicked)
		}
		return err
	}
}
