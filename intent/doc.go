// Package intent is the at-most-once engine: it turns the facts of a business
// act into a key, keeps every attempt in a ledger, sends once, looks up what it
// cannot be sure of, and answers with one of four outcomes.
//
// The package knows no SQL, no HTTP, no MCP and no tool. What it needs from
// outside it reaches through the interfaces that it owns: Ledger, Operation,
// Step and Desk.
package intent
