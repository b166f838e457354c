package trace

import (
	"encoding/json"
	"strings"

	"lukasa.dev/hmx"
)

// maxEnvironment is the most bytes that the name of an environment has.
const maxEnvironment = 40

// environments are what tags call environments when they say nothing else, and what each
// is called here. Words that are more often something else, such as test and live, are
// not among them: they count behind "env:" only.
var environments = map[string]string{
	"production": "production", "prod": "production", "staging": "staging", "preprod": "preproduction", "preproduction": "preproduction",
	"pre-production": "preproduction", "development": "development", "uat": "uat", "sandbox": "sandbox",
}

// further are names that are environments where something says so.
var further = map[string]string{
	"prd": "production", "live": "production", "stage": "staging", "stg": "staging", "dev": "development", "testing": "test", "localhost": "local",
}

// EnvironmentIn returns the environment that tags name, such as production or staging:
// plainly, or behind "env:" or "environment:". It is empty if they name none, or several.
func EnvironmentIn(tags []string) string {
	found := ""
	for _, t := range tags {
		name := environmentOf(t)
		if name == "" || name == found {
			continue
		}
		if found != "" {
			return ""
		}
		found = name
	}
	return found
}

// environmentOf returns the environment that a tag names.
func environmentOf(tag string) string {
	tag = strings.ToLower(tag)
	if i := strings.IndexAny(tag, ":=/"); i > 0 && (tag[:i] == "env" || tag[:i] == "environment") {
		return called(tag[i+1:])
	}
	return environments[tag]
}

// called returns an environment by what something that names one calls it.
func called(name string) string {
	name = strings.TrimSpace(name)
	switch {
	case environments[name] != "":
		return environments[name]
	case further[name] != "":
		return further[name]
	case len(name) > maxEnvironment || strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
	}) >= 0:
		return ""
	}
	return name
}

// environmentAt returns the environment that an event is from: that of its tags, else the
// one that its metadata names.
func environmentAt(ev *hmx.Event) string {
	if len(ev.Tags) > 0 {
		if name := EnvironmentIn(ev.Tags); name != "" {
			return name
		}
	}
	if !strings.Contains(string(ev.Metadata), `"env`) {
		return ""
	}
	var named struct {
		Env         any `json:"env"`
		Environment any `json:"environment"`
	}
	if json.Unmarshal([]byte(ev.Metadata), &named) != nil {
		return ""
	}
	for _, v := range []any{named.Environment, named.Env} {
		if text, ok := v.(string); ok {
			return called(strings.ToLower(text))
		}
	}
	return ""
}

// stand takes in which environment an event is from, for its task.
func (r *Reader) stand(ev *hmx.Event) {
	name := environmentAt(ev)
	if name == "" || len(r.tasks) == 0 {
		return
	}
	t := &r.tasks[len(r.tasks)-1]
	switch {
	case t.several || t.Where == name:
	case t.Where == "":
		t.Where = r.intern([]byte(name))
	default:
		t.Where, t.several = "", true
	}
}

// belong takes in which project an event is from, for its task.
func (r *Reader) belong(ev *hmx.Event) {
	if len(r.tasks) == 0 {
		return
	}
	t := &r.tasks[len(r.tasks)-1]
	text := string(ev.Metadata)
	named := strings.Contains(text, `"project_id"`)
	if t.placed || !named && (t.Project != "" || !strings.Contains(text, `"cwd"`)) || !r.metadata.OpenObject(text) {
		return
	}
	if id := r.metadata.Str(0, "project_id"); id != "" && len(id) <= MaxProject {
		t.Project, t.placed = r.intern([]byte(id)), true
	} else if dir := r.metadata.Str(0, "cwd"); t.Project == "" && dir != "" && len(dir) <= MaxProject {
		t.Project = r.intern([]byte(dir))
	}
}
