// Package ledgertest holds a model of the ledger in memory, and the contract
// that every ledger must pass.
package ledgertest
