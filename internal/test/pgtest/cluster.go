package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/railkit/railkit/internal/test/testwait"
)

const superuser = "railkit"

// The server is reached through its socket alone.
var settings = []string{
	"listen_addresses=", "max_connections=200", "shared_buffers=64MB",
	"logging_collector=off", "log_min_messages=warning", "max_wal_senders=0", "wal_level=minimal",
}

// hasty trades what only a crash of the machine could harm for speed.
var hasty = []string{"fsync=off", "full_page_writes=off", "autovacuum=off"}

// quick is the folder for what needs no disk: memory, where the machine has the
// room. A database is a thousand small files, made and removed with each test,
// which costs a disk's file system five times as much.
func quick() string {
	const memory, room = "/dev/shm", 4 << 30
	var free syscall.Statfs_t
	if err := syscall.Statfs(memory, &free); err != nil || free.Bavail*uint64(free.Bsize) < room {
		return os.TempDir()
	}
	return memory
}

// server is a running cluster.
type server struct {
	folder   string         // of its socket
	copying  string         // the end of CREATE DATABASE
	pid      int            // of the process that all its others descend from
	lifeline io.WriteCloser // open for as long as this is in memory
	admin    *sql.DB        // makes and drops databases
}

// start makes the cluster below the root and starts it. The folder's path is
// short, since that of a socket is cut at 108 bytes.
func start(root string, more ...string) (*server, error) {
	programs, err := find()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(root, "rkpg")
	if err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	who, err := unprivileged(folder)
	if err == nil {
		err = initialize(programs, folder, who)
	}
	s := &server{folder: folder}
	if err == nil {
		err = s.run(programs, who, slices.Concat(settings, more))
	}
	if err == nil {
		s.admin, err = sql.Open("pgx", address(folder, "postgres"))
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	if ask(context.Background(), folder, "CREATE DATABASE template_files"+asFiles) == nil {
		s.copying = asFiles
	}
	return s, nil
}

// asFiles has a database's files copied as they are, before PostgreSQL 15 the only way and not to be asked for. Newer
// ones copy through their log by default, which takes twice as long.
const asFiles = " STRATEGY FILE_COPY"

// unprivileged is another user where this one is root, whom PostgreSQL refuses,
// and gives the folder to that user.
func unprivileged(folder string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("finding a user for the server: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("finding a user for the server: %w", err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("finding a user for the server: %w", err)
	}
	if err := os.Chown(folder, int(uid), int(gid)); err != nil {
		return nil, fmt.Errorf("giving the folder away: %w", err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// watchdog runs the server and ends it, and its folder, once its own input ends:
// this process holds the other end of that pipe and writes nothing, so it ends
// when this process does. Pdeathsig would follow a thread, which Go ends early.
const watchdog = `"$@" </dev/null & server=$!
read -r _
kill -QUIT $server
wait $server
rm -rf "$FOLDER"`

func (s *server) run(programs string, who *syscall.Credential, settings []string) error {
	args := []string{"-c", watchdog, "sh", filepath.Join(programs, "postgres"), "-D",
		filepath.Join(s.folder, "data"), "-k", s.folder}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	cmd := command(s.folder, who, "/bin/sh", args...)
	cmd.Env = append(cmd.Env, "FOLDER="+s.folder)
	log, err := os.Create(filepath.Join(s.folder, "log")) // and no pipe: nobody has to read it
	if err != nil {
		return fmt.Errorf("making the server's log: %w", err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if s.lifeline, err = cmd.StdinPipe(); err != nil {
		return fmt.Errorf("making the lifeline: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return errors.Join(fmt.Errorf("starting the server: %w", err), s.lifeline.Close())
	}
	if err := await(s.folder); err != nil {
		said, _ := os.ReadFile(log.Name())
		return errors.Join(fmt.Errorf("%w: %s", err, said), s.lifeline.Close(), cmd.Wait())
	}
	s.pid = cmd.Process.Pid
	return nil
}

// command runs in a process group of its own, so that a Ctrl-C reaches the test
// and, through the lifeline, the server after it.
func command(folder string, who *syscall.Credential, path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Dir = folder // the tests' folder may be closed to the other user
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: who}
	return cmd
}

// await waits until the server answers.
func await(folder string) error {
	ctx, cancel := context.WithTimeout(context.Background(), testwait.Bound)
	defer cancel()
	for {
		err := ask(ctx, folder, "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server does not answer: %w", err)
		case <-time.After(20 * time.Millisecond): // between two looks
		}
	}
}
