// Package store keeps the ledger in one SQLite file that any number of
// processes of one machine may share.
//
// Beside the file itself lie PATH-wal and PATH-shm, which are SQLite's, and,
// which are ours: PATH.lock, the queue of the writers; PATH.owners, one locked
// file per living process; and, after trouble, PATH.spill with PATH.spill.lock
// and PATH.spill.bad.
//
// Nothing but SQLite may ever open the first three while a process uses them,
// not even to read: closing a file drops locks that SQLite holds on it, and two
// processes could then both win one key. A copy of the file alone lacks what
// is in the -wal; use Backup.
package store
