package metrics

import (
	"context"
	"database/sql"
	"maps"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/platform/issuer"
	"github.com/railkit/railkit/platform/ratelimit"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/watch"
)

var (
	readyParts = gauge("railkit_ready", "1 where a part that the server cannot work without is as it should be, as GET /readyz.",
		"part")

	signerEntries = gauge("railkit_signer_journal_entries", "Entries of the signer's journal that are on disk.")
	signerBytes   = gauge("railkit_signer_journal_bytes", "Bytes of the signer's journal.")
	signerFree    = gauge("railkit_signer_disk_free_bytes", "Bytes that the disk of the signer's journal has left.")
	signerStart   = gauge("railkit_signer_start_timestamp_seconds",
		"When the signer started; each change is a restart.")
	priceAsOf    = gauge("railkit_price_timestamp_seconds", "Of when the newest signed price of an asset is.", "asset")
	priceRefused = gauge("railkit_price_refused", "1 where the signer does not believe the newest price of an asset.",
		"asset")

	chainHead     = gauge("railkit_chain_head_block", "Newest block of a network, as its node says.", "network")
	chainHeadTime = gauge("railkit_chain_head_timestamp_seconds", "When that block was made, by the chain's clock.",
		"network")
	chainLag  = gauge("railkit_chain_lag_blocks", "Blocks that the watcher has still to read.", "network")
	chainRead = gauge("railkit_chain_read_timestamp_seconds", "When the watcher last read a network without a fault.",
		"network")
	chainFailures = total("railkit_chain_failures_total", "Steps of the watcher that failed.", "network")

	jobs = gauge("railkit_jobs", "Jobs, by kind and by River's state, without those that are done.", "kind",
		"state")
	jobOverdue = gauge("railkit_job_overdue_seconds",
		"How long the job of a kind that should have run first has waited beyond its time.", "kind")

	issuerChanged = gauge("railkit_token_issuer_changed",
		"1 while who issues a token has changed and nobody has accepted it: nothing of it is paid or credited.",
		"network", "token")
	issuerUnknown = gauge("railkit_token_issuer_unknown",
		"1 while this server does not know who issues a token, mostly since its nodes contradict each other or do not "+
			"answer: nothing of it is paid or credited.", "network", "token")

	dbConns   = gauge("railkit_database_connections", "Connections to the database, in use or idle.", "pool", "state")
	dbMost    = gauge("railkit_database_connections_max", "How many connections a pool has at most.", "pool")
	dbWaits   = total("railkit_database_waits_total", "How often somebody waited for a connection.", "pool")
	dbWait    = total("railkit_database_wait_seconds_total", "How long all of them waited.", "pool")
	dbCommits = total("railkit_database_transactions_total", "Transactions that were committed.")
	dbChanges = total("railkit_database_changes_total",
		"Changes in those transactions: a call's or a job's each. Several callers' changes are committed by one.")
	dbQueue = gauge("railkit_database_changes_waiting", "Changes that wait for a transaction.")
	dbAlone = total("railkit_database_changes_alone_total",
		"Changes that left a transaction, since others would have waited: for a lock, or for many rows.")
	dbAgain = total("railkit_database_retries_total",
		"Transactions that were run once more: another one was in the way.")
	dbLost = total("railkit_database_retries_given_up_total",
		"Transactions whose turn never came: their callers got 503.")

	onceWaits  = total("railkit_idempotency_waits_total", "Calls that came while another one with their key ran.")
	onceGaveUp = total("railkit_idempotency_waits_given_up_total", "Those of them that waited in vain.")
	onceWait   = total("railkit_idempotency_wait_seconds_total", "How long all of them waited.")

	uncounted = total("railkit_rate_limit_uncounted_total",
		"Calls decided while the Redis that counts was away: open (counted here alone) or closed (refused).",
		"class", "policy")
	redisFailures = total("railkit_rate_limit_redis_failures_total", "Questions that Redis did not answer.")
)

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// AskReady tells which parts are as they should be.
func (m *Metrics) AskReady(parts []string, missing func(context.Context) ([]string, error)) {
	m.ask("ready", func(ctx context.Context) (all []prometheus.Metric, err error) {
		gone, err := missing(ctx)
		if err != nil {
			return nil, err
		}
		away := map[string]bool{}
		for _, part := range gone {
			away[part] = true
		}
		for _, part := range parts {
			all = append(all, readyParts.of(truth(!away[part]), part))
		}
		return all, nil
	}, readyParts)
}

// AskSigner tells of the signer's journal, and of the prices that it goes by.
func (m *Metrics) AskSigner(info func(context.Context) (wire.InfoReply, error)) {
	m.ask("signer", func(ctx context.Context) ([]prometheus.Metric, error) {
		i, err := info(ctx)
		if err != nil {
			return nil, err
		}
		var all []prometheus.Metric
		for _, number := range []struct {
			of    family
			text  string
			units float64
		}{
			{signerEntries, i.Seq, 1}, {signerBytes, i.JournalBytes, 1}, {signerFree, i.DiskFree, 1},
			{signerStart, i.StartedMs, .001},
		} {
			if n, err := strconv.ParseFloat(number.text, 64); err == nil { // an older signer does not say all
				all = append(all, number.of.of(n*number.units))
			}
		}
		for _, p := range i.Prices {
			if at, err := time.Parse(time.RFC3339, p.AsOf); err == nil {
				all = append(all, priceAsOf.at(at, p.Asset)...)
			}
			all = append(all, priceRefused.of(truth(p.Refused != ""), p.Asset))
		}
		return all, nil
	}, signerEntries, signerBytes, signerFree, signerStart, priceAsOf, priceRefused)
}

