package agents

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"

	"lukasa.dev/internal/hook"
)

// Untrusted returns why an agent does not run our hooks although they are in its settings, and
// what to do about it. Both are empty if it runs them, or if that is unknown. dir is the user's
// project; it may be empty.
func (s *Setup) Untrusted(ctx context.Context, dir string) (why, fix string) {
	switch s.Agent.Name {
	case hook.Codex:
		return s.codexUntrusted(ctx)
	case hook.GeminiCLI:
		return s.geminiUntrusted(dir)
	case hook.ClaudeCode:
		return s.claudeUntrusted(dir)
	}
	return "", ""
}

// codexUntrusted asks Codex itself: it runs a hook only after a user has approved its exact
// text, and skips others silently.
func (s *Setup) codexUntrusted(ctx context.Context) (why, fix string) {
	fix = "start Codex, and trust the hooks of Lukasa with /hooks"
	program := s.World.OnPath("codex")
	if program == "" {
		return s.codexNeverTrusted(fix)
	}
	list, err := codexHooks(ctx, program, s.World)
	if err != nil {
		return s.codexNeverTrusted(fix)
	}
	ours, untrusted, modified, off := 0, 0, 0, 0
	for _, h := range list {
		if !s.Command.own(h.Command, hook.Codex) {
			continue
		}
		ours++
		switch {
		case !h.Enabled:
			off++
		case h.TrustStatus == "modified":
			modified++
		case h.TrustStatus != "trusted" && h.TrustStatus != "managed" && h.TrustStatus != "":
			untrusted++
		}
	}
	switch {
	case ours == 0:
		return "", ""
	case off > 0:
		return "its hooks are turned off in Codex, so nothing is recorded and no rule is enforced", "start Codex, and turn them on with /hooks"
	case untrusted > 0:
		return "Codex does not trust its hooks yet and skips them, so nothing is recorded and no rule is enforced", fix
	case modified > 0:
		return "its hooks have changed since you trusted them in Codex, so Codex skips them", fix
	}
	return "", ""
}

// codexNeverTrusted checks whether the settings of Codex trust any hook of the file with ours,
// if Codex itself cannot be asked. They do not say which text was trusted.
func (s *Setup) codexNeverTrusted(fix string) (why, advice string) {
	targets := s.targets()
	c, err := load(targets[0].file)
	if err != nil {
		return "", ""
	}
	f, err := parseTOML(targets[0].file, c.data)
	if err != nil {
		return "", ""
	}
	hooks, _ := f.said["hooks"].(map[string]any)
	state, _ := hooks["state"].(map[string]any)
	for key, one := range state {
		if m, _ := one.(map[string]any); m["trusted_hash"] != nil && strings.HasPrefix(key, targets[1].file+":") {
			return "", ""
		}
	}
	return "Codex skips its hooks because you have not trusted them there, so nothing is recorded and no rule is enforced", fix
}

// codexHook is a hook as Codex knows it.
type codexHook struct {
	Command     string `json:"command"`
	Enabled     bool   `json:"enabled"`
	TrustStatus string `json:"trustStatus"`
}

// codexHooks asks the Codex app server for the hooks that it knows.
func codexHooks(ctx context.Context, program string, w *World) ([]codexHook, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := exec.CommandContext(ctx, program, "app-server")
	c.Dir = w.Home
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	defer func() {
		cancel()
		_ = c.Wait() // it was stopped
	}()
	ask := json.NewEncoder(in)
	for _, message := range []map[string]any{
		{"id": 1, "method": "initialize", "params": map[string]any{"clientInfo": map[string]any{"name": serverName, "version": "1"}}},
		{"method": "initialized"},
		{"id": 2, "method": "hooks/list", "params": map[string]any{"cwds": []string{w.Home}}},
	} {
		if err := ask.Encode(message); err != nil {
			return nil, err
		}
	}
	return readCodexHooks(bufio.NewReader(out))
}

// maxCodexLines is how many messages are read before the answer.
const maxCodexLines = 1000

// readCodexHooks reads the answer to the request for hooks, and skips other messages.
func readCodexHooks(r *bufio.Reader) ([]codexHook, error) {
	for range maxCodexLines {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var m struct {
			ID     *int `json:"id"`
			Result struct {
				Data []struct {
					Hooks []codexHook `json:"hooks"`
				} `json:"data"`
			} `json:"result"`
			Error json.RawMessage `json:"error"`
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil || *m.ID != 2 {
			continue
		}
		if m.Error != nil {
			return nil, errors.New(string(m.Error))
		}
		var all []codexHook
		for _, d := range m.Result.Data {
			all = append(all, d.Hooks...)
		}
		return all, nil
	}
	return nil, errors.New("the app server says too much and no answer")
}

// geminiUntrusted checks the folders that Gemini CLI trusts: in an untrusted folder it silently
// runs neither hooks nor the user's servers.
func (s *Setup) geminiUntrusted(dir string) (why, fix string) {
	if dir == "" || s.World.env("GEMINI_CLI_TRUST_WORKSPACE") == "true" {
		return "", ""
	}
	c, err := load(filepath.Join(geminiDir(s.World), "trustedFolders.json"))
	if err != nil || !c.there {
		return "", ""
	}
	var folders map[string]string
	if json.Unmarshal(c.data, &folders) != nil {
		return "", ""
	}
	level, longest := "", -1
	for folder, said := range folders {
		if n := len(folder); n > longest && (folder == dir || strings.HasPrefix(dir, strings.TrimSuffix(folder, "/")+"/")) {
			level, longest = said, n
		}
	}
	if level != "DO_NOT_TRUST" {
		return "", ""
	}
	return "Gemini CLI does not trust " + dir + ", so it runs neither the hooks nor the server there", "trust the folder with /permissions in Gemini CLI"
}

// claudeUntrusted checks whether Claude Code trusts a folder: in a terminal it runs no hooks in
// a folder that the user has not accepted.
func (s *Setup) claudeUntrusted(dir string) (why, fix string) {
	if dir == "" {
		return "", ""
	}
	c, err := load(claudeState(s.World))
	if err != nil || !c.there {
		return "", ""
	}
	var state struct {
		Projects map[string]struct {
			Accepted *bool `json:"hasTrustDialogAccepted"`
		} `json:"projects"`
	}
	if json.Unmarshal(c.data, &state) != nil {
		return "", ""
	}
	p, ok := state.Projects[dir]
	if !ok || p.Accepted == nil || *p.Accepted {
		return "", ""
	}
	return "Claude Code does not trust " + dir + " yet, so it runs no hooks there in a terminal", "start Claude Code there once, and accept the folder"
}
