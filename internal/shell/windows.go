package shell

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf16"
)

// windows reads what a shell of Windows is given to run, and what wsl runs. The text is read as
// bash, which is near enough for programs and their words. It reports false for what it does not
// know.
func (r *reader) windows(name string, words, before, env []string) bool {
	rest := words[1:]
	switch name {
	case "cmd":
		for i, w := range rest {
			if strings.EqualFold(w, "/c") || strings.EqualFold(w, "/k") {
				r.typed(lineOf(rest[i+1:]), words, before, env)
				return true
			}
			if !strings.HasPrefix(w, "/") {
				return false
			}
		}
	case "wsl":
		for i := 0; i < len(rest); i++ {
			switch w := rest[i]; {
			case w == "--" || w == "-e" || w == "--exec":
				r.run(rest[i+1:], append(slices.Clone(before), name), env)
				return true
			case w == "-d" || w == "--distribution" || w == "-u" || w == "--user" || w == "--cd":
				i++
			case !strings.HasPrefix(w, "-"):
				r.run(rest[i:], append(slices.Clone(before), name), env)
				return true
			}
		}
	case "invoke-expression", "iex":
		r.typed(strings.Join(slices.DeleteFunc(slices.Clone(rest), func(w string) bool { return strings.EqualFold(w, "-Command") }), " "), words, before, env)
		return true
	case "start-process", "saps":
		if started := startProcess(rest); len(started) > 0 {
			r.run(started, append(slices.Clone(before), words[0]), env)
			return true
		}
	default:
		return r.powershell(words, before, env)
	}
	return false
}

// powershell reads what PowerShell is given to run.
func (r *reader) powershell(words, before, env []string) bool {
	rest := words[1:]
	for i := 0; i < len(rest); i++ {
		w := strings.ToLower(rest[i])
		switch {
		case len(w) < 2 || w[0] != '-' && w[0] != '/':
			if strings.HasSuffix(w, ".ps1") {
				return false
			}
			r.typed(unamped(lineOf(rest[i:])), words, before, env)
			return true
		case strings.HasPrefix("-command", w) || w == "/c" || w == "/command":
			if i+1 < len(rest) && rest[i+1] == "-" {
				r.typed(unamped(r.input), words, before, env)
				return true
			}
			r.typed(unamped(lineOf(rest[i+1:])), words, before, env)
			return true
		case w != "-ex" && w != "-ep" && (strings.HasPrefix("-encodedcommand", w) || w == "-ec") && i+1 < len(rest):
			r.typed(unamped(encoded(rest[i+1])), words, before, env)
			return true
		case strings.HasPrefix("-file", w):
			return false
		case w == "-executionpolicy" || w == "-ex" || w == "-ep" || w == "-version" || w == "-windowstyle" || w == "-w" || w == "-outputformat" || w == "-inputformat" || w == "-workingdirectory" || w == "-wd" || w == "-configurationname":
			i++
		}
	}
	return false
}

// lineOf returns words as the line that a shell of Windows makes of them: joined as they are.
func lineOf(words []string) string { return strings.Join(words, " ") }

// unamped returns a line of PowerShell without the sign that calls a program, and with its
// commands in the lower case in which they are compared.
func unamped(line string) string {
	line = strings.TrimSpace(line)
	for strings.HasPrefix(line, "&") {
		line = strings.TrimSpace(line[1:])
	}
	line = strings.TrimSuffix(strings.TrimPrefix(line, "{"), "}")
	for _, name := range [...]string{"Invoke-Expression", "Start-Process", "Set-Location"} {
		line = strings.ReplaceAll(line, name, strings.ToLower(name))
	}
	return strings.ReplaceAll(line, "set-location", "cd")
}

// encoded returns the text of an encoded command of PowerShell: base64 of UTF-16.
func encoded(text string) string {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(data) > MaxLine {
		return ""
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = uint16(data[2*i]) | uint16(data[2*i+1])<<8
	}
	return string(utf16.Decode(units))
}

// startProcess returns the command that Start-Process runs.
func startProcess(words []string) []string {
	var out, args []string
	for i := 0; i < len(words); i++ {
		switch w := strings.ToLower(words[i]); {
		case (w == "-argumentlist" || w == "-args") && i+1 < len(words):
			i++
			args = strings.FieldsFunc(words[i], func(c rune) bool { return c == ' ' || c == ',' || c == '\'' || c == '"' })
		case w == "-filepath" && i+1 < len(words):
			i++
			out = append(out, words[i])
		case strings.HasPrefix(w, "-"):
		case len(out) == 0:
			out = append(out, words[i])
		default:
			args = append(args, strings.Trim(words[i], ","))
		}
	}
	if len(out) == 0 {
		return nil
	}
	return append(out, args...)
}
