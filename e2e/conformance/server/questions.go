package main

import (
	"context"
	"maps"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// questions are what a tool asks its client before it answers, by their ids:
// since 2026-07-28 a result says what is needed, and the client sends the same
// call once more with the answers. No tool of counterfoil's asks anything; what
// is shown here is that its server leaves such a call as it is.
type questions = mcp.InputRequests

// mountQuestions adds the tools that ask.
func mountQuestions(s *mcpserver.MCPServer) {
	name := form("What is your name?", "name", "string")
	confirm := form("Please confirm", "ok", "boolean")
	for tool, rounds := range map[string][]questions{
		"test_input_required_result_elicitation": {{"user_name": name}},
		"test_streaming_elicitation":             {{"user_name": name}},
		"test_input_required_result_sampling":    {{"capital_question": completion("What is the capital of France?")}},
		"test_input_required_result_list_roots":  {{"client_roots": mcp.NewRootsInputRequest()}},
	} {
		mountAsking(s, tool, asking{rounds: rounds})
	}
	for tool, rounds := range map[string][]questions{
		"test_input_required_result_request_state":  {{"confirm": confirm}},
		"test_input_required_result_tampered_state": {{"confirm": confirm}},
		"test_input_required_result_multiple_inputs": {{
			"user_name": name, "greeting": completion("Generate a greeting"), "client_roots": mcp.NewRootsInputRequest(),
		}},
		"test_input_required_result_multi_round": {
			{"step1": form("Step 1: What is your name?", "name", "string")},
			{"step2": form("Step 2: What is your favorite color?", "color", "string")},
		},
	} {
		mountAsking(s, tool, asking{rounds: rounds, seal: newSeal(tool)})
	}
	s.AddTool(mcp.NewTool("test_input_required_result_capabilities", mcp.WithDescription("Asks what its client can answer.")), asksWhatIsOffered)
}

func mountAsking(s *mcpserver.MCPServer, tool string, a asking) {
	s.AddTool(mcp.NewTool(tool, mcp.WithDescription("Asks its client before it answers.")),
		func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			asked, state, err := a.next(req.Params.MultiRoundTripParams)
			switch {
			case err != nil:
				return nil, err
			case asked != nil:
				return toolAsks(asked, state), nil
			}
			return mcp.NewToolResultText("answered, state-ok"), nil
		})
}

// asksWhatIsOffered asks no more than the client says that it can answer.
func asksWhatIsOffered(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	asked := questions{}
	if info := mcpserver.RequestProtocolInfoFromContext(ctx); info != nil && info.ClientCapabilities != nil {
		if info.ClientCapabilities.Sampling != nil {
			asked["greeting"] = completion("Generate a greeting")
		}
		if info.ClientCapabilities.Elicitation != nil {
			asked["user_name"] = form("What is your name?", "name", "string")
		}
	}
	if len(asked) == 0 {
		return mcp.NewToolResultText("there is nobody to ask"), nil
	}
	return toolAsks(asked, ""), nil
}

func toolAsks(asked questions, state string) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		Result:               mcp.Result{ResultType: mcp.ResultTypeInputRequired},
		MultiRoundTripResult: mcp.MultiRoundTripResult{InputRequests: asked, RequestState: state},
	}
}

// asking is a tool's rounds of questions. Without a seal there is one round and
// no state.
type asking struct {
	rounds []questions
	seal   *seal
}

// next returns what to ask now, with the state that comes back with the
// answers, or nil once all is answered.
func (a asking) next(sent mcp.MultiRoundTripParams) (asked questions, state string, err error) {
	round, begun := 0, a.seal == nil
	if a.seal != nil && sent.RequestState != "" {
		if round, err = a.seal.open(sent.RequestState); err != nil {
			return nil, "", err
		}
		begun = true
	}
	if begun && answered(a.rounds[round], sent.InputResponses) {
		round++
	}
	if round == len(a.rounds) {
		return nil, "", nil
	}
	if a.seal != nil {
		state = a.seal.close(round)
	}
	return a.rounds[round], state, nil
}

// answered tells whether every question has an answer of its kind.
func answered(asked questions, given mcp.InputResponses) bool {
	given = maps.Clone(given)
	if given.DecodeFor(asked) != nil {
		return false
	}
	for id := range asked {
		if a := given[id]; a.Elicitation == nil && a.Sampling == nil && a.Roots == nil {
			return false
		}
	}
	return true
}

// form asks a person for one field.
func form(message, field, kind string) mcp.InputRequest {
	return mcp.NewElicitationInputRequest(mcp.ElicitationParams{Message: message, RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{field: map[string]any{"type": kind}}, "required": []string{field},
	}})
}

// completion asks the client's model.
func completion(prompt string) mcp.InputRequest {
	return mcp.NewSamplingInputRequest(mcp.CreateMessageParams{
		Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(prompt)}},
		MaxTokens: 100,
	})
}
