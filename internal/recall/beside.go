package recall

// beside calls do in a goroutine. wait returns its result, as often as it is called, and
// repeats its panic.
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
