package metrics

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/mail"
)

// The outcomes of what others are asked for.
const (
	ok      = "ok"
	refused = "refused" // an answer: no
	failed  = "failed"  // no answer, or one that makes no sense
)

var outcomes = []string{ok, refused, failed}

// others count what the server asks the signer, nodes, the partner and the mail server, and its jobs.
type others struct {
	signerCalls, nodeCalls, partnerCalls, mails, jobRuns, webhooks *prometheus.CounterVec
	signerTook, nodeTook, partnerTook, jobTook                     *prometheus.HistogramVec
}

func newOthers() others {
	o := others{
		signerCalls: counter("railkit_signer_calls_total",
			"Calls of the signer: ok, refused by it, or failed: no answer.",
			"method", "outcome"),
		signerTook: histogram("railkit_signer_call_seconds", "How long the signer took.", quick, "method"),
		nodeCalls: counter("railkit_node_calls_total",
			"Questions to nodes: ok, refused (a transaction that reverts or cannot be paid for), or failed.",
			"network", "outcome"),
		nodeTook: histogram("railkit_node_call_seconds", "How long nodes took.", slow, "network"),
		partnerCalls: counter("railkit_partner_calls_total", "Calls of the payment partner: ok, refused, or failed.",
			"outcome"),
		partnerTook: histogram("railkit_partner_call_seconds", "How long the payment partner took.", slow),
		mails: counter("railkit_mails_total",
			"Mails handed to the mail server: ok, refused for good, or failed, to be tried again.", "outcome"),
		jobRuns: counter("railkit_job_runs_total", "Runs of jobs, by kind: ok, or failed, to be tried again.",
			"kind", "outcome"),
		webhooks: counter("railkit_webhook_deliveries_total",
			"Webhooks by what came of them: delivered, retried (not taken, to be sent again) or failed (given up).",
			"outcome"),
		jobTook: histogram("railkit_job_seconds", "How long runs of jobs took.", slow, "kind"),
	}
	for _, outcome := range hookOutcomes {
		o.webhooks.WithLabelValues(outcome)
	}
	o.partnerTook.WithLabelValues()
	for _, outcome := range outcomes {
		o.partnerCalls.WithLabelValues(outcome)
		o.mails.WithLabelValues(outcome)
	}
	for _, method := range []string{
		wire.MInfo, wire.MChallenge, wire.MPreview, wire.MSubmit, wire.MCancel, wire.MOutcome, wire.MKnown, wire.MState,
		wire.MHeads, wire.MPrices, wire.MRecovery, wire.MAgent, wire.MVerifyAgent,
	} {
		for _, outcome := range outcomes {
			o.signerCalls.WithLabelValues(method, outcome)
		}
	}
	return o
}

func (o others) all() []prometheus.Collector {
	return []prometheus.Collector{
		o.signerCalls, o.signerTook, o.nodeCalls, o.nodeTook, o.partnerCalls, o.partnerTook, o.mails, o.jobRuns,
		o.jobTook, o.webhooks,
	}
}

// Expect makes the series of what a server works with, from zero on: a first failure is a rise then, which alerts see.
func (o others) Expect(networks []string, kinds []job.Kind) {
	for _, network := range networks {
		for _, outcome := range outcomes {
			o.nodeCalls.WithLabelValues(network, outcome)
		}
	}
	for _, kind := range kinds {
		o.jobRuns.WithLabelValues(string(kind), ok)
		o.jobRuns.WithLabelValues(string(kind), failed)
	}
}

// SignerCall counts a call of the signer.
func (o others) SignerCall(method string, took time.Duration, err error) {
	outcome := ok
	switch f, told := fault.As(err); {
	case err == nil:
	case told && f.Kind < fault.Internal:
		outcome = refused
	default:
		outcome = failed
	}
	o.signerCalls.WithLabelValues(method, outcome).Inc()
	o.signerTook.WithLabelValues(method).Observe(seconds(took))
}

// answers are the errors by which a node says something about a transaction, not about itself.
var answers = []error{
	node.ErrReverts, node.ErrRefused, node.ErrNonceUsed, node.ErrUnderpriced, node.ErrNoFunds, node.ErrNoBlock,
	node.ErrBlockhash, node.ErrPayee,
}

// NodeCall counts a question to a node.
func (o others) NodeCall(network string, took time.Duration, err error) {
	outcome := ok
	if err != nil {
		outcome = failed
	}
	for _, answer := range answers {
		if errors.Is(err, answer) {
			outcome = refused
		}
	}
	o.nodeCalls.WithLabelValues(network, outcome).Inc()
	o.nodeTook.WithLabelValues(network).Observe(seconds(took))
}

// PartnerCall counts a call of the payment partner.
func (o others) PartnerCall(took time.Duration, err error) {
	outcome := ok
	var busy *fiat.Busy
	switch {
	case err == nil:
	case errors.Is(err, fiat.ErrUnavailable), errors.Is(err, fiat.ErrAnswer), errors.As(err, &busy):
		outcome = failed
	default:
		outcome = refused
	}
	o.partnerCalls.WithLabelValues(outcome).Inc()
	o.partnerTook.WithLabelValues().Observe(seconds(took))
}

// JobRun counts a run of a job.
func (o others) JobRun(kind job.Kind, took time.Duration, err error) {
	outcome := ok
	if err != nil {
		outcome = failed
	}
	o.jobRuns.WithLabelValues(string(kind), outcome).Inc()
	o.jobTook.WithLabelValues(string(kind)).Observe(seconds(took))
}

// Mailer is a mailer whose mails are counted.
func (o others) Mailer(next mail.Mailer) mail.Mailer { return mailer{next, o.mails} }

type mailer struct {
	next  mail.Mailer
	mails *prometheus.CounterVec
}

func (m mailer) Send(ctx context.Context, letter mail.Message) error {
	err := m.next.Send(ctx, letter)
	outcome := ok
	switch {
	case errors.Is(err, mail.ErrRefused):
		outcome = refused
	case err != nil:
		outcome = failed
	}
	m.mails.WithLabelValues(outcome).Inc()
	return err
}
