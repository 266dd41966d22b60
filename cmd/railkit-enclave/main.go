// Command railkit-enclave is the signer. It holds every key, listens on one
// Unix socket, and reaches nothing.
package main

import (
	"errors"
	"os"

	"github.com/railkit/railkit/internal/child"
)

// version is set by the build.
var version = "dev"

const usage = `railkit-enclave: the signer of a Railkit installation

  railkit-enclave init --data DIR --environment sandbox|production --rp-id HOST --origin URL [--origin URL ...]
                       --price-key HEX --unseal-file FILE
  railkit-enclave run  --data DIR --socket PATH --unseal-file FILE [--peer-uid UID --socket-group GID]
                       [--accept-time] [--accept-nonces] [--accept-prices] [--accept-journal-end]
                       [--log-level debug|info|warn|error]
  railkit-enclave amend --data DIR --unseal-file FILE [--listed] [--network JSON] [--token JSON] [--origin URL]
                       [--price-key HEX] [--confirm NAME ...]
  railkit-enclave reseal --data DIR --unseal-file FILE --new-secret-file FILE
  railkit-enclave version

init seals what never changes again: environment, RP id, recovery delay, identity key; and origins, networks, tokens and the price key.
amend adds origins, networks and tokens to a signer that is stopped, and changes the price key. Each change is confirmed by its name.
reseal puts another unseal secret in the place of the one before, of a signer that is stopped.
The unseal secret is an age identity (AGE-SECRET-KEY-1...) or a passphrase; "-" as FILE reads it from standard input.
`

func main() {
	child.Program{
		Name: "railkit-enclave", Usage: usage, Version: version,
		Commands: map[string]func([]string) error{"init": initialize, "amend": amend, "reseal": reseal, "run": run},
	}.Main()
}

// refuseRoot keeps production off root: root's files are closed to the user that
// the signer should have, and a signer that is root could undo what shuts it in.
func refuseRoot() error {
	if os.Getuid() == 0 {
		return errors.New(
			"production refuses to run as root: run it as the user that has nothing but the signer",
		)
	}
	return nil
}
