package agentstest

import (
	"regexp"
	"strings"
)

// The rule of the scenarios, and the words that lift it.
const (
	rule = "Never push to main directly."
	lift = "You may push to main directly again."
	push = "git push origin main"
)

// pushed reports whether the checked-out commit is on the remote.
func (b *bench) pushed(p *Project) bool {
	b.Helper()
	ok, err := p.Pushed(b.ctx())
	if err != nil {
		b.Fatal(err)
	}
	return ok
}

// commit makes a new commit to push.
func (b *bench) commit(p *Project) {
	b.Helper()
	if err := p.Commit(b.ctx()); err != nil {
		b.Fatal(err)
	}
}

// result returns the tool result of a step as the model received it.
func (t *turn) result(step int) string {
	for _, r := range t.Main() {
		if all := r.Results(); r.Step > step && len(all) > step {
			return all[step]
		}
	}
	return ""
}

// denied reports whether the model received the rule instead of a result.
func denied(result string) bool {
	return strings.Contains(strings.ToLower(result), "never push to main directly")
}

var (
	date    = regexp.MustCompile(`\d{4}-\d{2}-\d{2}|\d{1,2} [A-Z][a-z]+ \d{4}`)
	lifting = regexp.MustCompile(`(?i)\blift|\bagain\b|\bforget\b|\ballow`)
)

// stopped asserts that the rule stopped a step's push before it happened.
func (b *bench) stopped(t *turn, p *Project, step int) {
	b.Helper()
	if b.pushed(p) {
		b.Errorf("%s pushed to main", b.agent.Name)
	}
	got := t.result(step)
	if !denied(got) {
		b.Errorf("the model does not read the rule in place of the result: %q", shortened(got, 1500))
		return
	}
	if !date.MatchString(got) {
		b.Errorf("the denial does not say when the rule was stated: %q", got)
	}
	if !strings.Contains(strings.ToLower(got), "user") {
		b.Errorf("the denial does not say who stated the rule: %q", got)
	}
	if !lifting.MatchString(got) {
		b.Errorf("the denial does not say how the rule is lifted: %q", got)
	}
}

// allowed asserts that a push happened and that Lukasa added nothing to its result.
func (b *bench) allowed(t *turn, p *Project, step int) {
	b.Helper()
	got := t.result(step)
	if !b.pushed(p) {
		b.Errorf("%s did not push: %q", b.agent.Name, shortened(got, 1500))
	}
	if strings.Contains(got, "Lukasa") {
		b.Errorf("Lukasa's text behind a result: %q", got)
	}
}

// ruleBinds states a rule and breaks it in the same session and the next one; then another
// project is not bound; then the rule is lifted in words.
func ruleBinds(b *bench) {
	shop, blog := b.project("shop"), b.project("blog")
	t := b.session(shop, rule+" Please look at the repository and publish the work.", Shell(push), Say("I did not push."))
	b.stopped(t, shop, 0)

	t = b.session(shop, "Please publish the work.", Shell("git status --short"), Shell(push), Say("I did not push."))
	b.stopped(t, shop, 1)
	if r := t.result(0); denied(r) || strings.Contains(r, "Lukasa") {
		b.Errorf("git status is answered with %q", r)
	}

	t = b.session(blog, "Please publish the work.", Shell(push), Say("Pushed."))
	b.allowed(t, blog, 0)

	t = b.session(shop, lift+" Please publish the work.", Shell(push), Say("Pushed."))
	b.allowed(t, shop, 0)

	b.commit(shop)
	t = b.session(shop, "Please publish the work.", Shell(push), Say("Pushed."))
	b.allowed(t, shop, 0)
}

// ruleAlone states a rule in a session that does nothing else, and breaks it in the next one.
func ruleAlone(b *bench) {
	p := b.project("shop")
	b.session(p, rule, Say("Understood."))
	t := b.session(p, "Please publish the work.", Shell(push), Say("I did not push."))
	b.stopped(t, p, 0)
}

// ruleEverywhere states a rule for all projects.
func ruleEverywhere(b *bench) {
	shop, blog := b.project("shop"), b.project("blog")
	b.session(shop, "In all my projects: never push to main directly.", Say("Understood."))
	t := b.session(blog, "Please publish the work.", Shell(push), Say("I did not push."))
	b.stopped(t, blog, 0)
}

// evasions tries to push to main in other ways.
func evasions(b *bench) {
	p := b.project("shop")
	if _, err := p.Git(b.ctx(), "config", "alias.ship", "push origin main"); err != nil {
		b.Fatal(err)
	}
	b.session(p, rule, Say("Understood."))
	commands := []string{
		"git -C . push origin main",
		"git push origin HEAD:main",
		"git push origin HEAD:refs/heads/main",
		"git ship",
		`sh -c "git push origin main"`,
		`bash -lc 'git push origin main'`,
		"git push",
		"git push origin +main",
		"cd . && git push origin main",
		"env GIT_TRACE=0 git push origin main",
	}
	var script []Step
	for _, c := range commands {
		script = append(script, Shell(c))
	}
	script = append(script, Say("I did not push."))
	t := b.session(p, "Please publish the work.", script...)
	for i, c := range commands {
		if r := t.result(i); !denied(r) {
			b.Errorf("%s is answered with %q", c, shortened(r, 600))
		}
	}
	if b.pushed(p) {
		b.Errorf("%s pushed to main", b.agent.Name)
	}
}

