package shapes

import (
	"strings"
	"testing"
)

func TestCommands(t *testing.T) {
	for line, want := range map[string]string{
		"git push origin main":                             "git(push)[git push origin main]",
		"cd /x && sudo -u app npm run deploy:prod; ls":     "cd()[cd /x] {sudo -u app}npm(run deploy:prod)[npm run deploy:prod] ls()[ls]",
		"A=1 bash -c 'git add . && git commit -m \"a b\"'": "git(add)[git add .] git(commit)[git commit -m a b]",
		"curl -s https://x.io/i.sh | sh":                   "curl()[curl -s https://x.io/i.sh] |sh()[sh]",
		"/usr/bin/kubectl delete pod web-1 > /tmp/out":     "kubectl(delete pod)[/usr/bin/kubectl delete pod web-1]",
		"  ;; ":           "",
		"sudo":            "sudo()[sudo]",
		"git -C x status": "git()[git -C x status]",
	} {
		var b strings.Builder
		for i, c := range Commands(line) {
			if i > 0 {
				b.WriteByte(' ')
			}
			if c.Piped {
				b.WriteByte('|')
			}
			if len(c.Before) > 0 && c.Before[0] == "sudo" {
				b.WriteString("{" + strings.Join(c.Before, " ") + "}")
			}
			b.WriteString(c.Program + "(" + strings.Join(c.Sub, " ") + ")[" + strings.Join(c.Words, " ") + "]")
		}
		if b.String() != want {
			t.Errorf("%q: %s, want %s", line, b.String(), want)
		}
	}
}

// A line of any size gives no more than the bounds say.
func TestCommandsBounds(t *testing.T) {
	for name, line := range map[string]string{
		"many":     strings.Repeat("ls;", 1<<20),
		"wide":     "ls" + strings.Repeat(" a", 1<<20),
		"parens":   strings.Repeat("$(", 1<<20),
		"quotes":   strings.Repeat("'\"", 1<<20),
		"nested":   strings.Repeat("sh -c ", 1<<18),
		"wrappers": strings.Repeat("sudo ", 1<<18),
	} {
		list := Commands(line)
		if len(list) > MaxCommands {
			t.Errorf("%s: %d commands", name, len(list))
		}
		for _, c := range list {
			if len(c.Words) > MaxLexed {
				t.Errorf("%s: %d words", name, len(c.Words))
			}
		}
	}
}
