package project

import (
	"net/url"
	"strings"
)

// gitConfig is a git configuration file: values by section, subsection and key, all but the
// subsection in lower case.
type gitConfig map[[3]string]string

// parseGitConfig parses a git configuration file. Invalid lines are skipped.
func parseGitConfig(text []byte) gitConfig {
	c := make(gitConfig)
	section, sub := "", ""
	rest := string(text)
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		for strings.HasSuffix(strings.TrimRight(line, "\r"), `\`) && rest != "" {
			var more string
			more, rest, _ = strings.Cut(rest, "\n")
			line = strings.TrimSuffix(strings.TrimRight(line, "\r"), `\`) + more
		}
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			head, _, ok := strings.Cut(line[1:], "]")
			if !ok {
				continue
			}
			name, quoted, _ := strings.Cut(head, `"`)
			section = strings.ToLower(strings.TrimSpace(name))
			sub = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(strings.TrimSuffix(quoted, `"`))
		default:
			key, value, ok := strings.Cut(line, "=")
			if !ok {
				value = "true"
			}
			c[[3]string{section, sub, strings.ToLower(strings.TrimSpace(key))}] = unquote(strings.TrimSpace(value))
		}
	}
	return c
}

// unquote returns a value without quotes, escapes and a trailing comment.
func unquote(value string) string {
	var out strings.Builder
	quoted := false
	for i := 0; i < len(value); i++ {
		switch b := value[i]; {
		case b == '\\' && i+1 < len(value):
			i++
			switch value[i] {
			case 'n':
				out.WriteByte('\n')
			case 't':
				out.WriteByte('\t')
			default:
				out.WriteByte(value[i])
			}
		case b == '"':
			quoted = !quoted
		case (b == '#' || b == ';') && !quoted:
			return strings.TrimSpace(out.String())
		default:
			out.WriteByte(b)
		}
	}
	return strings.TrimSpace(out.String())
}

func (c gitConfig) get(section, sub, key string) string { return c[[3]string{section, sub, key}] }

// section adds the keys of a section to a map.
func (c gitConfig) section(name, sub string, into map[string]string) {
	for k, v := range c {
		if k[0] == name && k[1] == sub {
			into[k[2]] = v
		}
	}
}

// remoteID returns the identity in the URL of a remote: host and path, without scheme, user,
// default port and ".git". A URL that only this machine can reach has none.
func remoteID(address string) string {
	host, path := "", ""
	if u, err := url.Parse(address); err == nil && u.Scheme != "" && u.Host != "" {
		host, path = u.Hostname(), u.Path
	} else if at, rest, ok := strings.Cut(address, ":"); ok && !strings.Contains(address, "://") && !strings.ContainsAny(at, `/\`) && len(at) > 1 {
		// The short form of ssh: user@host:path. A single letter is a drive.
		if _, after, ok := strings.Cut(at, "@"); ok {
			at = after
		}
		host, path = at, rest
	}
	host = strings.ToLower(host)
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if host == "" || path == "" || host == "localhost" || strings.ContainsAny(host+path, "\n\t ") {
		return ""
	}
	return host + "/" + strings.ToLower(path)
}
