// Package server stands between the wire and a tool: it reads what a client
// sends, refuses what is malformed, hands the rest to the MCP library, and
// sees to it that a process leaves without abandoning what it has begun.
//
// It knows nothing of what any one tool does.
package server
