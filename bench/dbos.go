package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	_ "github.com/dbos-inc/dbos-transact-golang/dbos/driver/sqlite" // DBOS's own
)

// durable is DBOS Transact: a workflow of one step, whose id is the key. A call
// under an id that has been run gets the recorded result.
type durable struct {
	ctx dbos.Context
	run string  // in every id: a Postgres may have been used before
	db  *sql.DB // nil on Postgres
}

// openDBOSOnSQLite sets what DBOS sets by itself, but for synchronous, which is
// NORMAL there: a commit could then be lost with the power.
func openDBOSOnSQLite(ctx context.Context, o options, dir string) (contender, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "dbos.db")+
		"?_txlock=immediate&_pragma=busy_timeout(60000)&_pragma=journal_mode(wal)&_pragma=foreign_keys(on)&_pragma=synchronous(full)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(8)
	d, err := launch(ctx, o, dbos.Config{SQLiteSystemDB: db})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	d.db = db
	return d, nil
}

func openDBOSOnPostgres(ctx context.Context, o options, _ string) (contender, error) {
	return launch(ctx, o, dbos.Config{DatabaseURL: o.postgres})
}

func launch(ctx context.Context, o options, c dbos.Config) (*durable, error) {
	c.AppName = "bench"
	c.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	d, err := dbos.NewContext(ctx, c)
	if err != nil {
		return nil, err
	}
	dbos.RegisterWorkflow(d, refundWorkflow)
	if err := dbos.Launch(d); err != nil {
		return nil, err
	}
	return &durable{ctx: d, run: o.run}, nil
}

func refundWorkflow(ctx dbos.Context, n int64) (string, error) {
	return dbos.RunAsStep(ctx, func(context.Context) (string, error) { return fmt.Sprintf("re_%d", n), nil })
}

func (d *durable) once(_ context.Context, n int64) error {
	handle, err := dbos.RunWorkflow(d.ctx, refundWorkflow, n, dbos.WithWorkflowID(fmt.Sprintf("refund-%s-%d", d.run, n)))
	if err != nil {
		return err
	}
	_, err = handle.GetResult()
	return err
}

func (d *durable) close() error {
	dbos.Shutdown(d.ctx, 5*time.Second)
	if d.db == nil {
		return nil
	}
	return d.db.Close()
}
