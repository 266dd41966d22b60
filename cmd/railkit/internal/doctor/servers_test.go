package doctor

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/test/redistest"
	"github.com/railkit/railkit/platform/ratelimit/redislimit"
)

func TestPlatform_DoctorOnRedis(t *testing.T) {
	check := func(url string) []finding { return checkRedis(t.Context(), told(config.Server{RedisURL: url})) }
	wantFindings(t, "none", check(""), "note redis none is named")
	wantFindings(t, "no URL", check("redis://%zz"), "fail redis RAILKIT_REDIS_URL is not of the form")
	wantFindings(t, "nobody", check("redis://u:hunter2@127.0.0.1:1"), "fail redis it does not answer: until it does")

	s := redistest.New(t)
	wantFindings(t, "good", check(s.URL), "ok redis it answers as version ", "ok redis it keeps its counts")
	server, err := redislimit.ParseURL(s.URL)
	must(t, err)
	c, err := server.Dial(t.Context())
	must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	set := func(args ...any) {
		t.Helper()
		_, err := c.DoContext(t.Context(), args[0].(string), args[1:]...)
		must(t, err)
	}
	set("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
	wantFindings(t, "forgets", check(s.URL), "ok redis",
		"fail redis with a full memory it forgets counts: set maxmemory-policy noeviction")
	set("CONFIG", "SET", "maxmemory-policy", "noeviction")
	set("ACL", "SETUSER", "few", "on", ">hunter2", "+ping", "+info", "+select")
	few := strings.Replace(s.URL, "unix://", "unix://few:hunter2@", 1)
	wantFindings(t, "not told", check(few), "ok redis", "warn redis it does not tell its maxmemory-policy")
	set("CONFIG", "SET", "requirepass", "another")
	wantFindings(t, "password", check(strings.Replace(few, "hunter2", "hunter3", 1)),
		"fail redis it refuses this user or password")
	s.Kill()
	wantFindings(t, "gone", check(s.URL), "fail redis it does not answer")

	for info, want := range map[string]string{
		"redis_version:7.0.15\r\n": "ok redis it answers as version 7.0.15",
		"redis_version:5.0.14\r\n": "fail redis it answers as version 5, which is too old",
		"":                         "warn redis it answers, and does not tell its version",
	} {
		wantFindings(t, info, checkRedisVersion(info), want)
	}
}

// mailServer greets as mail servers do, and knows no more than TLS.
func mailServer(t *testing.T, greeting string, starttls bool, secure *tls.Config, atOnce bool) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	if atOnce {
		l = tls.NewListener(l, secure)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go talk(conn, greeting, starttls, secure)
		}
	}()
	return l.Addr().String()
}

func talk(conn net.Conn, greeting string, starttls bool, secure *tls.Config) {
	defer func() { conn.Close() }()
	fmt.Fprintf(conn, "%s\r\n", greeting)
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		switch word, _, _ := strings.Cut(lines.Text(), " "); {
		case word == "EHLO" && starttls:
			fmt.Fprint(conn, "250-mail.test\r\n250 STARTTLS\r\n")
		case word == "QUIT":
			fmt.Fprint(conn, "221 bye\r\n")
		case word == "EHLO":
			fmt.Fprint(conn, "250 mail.test\r\n")
		case word == "STARTTLS":
			fmt.Fprint(conn, "220 go\r\n")
			conn, starttls = tls.Server(conn, secure), false
			lines = bufio.NewScanner(conn)
		default:
			fmt.Fprint(conn, "502 what?\r\n")
		}
	}
}

