package oncall

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const root = "../../.."

// promtool runs Prometheus' own tool on files of ops. Without it the test fails: alerts that nobody fired are none.
func promtool(t *testing.T, folder string, args ...string) {
	t.Helper()
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Fatal("promtool is missing: make needs-prometheus installs it (Debian's package prometheus)")
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// alert is a rule of ops/alerts.yaml.
type alert struct{ name, text, severity string }

var (
	rule       = regexp.MustCompile(`(?m)^      - alert: `)
	severity   = regexp.MustCompile(`severity: (warning|page)\b`)
	alias      = regexp.MustCompile(`annotations: ([&*])(\w+)`)
	runbook    = regexp.MustCompile(`runbook: docs/operations\.md#(\S+)`)
	tested     = regexp.MustCompile(`(?m)^  - name: (\w+)`)
	fired      = regexp.MustCompile(`alertname: (\w+)`)
	ourMetric  = regexp.MustCompile(`railkit_[a-z_]+`)
	matched    = regexp.MustCompile(`(railkit_[a-z_]+)\{([^}]*)\}`)
	labelNamed = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)\s*"`)
	grouped    = regexp.MustCompile(`\bby \(([^)]*)\)`)
	paragraph  = regexp.MustCompile(`(?m)^#### (Railkit\w+)$`)
	typed      = regexp.MustCompile("`(?:sudo |railkit |curl |journalctl |systemctl |df |promtool )[^`]+`")
)

func alerts(t *testing.T) (all []alert) {
	for _, text := range rule.Split(readFile(t, "ops/alerts.yaml"), -1)[1:] {
		name, _, _ := strings.Cut(text, "\n")
		found := severity.FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("%s has no severity", name)
		}
		all = append(all, alert{name, text, found[1]})
	}
	return all
}

// Each alert fires in its unit test, first as a warning and then as a page.
func TestAlertsFire(t *testing.T) {
	promtool(t, filepath.Join(root, "ops"), "check", "rules", "alerts.yaml")
	promtool(t, filepath.Join(root, "ops"), "test", "rules", "alerts_test.yaml")
	units := map[string]string{}
	raw := readFile(t, "ops/alerts_test.yaml")
	places := tested.FindAllStringSubmatchIndex(raw, -1)
	for i, at := range places {
		end := len(raw)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		units[raw[at[2]:at[3]]] = raw[at[0]:end]
	}
	severities := map[string][]string{}
	for _, a := range alerts(t) {
		severities[a.name] = append(severities[a.name], a.severity)
		unit := units[a.name]
		for _, part := range []string{"exp_alerts: []", "severity: warning", "severity: page"} {
			if !strings.Contains(unit, part) {
				t.Errorf("the unit test of %s has no %s", a.name, part)
			}
		}
		for _, name := range fired.FindAllStringSubmatch(unit, -1) {
			if name[1] != a.name {
				t.Errorf("the unit test of %s is about %s", a.name, name[1])
			}
		}
	}
	for name, got := range severities {
		if !slices.Equal(got, []string{"warning", "page"}) {
			t.Errorf("%s is %v, and has to be a warning and then a page", name, got)
		}
	}
	if len(units) != len(severities) || len(severities) < 12 {
		t.Errorf("%d unit tests, %d alerts", len(units), len(severities))
	}
}

// Each alert leads to its paragraph, which names what it measures and what to type.
func TestAlertsHaveParagraphs(t *testing.T) {
	raw := readFile(t, "docs/operations.md")
	paragraphs := map[string]string{}
	for _, at := range paragraph.FindAllStringSubmatchIndex(raw, -1) {
		text := raw[at[1]:]
		if next := strings.Index(text, "\n#"); next >= 0 {
			text = text[:next]
		}
		paragraphs[raw[at[2]:at[3]]] = text
	}
	named, leads := map[string]bool{}, map[string]string{}
	for _, a := range alerts(t) {
		named[a.name] = true
		text, found := paragraphs[a.name]
		if !found {
			t.Errorf("%s has no paragraph", a.name)
			continue
		}
		for _, part := range append(ourMetric.FindAllString(strings.Split(a.text, "annotations:")[0], -1),
			"**Warning**", "**Page**") {
			if part = strings.TrimSuffix(part, "_bucket"); !strings.Contains(text, part) {
				t.Errorf("the paragraph of %s does not name %s", a.name, part)
			}
		}
		if !typed.MatchString(text) {
			t.Errorf("the paragraph of %s does not say what to type", a.name)
		}
		shared := alias.FindStringSubmatch(a.text)
		if anchor := runbook.FindStringSubmatch(a.text); anchor != nil && shared != nil && shared[1] == "&" {
			leads[shared[2]] = anchor[1]
		}
		if shared == nil || leads[shared[2]] != strings.ToLower(a.name) {
			t.Errorf("%s does not lead to its paragraph", a.name)
		}
	}
	for name := range paragraphs {
		if !named[name] {
			t.Errorf("the paragraph of %s is about no alert", name)
		}
	}
}

