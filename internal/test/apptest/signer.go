package apptest

import (
	"errors"
	"syscall"
	"testing"

	"github.com/railkit/railkit/internal/prices"
	"github.com/railkit/railkit/internal/supervise"
	"github.com/railkit/railkit/internal/test/enclavetest"
)

// Rig is New with the signer inside the test's process. KillEnclave, SignalEnclave
// and EnclavePID fail there; StopEnclave and StartEnclave work.
func Rig(t testing.TB, options ...Option) *App {
	t.Helper()
	return start(t, (*App).openEnclave, options)
}

// openEnclave is startEnclave for a rig.
func (a *App) openEnclave() {
	a.t.Helper()
	a.socketFolder()
	priceKey, err := prices.NewKey(a.priceKeyFile())
	if err != nil {
		a.t.Fatal(err)
	}
	dir, secret := a.enclaveFiles()
	a.signer = enclavetest.New(a.t, enclavetest.Options{
		Dir: dir, SecretFile: secret, Socket: a.EnclaveSock, Origin: a.Origin, PriceKey: priceKey, Log: a.Log,
	})
	a.EnclaveKey = a.signer.IdentityKey
}

// KillEnclave ends the enclave with SIGKILL. It is started again, as in production.
func (a *App) KillEnclave() {
	a.t.Helper()
	a.SignalEnclave(syscall.SIGKILL)
}

// EnclavePID is the enclave's process; another one after each restart.
func (a *App) EnclavePID() int {
	a.t.Helper()
	return a.process().PID()
}

// SignalEnclave sends the enclave a signal.
func (a *App) SignalEnclave(s syscall.Signal) {
	a.t.Helper()
	if err := syscall.Kill(a.process().PID(), s); err != nil && !errors.Is(err, syscall.ESRCH) { // down already
		a.t.Fatal(err)
	}
}

func (a *App) process() *supervise.Child {
	a.t.Helper()
	if a.enclave == nil {
		a.t.Fatal("this signer is part of the test and no process: use apptest.New")
	}
	return a.enclave
}

// StopEnclave ends the enclave: a process for good, the one of a rig until StartEnclave.
func (a *App) StopEnclave() {
	a.t.Helper()
	a.refuseShared()
	if a.signer != nil {
		a.signer.Stop()
		return
	}
	a.group.Kill()
}

// StartEnclave opens a rig's enclave again, on the same folder.
func (a *App) StartEnclave() {
	a.t.Helper()
	if a.signer == nil {
		a.t.Fatal(
			"this signer is a process, which is started again as soon as it dies: only apptest.Rig has StartEnclave",
		)
	}
	a.signer.Start()
}
