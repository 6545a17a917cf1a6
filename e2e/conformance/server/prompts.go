package main

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// mountPrompts adds prompts, which counterfoil has none of, and with them the
// completion of their arguments.
func mountPrompts(s *mcpserver.MCPServer) {
	mcpserver.WithCompletions()(s)
	prompt(s, "test_simple_prompt", func(map[string]string) []mcp.Content {
		return []mcp.Content{mcp.NewTextContent("This is a simple prompt for testing.")}
	})
	prompt(s, "test_prompt_with_arguments", func(given map[string]string) []mcp.Content {
		return []mcp.Content{mcp.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", given["arg1"], given["arg2"]))}
	}, "arg1", "arg2")
	prompt(s, "test_prompt_with_embedded_resource", func(given map[string]string) []mcp.Content {
		return []mcp.Content{
			embedded(given["resourceUri"], "text/plain", "Embedded resource content for testing."),
			mcp.NewTextContent("Please process the embedded resource above."),
		}
	}, "resourceUri")
	prompt(s, "test_prompt_with_image", func(map[string]string) []mcp.Content {
		return []mcp.Content{dot(), mcp.NewTextContent("Please analyze the image above.")}
	})
	asks := asking{rounds: []questions{{"user_context": form("What context should the prompt use?", "context", "string")}}}
	s.AddPrompt(mcp.NewPrompt("test_input_required_result_prompt", mcp.WithPromptDescription("Asks its client first.")),
		func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			asked, _, err := asks.next(req.Params.MultiRoundTripParams)
			if err != nil || asked == nil {
				return messages(mcp.NewTextContent("answered")), err
			}
			return &mcp.GetPromptResult{
				Result:               mcp.Result{ResultType: mcp.ResultTypeInputRequired},
				MultiRoundTripResult: mcp.MultiRoundTripResult{InputRequests: asked},
			}, nil
		})
}

func prompt(s *mcpserver.MCPServer, name string, say func(given map[string]string) []mcp.Content, arguments ...string) {
	options := []mcp.PromptOption{mcp.WithPromptDescription("Says what its name says.")}
	for _, argument := range arguments {
		options = append(options, mcp.WithArgument(argument, mcp.ArgumentDescription("Goes into the prompt."), mcp.RequiredArgument()))
	}
	s.AddPrompt(mcp.NewPrompt(name, options...), func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return messages(say(req.Params.Arguments)...), nil
	})
}

func messages(contents ...mcp.Content) *mcp.GetPromptResult {
	said := &mcp.GetPromptResult{}
	for _, content := range contents {
		said.Messages = append(said.Messages, mcp.NewPromptMessage(mcp.RoleUser, content))
	}
	return said
}
