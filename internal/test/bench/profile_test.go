package bench

import (
	"bytes"
	"context"
	"encoding/json"
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

// profiled runs a process until SIGTERM, and writes what it spent its time on.
func profiled(ctx context.Context, name string, serve func(context.Context) error) error {
	file, err := os.Create(filepath.Join(os.Getenv(profileEnv), name+".pprof"))
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	return serve(ctx)
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
