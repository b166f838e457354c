package spool

import (
	"cmp"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/record"
)

// Waiting is a spooled prompt.
type Waiting struct {
	Tenant string // empty if the folding process decides
	Event  *hmx.Event
	Text   string
}

// Prompts returns the prompts of users in the spool of a data directory, in the order in which
// they were said. A rule that one of them states binds already. Unreadable files are skipped:
// [Fold] reports them.
func Prompts(fs disk.FS, dir string) []Waiting {
	names, err := files(fs, dir)
	if err != nil {
		return nil
	}
	var out []Waiting
	for _, name := range names[max(len(names)-maxFiles, 0):] {
		path := fs.PathJoin(dir, Dir, name)
		if info, err := fs.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxKeptBytes {
			continue
		}
		data, err := disk.ReadFile(fs, path)
		if err != nil {
			continue
		}
		b, err := decode(data)
		if err != nil {
			continue
		}
		for _, it := range b.Items {
			if text, ok := Prompt(it.Event, it.Ceiling); ok {
				out = append(out, Waiting{Tenant: b.Tenant, Event: it.Event, Text: text})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Waiting) int { return cmp.Compare(a.Event.Sequence, b.Event.Sequence) })
	return out
}

// Prompt returns the text of an event, if it is a message of a user with the trust of a user.
func Prompt(ev *hmx.Event, ceiling record.Trust) (text string, ok bool) {
	if ev.EventType != hmx.TypeMessage || ceiling != 0 && ceiling < record.User {
		return "", false
	}
	m, ok := ev.Message()
	if !ok || m.Role != "user" {
		return "", false
	}
	return m.Text, m.Text != ""
}
