package agentstest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Agent is one coding agent and how to run it without a terminal.
type Agent struct {
	// Name is Lukasa's name for it.
	Name string
	// Package and Version are what npm installs.
	Package, Version string
	// Command is the name of its program.
	Command string
	// programs are the paths of the program below node_modules.
	programs []string
	// prepare writes its settings, before Lukasa is installed.
	prepare func(*World) error
	// trust does what a user does to let hooks run, after Lukasa is installed.
	trust func(*World) error
	// turn returns the arguments and the environment of one prompt.
	turn func(w *World, s *Session, t Turn) (args, env []string)
}

// Turn is one run of an agent without a terminal.
type Turn struct {
	Prompt string
	// Continue makes the agent continue the last session of the directory.
	Continue bool
	// Untrusted runs hooks that no user approved.
	Untrusted bool
	// NoMCP leaves the agent's MCP servers out, and with them Lukasa's.
	NoMCP bool
	// Stdin is piped to the agent.
	Stdin string
	// Model is another model than the default one.
	Model string
}

// Pinned lists the agents with the versions that the tests are for.
func Pinned() []*Agent {
	return []*Agent{claudeCode(), codex(), geminiCLI(), openCode()}
}

// Link puts the program of an agent on the world's search path.
func (w *World) Link(a *Agent, program string) error {
	file := filepath.Join(w.bin(), a.Command)
	if strings.HasSuffix(program, ".js") {
		return os.WriteFile(file, fmt.Appendf(nil, "#!/bin/sh\nexec node '%s' \"$@\"\n", program), 0o755)
	}
	return os.Symlink(program, file)
}

// Prepare writes the settings that an agent needs to run without a question.
func (a *Agent) Prepare(w *World) error { return a.prepare(w) }

// Trust does what a user does after the installation of hooks.
func (a *Agent) Trust(w *World) error {
	if a.trust == nil {
		return nil
	}
	return a.trust(w)
}

func claudeCode() *Agent {
	return &Agent{
		Name: "claude-code", Package: "@anthropic-ai/claude-code", Version: "2.1.197", Command: "claude",
		programs: []string{"@anthropic-ai/claude-code-" + platform() + "/claude"},
		prepare: func(w *World) error {
			return w.Write(".claude/settings.json", "{\n  \"includeCoAuthoredBy\": false\n}\n")
		},
		turn: func(w *World, s *Session, t Turn) ([]string, []string) {
			args := []string{"-p", t.Prompt, "--dangerously-skip-permissions", "--model", claudeModel}
			if t.Continue {
				args = append(args, "--continue")
			}
			if t.NoMCP {
				args = append(args, "--strict-mcp-config")
			}
			return args, claudeEnv(s)
		},
	}
}

const claudeModel = "claude-sonnet-4-5"

func claudeEnv(s *Session) []string {
	return []string{
		"ANTHROPIC_BASE_URL=" + s.URL, "ANTHROPIC_AUTH_TOKEN=bench", "IS_SANDBOX=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_MAX_RETRIES=1",
	}
}

func codex() *Agent {
	return &Agent{
		Name: "codex", Package: "@openai/codex", Version: "0.169.0", Command: "codex",
		programs: []string{"@openai/codex-" + platform() + "/vendor/*/bin/codex"},
		prepare:  func(w *World) error { return w.Write(".codex/config.toml", codexConfig) },
		trust:    trustCodexHooks,
		turn: func(w *World, s *Session, t Turn) ([]string, []string) {
			args := []string{
				"exec", "-c", fmt.Sprintf("model_providers.bench.base_url=%q", s.URL+"/v1"),
				"--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check",
			}
			if t.Model != "" {
				args = append(args, "-m", t.Model)
			}
			if t.Untrusted {
				args = append(args, "--dangerously-bypass-hook-trust")
			}
			if t.NoMCP {
				args = append(args, "-c", "mcp_servers.lukasa.enabled=false")
			}
			if t.Continue {
				args = append(args, "resume", "--last")
			}
			return append(args, t.Prompt), []string{"BENCH_KEY=bench"}
		},
	}
}

// codexConfig is the user's settings of Codex. Each run gives the provider its address.
const codexConfig = `model = "gpt-5.2"
model_provider = "bench"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false

[model_providers.bench]
name = "bench"
base_url = "http://127.0.0.1:9/v1"
wire_api = "responses"
env_key = "BENCH_KEY"
request_max_retries = 1
stream_max_retries = 1
`

func geminiCLI() *Agent {
	return &Agent{
		Name: "gemini-cli", Package: "@google/gemini-cli", Version: "0.61.0", Command: "gemini",
		programs: []string{"@google/gemini-cli/bundle/gemini.js"},
		prepare: func(w *World) error {
			return w.Write(".gemini/settings.json", `{
  "general": {
    "enableAutoUpdate": false,
    "enableAutoUpdateNotification": false
  },
  "privacy": {
    "usageStatisticsEnabled": false
  },
  "telemetry": {
    "enabled": false
  },
  "security": {
    "auth": {
      "selectedType": "gemini-api-key"
    }
  }
}
`)
		},
		turn: func(w *World, s *Session, t Turn) ([]string, []string) {
			args := []string{"-p", t.Prompt, "--yolo", "-m", "gemini-2.5-pro"}
			if t.Continue {
				args = append(args, "--resume", "latest")
			}
			if t.NoMCP {
				args = append(args, "--allowed-mcp-server-names", "none")
			}
			return args, []string{
				"GOOGLE_GEMINI_BASE_URL=" + s.URL, "GEMINI_API_KEY=bench", "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_NO_RELAUNCH=true",
			}
		},
	}
}

func openCode() *Agent {
	return &Agent{
		Name: "opencode", Package: "opencode-ai", Version: "1.18.33", Command: "opencode",
		programs: []string{"opencode-" + platform() + "/bin/opencode"},
		prepare: func(w *World) error {
			// OpenCode adds $schema by itself. With the other files it finds its own plugin
			// package installed, as it is for a user, and asks no registry.
			for name, content := range map[string]string{
				"node_modules/.keep": "",
				"package.json":       `{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}`,
				"package-lock.json":  `{"lockfileVersion":3,"packages":{"":{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}}}`,
			} {
				if err := w.Write(".config/opencode/"+name, content); err != nil {
					return err
				}
			}
			return w.Write(".config/opencode/opencode.json", "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"autoupdate\": false,\n  \"share\": \"disabled\",\n  \"snapshot\": false\n}\n")
		},
		turn: func(w *World, s *Session, t Turn) ([]string, []string) {
			settings := map[string]any{
				"model": "bench/model", "small_model": "bench/model", "enabled_providers": []string{"bench"},
				"provider": map[string]any{"bench": map[string]any{
					"npm": "@ai-sdk/openai-compatible", "name": "bench",
					"options": map[string]any{"baseURL": s.URL + "/v1", "apiKey": "bench"},
					"models": map[string]any{"model": map[string]any{
						"name": "model", "tool_call": true, "limit": map[string]any{"context": 1000000, "output": 32000},
					}},
				}},
			}
			if t.NoMCP {
				settings["mcp"] = map[string]any{"lukasa": map[string]any{"enabled": false}}
			}
			config, _ := json.Marshal(settings)
			args := []string{"run", "--auto", "--title", "Bench"}
			if t.Continue {
				args = append(args, "--continue")
			}
			return append(args, t.Prompt), []string{
				"OPENCODE_CONFIG_CONTENT=" + string(config), "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
				"OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
				"OPENCODE_DISABLE_EMBEDDED_WEB_UI=1", "OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER=1",
			}
		},
	}
}
