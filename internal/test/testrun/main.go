// Command testrun runs the commands of `make test` and keeps what came of each, so that a run shows all failures and
// ends with what it cost:
//
//	testrun run plain go test ./...   runs the command; of "go test" it reads the events and keeps results per package
//	testrun sum                       prints what the runs in bin/tested came to, and fails where one of them failed
//	testrun clear                     forgets earlier runs
//	testrun tool FILE TOOL ...        runs a tool for the go command, and notes in the file what a linker cost
//
// It prints what `go test` prints: a line for each package, and all that a failed test said.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// folder keeps a file for each run, below the folder that make runs in.
const folder = "bin/tested"

func main() {
	if err := do(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
		os.Exit(1)
	}
}

// adopt has the processes that the command leaves behind become this one's children, so that what they used counts. A
// test's chain ends by itself when the test's process does, and nobody else waits for it.
func adopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// farewell is how long those have to end. What goes on for longer is not waited for, and not counted.
const farewell = 5 * time.Second

// reap waits for them.
func reap() {
	for deadline := time.Now().Add(farewell); time.Now().Before(deadline); {
		switch pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); {
		case errors.Is(err, syscall.ECHILD):
			return
		case pid == 0:
			time.Sleep(20 * time.Millisecond) // between two looks
		}
	}
}

func do(args []string) error {
	switch {
	case len(args) >= 3 && args[0] == "run":
		return run(args[1], args[2:])
	case len(args) == 1 && args[0] == "sum":
		return sum(os.Stdout)
	case len(args) == 1 && args[0] == "clear":
		return os.RemoveAll(folder)
	case len(args) >= 3 && args[0] == "tool":
		return tool(args[1], args[2:])
	}
	return errors.New("run NAME COMMAND, sum, clear or tool FILE TOOL and its arguments")
}

// run runs one command and writes its record, also where it failed: a half of the tests that fails keeps the other
// one's results, and both are in the sum.
func run(name string, command []string) error {
	began := time.Now()
	record := Record{Name: name, Number: began.UnixNano()}
	tests := len(command) > 1 && filepath.Base(command[0]) == "go" && command[1] == "test"
	notes, err := linkNotes(name)
	if err != nil {
		return err
	}
	if tests {
		command = slices.Insert(slices.Clone(command), 2, "-json", "-toolexec="+self()+" tool "+notes)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if tests {
		cmd.Env = append(os.Environ(), inMemory()...)
	}
	err = errors.Join(adopt(), start(cmd, tests, &record))
	reap()
	record.Wall, record.CPU = time.Since(began).Seconds(), childrenCPU().Seconds()
	record.Links, record.LinkCPU = linksIn(notes)
	record.Passed = err == nil
	if err := record.write(); err != nil {
		return err
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func start(cmd *exec.Cmd, tests bool, record *Record) error {
	if !tests {
		return cmd.Run()
	}
	cmd.Stdout = nil
	events, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	read := follow(events, os.Stdout, record)
	if _, err := io.Copy(io.Discard, events); err != nil { // a command whose output nobody reads would never end
		return err
	}
	return cmp.Or(cmd.Wait(), read)
}

// childrenCPU is the time that the command and all that it started and waited for spent on processors.
func childrenCPU() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func (r Record) write() error {
	raw, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, r.Name+".json"), raw, 0o644)
}
