package config

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/sourcetest"
	"github.com/railkit/railkit/platform/ratelimit"
)

// load reads flags and variables as a command does.
func load(args, environ []string) (Loaded, error) {
	f := flag.NewFlagSet("test", flag.ContinueOnError)
	r := Register(f)
	if err := f.Parse(args); err != nil {
		return Loaded{}, err
	}
	return r.Load(environ)
}

func write(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// What is nearer to the person who starts a server counts more.
func TestPlatform_ConfigOrder(t *testing.T) {
	file := write(t, "postgres://file\n", 0o600)
	for _, tc := range []struct {
		args, env []string
		want      string
		from      Origin
	}{
		{nil, nil, "", FromDefault},
		{nil, []string{"RAILKIT_DATABASE_URL="}, "", FromDefault},
		{nil, []string{"RAILKIT_DATABASE_URL_FILE=" + file}, "postgres://file", FromFile},
		{nil, []string{"RAILKIT_DATABASE_URL=", "RAILKIT_DATABASE_URL_FILE=" + file}, "postgres://file", FromFile},
		{nil, []string{"RAILKIT_DATABASE_URL=postgres://env"}, "postgres://env", FromEnvironment},
		{[]string{"--database-url", "postgres://flag"}, []string{"RAILKIT_DATABASE_URL=postgres://env"},
			"postgres://flag", FromFlag},
		{[]string{"--database-url", "postgres://flag"}, []string{"RAILKIT_DATABASE_URL_FILE=" + file},
			"postgres://flag", FromFlag},
	} {
		l, err := load(tc.args, tc.env)
		if err != nil || l.DatabaseURL != tc.want || l.From["database-url"] != tc.from {
			t.Errorf("%v %v: %q from %s, %v", tc.args, tc.env, l.DatabaseURL, l.From["database-url"], err)
		}
	}
}

func TestPlatform_ConfigDefaults(t *testing.T) {
	l, err := load(nil, []string{"HOME=/root"})
	if err != nil {
		t.Fatal(err)
	}
	if l.Environment != "production" || l.Addr != "127.0.0.1:8080" || l.RateLimitOutageStandard != ratelimit.Open ||
		l.RateLimitOutageFinancial != ratelimit.Closed {
		t.Errorf("%+v", l.Server)
	}
	for name, from := range l.From {
		if from != FromDefault {
			t.Errorf("%s came from %s", name, from)
		}
	}
	if err := l.Check(); err == nil ||
		!strings.Contains(err.Error(), "--database-url (RAILKIT_DATABASE_URL): names no PostgreSQL database") {
		t.Errorf("production without a database: %v", err)
	}
	sandbox, err := load([]string{"--environment", "sandbox"}, nil)
	if err != nil || sandbox.DataDir != SandboxFolder || sandbox.Check() != nil {
		t.Errorf("the sandbox's folder is %q, %v, %v", sandbox.DataDir, err, sandbox.Check())
	}
}

func TestPlatform_ConfigLists(t *testing.T) {
	l, err := load([]string{
		"--rpc", "base=https://a?b=c", "--rpc", "polygon=https://d", "--rpc", "polygon=https://f",
	}, []string{
		"RAILKIT_TRUSTED_PROXIES=10.0.0.0/8, 192.0.2.7,fd00::/8", "RAILKIT_RPC=ethereum=https://e",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"base": "https://a?b=c", "polygon": "https://d https://f"}
	if !maps.Equal(l.RPCURLs, want) {
		t.Errorf("nodes %v", l.RPCURLs)
	}
	var got []string
	for _, p := range l.TrustedProxies {
		got = append(got, p.String())
	}
	if !slices.Equal(got, []string{"10.0.0.0/8", "192.0.2.7/32", "fd00::/8"}) {
		t.Errorf("proxies %v", got)
	}
	l, err = load([]string{"--watch-from", "base=7", "--watch-from", "polygon=8"},
		[]string{"RAILKIT_WATCH_EVERY=250ms"})
	if want := map[string]int64{"base": 7, "polygon": 8}; err != nil || !maps.Equal(l.WatchFrom, want) ||
		l.WatchEvery != 250*time.Millisecond {
		t.Errorf("blocks %v, every %v, %v", l.WatchFrom, l.WatchEvery, err)
	}
	if l, err = load(nil, []string{"RAILKIT_RPC= base=https://a\n polygon=https://d "}); err != nil ||
		len(l.RPCURLs) != 2 {
		t.Errorf("nodes of the environment: %v, %v", l.RPCURLs, err)
	}
}

// Each of these is one error that names the setting and does not repeat what was given.
func TestPlatform_ConfigRefusesWhatItCannotRead(t *testing.T) {
	const secret = "hunter2"
	for _, tc := range []struct {
		env  []string
		want string
	}{
		{[]string{"RAILKIT_DATABSE_URL=" + secret},
			"RAILKIT_DATABSE_URL is no setting: is it RAILKIT_DATABASE_URL that is meant?"},
		{[]string{"RAILKIT_ADDR_FILE=" + secret}, "RAILKIT_ADDR_FILE is no setting: is it RAILKIT_ADDR that is meant?"},
		{[]string{"RAILKIT_=" + secret}, "RAILKIT_ is no setting"},
		{[]string{"RAILKIT_SMTPURL=x", "RAILKIT_REDIS=x"},
			"RAILKIT_REDIS is no setting: is it RAILKIT_REDIS_URL that is meant?"},
		{[]string{"RAILKIT_REDIS_URL=" + secret, "RAILKIT_REDIS_URL_FILE=/x"},
			"both RAILKIT_REDIS_URL and RAILKIT_REDIS_URL_FILE are set"},
		{[]string{"RAILKIT_SMTP_URL_FILE=/nowhere/" + secret},
			"RAILKIT_SMTP_URL: reading the file that RAILKIT_SMTP_URL_FILE names: no such file"},
		{[]string{"RAILKIT_SMTP_URL_FILE=" + write(t, "\n", 0o600)}, "it is empty"},
		{[]string{"RAILKIT_RPC=" + secret}, "--rpc (RAILKIT_RPC): a node must be of the form"},
		{[]string{"RAILKIT_TRUSTED_PROXIES=10.0.0.0/8," + secret},
			"--trusted-proxies (RAILKIT_TRUSTED_PROXIES): must be networks"},
		{[]string{"RAILKIT_TRUSTED_PROXIES=10.1.0.0/8"}, "must be networks"},
		{[]string{"RAILKIT_TRUSTED_PROXIES=0.0.0.0/0"}, "not all there are"},
		{[]string{"RAILKIT_TRUSTED_PROXIES=::/0"}, "not all there are"},
		{[]string{"RAILKIT_TRUSTED_PROXIES=::ffff:10.0.0.1"}, "must be networks"},
		{[]string{"RAILKIT_WATCH_FROM=base=" + secret}, "a number must be of the form"},
		{[]string{"RAILKIT_WATCH_FROM=base=0"}, "a number must be of the form"},
		{[]string{"RAILKIT_WATCH_FROM=7"}, "a number must be of the form"},
		{[]string{"RAILKIT_WATCH_EVERY=" + secret}, "must be a time such as"},
		{[]string{"RAILKIT_WATCH_EVERY=1ms"}, "must be a time such as"},
		{[]string{"RAILKIT_WATCH_EVERY=1h"}, "must be a time such as"},
		{[]string{"RAILKIT_RATE_LIMIT_OUTAGE_STANDARD=" + secret}, "must be open or closed"},
	} {
		_, err := load(nil, tc.env)
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%v: %v", tc.env, err)
		}
	}
	if _, err := load(nil, []string{
		"RAILKIT_CHILD=1", "RAILKIT_TEST_BIN=/x", "RAILKIT_SOAK=1m", "RAILKITTEN=x",
	}); err != nil {
		t.Errorf("variables of the project's own: %v", err)
	}
}

func TestPlatform_ConfigReadsSecretsFromFiles(t *testing.T) {
	for content, want := range map[string]string{"a": "a", "a\n": "a", "a\r\n": "a", "a\n\n": "a\n", " a ": " a "} {
		l, err := load(nil, []string{"RAILKIT_REDIS_URL_FILE=" + write(t, content, 0o640)})
		if err != nil || l.RedisURL != want || len(l.Warnings) != 0 {
			t.Errorf("%q gave %q, %v, %v", content, l.RedisURL, l.Warnings, err)
		}
	}
	l, err := load(nil, []string{"RAILKIT_REDIS_URL_FILE=" + write(t, "a", 0o644)})
	if err != nil || len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], "RAILKIT_REDIS_URL_FILE") {
		t.Errorf("a file for everybody: %v, %v", l.Warnings, err)
	}
}

