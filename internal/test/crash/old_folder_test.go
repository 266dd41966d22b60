package crash_test

import (
	"archive/zip"
	"database/sql"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/store"
)

// TestSigning_OldFolderOpens: the folder of a demo of before opens, and the signer says of each body that it executed
// what it said then, byte by byte: the journal's form, the form of what it signs and the keys are what they were.
func TestSigning_OldFolderOpens(t *testing.T) {
	t.Parallel()
	archive, err := zip.OpenReader("testdata/demo-folder.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	folder := t.TempDir()
	if err := os.CopyFS(folder, archive); err != nil {
		t.Fatal(err)
	}
	folder = filepath.Join(folder, "data")
	signer, proofs := openOld(t, filepath.Join(folder, "enclave")), provenRows(t, filepath.Join(folder, "railkit.db"))
	asked := 0
	for _, was := range proofs {
		var said wire.Statement
		if err := json.Unmarshal([]byte(was.Payload), &said); err != nil {
			t.Fatal(err)
		}
		if said.Kind != wire.KindResult || said.Fingerprint == "" {
			continue
		}
		out, err := signer.Outcome(wire.FingerprintRequest{Fingerprint: said.Fingerprint})
		if err != nil {
			t.Fatalf("%s: %v", said.Activity, err)
		}
		if *out.Proof != was {
			t.Errorf("%s: the signer says today\n%s\nand said\n%s", said.Activity, out.Proof.Payload, was.Payload)
		}
		asked++
	}
	if asked < 20 {
		t.Errorf("of %d proofs only %d were of bodies", len(proofs), asked)
	}
}

func openOld(t *testing.T, folder string) *enclave.Service {
	t.Helper()
	secret, err := os.ReadFile(filepath.Join(folder, "unseal.key"))
	if err != nil {
		t.Fatal(err)
	}
	sealer, err := keystore.ParseSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	s, err := enclave.Open(enclave.Options{Dir: folder, Sealer: sealer, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// provenRows brings an old database up to date, and gives the proofs of its rows.
func provenRows(t *testing.T, path string) (all []wire.Proof) {
	t.Helper()
	jobs, err := queue.SQLite()
	if err != nil {
		t.Fatal(err)
	}
	today, err := store.OpenSQLite(t.Context(), path, jobs, clock.System{})
	if err != nil {
		t.Fatal(err)
	}
	if err := today.Close(); err != nil {
		t.Fatal(err)
	}
	rows, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for _, table := range []string{"sub_organizations", "wallets", "addresses", "transactions", "policies"} {
		all = append(all, proofsOf(t, rows, table)...)
	}
	return all
}

func proofsOf(t *testing.T, from *sql.DB, table string) (all []wire.Proof) {
	t.Helper()
	rows, err := from.QueryContext(t.Context(), "SELECT proof FROM "+table+" WHERE proof IS NOT NULL")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		var p wire.Proof
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		if text == "" || text == "null" { // not signed yet
			continue
		}
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatalf("%s: %v in %s", table, err, text)
		}
		all = append(all, p)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
