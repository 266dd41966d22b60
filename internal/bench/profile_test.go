package bench

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"syscall"

	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/child"
)

// With profileEnv the server under test is this program with a profiler, which
// the real one does not have. What it wrote is for go tool pprof.
const (
	profileEnv = "RAILKIT_BENCH_PROFILE" // a folder
	configEnv  = "RAILKIT_BENCH_CONFIG"  // the server's, JSON
)

func (p *platform) startProfiled(c app.Config) {
	raw, err := json.Marshal(struct {
		app.Config
		Ready bool // in place of the one field that has no JSON form
	}{Config: c})
	must(p.tb, err)
	self, err := os.Executable()
	must(p.tb, err)
	p.server = p.start("server", self, []string{roleEnv + "=profiled", configEnv + "=" + string(raw)})
}

func serveProfiled(ctx context.Context) error {
	var in struct {
		app.Config
		Ready bool
	}
	if err := json.Unmarshal([]byte(os.Getenv(configEnv)), &in); err != nil {
		return err
	}
	c := in.Config
	name := "sqlite.pprof"
	if c.DatabaseURL != "" {
		name = "postgres.pprof"
	}
	file, err := os.Create(filepath.Join(os.Getenv(profileEnv), name))
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	c.Ready = func(addr string) error { return child.Ready(map[string]string{"addr": addr}) }
	return errors.Join(app.Serve(ctx, c), file.Sync())
}