// exprs are the queries of the dashboard, as Prometheus takes them.
func exprs(t *testing.T) (all []string) {
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(readFile(t, "ops/grafana.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			all = append(all, strings.ReplaceAll(target.Expr, "$__rate_interval", "5m"))
		}
	}
	if len(all) < 40 {
		t.Errorf("only %d queries", len(all))
	}
	return all
}

// The dashboard's queries are ones that Prometheus can read.
func TestDashboardQueries(t *testing.T) {
	var rules strings.Builder
	rules.WriteString("groups:\n- name: dashboard\n  rules:\n")
	for i, expr := range exprs(t) {
		raw, err := json.Marshal(expr)
		if err != nil {
			t.Fatal(err)
		}
		rules.WriteString("  - {record: 'a:b', expr: " + string(raw) + ", labels: {n: '" + strconv.Itoa(i) + "'}}\n")
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "rules.yaml"), []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, folder, "check", "rules", "rules.yaml")
}

// usedNamesExist holds alerts and dashboard against what a running application exports: a metric under another name, or
// a label that it does not have, is a silent alert.
func usedNamesExist(t *testing.T, all map[string]*metric) {
	var texts []string
	for _, a := range alerts(t) {
		texts = append(texts, strings.Split(a.text, "annotations:")[0])
	}
	used := map[string]bool{}
	for _, text := range append(texts, exprs(t)...) {
		labels := map[string]bool{"le": true, "job": true, "instance": true}
		for _, name := range ourMetric.FindAllString(text, -1) {
			m := familyOf(all, name)
			if m == nil {
				t.Errorf("nobody exports %s: %s", name, text)
				continue
			}
			used[m.name] = true
			for _, l := range m.labels {
				labels[l] = true
			}
		}
		for _, selector := range matched.FindAllStringSubmatch(text, -1) {
			m := familyOf(all, selector[1])
			for _, l := range labelNamed.FindAllStringSubmatch(selector[2], -1) {
				if m != nil && !slices.Contains(m.labels, l[1]) {
					t.Errorf("%s has no label %s: %s", m.name, l[1], text)
				}
			}
		}
		for _, list := range grouped.FindAllStringSubmatch(text, -1) {
			for l := range strings.SplitSeq(list[1], ",") {
				if l = strings.TrimSpace(l); !labels[l] {
					t.Errorf("what is grouped by %s has no such label: %s", l, text)
				}
			}
		}
	}
	for _, name := range ours(all) {
		if !used[name] && name != "railkit_idempotency_wait_seconds_total" && name != "railkit_database_waits_total" &&
			name != "railkit_rate_limit_redis_failures_total" && name != "railkit_chain_head_block" {
			t.Errorf("neither an alert nor the dashboard shows %s", name)
		}
	}
}

// familyOf finds the metric behind a name, which may be one of a histogram's three.
func familyOf(all map[string]*metric, name string) *metric {
	for _, suffix := range []string{"", "_bucket", "_sum", "_count"} {
		base, cut := strings.CutSuffix(name, suffix)
		if m := all[base]; cut && m != nil && (suffix == "" || m.kind == "histogram") {
			return m
		}
	}
	return nil
}

const (
	tableBegin = "<!-- metrics: begin -->\n"
	tableEnd   = "<!-- metrics: end -->"
)

// tableIsTrue holds the table of docs/operations.md against what a running application exports.
func tableIsTrue(t *testing.T, all map[string]*metric) {
	var b strings.Builder
	b.WriteString(tableBegin + "| Metric | Kind | Labels | |\n|---|---|---|---|\n")
	for _, name := range ours(all) {
		m := all[name]
		var labels []string
		for _, l := range slices.Sorted(slices.Values(m.labels)) {
			labels = append(labels, "`"+l+"`")
		}
		b.WriteString("| `" + name + "` | " + m.kind + " | " + strings.Join(labels, ", ") + " | " + m.help + " |\n")
	}
	raw := readFile(t, "docs/operations.md")
	before, rest, found := strings.Cut(raw, tableBegin)
	_, after, ends := strings.Cut(rest, tableEnd)
	if !found || !ends {
		t.Fatal("docs/operations.md has no place for the table of metrics")
	}
	want := before + b.String() + tableEnd + after
	if want == raw {
		return
	}
	if !*update {
		t.Error("the table of metrics in docs/operations.md is not what is exported: " +
			"go test ./internal/test/oncall -run Running -update")
		return
	}
	if err := os.WriteFile(filepath.Join(root, "docs/operations.md"), []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