// Nothing that is printed for people has a secret in it.
func TestPlatform_ConfigHidesSecrets(t *testing.T) {
	const secret = "hunter2"
	var env []string
	for _, s := range Settings() {
		if s.Secret {
			env = append(env, s.Env()+"=base="+secret)
		}
	}
	l, err := load([]string{"--mail-from", "a@example.com"}, env)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, line := range l.Lines() {
		if strings.Contains(line.Value, secret) {
			t.Errorf("%s shows its value", line.Name)
		}
		if line.Value == "(set)" && line.From == FromEnvironment {
			seen++
		}
		if line.Name == "mail-from" && (line.Value != "a@example.com" || line.From != FromFlag) ||
			line.Name == "rp-id" && line.Value != "(not set)" {
			t.Errorf("%+v", line)
		}
	}
	if seen != len(env) || seen < 4 {
		t.Errorf("%d of %d secrets are told to be set", seen, len(env))
	}
}

// Every setting has what its flag, its variable and its document need.
func TestPlatform_ConfigHelp(t *testing.T) {
	var out bytes.Buffer
	f := flag.NewFlagSet("test", flag.ContinueOnError)
	f.SetOutput(&out)
	f.Usage = f.PrintDefaults
	Register(f)
	f.Usage()
	for _, s := range Settings() {
		if s.Name == "" || s.Doc == "" || !strings.Contains(out.String(), s.Doc) ||
			!strings.Contains(out.String(), s.Env()) {
			t.Errorf("%+v is not in the help", s)
		}
		if (f.Lookup(s.Name) != nil) != s.Flag {
			t.Errorf("%s as a flag: %v", s.Name, s.Flag)
		}
	}
	f = flag.NewFlagSet("test", flag.ContinueOnError)
	Register(f, "data", "redis-url")
	if f.Lookup("data") == nil || f.Lookup("addr") != nil {
		t.Error("a command has other flags than it asked for")
	}
}

// Every variable that some file of the project speaks of is known here, so that
// setting it for one program does not stop another.
func TestPlatform_ConfigKnowsEveryVariable(t *testing.T) {
	name := regexp.MustCompile(`RAILKIT_[A-Z0-9]+(_[A-Z0-9]+)*`)
	known, found := names(), 0
	files, err := sourcetest.Files("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		folder := filepath.Dir(path)
		if folder == "../../internal/config" ||
			folder == "../../internal/test/testenv" { // which knows the tests' own, and prefixes of them
			continue
		}
		if ext := filepath.Ext(path); ext != ".go" && ext != ".md" && filepath.Base(path) != "Makefile" {
			continue
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range name.FindAllString(string(raw), -1) {
			found++
			if !slices.Contains(known, v) && !other(v) && !strings.Contains(path, "testdata") {
				t.Errorf("%s speaks of %s", path, v)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d found", found)
	}
}
