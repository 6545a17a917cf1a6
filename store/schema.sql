-- The ledger, schema 1. The lists of states and reasons are those of package
-- intent; a test compares them. Times are milliseconds since 1970, UTC; NULL is
-- no time. No row is ever deleted; the texts of a ticket may be erased.

-- One row: what this file is. seq is the number of the last commit; the version
-- of an intent and the mark of a resource are values of it.
CREATE TABLE ledger (
	id          INTEGER PRIMARY KEY CHECK (id = 1),
	schema      INTEGER NOT NULL,
	key_version INTEGER NOT NULL,
	seq         INTEGER NOT NULL,
	created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE accounts (
	id   INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;

-- Words that occur again and again: processes that have claimed something, who
-- asked, tools, kinds of resources, how attempts ended.
CREATE TABLE names (
	id   INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;

-- open and blocks are what intent.Row says of itself; tool, owner and principal
-- are names. Times and flags that no statement asks for are in rest: see
-- rest.go. fingerprints is a sequence of pieces of 16 bytes, resources a list of
-- what the intent touches: see resources.go. The lists are not written with IN:
-- SQLite would make a table of them for every row that is written.
CREATE TABLE intents (
	id           INTEGER PRIMARY KEY,
	key          BLOB NOT NULL UNIQUE CHECK (length(key) = 32),
	version      INTEGER NOT NULL,
	open         INTEGER NOT NULL,
	blocks       INTEGER NOT NULL,
	state        TEXT NOT NULL CHECK (
		state = 'in_flight' OR state = 'performed' OR state = 'not_performed' OR state = 'unknown' OR
		state = 'awaiting_approval' OR state = 'ready' OR state = 'queued'),
	reason       TEXT NOT NULL CHECK (reason = '' OR
		reason = 'invalid_arguments' OR reason = 'unknown_id' OR reason = 'not_on_ticket' OR
		reason = 'exceeds_paid' OR reason = 'acknowledge_earlier' OR reason = 'blocked_by_open' OR
		reason = 'approval_required' OR reason = 'declined' OR reason = 'cap_reached' OR reason = 'paused' OR
		reason = 'authority_unreachable' OR reason = 'not_sent' OR reason = 'absent_after_lookup' OR
		reason = 'refused_by_authority' OR reason = 'repeat_not_allowed' OR reason = 'attempts_exhausted' OR
		reason = 'cancelled' OR reason = 'ledger_unavailable' OR reason = 'lookup_unavailable' OR
		reason = 'lookup_too_weak' OR reason = 'in_flight' OR reason = 'mismatch_at_authority' OR
		reason = 'queued_for_delivery' OR reason = 'internal_error'),
	tool         INTEGER,
	owner        INTEGER,
	principal    INTEGER,
	scope        TEXT NOT NULL,
	ticket       TEXT NOT NULL,
	cents        INTEGER NOT NULL,
	currency     TEXT NOT NULL,
	effect_id    TEXT NOT NULL,
	due_at       INTEGER,
	created_at   INTEGER,
	updated_at   INTEGER,
	repeats      INTEGER NOT NULL DEFAULT 0,
	rest         BLOB NOT NULL,
	resources    BLOB NOT NULL,
	fingerprints BLOB
) STRICT;

CREATE INDEX intents_blocking ON intents (scope) WHERE blocks = 1;
CREATE INDEX intents_due ON intents (due_at, state, owner) WHERE due_at IS NOT NULL OR state = 'in_flight';

-- Orders, sellers, buyers and tickets, once for each currency of the intents
-- that touch them. changed is the last commit to one of those; open and spent
-- are their sums, kept with every commit: see intent.Total. last is the newest
-- of those that began to touch it in this currency, which names the one before
-- it, and so on: see touching.go.
CREATE TABLE resources (
	kind     INTEGER NOT NULL,
	name     TEXT NOT NULL,
	currency TEXT NOT NULL,
	changed  INTEGER NOT NULL,
	open     INTEGER NOT NULL,
	spent    INTEGER NOT NULL,
	last     INTEGER NOT NULL,
	PRIMARY KEY (kind, name, currency)
) STRICT, WITHOUT ROWID;

-- What is kept of an intent so that it can be rebuilt.
CREATE TABLE acts (
	intent    INTEGER PRIMARY KEY REFERENCES intents (id),
	arguments TEXT NOT NULL,
	payload   BLOB,
	request   BLOB,
	figures   TEXT NOT NULL,
	policy    TEXT NOT NULL
) STRICT;

-- answer, settled and evidence are names as well; a provider_key of 32
-- hexadecimal digits is 16 bytes.
CREATE TABLE attempts (
	intent       INTEGER NOT NULL REFERENCES intents (id),
	n            INTEGER NOT NULL,
	step         INTEGER NOT NULL,
	ordinal      INTEGER NOT NULL,
	owner        INTEGER,
	principal    INTEGER,
	provider_key ANY NOT NULL,
	started_at   INTEGER,
	ended_at     INTEGER,
	answer       INTEGER,
	detail       TEXT NOT NULL,
	settled      INTEGER,
	evidence     INTEGER,
	effect_id    TEXT NOT NULL,
	PRIMARY KEY (intent, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE decisions (
	intent INTEGER NOT NULL REFERENCES intents (id),
	n      INTEGER NOT NULL,
	verb   TEXT NOT NULL,
	who    TEXT NOT NULL,
	note   TEXT NOT NULL,
	secret INTEGER NOT NULL,
	at     INTEGER,
	PRIMARY KEY (intent, n)
) STRICT, WITHOUT ROWID;

-- The outbox. due_at 0 is due at once.
CREATE TABLE escalations (
	id           INTEGER PRIMARY KEY,
	key          BLOB NOT NULL UNIQUE CHECK (length(key) = 32),
	subject      BLOB,
	cause        TEXT NOT NULL,
	ticket       TEXT NOT NULL,
	reason       TEXT NOT NULL,
	summary      TEXT NOT NULL,
	created_at   INTEGER,
	tries        INTEGER NOT NULL,
	ordinal      INTEGER NOT NULL,
	due_at       INTEGER NOT NULL,
	handoff_id   TEXT NOT NULL,
	delivered_at INTEGER,
	notified_at  INTEGER
) STRICT;

CREATE INDEX escalations_due ON escalations (due_at) WHERE delivered_at IS NULL;

CREATE TRIGGER intents_kept BEFORE DELETE ON intents
BEGIN SELECT raise(ABORT, 'an intent is never deleted'); END;
CREATE TRIGGER attempts_kept BEFORE DELETE ON attempts
BEGIN SELECT raise(ABORT, 'an attempt is never deleted'); END;
CREATE TRIGGER attempts_fixed BEFORE UPDATE ON attempts
BEGIN SELECT raise(ABORT, 'an attempt is never changed'); END;
CREATE TRIGGER decisions_kept BEFORE DELETE ON decisions
BEGIN SELECT raise(ABORT, 'a decision is never deleted'); END;
-- The texts of a ticket may be erased, and nothing else of what was decided or
-- told; not while the intent is open, or a person has not been told yet.
CREATE TRIGGER decisions_fixed BEFORE UPDATE ON decisions
WHEN new.note <> '' OR (new.intent, new.n, new.verb, new.who, new.secret, new.at)
	IS NOT (old.intent, old.n, old.verb, old.who, old.secret, old.at)
	OR (SELECT open FROM intents WHERE id = old.intent)
BEGIN SELECT raise(ABORT, 'a decision is never changed'); END;
CREATE TRIGGER escalations_kept BEFORE DELETE ON escalations
BEGIN SELECT raise(ABORT, 'an escalation is never deleted'); END;
CREATE TRIGGER escalations_fixed BEFORE UPDATE OF id, key, subject, cause, ticket, reason, summary, created_at ON escalations
WHEN new.summary <> '(erased)' OR (new.id, new.key, new.subject, new.cause, new.ticket, new.reason, new.created_at)
	IS NOT (old.id, old.key, old.subject, old.cause, old.ticket, old.reason, old.created_at)
	OR old.delivered_at IS NULL AND old.notified_at IS NULL
BEGIN SELECT raise(ABORT, 'what a person is told is never changed'); END;
