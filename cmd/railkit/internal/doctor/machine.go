package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/cmd/railkit/internal/dev"
)

func checkPrograms(context.Context, target) []finding {
	if _, err := dev.FindTools(); err != nil {
		return []finding{{failure, "programs", cli.OneLine(err)}}
	}
	return []finding{{fine, "programs",
		"railkit-enclave, railkit-devnet, railkit-prices, railkit-partner and railkit-facilitator are beside railkit"}}
}

func checkFolder(_ context.Context, t target) []finding {
	if t.DataDir == "" {
		return nil // PostgreSQL needs none, and that there is neither is told of the settings
	}
	st, err := os.Stat(t.DataDir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []finding{{warning, "data", "the folder does not exist yet: the server makes it, and railkit dev"}}
	case err != nil:
		return []finding{{failure, "data", cli.OneLine(err)}}
	case !st.IsDir():
		return []finding{{failure, "data", "it is not a folder"}}
	case unix.Access(t.DataDir, unix.W_OK) != nil:
		return []finding{{failure, "data", "the folder cannot be written to"}}
	case st.Mode().Perm()&0o077 != 0:
		return []finding{{warning, "data",
			fmt.Sprintf("other users may enter the folder (mode %#o): chmod 700", st.Mode().Perm())}}
	}
	return []finding{{fine, "data", "the folder is this user's and can be written to"}}
}

// A signer that cannot write its journal ends; a database that cannot, refuses.
const (
	fewBytes = 256 << 20 // too few for either
	lowBytes = 2 << 30
)

// checkDisk asks how much space this user has left where the data is.
func checkDisk(_ context.Context, t target) []finding {
	var s unix.Statfs_t
	if err := t.kernel.statfs(t.DataDir, &s); err != nil {
		return nil // the folder is not there, which its own line says
	}
	free := s.Bavail * uint64(s.Bsize)
	text := fmt.Sprintf("%d MiB are free in the data folder", free>>20)
	switch {
	case free < fewBytes:
		return []finding{{failure, "disk", text + ": make room at once"}}
	case free < lowBytes:
		return []finding{{warning, "disk", text + ": make room"}}
	}
	return []finding{{fine, "disk", text}}
}

// checkTime asks the kernel whether anything keeps its clock right. Stamps,
// challenges and prepared transactions all expire by the clock.
func checkTime(_ context.Context, t target) []finding {
	var x unix.Timex
	state, err := t.kernel.adjtimex(&x)
	if err != nil {
		return []finding{{warning, "time", "the kernel does not tell whether its clock is kept right"}}
	}
	if state == unix.TIME_ERROR || x.Status&unix.STA_UNSYNC != 0 {
		return []finding{{warning, "time", "the kernel's clock is not synchronized: run a time service"}}
	}
	return []finding{{fine, "time", "the kernel's clock is synchronized"}}
}

// checkSessionKey looks at the file, and not at what it says of its key.
func checkSessionKey(_ context.Context, t target) []finding {
	return checkKeyFile("sessions", "session-key-file", t.SessionKeyFile, "sign in as anybody")
}

// checkVaultKey looks at the file, without which production does not start.
func checkVaultKey(_ context.Context, t target) []finding {
	if t.VaultKeyFile == "" && t.Environment == string(chain.Production) {
		return []finding{{failure, "vault",
			"production needs --vault-key-file (openssl rand -base64 32): bank details are sealed with its keys"}}
	}
	return checkKeyFile("vault", "vault-key-file", t.VaultKeyFile, "read every bank account of a stolen database")
}

func checkKeyFile(what, setting, path, harm string) []finding {
	if path == "" {
		return nil
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []finding{{failure, what, "there is no file at --" + setting}}
	case err != nil || !st.Mode().IsRegular():
		return []finding{{failure, what, "what is at --" + setting + " cannot be read as a file"}}
	case st.Mode().Perm()&0o007 != 0:
		return []finding{{failure, what,
			fmt.Sprintf("others may read the key, and %s (mode %#o): chmod 600, and make a new one",
				harm, st.Mode().Perm())}}
	case st.Size() == 0:
		return []finding{{failure, what, "the key's file is empty"}}
	case st.Mode().Perm()&0o070 != 0:
		return []finding{{warning, what,
			"the file's group may read the key: make sure that only the server's user is in it"}}
	}
	return []finding{{fine, what, "the key's file is this user's alone"}}
}