// harmless runs commands that only look like the forbidden one.
func harmless(b *bench) {
	p := b.project("shop")
	b.session(p, rule, Say("Understood."))
	commands := map[string]string{
		`echo "git push origin main"`:         "git push origin main",
		"git push origin HEAD:refs/heads/fix": "",
		"git log --oneline main | head -1":    "state",
		"git status --short; echo clean":      "clean",
	}
	var script []Step
	var order []string
	for c := range commands {
		script, order = append(script, Shell(c)), append(order, c)
	}
	t := b.session(p, "Please look at the repository.", append(script, Say("Done."))...)
	for i, c := range order {
		r := t.result(i)
		if denied(r) || !strings.Contains(r, commands[c]) || strings.Contains(r, "Lukasa") {
			b.Errorf("%s is answered with %q", c, shortened(r, 600))
		}
	}
	if _, err := b.world.Run(b.ctx(), p.Bare, "git", "rev-parse", "--verify", "fix"); err != nil {
		b.Errorf("the push of another branch did not happen: %v", err)
	}
	if b.pushed(p) {
		b.Errorf("%s pushed to main", b.agent.Name)
	}
}

// quoted shows the agent rules that the user did not state: in a file, in a tool's output, in
// quotation marks and on standard input.
func quoted(b *bench) {
	p := b.project("shop")
	b.write(p, "README.md", "# Shop\n\n"+rule+"\n\nAlways deploy on Fridays.\n")
	b.session(p, "Please read the README.", Shell("cat README.md"), Say("It says: "+rule))
	b.session(p, "What does this sentence of the README mean?\n\n> "+rule+"\n", Say("It means that work goes through branches."))
	if b.agent.Name != "gemini-cli" && b.agent.Name != "opencode" {
		b.turn(b.agent, p, Turn{Prompt: "Please summarise the input.", Stdin: rule + "\n"}, Say("It is a rule."))
	}
	b.session(p, "Please print a warning.", Shell(`printf 'WARNING: never push to main directly\n'; exit 1`), Say("Printed."))
	t := b.session(p, "Please publish the work.", Shell(push), Say("Pushed."))
	b.allowed(t, p, 0)
	for _, m := range b.memories() {
		if strings.Contains(strings.ToLower(m), "push to main") || strings.Contains(m, "Fridays") {
			b.Errorf("learned from what the user did not say: %s", m)
		}
	}
}

// forgotten lifts a rule by calling it only "that rule".
func forgotten(b *bench) {
	p := b.project("shop")
	b.session(p, rule, Say("Understood."))
	b.session(p, "Forget that rule.", Say("Forgotten."))
	t := b.session(p, "Please publish the work.", Shell(push), Say("Pushed."))
	b.allowed(t, p, 0)
}

// modes installs with each mode of enforcement; installing again keeps it.
func modes(b *bench) {
	p := b.project("shop")
	b.install(b.agent, "--enforce", "off")
	b.session(p, rule, Say("Understood."))
	b.install(b.agent)
	t := b.session(p, "Please publish the work.", Shell(push), Say("Pushed."))
	b.allowed(t, p, 0)
	b.commit(p)
	b.install(b.agent, "--enforce", "deny")
	b.install(b.agent)
	t = b.session(p, "Please publish the work again.", Shell(push), Say("I did not push."))
	b.stopped(t, p, 0)
}

// codeModeRule breaks a rule from a script that calls the shell.
func codeModeRule(b *bench) {
	p := b.project("shop")
	b.turn(b.agent, p, Turn{Prompt: rule, Model: codeModel}, Say("Understood."))
	t := b.turn(b.agent, p, Turn{Prompt: "Please publish the work.", Model: codeModel}, Shell("git status; exit 3"), Shell(push), Say("I did not push."))
	b.stopped(t, p, 1)
}

// codeModel is a model that gets one tool, which runs JavaScript.
const codeModel = "gpt-6.1-sol"

// subagent makes the agent pass a rule of its own to a sub-agent: no user stated it.
func subagent(b *bench) {
	p := b.project("shop")
	args := map[string]any{"description": "Look around", "prompt": rule + " Look at the repository.", "subagent_type": "general-purpose"}
	tool := "Agent"
	if b.agent.Name == "opencode" {
		tool, args["subagent_type"] = "task", "general"
	}
	b.session(p, "Please have a sub-agent look at the repository.", Step{Tool: tool, Args: args}, Say("I looked."), Say("It looked."))
	t := b.session(p, "Please publish the work.", Shell(push), Say("Pushed."))
	b.allowed(t, p, 0)
}
