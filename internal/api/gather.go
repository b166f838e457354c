package api

// pageBytes is the approximate size of the content of a page. A page that reaches it ends
// before its limit, since many large records together would exceed the memory of a server.
const pageBytes = 1 << 20

// thingsPart and eventsPart are how many are read between checks of the size. Versioned records
// are small, and events may be as large as a page.
const (
	thingsPart = 16
	eventsPart = 8
)

// gather collects a page of a list in parts of most items, until it has limit items or enough
// bytes. next continues from there, and is empty at the end.
func gather[T any](limit, most int, after string, part func(limit int, after string) (list []T, next string, err error), size func(*T) int) (all []T, next string, err error) {
	all, next = []T{}, after
	for bytes := 0; ; {
		var list []T
		if list, next, err = part(min(most, limit-len(all)), next); err != nil {
			return nil, "", err
		}
		for i := range list {
			bytes += size(&list[i])
		}
		all = append(all, list...)
		if next == "" || len(all) >= limit || bytes >= pageBytes {
			return all, next, nil
		}
	}
}
