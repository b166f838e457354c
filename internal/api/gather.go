package api

// pageBytes is how much content a page of a list has, more or less. One that has it ends
// before its limit: many large things together would take more memory than a server has.
const pageBytes = 1 << 20

// thingsPart and eventsPart are how many are read before their size is looked at. Things are
// small, and events may be as large as a page.
const (
	thingsPart = 16
	eventsPart = 8
)

// gather collects a page of a list from parts of so many, until it has as many as are asked
// for, or enough. Next leads on from there, and is empty at the end.
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
