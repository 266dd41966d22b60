// Package bench measures whole flows of the real programs, each beside its
// floor: see docs/performance.md. make bench runs it.
package bench

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"github.com/railkit/railkit/internal/child"
	"github.com/railkit/railkit/internal/test/bench/floor"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
	"github.com/railkit/railkit/store/sqlite"
)

// The two processes of the floor are this very program, told so by these.
const (
	roleEnv     = "RAILKIT_BENCH_ROLE"
	ownerEnv    = "RAILKIT_BENCH_OWNER"    // the passkey's public key, hex
	folderEnv   = "RAILKIT_BENCH_FOLDER"   // of the floor's own files
	databaseEnv = "RAILKIT_BENCH_DATABASE" // the platform's: a URL, or the folder of the embedded one
	nodeEnv     = "RAILKIT_BENCH_NODE"     // URL of the platform's node
)

const mostCallers = 32

func TestMain(m *testing.M) {
	roles := map[string]func(context.Context) error{
		"server": serveFloor, "signer": signFloor, "profiled": serveProfiled, "enclave": serveEnclaveProfiled,
	}
	role, ok := roles[os.Getenv(roleEnv)]
	if !ok {
		os.Exit(m.Run())
	}
	ctx, stop := child.WatchParent(context.Background())
	defer stop()
	if err := role(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func owner() (*ecdsa.PublicKey, error) {
	raw, err := hex.DecodeString(os.Getenv(ownerEnv))
	if err != nil {
		return nil, err
	}
	return ecdsa.ParseUncompressedPublicKey(elliptic.P256(), raw)
}

func floorSocket() string { return filepath.Join(os.Getenv(folderEnv), "s") }

func signFloor(ctx context.Context) error {
	public, err := owner()
	if err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(os.Getenv(folderEnv), "signed"))
	if err != nil {
		return err
	}
	l, err := net.Listen("unix", floorSocket())
	if err != nil {
		return err
	}
	return errors.Join(child.Ready(struct{}{}), floor.Sign(ctx, l, public, file))
}

func serveFloor(ctx context.Context) error {
	public, err := owner()
	if err != nil {
		return err
	}
	read, write, err := floorDatabase(ctx, os.Getenv(databaseEnv), filepath.Join(os.Getenv(folderEnv), "floor.db"))
	if err != nil {
		return err
	}
	if _, err := write.ExecContext(ctx,
		"CREATE TABLE floor (id TEXT NOT NULL PRIMARY KEY, result TEXT NOT NULL)"); err != nil {
		return err
	}
	insert, err := write.PrepareContext(ctx, "INSERT INTO floor (id, result) VALUES ($1, $2)")
	if err != nil {
		return err
	}
	signer, err := floor.Dial(floorSocket(), mostCallers)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	commits, err := floor.OpenCommits(ctx, write)
	if err != nil {
		return err
	}
	node, err := gethrpc.DialOptions(ctx, os.Getenv(nodeEnv), gethrpc.WithHTTPClient(caller))
	if err != nil {
		return err
	}
	server := &floor.Server{
		Read: floorQueries(read), Insert: insert, Commit: commits, Owner: public, Signer: signer, Node: node,
	}
	return errors.Join(child.Ready(map[string]string{"addr": l.Addr().String()}), server.Serve(ctx, l))
}

// floorQueries are run as the platform runs them: pgx keeps what it prepared, and
// SQLite has it kept.
func floorQueries(read *sql.DB) *db.Queries {
	if filepath.IsAbs(os.Getenv(databaseEnv)) {
		return db.New(sqlite.Keep(read))
	}
	return db.New(read)
}

// floorDatabase opens the platform's database to read, and one with the same
// settings of durability to write: SQLite has one writer, so there it is another
// file.
func floorDatabase(ctx context.Context, at, file string) (read, write *sql.DB, err error) {
	if !filepath.IsAbs(at) {
		server, err := postgres.Open(ctx, at)
		if err != nil {
			return nil, nil, err
		}
		return server.Pool, server.Pool, nil
	}
	platform, err := sqlite.Open(ctx, filepath.Join(at, "railkit.db"))
	if err != nil {
		return nil, nil, err
	}
	own, err := sqlite.Open(ctx, file)
	if err != nil {
		return nil, nil, err
	}
	return platform.Reader, own.Writer, nil
}
