package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// mountResources adds resources, which counterfoil has none of.
func mountResources(s *mcpserver.MCPServer) {
	const text, binary = "test://static-text", "test://static-binary"
	s.AddResource(mcp.NewResource(text, "text", mcp.WithResourceDescription("Some text."), mcp.WithMIMEType("text/plain")),
		holds(mcp.TextResourceContents{URI: text, MIMEType: "text/plain", Text: "This is the content of the static text resource."}))
	s.AddResource(mcp.NewResource(binary, "binary", mcp.WithResourceDescription("A picture."), mcp.WithMIMEType("image/png")),
		holds(mcp.BlobResourceContents{URI: binary, MIMEType: "image/png", Blob: dotPNG()}))
	template := mcp.NewResourceTemplate("test://template/{id}/data", "template",
		mcp.WithTemplateDescription("Data by its id."), mcp.WithTemplateMIMEType("application/json"))
	s.AddResourceTemplate(template, func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
		data, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
		if err != nil {
			return nil, err
		}
		return holds(mcp.TextResourceContents{URI: req.Params.URI, MIMEType: "application/json", Text: string(data)})(ctx, req)
	})
}

func holds(contents mcp.ResourceContents) mcpserver.ResourceHandlerFunc {
	return func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{contents}, nil
	}
}
