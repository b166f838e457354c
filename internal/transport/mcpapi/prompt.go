package mcpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
	"lukasa.dev/internal/quote"
)

// addPrompts offers what a user may want to begin with.
func (s *connection) addPrompts(srv *mcp.Server) {
	srv.AddPrompt(&mcp.Prompt{
		Name:        "start_task",
		Description: "Begin a task with what is known about it.",
		Arguments: []*mcp.PromptArgument{
			{Name: "verb", Description: "What is to be done, such as modify or build.", Required: true},
			{Name: "object", Description: "With what, as kind=ref, such as file=main.go."},
		},
	}, s.prompt(s.startTask))
	srv.AddPrompt(&mcp.Prompt{
		Name:        "recall_about",
		Description: "Tell what is known about a topic.",
		Arguments: []*mcp.PromptArgument{
			{Name: "topic", Description: "What it is about.", Required: true},
		},
	}, s.prompt(s.recallAbout))
	srv.AddPrompt(&mcp.Prompt{
		Name:        "review_memory",
		Description: "Check whether a memory still holds.",
		Arguments: []*mcp.PromptArgument{
			{Name: "key", Description: "The key of the memory.", Required: true},
		},
	}, s.prompt(s.reviewMemory))
}

// prompt makes a function that returns the text of a prompt into a handler.
func (s *connection) prompt(make func(ctx context.Context, args map[string]string) (string, error)) mcp.PromptHandler {
	return func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		text, err := make(ctx, req.Params.Arguments)
		if err != nil {
			return nil, refusal(err)
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{
			Role: "user", Content: &mcp.TextContent{Text: strings.ToValidUTF8(text, "\uFFFD")},
		}}}, nil
	}
}

// startTask quotes the bundle for a task.
func (s *connection) startTask(ctx context.Context, args map[string]string) (string, error) {
	ask := map[string]any{"verb": args["verb"]}
	task := args["verb"]
	if object := args["object"]; object != "" {
		kind, ref, ok := strings.Cut(object, "=")
		if !ok || kind == "" || ref == "" {
			return "", fault.Newf(fault.InvalidArgument, "object: %q is not kind=ref", brief([]byte(object))).
				WithFix("write it as kind=ref, such as file=main.go")
		}
		ask["objects"] = map[string]any{kind: ref}
		task += " " + object
	}
	out, err := s.ask(ctx, "context", ask)
	if errors.Is(err, errUntouched) {
		out, err = json.RawMessage("{}"), nil
	}
	if err != nil {
		return "", err
	}
	var bundle struct {
		Pinned        []entry `json:"pinned"`
		FrameRelevant []entry `json:"frame_relevant"`
		Outcomes      []entry `json:"outcomes"`
	}
	if err := json.Unmarshal(out, &bundle); err != nil {
		return "", fault.Wrap(fault.Internal, err)
	}
	var b strings.Builder
	for _, tier := range [...]struct {
		name    string
		entries []entry
	}{
		{"Who I am, what I must not do, what I am to reach", bundle.Pinned},
		{"What matters for this", bundle.FrameRelevant},
		{"How it went before, newest first", bundle.Outcomes},
	} {
		if len(tier.entries) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s:\n", tier.name)
		for _, e := range tier.entries {
			fmt.Fprintf(&b, "- (%s, %s) %s\n", e.Type, e.Trust, indented(e.Text))
		}
	}
	if b.Len() == 0 {
		b.WriteString("nothing\n")
	}
	return "I begin this task: " + indented(quote.Visible(task)) + "\n\nWhat is known for it. " + evidence + "\n\n" +
		fence("text", quote.Visible(b.String())) + "\nSay in a few lines what of it matters here, then do the task.\n", nil
}

// entry is a line of a bundle.
type entry struct {
	Type  string `json:"type"`
	Trust string `json:"trust"`
	Text  string `json:"text"`
}

// indented prevents further lines of a text from looking like lines of ours.
func indented(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") }

// recallAbout gives the pack for a topic.
func (s *connection) recallAbout(ctx context.Context, args map[string]string) (string, error) {
	op := s.table.lookup("pack_context")
	if op == nil {
		return "", fault.New(fault.UnknownRoute, "there is no operation pack_context")
	}
	out, err := s.askFor(ctx, op, op.Tool.Run, map[string]any{"topic": args["topic"]})
	if errors.Is(err, errUntouched) {
		out, err = &operation.Text{Body: "Nothing is remembered yet.\n"}, nil
	}
	if err != nil {
		return "", err
	}
	text, ok := out.(*operation.Text)
	if !ok {
		return "", fault.Newf(fault.Internal, "pack_context answered %T", out)
	}
	return "Tell me what is known about " + indented(quote.Visible(args["topic"])) + ". Use what follows, and say what it does not answer. " +
		evidence + "\n\n" + fence("markdown", text.Body), nil
}

// reviewMemory quotes a memory with its history.
func (s *connection) reviewMemory(ctx context.Context, args map[string]string) (string, error) {
	now, err := s.ask(ctx, "recall", map[string]any{"key": args["key"]})
	if err != nil {
		return "", err
	}
	was, err := s.ask(ctx, "memory_history", map[string]any{"name": args["key"]})
	if err != nil {
		return "", err
	}
	return "Check whether this memory still holds. If it does not, correct it with remember, or with forget if nothing should stand in its place. " +
		evidence + "\n\nAs it is now:\n\n" + fence("json", quote.Visible(string(now))) +
		"\nHow it came about:\n\n" + fence("json", quote.Visible(string(was))), nil
}
