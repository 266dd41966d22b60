// Package dev is railkit dev, the whole platform on one machine, and railkit demo,
// which tells the story against a platform of its own.
//
// railkit dev holds a data folder (data.go), seals the enclave at the first start and
// starts the programs one after the other (parts.go), shows their mail (mail.go), and
// stops them in order. Read dev.go first.
package dev

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/child"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/supervise"
	"github.com/railkit/railkit/platform/fetch"
)

// stopGrace is how long a child may take to end before it is made to. The server
// gives requests under way ten seconds.
const stopGrace = 15 * time.Second

// options are the flags of dev.
type options struct {
	addr         string
	ceremonyAddr string // "": the sealed one, or the next free port
	data         string
	fetchLocal   string // places of this machine at which skills and sellers may be, with spaces between
	logLevel     string // of all parts; "": their own, which for the server is RAILKIT_LOG_LEVEL
}

func parseFlags(env cli.Env, args []string) (options, error) {
	var o options
	f := cli.Flags(env, "dev")
	f.StringVar(&o.addr, "addr", "127.0.0.1:8080", "address of the API; port 0 takes a free one")
	f.StringVar(&o.ceremonyAddr, "ceremony-addr", "",
		"address of the page that asks for passkeys; sealed at the first start (default the next free port)")
	f.StringVar(&o.data, "data", "railkit-data", "folder that holds everything")
	f.StringVar(&o.fetchLocal, "fetch-local", "",
		"places of this machine such as 127.0.0.1:9402 at which skills and sellers may be; several with spaces between")
	f.Func("log-level", child.LevelDoc+", of all parts (default info)", func(text string) error {
		o.logLevel = text
		_, err := child.ParseLevel(text)
		return err
	})
	if err := cli.Parse(f, args); err != nil {
		return o, err
	}
	if _, err := fetch.NewPolicy(nil, strings.Fields(o.fetchLocal)); err != nil {
		return o, cli.UsageError(fmt.Errorf("--fetch-local: %w", err))
	}
	for _, flag := range []struct{ name, addr string }{{"addr", o.addr}, {"ceremony-addr", o.ceremonyAddr}} {
		if flag.addr == "" && flag.name == "ceremony-addr" {
			continue
		}
		if err := checkLoopback(flag.addr); err != nil {
			return o, cli.UsageError(fmt.Errorf("--%s: %w", flag.name, err))
		}
	}
	abs, err := filepath.Abs(o.data)
	o.data = abs
	return o, err
}

// Run runs the platform until it is told to stop.
func Run(ctx context.Context, env cli.Env, args []string) error {
	ctx, release := child.WatchParent(ctx)
	defer release()
	o, err := parseFlags(env, args)
	if err != nil {
		return err
	}
	if err := config.CheckNames(os.Environ()); err != nil { // the server gets them too, and would refuse
		return cli.UsageError(err)
	}
	ctx, restore := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer restore()
	go func() {
		<-ctx.Done()
		restore() // a second signal ends this process at once, and the children with it
	}()
	err = run(ctx, env, o)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil // told to stop before everything was up
	}
	return err
}

func run(ctx context.Context, env cli.Env, o options) error {
	began := time.Now()
	tools, err := FindTools()
	if err != nil {
		return err
	}
	d, err := openData(ctx, o.data)
	if err != nil {
		return err
	}
	defer d.close()
	if err := checkFree(o.addr, "choose one with --addr"); err != nil {
		return err
	}
	s, err := d.sandbox(o)
	if err != nil {
		return err
	}
	if err := waitFree(ctx, leftBehind, s.CeremonyAddr,
		"this data's passkeys are bound to it: free it, or use another --data"); err != nil {
		return err
	}
	if err := seal(ctx, tools, d, s); err != nil {
		return err
	}
	g := supervise.New(env.Err, groupOptions()...)
	defer g.Stop(stopGrace)
	at, err := d.ports(env.Err)
	if err != nil {
		return err
	}
	mail, err := openMailbox(at)
	if err != nil {
		return err
	}
	defer mail.close()
	shops, err := newMarket(at)
	if err != nil {
		return err
	}
	defer shops.close()
	f, err := startParts(ctx, g, platform{
		tools: tools, data: d, ports: at, sandbox: s, addr: o.addr, mail: mail, shops: shops,
		local: strings.Fields(o.fetchLocal), level: o.logLevel,
	})
	if err != nil {
		return err
	}
	if err := shops.open(ctx, f.FacilitatorURL); err != nil {
		return err
	}
	f.ShopURL, f.LyingShopURL = shopURL(shops.honest), shopURL(shops.lying)
	if err := d.writeFacts(f); err != nil {
		return err
	}
	defer d.removeFacts()
	announce(env.Out, d, f, time.Since(began))
	if err := child.Ready(map[string]string{"facts": d.factsFile()}); err != nil {
		return err
	}
	<-ctx.Done()
	fmt.Fprintln(env.Out, "stopping")
	return nil
}

// groupOptions keep the children in this process's own group where a parent
// supervises it, so that the parent can end all of them in one instant.
func groupOptions() []supervise.Option {
	if child.Supervised() {
		return []supervise.Option{supervise.ShareProcessGroup()}
	}
	return nil
}

// checkLoopback refuses what others on the network could reach: the sandbox's
// keys guard nothing real, but its host is real.
func checkLoopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return errors.New("it must be of the form 127.0.0.1:8080")
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return errors.New("the sandbox listens on this machine only: use 127.0.0.1")
	}
	return nil
}

// waitFree gives whoever has a port some time to let go of it: the children of a
// killed predecessor, or a connection of another program that the kernel gave it to.
func waitFree(ctx context.Context, patience time.Duration, addr, advice string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := checkFree(addr, advice)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// checkFree says in one line that a port is taken, before anything is started.
func checkFree(addr, advice string) error {
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		_, port, _ := net.SplitHostPort(addr)
		return fmt.Errorf("port %s is taken by another process; %s", port, advice)
	}
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	return l.Close()
}
