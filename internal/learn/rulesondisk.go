package learn

import (
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/sessions"
)

// StatedRule is a rule that a user stated, read from the files of a directory.
type StatedRule struct {
	ID       string
	Text     string
	Subject  string
	Strength memory.Strength
	Project  string // the project that it binds in; empty means all
	Said     int64  // when, in milliseconds since 1970
}

// RulesOnDisk returns the rules that users of a tenant stated and that held at the last Learn,
// without opening the directory: for a caller that must not wait for the process that has it
// open. They come from the cache of Learn, which is removed before an erasure is acknowledged.
// Without that file there are none.
func RulesOnDisk(fs disk.FS, dir, tenant string) []StatedRule {
	data, err := disk.ReadFile(fs, fs.PathJoin(dir, board.NameTraces, sessions.TraceName(tenant, 0)+saidSuffix))
	if err != nil {
		return nil
	}
	x := parseLearned(data, tenant)
	if x == nil {
		return nil
	}
	var out []StatedRule
	for _, k := range x.saying.save().Live {
		if k.Type == memory.TypeConstraint {
			out = append(out, StatedRule{k.ID, k.Text, k.Subject, k.Strength, k.Project, k.When})
		}
	}
	return out
}
