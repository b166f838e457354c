package agentstest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"time"
)

// trustCodexHooks approves the hooks that Codex knows, as a user does with /hooks: it gets the
// hash of each from the app server, which then writes it into the user's settings.
func trustCodexHooks(w *World) error {
	cmd := exec.Command(filepath.Join(w.bin(), "codex"), "app-server")
	cmd.Dir, cmd.Env = w.Home, w.Environ()
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	read, write := io.Pipe()
	cmd.Stdout, cmd.Stderr = write, io.Discard
	p, err := start(context.Background(), time.Minute, cmd)
	if err != nil {
		return err
	}
	go func() {
		<-p.done
		write.CloseWithError(errors.New("the app server of Codex ended"))
	}()
	defer p.Kill()
	c := &appServer{in: in, out: bufio.NewReader(read)}
	if _, err := c.call("initialize", map[string]any{"clientInfo": map[string]any{"name": "bench", "version": "1"}}); err != nil {
		return err
	}
	if err := c.send(map[string]any{"method": "initialized"}); err != nil {
		return err
	}
	answer, err := c.call("hooks/list", map[string]any{"cwds": []string{w.Home}})
	if err != nil {
		return err
	}
	var hooks struct {
		Data []struct {
			Hooks []struct{ Key, CurrentHash string }
		}
	}
	if err := json.Unmarshal(answer, &hooks); err != nil {
		return err
	}
	state := map[string]any{}
	for _, d := range hooks.Data {
		for _, h := range d.Hooks {
			state[h.Key] = map[string]any{"trusted_hash": h.CurrentHash}
		}
	}
	if len(state) == 0 {
		return nil
	}
	_, err = c.call("config/batchWrite", map[string]any{
		"edits": []any{map[string]any{"keyPath": "hooks.state", "value": state, "mergeStrategy": "upsert"}},
	})
	return err
}

// appServer is a client of `codex app-server`: one JSON-RPC message per line.
type appServer struct {
	in  io.Writer
	out *bufio.Reader
	id  int
}

func (c *appServer) send(message map[string]any) error {
	line, err := json.Marshal(message)
	if err == nil {
		_, err = c.in.Write(append(line, '\n'))
	}
	return err
}

// call sends a request and returns its result; notifications in between are skipped.
func (c *appServer) call(method string, params any) (json.RawMessage, error) {
	c.id++
	if err := c.send(map[string]any{"id": c.id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var m struct {
			ID     *int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil || *m.ID != c.id {
			continue
		}
		if m.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		}
		return m.Result, nil
	}
}
