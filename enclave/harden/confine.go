package harden

import (
	"fmt"
	"time"
)

// Folders are all that a confined process still reaches of the file system.
type Folders struct {
	Data   string // files in it are read, written, made, renamed and removed
	Socket string // files in it are removed: the socket, at the end
}

// Confine takes away what a signer at work never needs: files outside of its
// folders, new connections, new programs, the kernel's rarer calls. It holds for
// every thread and cannot be undone. Like Apply it names what could not be done.
//
// It comes once the folder, the socket and the secret are open, and after Apply:
// the kernel takes neither step from a process that may still gain privileges.
func Confine(f Folders) (missing []string) {
	// The time zone is read from a file at its first use, which may be a log line.
	_, _ = time.Now().Zone()
	steps := []struct {
		risk string
		do   func() error
	}{
		{"it can open any file of its user (Landlock)", func() error { return landlock(f) }},
		{"it can open connections and start programs (seccomp)", filterCalls},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			missing = append(missing, fmt.Sprintf("%s: %v", s.risk, err))
		}
	}
	return missing
}
