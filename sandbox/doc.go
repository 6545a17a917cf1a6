// Package sandbox is a small marketplace behind a real HTTP API: tickets,
// buyers, orders, sellers with balances, support procedures, a payment
// provider, a courier, a message desk, replacements and an escalation desk.
//
// Its whole state, its faults and their delays live in one SQLite file that
// several processes may serve at once; every one of them shows the same
// marketplace. Nothing runs in the background: what lands, settles or becomes
// visible later is decided from stored times whenever it is read.
//
// It can be told to misbehave, operation by operation, in the ways in which
// real providers do. See [Sandbox.AddFault].
//
// Amounts are integers in minor units (cents; yen for JPY). Times are UTC.
package sandbox
