package policy

import (
	"errors"

	"github.com/railkit/railkit/enclave/wire"
)

func hosts(field string, all []string, sandbox bool) error {
	if all != nil && len(all) == 0 {
		return errors.New(field + " is empty; leave it out where no URL may be paid")
	}
	return list(field, all, func(host string) string { return wire.HostProblem(host, sandbox) })
}
