package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"lukasa.dev/internal/fault"
)

// Timeouts of OpenCode for listing its sessions, and for exporting one.
const (
	openCodeListLimit   = 30 * time.Second
	openCodeExportLimit = time.Minute
)

// openCodeSessions lists the sessions of all projects, including those of sub-agents. OpenCode's
// own command lists those of one directory.
const openCodeSessions = "SELECT id, time_updated AS updated FROM session ORDER BY time_created"

// ownStore is a store that only the agent's own program reads.
type ownStore struct {
	program  string
	sessions []string
}

// openCodeTranscripts finds sessions of OpenCode: in its database, through its own program, and
// in the files of earlier versions.
func (a *Agent) openCodeTranscripts(ctx context.Context, w *World, found *Transcripts) error {
	storage := filepath.Join(w.data(), "opencode", "storage")
	found.Looked = []string{storage}
	if isThere(filepath.Join(storage, "session")) && isThere(filepath.Join(storage, "message")) {
		counted := &Transcripts{Format: found.Format}
		if err := counted.look(ctx, filepath.Join(storage, "session"), 0); err != nil {
			return err
		}
		if counted.Files > 0 {
			found.Files, found.Sessions, found.Newest, found.Directories = counted.Files, counted.Sessions, counted.Newest, []string{storage}
		}
		if err := found.weigh(ctx, storage); err != nil {
			return err
		}
	}
	program := w.OnPath("opencode")
	if program == "" {
		found.Note = "OpenCode keeps its sessions in a database that its own program exports, and `opencode` is not on the search path"
		return nil
	}
	out, err := runOpenCode(ctx, w, program, openCodeListLimit, "db", openCodeSessions, "--format", "json", "--pure")
	if err != nil {
		out, err = runOpenCode(ctx, w, program, openCodeListLimit, "session", "list", "--format", "json", "--pure")
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		found.Note = "`opencode` does not list its sessions: " + err.Error()
		return nil
	}
	var list []struct {
		ID      string `json:"id"`
		Updated int64  `json:"updated"`
	}
	if at := bytes.IndexByte(out, '['); at >= 0 {
		if err := json.Unmarshal(out[at:], &list); err != nil {
			found.Note = "`opencode` lists its sessions in a form that this version cannot read: " + err.Error()
			return nil
		}
	}
	store := &ownStore{program: program}
	for _, s := range list {
		if !openCodeName(s.ID) {
			continue
		}
		store.sessions = append(store.sessions, s.ID)
		if t := time.UnixMilli(s.Updated); t.After(found.Newest) {
			found.Newest = t
		}
	}
	if len(store.sessions) > 0 {
		found.store = store
		found.Files += len(store.sessions)
		found.Sessions += len(store.sessions)
		found.Directories = append(found.Directories, program)
	}
	return nil
}

// openCodeName reports whether a text is a session id that is safe on a command line.
func openCodeName(id string) bool {
	return id != "" && len(id) < 200 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" && id[0] != '-'
}

// Exports returns how many sessions the agent's own program has to export.
func (t *Transcripts) Exports() int {
	if t.store == nil {
		return 0
	}
	return len(t.store.sessions)
}

// Program reports whether one of Directories is the agent's program, which exports.
func (t *Transcripts) Program(dir string) bool { return t.store != nil && t.store.program == dir }

// Export makes the agent's own program write its sessions into a directory, a file each, and
// returns what to read: that directory and those that need no program. It reports a session that
// cannot be exported, and continues with the others.
func (t *Transcripts) Export(ctx context.Context, w *World, dir string, tell func(done, all int), trouble func(session string, err error)) ([]string, error) {
	if t.store == nil {
		return t.Directories, nil
	}
	written := 0
	for i, id := range t.store.sessions {
		tell(i, len(t.store.sessions))
		out, err := runOpenCode(ctx, w, t.store.program, openCodeExportLimit, "export", id, "--pure")
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if at := bytes.IndexByte(out, '{'); err == nil && at >= 0 {
			if err = os.WriteFile(filepath.Join(dir, id+".json"), out[at:], 0o600); err != nil {
				return nil, fault.Newf(fault.ReadOnly, "%s: %w", dir, err)
			}
			written++
			continue
		}
		if err == nil {
			err = errors.New("it writes nothing")
		}
		trouble(id, err)
	}
	var dirs []string
	if written > 0 {
		dirs = append(dirs, dir)
	}
	for _, d := range t.Directories {
		if d != t.store.program {
			dirs = append(dirs, d)
		}
	}
	return dirs, nil
}

// runOpenCode runs OpenCode without its plugins, so that it does not call Lukasa, and returns its
// output.
func runOpenCode(ctx context.Context, w *World, program string, limit time.Duration, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = w.Home
	c.Env = append(os.Environ(), "OPENCODE_DISABLE_AUTOUPDATE=1")
	c.WaitDelay = time.Second
	var out, problems bytes.Buffer
	c.Stdout, c.Stderr = &out, &problems
	err := c.Run()
	if ctx.Err() == context.DeadlineExceeded {
		return nil, errors.New("it did not answer within " + limit.String())
	}
	if err != nil {
		if lines := strings.Fields(strings.TrimSpace(problems.String())); len(lines) > 0 {
			text := strings.Join(lines, " ")
			return nil, errors.New(strings.ToValidUTF8(text[max(0, len(text)-200):], ""))
		}
		return nil, err
	}
	return out.Bytes(), nil
}

// weigh adds the size of all files below a directory.
func (t *Transcripts) weigh(ctx context.Context, dir string) error {
	return filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return ctx.Err() // reading it later gives the error
		}
		if info, err := d.Info(); err == nil && d.Type().IsRegular() {
			t.Bytes += info.Size()
		}
		return nil
	})
}

// data is the data directory of programs.
func (w *World) data() string {
	if dir := w.env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(w.Home, ".local", "share")
}