func TestPlatform_DoctorOnMail(t *testing.T) {
	web := httptest.NewTLSServer(nil) // for its certificate, of 127.0.0.1
	t.Cleanup(web.Close)
	secure, trusted := &tls.Config{Certificates: web.TLS.Certificates}, x509.NewCertPool()
	trusted.AddCert(web.Certificate())
	const hello = "220 mail.test ESMTP"
	starts := mailServer(t, hello, true, secure, false)
	atOnce := mailServer(t, hello, false, secure, true)
	plain := mailServer(t, hello, false, nil, false)
	rude := mailServer(t, "554 go away", false, nil, false)
	for _, tc := range []struct {
		url     string
		trusted *x509.CertPool
		want    string
	}{
		{"", nil, "note mail no server is named: the mails of invitations wait"},
		{"smtp://user:hunter2@" + starts, trusted, "ok mail the server answers under TLS"},
		{"smtps://user:hunter2@" + atOnce, trusted, "ok mail the server answers under TLS"},
		{"smtp+plaintext://" + plain, trusted, "warn mail the server answers, and is spoken to in plain text"},
		{"smtp://" + starts, x509.NewCertPool(),
			"fail mail the mail server's certificate is not one that this machine trusts"},
		{"smtps://" + atOnce, x509.NewCertPool(), "fail mail the mail server's certificate"},
		{"smtp://" + plain, trusted, "fail mail the mail server does not offer STARTTLS"},
		{"smtps://" + plain, trusted, "fail mail the mail server does not speak TLS"},
		{"smtp://" + rude, trusted, "fail mail what answers at the mail server's address does not speak SMTP"},
		{"smtp://127.0.0.1:1", trusted, "fail mail nobody answers at the mail server's address"},
		{"smtp://[hunter2", trusted, "fail mail RAILKIT_SMTP_URL is not of the form"},
	} {
		x := told(config.Server{Environment: "sandbox", SMTPURL: tc.url})
		wantFindings(t, tc.url, checkMailWith(t.Context(), x, tc.trusted), tc.want)
	}
	wantFindings(t, "production", checkMail(t.Context(), told(config.Server{Environment: "production"})),
		"warn mail RAILKIT_SMTP_URL names no server")
}

func TestPlatform_DoctorOnTheServer(t *testing.T) {
	says := func(body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }))
		t.Cleanup(s.Close)
		return strings.TrimPrefix(s.URL, "http://")
	}
	unready := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprintf(w,
			`{"data":{"service":"railkit","environment":"sandbox","version":%q},"message":"Not ready: signer"}`,
			testVersion)
	}))
	t.Cleanup(unready.Close)
	health := `{"data":{"service":"railkit","environment":"sandbox","version":%q}}`
	own := says(fmt.Sprintf(health, testVersion))
	_, port, _ := net.SplitHostPort(own)
	for addr, want := range map[string]string{
		own:                             "ok server it answers at",
		"0.0.0.0:" + port:               "ok server it answers at",
		says(fmt.Sprintf(health, "v0")): "warn server the one at",
		says(strings.Replace(fmt.Sprintf(health, testVersion), "sandbox", "production", 1)): "fail server the one at",
		says(
			`{"data":{"service":"another"}}`,
		): "fail server what listens at",
		says("<html>"): "fail server what listens at",
		strings.TrimPrefix(unready.URL, "http://"): "fail server it lives at",
		"127.0.0.1:1": "note server none listens at 127.0.0.1:1",
	} {
		wantFindings(t, addr, checkServer(t.Context(), told(config.Server{Addr: addr, Environment: "sandbox"})), want)
	}
	if found := checkServer(t.Context(), told(config.Server{Addr: "127.0.0.1:0"})); len(found) != 0 {
		t.Errorf("a port that is not chosen yet: %v", found)
	}
}

func TestPlatform_DoctorOnNodes(t *testing.T) {
	node := func(chainID, program string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body := bufio.NewScanner(r.Body)
			body.Scan()
			answer := program
			if strings.Contains(body.Text(), "eth_chainId") {
				answer = chainID
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":%q}`, answer)
		}))
		t.Cleanup(s.Close)
		return s.URL + "/v2/hunter2"
	}
	for _, tc := range []struct{ environment, slug, url, want string }{
		{"sandbox", "base", node("0x14a34", "railkit-devnet/v1"), "ok node it answers as chain 84532 (base)"},
		{"production", "base", node("0x2105", "Geth/v1"), "ok node it answers as chain 8453 (base)"},
		{"production", "base", node("0x2105", "railkit-devnet/v1"),
			"fail node base: it is the sandbox's own: production refuses it"},
		{"production", "base", node("0x14a34", "Geth/v1"),
			"fail node the node is on another chain: the node of base says chain id 84532"},
		{"sandbox", "base", "http://127.0.0.1:1/hunter2", "fail node base: it does not answer"},
		{"sandbox", "base", "ws://hunter2", "fail node base: not an http or https URL"},
		{"sandbox", "moon", "http://127.0.0.1:1", `fail node --rpc names "moon", which is no network`},
	} {
		x := told(config.Server{Environment: tc.environment, RPCURLs: map[string]string{tc.slug: tc.url}})
		found := checkNodes(t.Context(), x)
		wantFindings(t, tc.want, found, tc.want)
		if strings.Contains(fmt.Sprint(found), "hunter2") {
			t.Errorf("it shows the URL: %v", found)
		}
	}
	wantFindings(t, "none", checkNodes(t.Context(), target{}), "warn node no --rpc names one")
}
