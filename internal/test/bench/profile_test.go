package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"syscall"

	"github.com/railkit/railkit/enclave"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/child"
	"github.com/railkit/railkit/internal/supervise"
)

// With profileEnv server and enclave are this program with a profiler, which the
// real ones do not have. What it wrote is for go tool pprof.
const (
	profileEnv = "RAILKIT_BENCH_PROFILE" // a folder
	configEnv  = "RAILKIT_BENCH_CONFIG"  // the server's, JSON
	secretEnv  = "RAILKIT_BENCH_SECRET"  // file of the enclave's
	socketEnv  = "RAILKIT_BENCH_SOCKET"  // of the enclave
)

func (p *platform) startProfiled(c app.Config) {
	raw, err := json.Marshal(c)
	must(p.tb, err)
	self, err := os.Executable()
	must(p.tb, err)
	p.server = p.start("server", self, []string{roleEnv + "=profiled", configEnv + "=" + string(raw)})
}

func serveProfiled(ctx context.Context) error {
	var c app.Config
	if err := json.Unmarshal([]byte(os.Getenv(configEnv)), &c); err != nil {
		return err
	}
	name := "sqlite"
	if c.DatabaseURL != "" {
		name = "postgres"
	}
	c.Ready = func(addr string) error { return child.Ready(map[string]string{"addr": addr}) }
	return profiled(ctx, name, func(ctx context.Context) error { return app.Serve(ctx, c) })
}

// profileFolder refuses one that is not there before anything is measured.
func profileFolder(name string) error {
	if name == "" {
		return nil
	}
	if is, err := os.Stat(name); err != nil || !is.IsDir() {
		return fmt.Errorf("%s=%s is no folder", profileEnv, name)
	}
	return nil
}

// A process that is profiled begins a profile and ends it when it is told so.
const (
	beginProfile = syscall.SIGUSR1
	endProfile   = syscall.SIGUSR2
)

// profiledOf are the processes that have a profiler: a signal would end the others.
func profiledOf(all ...*supervise.Child) []*supervise.Child {
	if os.Getenv(profileEnv) == "" {
		return nil
	}
	return all
}

// profile tells the profiled processes of a side that its measured rounds begin, or are over.
func (s side) profile(what syscall.Signal) error {
	for _, p := range s.profiled {
		if err := syscall.Kill(p.PID(), what); err != nil {
			return err
		}
	}
	return nil
}

// profiled runs a process until SIGTERM, and writes what it spent its time on in the measured rounds of each flow:
// sqlite-1.pprof is of the first. What was prepared before is in none.
func profiled(ctx context.Context, name string, serve func(context.Context) error) error {
	told := make(chan os.Signal, 8)
	signal.Notify(told, beginProfile, endProfile)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	wrote := make(chan error, 1)
	go func() { wrote <- profiles(ctx, name, told) }()
	err := serve(ctx)
	stop()
	return errors.Join(err, <-wrote)
}

// profiles writes a profile from each beginning to its end.
func profiles(ctx context.Context, name string, told <-chan os.Signal) error {
	defer pprof.StopCPUProfile()
	for n := 0; ; {
		select {
		case <-ctx.Done():
			return nil
		case what := <-told:
			pprof.StopCPUProfile()
			if what == endProfile {
				continue
			}
		}
		n++
		file, err := os.Create(filepath.Join(os.Getenv(profileEnv), fmt.Sprintf("%s-%d.pprof", name, n)))
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
	}
}

func serveEnclaveProfiled(ctx context.Context) error {
	secret, err := os.ReadFile(os.Getenv(secretEnv))
	if err != nil {
		return err
	}
	sealer, err := keystore.ParseSecret(bytes.TrimSpace(secret))
	if err != nil {
		return err
	}
	s, err := enclave.Open(enclave.Options{
		Dir: os.Getenv(folderEnv), Sealer: sealer, AcceptTime: true, Log: slog.New(slog.NewJSONHandler(os.Stderr, nil)),
	})
	if err != nil {
		return err
	}
	l, err := enclave.Listen(os.Getenv(socketEnv), -1)
	if err != nil {
		return err
	}
	if err := child.Ready(map[string]string{"identityKey": s.Info().IdentityKey}); err != nil {
		return err
	}
	return profiled(ctx, "enclave", func(ctx context.Context) error { return s.Serve(ctx, l, os.Getuid()) })
}
