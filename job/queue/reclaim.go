package queue

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
)

// reclaimSQLite frees the jobs that a killed process had taken, and the place
// of the leader, which River would leave alone for a while. Should a second
// process work on the same file after all, some jobs run twice, which is harmless.
func reclaimSQLite(ctx context.Context, writer *sql.DB) error {
	for _, statement := range []string{
		"UPDATE river_job SET state = 'available' WHERE state = 'running'",
		"DELETE FROM river_leader",
	} {
		if _, err := writer.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("reclaiming the jobs of a stopped process: %w", err)
		}
	}
	return nil
}

// reclaimPostgres frees what processes of this machine held that are gone: a
// server that was killed goes on where it was as soon as it is started again.
// What a server of another machine held waits for River's own rescue.
func reclaimPostgres(ctx context.Context, writer *sql.DB) error {
	holders, err := holders(ctx, writer)
	if err != nil {
		return err
	}
	for _, holder := range holders {
		if !gone(holder) {
			continue
		}
		for _, statement := range []string{
			"UPDATE river_job SET state = 'available' WHERE state = 'running' AND " +
				"attempted_by[array_upper(attempted_by, 1)] = $1",
			"DELETE FROM river_leader WHERE leader_id = $1",
		} {
			if _, err := writer.ExecContext(ctx, statement, holder); err != nil {
				return fmt.Errorf("reclaiming the jobs of a dead process: %w", err)
			}
		}
	}
	return nil
}

func holders(ctx context.Context, writer *sql.DB) (names []string, err error) {
	rows, err := writer.QueryContext(ctx, `SELECT DISTINCT attempted_by[array_upper(attempted_by, 1)] FROM river_job
		WHERE state = 'running' AND attempted_by IS NOT NULL UNION SELECT leader_id FROM river_leader`)
	if err != nil {
		return nil, fmt.Errorf("finding who holds jobs: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, fmt.Errorf("finding who holds jobs: %w", err)
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// runnerName is what a Runner is called in River's tables: machine, process, when
// that began, and a number, since a process may have several.
func runnerName() string {
	return fmt.Sprintf("%s/%d/%s/%08x", machine(), os.Getpid(), began(os.Getpid()), rand.Uint32())
}

// machine is cut where River would refuse the whole name.
func machine() string {
	host, err := os.Hostname()
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(host[:min(len(host), 50)], "/", "_")
}

// gone reports that a Runner was of this machine and its process is no more. A
// number that another process has by now began at another time.
func gone(name string) bool {
	part := strings.Split(name, "/")
	if len(part) != 4 || part[0] == "" || part[0] != machine() || part[2] == "" {
		return false
	}
	pid, err := strconv.Atoi(part[1])
	return err == nil && began(pid) != part[2]
}

// began is when a process began, in ticks since the machine did; "" where there
// is no such process.
func began(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	const start = 19 // counted from behind the name, which may hold spaces itself
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= start {
		return ""
	}
	return string(fields[start])
}
