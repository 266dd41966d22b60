package admin

const (
	inWorkspace  = "--workspace ID"
	ofSubmission = inWorkspace + " --submission ID"
	ofOrder      = inWorkspace + " --order OFR-20261122-4Y8K"
	decided      = ofOrder + ` --by "Ada Park" --reason "the bank's letter of May 2"`
)

// examples are what may be typed behind each command. Flags that are absent here are in its help.
var examples = map[string]string{
	"admin workspace create":           `--name "Example Payments" --email ops@example.com --modules signing,payout`,
	"admin workspace list":             "",
	"admin workspace show":             inWorkspace,
	"admin workspace kyb":              inWorkspace + ` --status approved --reason "papers of May 2"`,
	"admin kyb list":                   "",
	"admin kyb show":                   inWorkspace,
	"admin kyb export":                 inWorkspace + " --out acme-kyb --vault-key-file /etc/railkit/vault.key",
	"admin kyb approve":                ofSubmission,
	"admin kyb reject":                 ofSubmission + ` --reason "the business is not registered"`,
	"admin kyb ask":                    ofSubmission + ` --reason "the certificate cannot be read"`,
	"admin workspace modules":          inWorkspace + " --modules signing,payout,agents",
	"admin key create":                 inWorkspace + " --name shop --scopes integrator --ip-allowlist 10.0.0.0/8",
	"admin key list":                   inWorkspace,
	"admin key revoke":                 inWorkspace + " --key ID",
	"admin member invite":              inWorkspace + " --email ada@example.com --role admin",
	"admin audit verify":               "--heads heads.txt",
	"admin order list":                 inWorkspace,
	"admin order retry-refund":         ofOrder,
	"admin order retry-payout":         ofOrder,
	"admin order give-back":            decided,
	"admin order release":              decided,
	"admin order accept-transfer":      decided,
	"admin order write-off-transfer":   decided,
	"admin order disown-transfer":      decided + " --transfer tr_2d1f0c6a4e11",
	"admin order cover-deposit":        ofOrder,
	"admin order drop-deposit":         ofOrder,
	"admin order return-deposit":       ofOrder,
	"admin order name-coins":           ofOrder + " --tx 0xab38…",
	"admin order accept-coins":         ofOrder,
	"admin order write-off-coins":      ofOrder,
	"admin order settle-receivable":    ofOrder,
	"admin deposit-account list":       inWorkspace,
	"admin deposit-account deactivate": inWorkspace + " --account ID",
	"admin deposit-account reactivate": inWorkspace + " --account ID",
	"admin withdraw-address take-over": inWorkspace + " --address 0x7099… --bank-account ID",
	"admin notice list":                "--state unmatched",
	"admin notice retry":               "--notice ID",
	"admin kill-switch on":             `--reason "a model that buys what nobody asked for"`,
	"admin kill-switch off":            `--reason "mended"`,
	"admin kill-switch status":         "",
	"admin signer status":              "--enclave-socket /run/railkit/enclave.sock --enclave-key 02c6…",
	"admin signer accept": `--reason "disk lost, copy of 12:00" --enclave-socket /run/railkit/enclave.sock ` +
		"--enclave-key 02c6…",
	"admin token list": "",
	"admin token accept": `--network solana --token USDC --hash sha256:5f2d… ` +
		`--reason "Circle's notice of May 2"`,
	"admin miniapp add": `--metadata tip.json --operator "Ana Apps" --type Tips --chain fuji --wallet ` +
		"0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
	"admin miniapp list":    "",
	"admin miniapp disable": `--miniapp ID --reason "a complaint"`,
	"admin miniapp enable":  `--miniapp ID --reason "settled"`,
	"admin show":            "OFR-20261122-4Y8K",
	"admin reconcile":       "--since 720h",
}
