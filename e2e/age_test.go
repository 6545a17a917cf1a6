//go:build unix

package e2e_test

import (
	"database/sql"
	"fmt"
	"net/url"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// age makes everything in the ledger older, as if so much time had passed since
// it was written. No process may be using it.
func age(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: age DURATION")
	}
	by, err := time.ParseDuration(args[0])
	ts.Check(err)
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: ledgerFile(ts)}).String())
	ts.Check(err)
	defer db.Close()
	aged := 0
	for _, column := range timesOf(ts, db) {
		_, err := db.Exec(fmt.Sprintf("UPDATE intents SET %s = %[1]s - ?", column), by.Milliseconds())
		ts.Check(err)
		aged++
	}
	if aged == 0 {
		ts.Fatalf("the ledger's intents have no times")
	}
	ts.Check(db.Close())
}

// timesOf are the columns of the intents that say when something was or is to be.
func timesOf(ts *testscript.TestScript, db *sql.DB) (columns []string) {
	rows, err := db.Query(`SELECT name FROM pragma_table_info('intents')
		WHERE name LIKE '%\_at' ESCAPE '\' OR name LIKE '%\_until' ESCAPE '\' OR name = 'send_by'`)
	ts.Check(err)
	defer rows.Close()
	for rows.Next() {
		var name string
		ts.Check(rows.Scan(&name))
		columns = append(columns, name)
	}
	ts.Check(rows.Err())
	return columns
}
