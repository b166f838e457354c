package compile

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"lukasa.dev/internal/policy"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace"
)

// The limits of policies made from stated decisions.
const (
	minAsked   = 2     // occurrences of a question
	maxAsked   = 300   // questions with policies, the most frequent
	maxOptions = 20    // options of a question, the most frequent
	maxAsking  = 10000 // distinct questions, the first
)

// enoughJudged is how many tasks must be judged before their outcomes count against something.
const enoughJudged = 4

// decided is one decision of a question.
type decided struct {
	task   *trace.Task
	choice *trace.Choice
}

// question is what was decided, and how often which way.
type question struct {
	key     string
	text    string // as first put
	options map[string]*policy.Chosen
	asked   []decided // in the order of the journal
}

// choiceFindings returns the policies of questions as findings.
func choiceFindings(c *corpus) ([]finding, error) {
	policies, err := c.choices()
	return findings(policies), err
}

func (c *corpus) choices() ([]Policy, error) {
	questions := make(map[string]*question)
	for i := range c.tasks {
		task := c.tasks[i].Task
		for j := range task.Choices {
			ask(questions, task, &task.Choices[j])
		}
	}
	var found []*question
	for _, q := range questions {
		if len(q.asked) >= minAsked {
			found = append(found, q)
		}
	}
	slices.SortFunc(found, func(a, b *question) int {
		return cmp.Or(cmp.Compare(len(b.asked), len(a.asked)), strings.Compare(a.key, b.key))
	})
	found = found[:min(len(found), maxAsked)]
	slices.SortFunc(found, func(a, b *question) int { return strings.Compare(a.key, b.key) })
	var out []Policy
	for _, q := range found {
		p, err := q.policy()
		if err != nil {
			return nil, err
		}
		if len(q.options) > 1 { // otherwise there was no choice
			out = append(out, p)
		}
	}
	return out, nil
}

// ask adds a decision.
func ask(questions map[string]*question, task *trace.Task, c *trace.Choice) {
	key := normal(c.Question)
	if key == "" || strings.TrimSpace(c.Chosen) == "" || c.Step < 0 || c.Step >= len(task.Steps) || task.Steps[c.Step].Trust < record.Agent {
		return
	}
	q := questions[key]
	if q == nil {
		if len(questions) == maxAsking {
			return
		}
		q = &question{key: key, text: c.Question, options: make(map[string]*policy.Chosen)}
		questions[key] = q
	}
	q.asked = append(q.asked, decided{task, c})
}

// option returns the count of an option, ignoring case.
func (q *question) option(text string) *policy.Chosen {
	key := normal(text)
	if q.options[key] == nil {
		q.options[key] = &policy.Chosen{Tool: text}
	}
	return q.options[key]
}

// normal returns a text in lower case, with only letters and every value as "#".
func normal(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		if strings.ContainsFunc(w, unicode.IsDigit) {
			words[i] = "#"
		}
	}
	return strings.Join(words, " ")
}

func (q *question) policy() (Policy, error) {
	var f finding
	n := counted(len(q.asked))
	for i, d := range q.asked {
		f.all.add(d.task.Outcome)
		f.sources.newest = max(f.sources.newest, d.choice.Ref.Time)
		if i >= n {
			continue
		}
		f.sources.from(d.task)
		f.sources.add(&d.task.Steps[d.choice.Step])
		f.sources.refer(&d.task.Judge)
		count(q.option(strings.TrimSpace(d.choice.Chosen)), d.task.Outcome)
		for _, other := range d.choice.Others {
			if other = strings.TrimSpace(other); other != "" {
				q.option(other)
			}
		}
	}
	c := policy.Choice{Question: q.text}
	for _, o := range q.options {
		c.Options = append(c.Options, *o)
	}
	c.Sort()
	c.Options = c.Options[:min(len(c.Options), maxOptions)]
	content, err := c.Content()
	best := c.Best()
	f.consistency = share(int(best.Count), n)
	if best.Judged >= enoughJudged && 4*best.Succeeded < best.Judged {
		f.against = "most tasks failed in which it was decided so"
	}
	p := Policy{Key: "choice " + q.key, Title: q.text, Summary: "Decided for " + content.Recommendation + "; " + best.String(), Content: content, finding: f}
	return p, err
}
