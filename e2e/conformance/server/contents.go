package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// wav is a sound of no samples: 8 kHz, one channel of 8 bits.
const wav = "RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x00\x00\x00\x00"

// schema2020 has the keywords of JSON Schema 2020-12 that have to reach a
// client as they are.
const schema2020 = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`

// mountContents adds the tools that answer with each kind of content.
func mountContents(s *mcpserver.MCPServer) {
	for name, contents := range map[string][]mcp.Content{
		"test_simple_text":       {mcp.NewTextContent("This is a simple text response for testing.")},
		"test_image_content":     {dot()},
		"test_audio_content":     {mcp.NewAudioContent(base64.StdEncoding.EncodeToString([]byte(wav)), "audio/wav")},
		"test_embedded_resource": {embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")},
		"test_multiple_content_types": {
			mcp.NewTextContent("Multiple content types test:"), dot(),
			embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`),
		},
	} {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription("Gives what its name says.")), gives(&mcp.CallToolResult{Content: contents}))
	}
	s.AddTool(mcp.NewTool("test_error_handling", mcp.WithDescription("Gives an error.")),
		gives(mcp.NewToolResultError("This tool intentionally returns an error for testing")))
	s.AddTool(mcp.NewToolWithRawSchema("json_schema_2020_12_tool", "Takes what its schema says.", json.RawMessage(schema2020)),
		gives(mcp.NewToolResultText("taken")))
}

// dot is a picture of one pixel.
func dot() mcp.ImageContent { return mcp.NewImageContent(dotPNG(), "image/png") }

func dotPNG() string {
	var picture bytes.Buffer
	_ = png.Encode(&picture, image.NewGray(image.Rect(0, 0, 1, 1))) // a buffer takes it all
	return base64.StdEncoding.EncodeToString(picture.Bytes())
}

func embedded(uri, kind, text string) mcp.EmbeddedResource {
	return mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: uri, MIMEType: kind, Text: text})
}
