package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Options say how one process serves the marketplace. All but Now may be left
// out.
type Options struct {
	// Now is the clock.
	Now func() time.Time

	// Declare overrides what the capabilities declare, for this process only,
	// for example {"refunds.dedupe": "none"}. See [ParseDeclarations].
	Declare map[string]string

	// NewID makes the id of an effect from its prefix ("re_", "msg_", "BK-",
	// "RP-", "esc_"); random when nil. Ids must be unique in the file.
	NewID func(prefix string) string

	// Log receives faults of the sandbox's own, such as a full disk. They are
	// discarded when it is nil.
	Log *slog.Logger
}

// Sandbox is one process's door to a marketplace. It is an [http.Handler] and
// safe for concurrent use.
type Sandbox struct {
	clock    func() time.Time
	newID    func(prefix string) string
	log      *slog.Logger
	declared map[string]capability
	routes   map[string]route

	readers *sql.DB
	writer  *sql.DB

	// turn keeps this process's writers in a queue, and queue those of all
	// processes: SQLite's own busy handler polls, and starves one of them.
	turn  sync.Mutex
	queue *flock.Flock

	held held
}

// Open opens the marketplace at path, creating, migrating and seeding the file
// where that is needed. Any number of processes may open a new file at once.
// The lock file path+".lock" stays beside it.
func Open(ctx context.Context, path string, opts Options) (*Sandbox, error) {
	if opts.Now == nil {
		return nil, fmt.Errorf("open sandbox %s: there is no clock", path)
	}
	declared, err := declarations(opts.Declare)
	if err != nil {
		return nil, fmt.Errorf("open sandbox %s: %w", path, err)
	}
	s := &Sandbox{
		clock:    opts.Now,
		newID:    opts.NewID,
		log:      opts.Log,
		declared: declared,
		queue:    lockFile(path),
	}
	s.held.init()
	if s.newID == nil {
		s.newID = randomID
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.routes = s.table()
	if err := s.open(ctx, path); err != nil {
		return nil, fmt.Errorf("open sandbox %s: %w", path, errors.Join(err, s.Close()))
	}
	return s, nil
}

func (s *Sandbox) open(ctx context.Context, path string) error {
	if err := s.connect(path); err != nil {
		return err
	}
	return s.exclusive(func() error {
		if err := migrate(ctx, s.writer); err != nil {
			return err
		}
		return transact(ctx, s.writer, func(tx *sql.Tx) error { return seedIfEmpty(ctx, tx) })
	})
}

// Close ends the handlers that are held open by a fault and closes the file.
func (s *Sandbox) Close() error {
	s.held.end()
	var errs []error
	for _, db := range []*sql.DB{s.readers, s.writer} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// Handler returns the HTTP API. It is the sandbox itself.
func (s *Sandbox) Handler() http.Handler { return s }

// Account returns the name of this instance of the marketplace: "sandbox-" and
// 12 lowercase hexadecimal digits, another one after every reset.
func (s *Sandbox) Account(ctx context.Context) (string, error) {
	var account string
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		account, err = accountOf(ctx, tx)
		return err
	})
	return account, err
}

// Reset restores the seed, clears the faults, forgets every idempotency key
// and begins a new instance, under another account.
func (s *Sandbox) Reset(ctx context.Context) error {
	return s.update(ctx, func(tx *sql.Tx) error { return reseed(ctx, tx) })
}

// now is the present in nanoseconds since 1970, the unit of every stored time.
func (s *Sandbox) now() int64 { return s.clock().UnixNano() }