// AskJobs tells what waits. Kinds are those that this server works on.
func (m *Metrics) AskJobs(kinds []job.Kind, backlog func(context.Context) ([]queue.Backlog, error)) {
	known := map[job.Kind]bool{}
	for _, kind := range kinds {
		known[kind] = true
	}
	m.ask("jobs", func(ctx context.Context) ([]prometheus.Metric, error) {
		found, err := backlog(ctx)
		if err != nil {
			return nil, err
		}
		return jobsOf(known, found), nil
	}, jobs, jobOverdue)
}

// runnable are the states of a job that runs once its time has come.
var runnable = map[string]bool{"available": true, "scheduled": true, "retryable": true}

func jobsOf(known map[job.Kind]bool, found []queue.Backlog) (all []prometheus.Metric) {
	type at struct{ kind, state string }
	counts, overdue := map[at]int64{}, map[string]time.Duration{}
	for kind := range known {
		counts[at{string(kind), "available"}], overdue[string(kind)] = 0, 0
	}
	for _, b := range found {
		kind := unknown
		if known[b.Kind] {
			kind = string(b.Kind)
		}
		counts[at{kind, b.State}] += b.Jobs
		if runnable[b.State] {
			overdue[kind] = max(overdue[kind], b.Late)
		}
	}
	for at, n := range counts {
		all = append(all, jobs.of(float64(n), at.kind, at.state))
	}
	for kind, late := range overdue {
		all = append(all, jobOverdue.of(seconds(late), kind))
	}
	return all
}

// TellChains tells how far the watcher has read.
func (m *Metrics) TellChains(progress func() []watch.Progress) {
	m.snapshot(func() (all []prometheus.Metric) {
		for _, p := range progress() {
			all = append(all, chainFailures.of(float64(p.Failures), p.Slug))
			all = append(all, chainRead.at(p.ReadAt, p.Slug)...)
			if p.HeadAt.IsZero() { // the node has not answered yet
				continue
			}
			all = append(all, chainHead.of(float64(p.Head), p.Slug), chainLag.of(float64(max(0, p.Head-p.Read)),
				p.Slug))
			all = append(all, chainHeadTime.at(p.HeadAt, p.Slug)...)
		}
		return all
	}, chainHead, chainHeadTime, chainLag, chainRead, chainFailures)
}

// AskIssuers tells which of the listed tokens are held since who issues them changed. Two tokens of a network may have
// one symbol: their metric is 1 where either is held.
func (m *Metrics) AskIssuers(listed []issuer.Token, issuers func(context.Context) ([]issuer.Issuer, error)) {
	type named struct{ network, symbol string }
	m.ask("issuers", func(ctx context.Context) (all []prometheus.Metric, err error) {
		known, err := issuers(ctx)
		changed := map[named]float64{}
		for _, i := range known {
			for _, t := range listed {
				if t.Network == i.Network && t.Address == i.Address {
					at := named{t.Network, t.Symbol}
					changed[at] = max(changed[at], truth(len(i.Changed()) > 0))
				}
			}
		}
		for at, held := range changed {
			all = append(all, issuerChanged.of(held, at.network, at.symbol))
		}
		return all, err
	}, issuerChanged)
}

// TellIssuers tells which listed tokens are held because it is not known who issues them.
func (m *Metrics) TellIssuers(unknown func() map[issuer.Token]bool) {
	m.snapshot(func() (all []prometheus.Metric) {
		for t, is := range unknown() {
			all = append(all, issuerUnknown.of(truth(is), t.Network, t.Symbol))
		}
		return all
	}, issuerUnknown)
}

// Database is what tells of connections.
type Database interface {
	Pools() map[string]sql.DBStats
	Commits() record.Commits
}

// TellDatabase tells of connections, and of transactions that were in each other's way.
func (m *Metrics) TellDatabase(d Database) {
	m.snapshot(func() (all []prometheus.Metric) {
		for pool, s := range d.Pools() {
			all = append(all, dbConns.of(float64(s.InUse), pool, "in_use"), dbConns.of(float64(s.Idle), pool, "idle"),
				dbMost.of(float64(s.MaxOpenConnections), pool), dbWaits.of(float64(s.WaitCount), pool),
				dbWait.of(seconds(s.WaitDuration), pool))
		}
		c := d.Commits()
		return append(all, dbCommits.of(float64(c.Transactions)), dbChanges.of(float64(c.Changes)),
			dbQueue.of(float64(c.Waiting)), dbAlone.of(float64(c.Alone)), dbAgain.of(float64(c.Again)),
			dbLost.of(float64(c.GaveUp)))
	}, dbConns, dbMost, dbWaits, dbWait, dbCommits, dbChanges, dbQueue, dbAlone, dbAgain, dbLost)
}

// TellOnce tells of calls that waited for another one with their Idempotency-Key.
func (m *Metrics) TellOnce(waits func() idempotency.Waits) {
	m.snapshot(func() []prometheus.Metric {
		w := waits()
		return []prometheus.Metric{
			onceWaits.of(float64(w.Calls)), onceGaveUp.of(float64(w.GaveUp)), onceWait.of(seconds(w.Took)),
		}
	}, onceWaits, onceGaveUp, onceWait)
}

// TellLimits tells what was decided while the Redis that counts calls was away.
func (m *Metrics) TellLimits(counts func() (map[ratelimit.Decision]uint64, uint64)) {
	m.snapshot(func() (all []prometheus.Metric) {
		decisions, failures := counts()
		found := map[ratelimit.Decision]uint64{{Class: ratelimit.Financial, Policy: ratelimit.Closed}: 0}
		maps.Copy(found, decisions)
		for d, n := range found {
			all = append(all, uncounted.of(float64(n), string(d.Class), string(d.Policy)))
		}
		return append(all, redisFailures.of(float64(failures)))
	}, uncounted, redisFailures)
}
