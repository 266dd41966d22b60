// Generated from api/openapi.json by go generate ./web/dashboard. Do not edit.
import { op } from "./call";

export type APIKey = {
	active: boolean;
	createdAt: string;
	createdBy?: string;
	description?: string;
	expiresAt?: string;
	id: string;
	ipAllowlist: (string)[];
	lastFour: string;
	lastUsedAt?: string;
	name: string;
	prefix: string;
	rateLimits: RateLimits;
	revokedAt?: string;
	scopes: (string)[];
};
export type APIKeyEnvelope = {
	data: APIKey;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type APIKeyPage = {
	data: (APIKey)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type APIKeyRequest = {
	description?: string;
	expiresAt?: string;
	ipAllowlist?: (string)[];
	name: string;
	rateLimits?: RateLimits;
	scopes?: ("integrator" | "integrator:read" | "integrator:write" | "payout:write" | "agent" | "client" | "audit:read" | "webhooks" | "internal" | "admin")[];
};
export type AcceptInvitationRequest = {
	credential: { [name: string]: unknown };
	label?: string;
	token: string;
};
export type AccountFrozen = {
	accountId: string;
	frozen: boolean;
};
export type AccountFrozenEnvelope = {
	data: AccountFrozen;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AccountStatement = {
	balances: (StatementBalance)[];
	days?: (StatementDay)[];
	from: string;
	lines: (StatementLine)[];
	linesTotal: number;
	to: string;
};
export type AccountStatementEnvelope = {
	data: AccountStatement;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Action = {
	abi?: unknown;
	actions?: (Action)[];
	address?: string;
	amount?: number;
	chains?: Chains;
	description?: string;
	functionName?: string;
	id?: string;
	initialActionId?: string;
	label: string;
	message?: string;
	method?: "GET" | "POST" | "PUT" | "DELETE";
	nextActions?: (Next)[];
	options?: (Option)[];
	params?: (Param)[];
	path?: string;
	status?: "success" | "error" | "info";
	title?: string;
	to?: string;
	token?: string;
	type: "transfer" | "blockchain" | "http" | "dynamic" | "flow" | "completion" | "decision";
};
export type AddPasskeyRequest = {
	attestation: Attestation;
	email?: string;
	encodedChallenge: string;
	label?: string;
	returnUrl?: string;
	signedActivity?: SignedActivity;
	state?: string;
	subOrganizationId?: string;
};
export type Address = {
	address: string;
	addressFormat: string;
	addressId: string;
	chain: string;
	createdAt: string;
	name: string;
	path: string;
	proof: Proof;
	publicKey: string;
	walletAccountId: string;
	walletId: string;
};
export type AddressEnvelope = {
	data: Address;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AddressListEnvelope = {
	data: (Address)[];
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Agent = {
	addresses: (AgentAddress)[];
	allStopped: boolean;
	createdAt: string;
	description?: string;
	id: string;
	killSwitch: boolean;
	limits?: AgentLimits;
	name: string;
	secretProof?: Proof;
	status: "pending_policies" | "active" | "draining" | "suspended" | "killed";
	subOrganizationId: string;
	walletAddress?: string;
	walletId?: string;
};
export type AgentActivity = {
	agentId: string;
	calls: number;
	events: number;
	layers: AgentUsage;
	name: string;
	refusals: number;
	status: "pending_policies" | "active" | "draining" | "suspended" | "killed";
};
export type AgentActivityPage = {
	data: (AgentActivity)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AgentAddress = {
	address?: string;
	network: string;
};
export type AgentAmounts = {
	approvalThresholdUsdc?: number;
	infraMonthlyUsd?: number;
	maxFeeUsd?: number;
	paymentsMonthlyUsdc?: number;
	perTxUsdc?: number;
	tokensMonthlyUsd?: number;
};
export type AgentAnalytics = {
	agentId: string;
	calls: number;
	events: number;
	from: string;
	layers: AgentUsage;
	name: string;
	period: "day" | "week" | "month";
	refusals: number;
	timeseries: (AgentDay)[];
	to: string;
};
export type AgentAnalyticsEnvelope = {
	data: AgentAnalytics;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AgentAuditEntry = {
	action: string;
	actor: AuditActor;
	after?: { [name: string]: unknown };
	agentId: string;
	before?: { [name: string]: unknown };
	detail: { [name: string]: unknown };
	hash?: string;
	id: string;
	ip: string;
	operation: string;
	previousHash?: string;
	requestId: string;
	resource: string;
	seq: number;
	status: "success" | "failed";
	timestamp: string;
	type: "budget" | "lifecycle" | "credential" | "approval" | "payment";
};
export type AgentAuditEntryPage = {
	data: (AgentAuditEntry)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AgentBalance = {
	address: string;
	agentId: string;
	balanceUSDC: string;
	networks: (AgentNetworkBalance)[];
};
export type AgentBalanceEnvelope = {
	data: AgentBalance;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AgentBudget = {
	agentId: string;
	killSwitch: boolean;
	layers: AgentBudgetLayers;
	period: "monthly";
	periodEnd: string;
	periodStart: string;
};
export type AgentBudgetEnvelope = {
	data: AgentBudget;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AgentBudgetLayer = {
	currency: "USD" | "USDC";
	held: number;
	limit: number;
	remaining: number;
	spent: number;
};
export type AgentBudgetLayers = {
	infra: AgentBudgetLayer;
	payments: AgentPaymentsBudget;
	tokens: AgentBudgetLayer;
};
export type AgentBudgetRequest = {
	allowedChains?: (string)[];
	allowedHosts?: (string)[];
	allowedRecipients?: (string)[];
	anyRecipient?: boolean;
	approvalThresholdUsdc?: number;
	infraMonthlyUsd?: number;
	maxFeeUsd?: number;
	maxWallets?: number;
	payeeCoolingHours?: number;
	payeesOnly?: boolean;
	paymentsMonthlyUsdc?: number;
	perTxUsdc?: number;
	requireHttpSignature?: boolean;
	returnUrl?: string;
	signedActivity?: SignedActivity;
	state?: string;
	tokensMonthlyUsd?: number;
};
export type AgentChanged = {
	agentId: string;
	killSwitch: boolean;
	limits?: AgentLimits;
	name: string;
	proof: Proof;
	status: "pending_policies" | "active" | "draining" | "suspended" | "killed";
};
export type AgentChangedDoneEnvelope = {
	data: AgentChanged;
	message: string;
	outcome: "done";
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AgentChangedEnvelope = {
	data: AgentChanged;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AgentDay = {
	calls: number;
	date: string;
	events: number;
	infra: number;
	paymentCount: number;
	payments: number;
	refusals: number;
	tokens: number;
};
export type AgentEnvelope = {
	data: Agent;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AgentEvent = {
	amount?: unknown;
	cost_usd?: unknown;
	currency?: string;
	endpoint?: string;
	id?: string;
	metadata?: { [name: string]: unknown };
	model?: string;
	provider?: string;
	recipient?: string;
	to?: string;
	tokens?: number;
	tokens_input?: number;
	tokens_output?: number;
	type: string;
};
export type AgentExposure = {
	agentId: string;
	authorizations: (OutstandingAuthorization)[];
	complete: boolean;
	finalized: (FinalizedHeight)[];
	mined: (MinedNonce)[];
	openExposureUsdc: string;
	proofs: (Proof)[];
	status: "pending_policies" | "active" | "draining" | "suspended" | "killed";
	transactions: (OutstandingTransaction)[];
};
export type AgentExposureEnvelope = {
	data: AgentExposure;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AgentLayerUsage = {
	count: number;
	currency: "USD" | "USDC";
	spent: number;
};
export type AgentLimits = {
	allowedChains: (string)[];
	allowedHosts?: (string)[];
	allowedRecipients?: (string)[];
	anyRecipient: boolean;
	approvalThresholdUsdc: number;
	infraMonthlyUsd: number;
	maxFeeUsd: number;
	maxWallets: number;
	payeeCoolingHours?: number;
	payeesOnly: boolean;
	paymentsMonthlyUsdc: number;
	perTxUsdc: number;
	requireHttpSignature: boolean;
	tokensMonthlyUsd: number;
};
export type AgentLimitsRequest = {
	rateLimits: RateLimits;
};
export type AgentMadeWallet = {
	addresses: (string)[];
	createdAt: string;
	proof: Proof;
	walletId: string;
	walletName: string;
	wallet_id: string;
};
export type AgentMadeWalletEnvelope = {
	data: AgentMadeWallet;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AgentNetworkBalance = {
	address: string;
	balanceUSDC: string;
	chainId?: number;
	native: string;
	nativeCoin: string;
	network: string;
};
export type AgentPage = {
	data: (Agent)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AgentPaymentRequest = {
	action_type: "payment" | "transfer";
	amount: string;
	cluster: string;
	destination: string;
	token_mint: string;
};
export type AgentPaymentsBudget = {
	approvalThreshold: number;
	currency: "USD" | "USDC";
	held: number;
	limit: number;
	perTx: number;
	remaining: number;
	spent: number;
	unused: number;
};
export type AgentState = {
	agentId: string;
	killSwitch: boolean;
	status: "pending_policies" | "active" | "draining" | "suspended" | "killed";
};
export type AgentStateEnvelope = {
	data: AgentState;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AgentTool = {
	addedAt: string;
	available: boolean;
	cost_usdc: number;
	description?: string;
	health: "unknown" | "healthy" | "unhealthy";
	name?: string;
	subtype: "x402" | "mcp" | "http" | "internal";
	toolId: string;
	toolType: "skill";
};
export type AgentToolEnvelope = {
	data: AgentTool;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AgentToolRemoved = {
	agentId: string;
	removedAt: string;
	toolId: string;
};
export type AgentToolRemovedEnvelope = {
	data: AgentToolRemoved;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AgentToolRequest = {
	skill_id: string;
	toolType?: "skill";
};
export type AgentTools = {
	http: (AgentTool)[];
	internal: (AgentTool)[];
	mcp: (AgentTool)[];
	x402: (AgentTool)[];
};
export type AgentToolsEnvelope = {
	data: AgentTools;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AgentUsage = {
	infra: AgentLayerUsage;
	payments: AgentLayerUsage;
	tokens: AgentLayerUsage;
};
export type AgentWallet = {
	address: string;
	agentId: string;
	explorerUrl?: string;
	networks: (AgentWalletNetwork)[];
	walletId: string;
};
export type AgentWalletAccount = {
	addressFormat: string;
	curve: "CURVE_SECP256K1" | "CURVE_ED25519";
	path: string;
	pathFormat: "PATH_FORMAT_BIP32";
};
export type AgentWalletEnvelope = {
	data: AgentWallet;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AgentWalletNetwork = {
	address?: string;
	chainId?: number;
	explorerUrl?: string;
	name: string;
	network: string;
	tokenAddress: string;
};
export type AgentWalletRequest = {
	accounts?: (AgentWalletAccount)[];
	walletName?: string;
};
export type AgentWithSecret = {
	agentId: string;
	agentSecret?: string;
	killSwitch: boolean;
	limits?: AgentLimits;
	name: string;
	proof: Proof;
	sealedSecret?: SealedSecret;
	status: "pending_policies" | "active" | "draining" | "suspended" | "killed";
};
export type AgentWithSecretDoneEnvelope = {
	data: AgentWithSecret;
	message: string;
	outcome: "done";
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AgentWithSecretEnvelope = {
	data: AgentWithSecret;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Alert = {
	accountId: string;
	at: string;
	by: string;
	change: "added" | "changed" | "archived" | "restored" | "confirmed" | "unfrozen" | "return_address" | "return_confirmed";
	currency: "usd" | "eur" | "mxn" | "brl" | "gbp";
	detail?: string;
	frozen: boolean;
	lastFour: string;
	recipientName: string;
	remoteIp?: string;
	used: boolean;
};
export type AlertOpened = {
	businessName: string;
	changes: (Alert)[];
	expiresAt: string;
};
export type AlertOpenedEnvelope = {
	data: AlertOpened;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AllowCredential = {
	id: string;
	transports: (string)[];
	type: "public-key";
};
export type AllowedContract = {
	address: string;
	chain: string;
	selectors: (string)[];
};
export type AmountLimits = {
	maximum: number;
	minimum: number;
};
export type Approval = {
	activity: string;
	activityId?: string;
	agentId?: string;
	agentName?: string;
	amount?: string;
	approvals: (ApprovalVote)[];
	comment?: string;
	costUsd?: string;
	createdAt: string;
	destination?: string;
	expiresAt: string;
	id: string;
	payee?: NamedPayee;
	preview?: Proof;
	proof: Proof;
	reason: "threshold" | "message" | "loosens" | "no_stamp";
	requester: string;
	requesterUserId?: string;
	requiredApprovers: number;
	resolvedAt: string | null;
	result?: Proof;
	status: "pending" | "approved" | "rejected" | "expired";
	subOrganizationId: string;
	transaction?: ApprovedTransaction;
	transactionId?: string;
	vote?: Proof;
	walletId?: string;
};
export type ApprovalConfig = {
	enabled: boolean;
	includeMessages: boolean;
	proof?: Proof;
	requiredApprovers: number;
	subOrganizationId: string;
	thresholdUsd: number;
	timeoutMinutes: number;
	updatedAt: string | null;
};
export type ApprovalConfigDoneEnvelope = {
	data: ApprovalConfig;
	message: string;
	outcome: "done";
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type ApprovalConfigEnvelope = {
	data: ApprovalConfig;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type ApprovalConfigRequest = {
	enabled?: boolean;
	includeMessages?: boolean;
	requiredApprovers?: number;
	returnUrl?: string;
	signedActivity?: SignedActivity;
	state?: string;
	subOrganizationId?: string;
	thresholdUsd?: number;
};
export type ApprovalDoneEnvelope = {
	data: Approval;
	message: string;
	outcome: "done";
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type ApprovalEnvelope = {
	data: Approval;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type ApprovalPage = {
	data: (Approval)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type ApprovalVote = {
	at: string;
	credentialId: string;
	email: string;
	userId: string;
};
export type ApproveRequest = {
	returnUrl?: string;
	signedActivity?: SignedActivity;
	state?: string;
};
export type ApprovedTransaction = {
	from: string;
	network: string;
	payee?: NamedPayee;
	reason?: string;
	status: "awaiting_approval" | "pending" | "broadcast" | "confirmed" | "failed" | "cancelled" | "expired";
	to: string;
	tokenAddress?: string;
	transactionId: string;
	txHash?: string;
};
export type AssetSupplyRequest = {
	amount: string;
	chainId: number;
	tokenAddress: string;
	userAddress: string;
};
export type Attestation = {
	attestationObject: string;
	clientDataJson: string;
	credentialId: string;
	transports?: (string)[];
};
export type AuditActor = {
	id: string;
	type: "api_key" | "agent" | "session" | "operator" | "system" | "ceremony" | "invite";
};
export type AuditEntry = {
	action: string;
	actor: AuditActor;
	after?: { [name: string]: unknown };
	before?: { [name: string]: unknown };
	detail: { [name: string]: unknown };
	hash?: string;
	id: string;
	ip: string;
	operation: string;
	previousHash?: string;
	requestId: string;
	resource: string;
	seq: number;
	timestamp: string;
};
export type AuditEntryPage = {
	data: (AuditEntry)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type AuthenticatorSelection = {
	residentKey: string;
	userVerification: string;
};
export type AvaxRequest = {
	amount: number;
	chainId: number;
	userAddress: string;
};
export type AvaxSupply = {
	avaxSupply: string;
};
export type AvaxSupplyEnvelope = {
	data: AvaxSupply;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type BankAccount = {
	accountType?: "checking" | "savings";
	address?: PostalAddress;
	bankName?: string;
	bic?: string;
	country: string;
	createdAt: string;
	currency: "usd" | "eur" | "mxn" | "brl" | "gbp";
	frozenAt?: string;
	id: string;
	isActive: boolean;
	lastFour: string;
	legalName?: string;
	payableAt: string;
	rail: "ach" | "wire" | "spei" | "sepa" | "faster_payments" | "pix";
	reason?: string;
	recipientId: string;
	routingNumber?: string;
	sortCode?: string;
	status: "pending" | "active" | "rejected" | "closed";
	updatedAt: string;
};
export type BankAccountChange = {
	account_number?: unknown;
	address?: PostalAddressRequest;
	bank_name?: unknown;
	bic?: unknown;
	br_code?: unknown;
	checking_or_savings?: string;
	clabe?: unknown;
	country?: unknown;
	currency?: unknown;
	iban?: unknown;
	is_active?: boolean;
	legal_name?: unknown;
	pix_key?: unknown;
	rail?: unknown;
	rfc?: unknown;
	routing_number?: string;
	sort_code?: unknown;
	tax_id?: unknown;
};
export type BankAccountConfirm = {
	updatedAt?: string;
};
export type BankAccountEnvelope = {
	data: BankAccount;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type BankAccountPage = {
	data: (BankAccount)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type BankAccountRequest = {
	accountNumber?: string;
	accountType?: string;
	address?: PostalAddressRequest;
	bankName?: string;
	bic?: string;
	brCode?: string;
	clabe?: string;
	country?: string;
	currency?: string;
	iban?: string;
	idempotencySalt?: string;
	legalName?: string;
	pixKey?: string;
	rail?: "ach" | "wire" | "spei" | "sepa" | "faster_payments" | "pix";
	rfc?: string;
	routingNumber?: string;
	sortCode?: string;
	taxId?: string;
};
export type Batch = {
	canceledAt?: string;
	createdAt: string;
	destinations: (BatchSum)[];
	executable: boolean;
	executedAt?: string;
	expiresAt: string;
	id: string;
	rowCount: number;
	rowsPaidBefore: number;
	sources: (BatchSum)[];
	status: "ready" | "invalid" | "executed" | "canceled" | "expired";
	wrongRows: number;
};
export type BatchAddress = {
	address: string;
	amount: string;
	chain: string;
	token: string;
	transfers: number;
	withdrawAddressId: string;
};
export type BatchDetail = {
	addresses: (BatchAddress)[];
	canceledAt?: string;
	createdAt: string;
	destinations: (BatchSum)[];
	errors: (BatchIssue)[];
	executable: boolean;
	executedAt?: string;
	expiresAt: string;
	funding?: string;
	id: string;
	rowCount: number;
	rows: (BatchRow)[];
	rowsPaidBefore: number;
	sources: (BatchSum)[];
	status: "ready" | "invalid" | "executed" | "canceled" | "expired";
	warnings: (BatchIssue)[];
	wrongRows: number;
};
export type BatchDetailEnvelope = {
	data: BatchDetail;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type BatchEnvelope = {
	data: Batch;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type BatchExecuteRequest = {
	payAgain?: boolean;
};
export type BatchIssue = {
	code: string;
	field: string;
	line?: number;
	message: string;
	reference?: string;
	row: number;
};
export type BatchPage = {
	data: (Batch)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type BatchPayment = {
	amount?: string;
	beneficiaryAccountId?: string;
	beneficiaryId?: string;
	chain?: string;
	currency?: string;
	reference?: string;
	token?: string;
};
export type BatchRequest = {
	rows: (BatchPayment)[];
};
export type BatchRow = {
	accountLast4?: string;
	amount: string;
	beneficiaryAccountId?: string;
	beneficiaryId: string;
	beneficiaryName?: string;
	chain?: string;
	currency: string;
	depositInstructions?: DepositInstructions;
	destinationCurrency?: string;
	fees?: string;
	line?: number;
	netAmount?: string;
	orderId?: string;
	orderReference?: string;
	orderStatus?: string;
	rail?: string;
	rate?: string;
	reference?: string;
	row: number;
	sourceAmount?: string;
	sourceCurrency?: string;
	token?: string;
	withdrawAddressId?: string;
};
export type BatchSum = {
	amount: string;
	currency: string;
	fees?: string;
	rows: number;
};
export type Bazaar = {
	coming_soon: boolean;
	items: (BazaarItem)[];
	pagination: BazaarPage;
	x402Version: number;
};
export type BazaarEnvelope = {
	data: Bazaar;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type BazaarExtra = {
	feePayer?: string;
	name: string;
	version: string;
};
export type BazaarItem = {
	accepts: (BazaarOffer)[];
	lastUpdated: string;
	metadata: BazaarMetadata;
	resource: string;
	type: "http" | "mcp";
	x402Version: number;
};
export type BazaarMetadata = {
	description?: string;
	method: "GET" | "POST" | "PUT" | "DELETE";
	name: string;
	schema_input?: { [name: string]: unknown };
	schema_output?: { [name: string]: unknown };
	skillId: string;
	subtype: "x402" | "mcp" | "http" | "internal";
};
export type BazaarOffer = {
	amount: string;
	asset: string;
	extra: BazaarExtra;
	maxTimeoutSeconds: number;
	network: string;
	payTo: string;
	scheme: string;
};
export type BazaarPage = {
	limit: number;
	offset: number;
	total: number;
};
export type Broadcast = {
	blockNumber: number | null;
	broadcastedAt: string | null;
	confirmations: number;
	confirmedAt: string | null;
	network: string;
	reason?: string;
	replacedBy?: string;
	status: "pending" | "broadcast" | "confirmed" | "failed";
	stuck?: boolean;
	transactionId: string;
	txHash: string;
	waitsFor?: (string)[];
};
export type BroadcastEnvelope = {
	data: Broadcast;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Built = {
	metadata: Metadata;
};
export type BuiltEnvelope = {
	data: Built;
	message: string;
	metadata: Metadata;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Chains = {
	destination?: string;
	source: string;
};
export type Challenge = {
	ceremonyUrl?: string;
	challenge: CreationOptions;
	encodedChallenge: string;
	expiresAt: string;
};
export type ChallengeEnvelope = {
	data: Challenge;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type ChallengeRequest = {
	email?: string;
	returnUrl?: string;
	state?: string;
	subOrganizationId?: string;
};
export type Condition = {
	field: string;
	operator: "eq" | "ne" | "gt" | "lt" | "gte" | "lte" | "contains";
	value: unknown;
};
export type ConfirmAccountRequest = {
	signedActivity: SignedActivity;
	walletAccountRequestId: string;
};
export type ConfirmAgentPoliciesRequest = {
	agentId?: string;
	policiesRequestId?: string;
	signedActivity: SignedActivity;
};
export type ConfirmAgentRequest = {
	agentRequestId: string;
	returnUrl?: string;
	signedActivity: SignedActivity;
	state?: string;
};
export type ConfirmFundingRequest = {
	fundRequestId: string;
	signedActivity: SignedActivity;
};
export type ConfirmSwapRequest = {
	signedActivity: SignedActivity;
	transactionId: string;
};
export type ConfirmTransactionRequest = {
	broadcast?: boolean;
	signedActivity?: SignedActivity;
	signedTransaction?: string;
	transactionId: string;
};
export type ConfirmWalletRequest = {
	signedActivity: SignedActivity;
	walletRequestId: string;
};
export type CreatedAPIKey = {
	active: boolean;
	createdAt: string;
	createdBy?: string;
	description?: string;
	expiresAt?: string;
	id: string;
	ipAllowlist: (string)[];
	key: string;
	lastFour: string;
	lastUsedAt?: string;
	name: string;
	prefix: string;
	rateLimits: RateLimits;
	revokedAt?: string;
	scopes: (string)[];
};
export type CreatedAPIKeyEnvelope = {
	data: CreatedAPIKey;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type CreatedIntegrator = {
	agentRateLimits: RateLimits;
	apiKey?: string;
	apiKeyId?: string;
	createdAt: string;
	email?: string;
	environment: "sandbox" | "production";
	id: string;
	kybReason?: string;
	kybStatus: "pending" | "approved" | "rejected";
	modules: ("signing" | "payout" | "agents" | "widget")[];
	name: string;
	updatedAt: string;
};
export type CreatedIntegratorEnvelope = {
	data: CreatedIntegrator;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type CreationOptions = {
	attestation: string;
	authenticatorSelection: AuthenticatorSelection;
	challenge: string;
	excludeCredentials: (AllowCredential)[];
	pubKeyCredParams: (CredentialParam)[];
	rp: CreationOptionsRPStruct;
	timeout: number;
	user: CreationOptionsUserStruct;
};
export type CreationOptionsRPStruct = {
	id: string;
	name: string;
};
export type CreationOptionsUserStruct = {
	displayName: string;
	id: string;
	name: string;
};
export type CredentialParam = {
	alg: number;
	type: string;
};
export type CrosschainButton = {
	address: string;
	amount?: number;
	description: string;
	destinationChainId?: number;
	fromChain?: string;
	icon?: string;
	sourceChainId?: number;
	title: string;
	toChain?: string;
	token?: string;
	url: string;
};
export type CurrentMember = {
	integrator: MyIntegrator;
	member: MyMember;
};
export type CurrentMemberEnvelope = {
	data: CurrentMember;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type DataFee = {
	asOf?: string;
	expiresAt?: string;
	network: string;
	refused?: string;
	weiPerByte?: string;
};
export type Delegation = {
	allowedDestinations?: (string)[];
	anyRequest?: boolean;
	dailyUsd: number;
	expiresAt: string;
	maxValiditySeconds?: number;
	maxValueUsd: number;
	payeeCoolingHours?: number;
	payeesOnly?: boolean;
	publicKey?: string;
	settlementsOnly?: boolean;
} | null;
export type Denial = {
	detail: string;
	field: string;
	id: string;
	layer: "enclave" | "platform";
	limit: string;
	observed: string;
	payee?: string;
	policyId?: string;
	rule: string;
	severity: "blocked" | "warn" | "critical";
	timestamp: string;
	transactionId?: string;
	walletId: string;
};
export type DenialPage = {
	data: (Denial)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Deposit = {
	amount: string;
	blockNumber: number;
	chain: string;
	confirmations: number;
	currency: string;
	final: boolean;
	from: string;
	requiredConfirmations: number;
	txHash: string;
};
export type DepositAccount = {
	created_at: string;
	destination_address: string;
	destination_currency: "usdc" | "usdt";
	destination_payment_rail: string;
	id: string;
	integrator_id: string;
	limits: DepositLimits;
	partner_virtual_account_id: string;
	reference: string;
	source_currency: "usd" | "eur" | "mxn" | "brl" | "gbp";
	source_deposit_instructions: SourceDepositInstructions | null;
	status: "active" | "deactivated";
	updated_at: string;
	wallet_id: string;
};
export type DepositAccountNumber = {
	clabe?: string;
	created_at: string;
	destination_address: string;
	destination_currency: "usdc" | "usdt";
	destination_payment_rail: string;
	id: string;
	integrator_id: string;
	limits: DepositLimits;
	partner_virtual_account_id: string;
	reference: string;
	source_currency: "usd" | "eur" | "mxn" | "brl" | "gbp";
	source_deposit_instructions: SourceDepositInstructions | null;
	status: "active" | "deactivated";
	updated_at: string;
	wallet_id: string;
};
export type DepositAccountNumberEnvelope = {
	data: DepositAccountNumber;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type DepositAccountRequest = {
	chain?: "base" | "polygon" | "avalanche_c_chain" | "optimism" | "arbitrum" | "ethereum" | "solana";
	country?: string;
	currency?: "usd" | "eur" | "mxn" | "brl" | "gbp" | "USD" | "EUR" | "MXN" | "BRL" | "GBP";
	destinationAddress?: string;
	destination_currency?: "usdc" | "usdt";
	source_currency?: "usd" | "eur" | "mxn" | "brl" | "gbp";
	stablecoin?: "usdc" | "usdt" | "USDC" | "USDT";
	wallet_id?: string;
};
export type DepositEvent = {
	amount: string | null;
	currency: string | null;
	deposit_account_id: string;
	id: string;
	occurred_at: string | null;
	partner_deposit_id: string | null;
	raw_type: string;
	status: "pending" | "in_review" | "completed" | "refunded";
	type: "received" | "scheduled" | "submitted" | "processed" | "refunded" | "in_review" | "unknown";
};
export type DepositInstructions = {
	address?: string;
	amount: string;
	chain?: string;
	clabe?: string;
	currency?: string;
	expiresAt: string;
	token?: string;
};
export type DepositLimits = {
	maximum_amount: string;
	minimum_amount: string;
	rails: (DepositRail)[];
	total_fee_percent: string;
};
export type DepositRail = {
	arrives_by: string | null;
	cut_off_at: string | null;
	estimated_arrival: string;
	rail: "ach" | "wire" | "spei" | "sepa" | "pix" | "faster_payments";
};
export type Difference = {
	about: string;
	check: string;
	got: string;
	want: string;
};
export type DirectoryEntry = {
	description: string;
	host: string;
	id: string;
	name: string;
	operator: string;
	securityState: "trusted" | "denied";
	type: string;
	url: string;
};
export type DirectoryEntryPage = {
	data: (DirectoryEntry)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Drain = {
	amount: string;
	blockNumber: number;
	chain: string;
	confirmations: number;
	createdAt: string;
	currency: string;
	depositTxHash: string;
	destination?: DrainDestination;
	exchangeRate?: string;
	failure?: PaymentFailure;
	fees?: (DrainFee)[];
	fromAddress: string;
	id: string;
	logIndex: number;
	occurredAt: string;
	orderId?: string;
	orderReference?: string;
	partnerTransferId?: string;
	reason?: "dust" | "wrong_token" | "wrong_chain" | "out_of_range" | "dropped";
	requiredConfirmations: number;
	state: "pending" | "completed" | "failed";
	status: "detected" | "funds_received" | "in_review" | "payment_submitted" | "payment_processed" | "returned" | "refunded" | "canceled" | "error";
	updatedAt: string;
	withdrawAddressId: string;
};
export type DrainDestination = {
	accountLast4: string;
	amount?: string;
	bankAccountId: string;
	currency: string;
	imad?: string;
	rail: string;
	traceNumber?: string;
	trackingKey?: string;
};
export type DrainFee = {
	amount: string;
	currency: string;
	kind: "network" | "platform";
};
export type DrainPage = {
	data: (Drain)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Effect = {
	amount: string;
	asset: string;
	contract?: string;
	decimals?: number;
	display?: string;
	ends?: number;
	from: string;
	kind: string;
	selector?: string;
	spender?: string;
	symbol?: string;
	to?: string;
	tokenId?: string;
	via?: string;
};
export type Empty = { [name: string]: unknown };
export type EmptyEnvelope = {
	data: Empty;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type ErrorEnvelope = {
	details?: { [name: string]: unknown };
	error: string;
	failedLayers?: ("infra" | "tokens" | "payments")[];
	message: string;
	path: string;
	statusCode: number;
	success: false;
	timestamp: string;
};
export type Event = {
	apiVersion: "v1";
	data: unknown;
	id: string;
	object: EventObject;
	sequence: number;
	timestamp: string;
	type: string;
};
export type EventAPIKey = {
	lastFour: string;
	name: string;
	scopes: (string)[];
};
export type EventAddress = {
	address: string;
	chain: string;
	walletId: string;
};
export type EventAgent = {
	name?: string;
	status?: "active" | "draining" | "suspended" | "killed";
	subOrganizationId: string;
	walletId?: string;
};
export type EventApproval = {
	expiresAt: string;
	kind: string;
	required: number;
	status: "pending" | "approved" | "rejected" | "expired";
	subOrganizationId: string;
	subject: string;
	votes: number;
	walletId?: string;
};
export type EventApprovalConfig = {
	subOrganizationId: string;
};
export type EventBankAccount = {
	bankName: string;
	currency: string;
	isActive: boolean;
	isFrozen: boolean;
	lastFour: string;
	payableAt?: string;
	rail: string;
	reason?: string;
	recipientId: string;
	registration: string;
};
export type EventBatch = {
	rowCount: number;
	status: "ready" | "invalid" | "executed" | "canceled";
	wrongRows: number;
};
export type EventCeremony = {
	kind: string;
	reason?: string;
};
export type EventDenial = {
	field?: string;
	limit?: string;
	observed?: string;
	policyId?: string;
	rule: string;
	subOrganizationId: string;
	transactionId?: string;
	walletId?: string;
};
export type EventDeposit = {
	amount?: string;
	currency?: string;
	depositId?: string;
	occurredAt?: string;
	type: string;
};
export type EventDepositAccount = {
	chain: string;
	destination: string;
	isDeactivated: boolean;
	reference: string;
	source: string;
	status: "provisioning" | "active";
	walletId: string;
};
export type EventDrain = {
	amount: string;
	chain: string;
	confirmations: number;
	currency: string;
	orderId?: string;
	reason?: string;
	requiredConfirmations: number;
	status: "seen" | "final" | "dropped";
	txHash: string;
	withdrawAddressId: string;
};
export type EventInvitation = {
	role?: string;
	status: "pending" | "accepted" | "revoked";
};
export type EventKillSwitch = {
	on: boolean;
	subOrganizationId: string;
};
export type EventList = {
	after: number;
	events: (Event)[];
	hasMore: boolean;
};
export type EventListEnvelope = {
	data: EventList;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type EventMember = {
	email?: string;
	role?: string;
};
export type EventObject = {
	id: string;
	type: string;
};
export type EventOrder = {
	order: Order;
	step: EventStep;
};
export type EventPasskey = {
	label?: string;
	subOrganizationId?: string;
};
export type EventPayee = {
	address: string;
	chain: string;
	name: string;
	subOrganizationId: string;
};
export type EventPing = { [name: string]: unknown };
export type EventPolicy = {
	name?: string;
	subOrganizationId?: string;
	walletId?: string;
};
export type EventQuote = {
	amount: string;
	bankAccountId: string;
	currency: string;
	expiresAt: string;
	netAmount: string;
	netCurrency: string;
	rate: string;
	recipientId: string;
};
export type EventRecipient = {
	name: string;
	status: string;
};
export type EventRecovery = {
	readyAt?: string;
	status: "requested" | "pending" | "completed" | "cancelled" | "expired";
	subOrganizationId: string;
};
export type EventRefusal = {
	amount?: string;
	code: string;
	network?: string;
	resource?: string;
	to?: string;
};
export type EventStep = {
	kind: string;
	occurredAt?: string;
	previousStatus?: string;
	sequence: number;
};
export type EventSubOrganization = {
	name: string;
};
export type EventTransaction = {
	agentId?: string;
	amount: string;
	chain: string;
	from: string;
	reason?: string;
	replacedBy?: string;
	status: "awaiting_signature" | "awaiting_approval" | "pending" | "broadcast" | "confirmed" | "failed" | "cancelled" | "expired";
	subOrganizationId: string;
	to: string;
	tokenSymbol: string;
	txHash?: string;
	walletId: string;
};
export type EventTransfer = {
	amount: string;
	chain: string;
	from: string;
	status: "seen" | "final" | "dropped";
	to: string;
	tokenSymbol: string;
	txHash: string;
	walletId: string;
};
export type EventVirtualAccount = {
	currency: string;
	recipientId: string;
	status: "provisioning" | "active";
};
export type EventWallet = {
	name: string;
	subOrganizationId: string;
};
export type EventWithdrawAddress = {
	address?: string;
	bankAccountId: string;
	chain: string;
	currency: string;
	recipientId: string;
	returnAddress?: string;
	status: "provisioning" | "active";
};
export type EventWorkspace = {
	kybReason?: string;
	kybStatus: string;
	modules: (string)[];
	name: string;
};
export type EventX402Payment = {
	agentId: string;
	amount: string;
	delivery?: string;
	network: string;
	payTo: string;
	reason?: string;
	resource: string;
	status: "prepared" | "signed" | "settled" | "unused" | "void";
	txHash?: string;
};
export type ExecuteRequest = {
	beneficiaryAccountId?: string;
	beneficiaryId?: string;
	chain?: string;
	destinationAmount?: string;
	destinationCurrency?: string;
	quoteId?: string;
	sourceAmount?: string;
	sourceCurrency?: string;
	token?: "usdc" | "usdt";
};
export type ExecutionReport = {
	chainId: number;
	miniAppId: string;
	referrerAddress?: string;
	txHash: string;
	userAddress: string;
};
export type ExecutionReports = {
	chainId?: number;
	events?: (ExecutionReport)[];
	miniAppId?: string;
	referrerAddress?: string;
	txHash?: string;
	userAddress?: string;
};
export type ExecutionStatus = {
	chainId: number;
	miniAppId: string;
	reason: string | null;
	state: "pending" | "counted" | "refused";
	txHash: string;
};
export type FaucetPayment = {
	address: string;
	amount: string;
	asset: string;
	chain: string;
	txHash: string;
};
export type FaucetPaymentEnvelope = {
	data: FaucetPayment;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type FaucetRequest = {
	address: string;
	amount: string;
	asset: string;
	chain: string;
};
export type FeeBreakdown = {
	converted: number;
	network: number;
	platform: number;
	residue: number;
};
export type FinalizedHeight = {
	height: number;
	network: string;
};
export type FinishLoginRequest = {
	credential: { [name: string]: unknown };
};
export type FreezeAccountRequest = {
	accountId: string;
	token: string;
};
export type Funded = {
	agentId: string;
	amount: string;
	approvalId?: string;
	chainId?: number;
	createdAt: string;
	custody: "enclave" | "external";
	endsAt?: string;
	expiresAt: string;
	fee: NetworkFee;
	from: string;
	fundRequestId: string;
	lastHeight?: number;
	network: string;
	nonce?: number;
	proof?: Proof;
	reason?: string;
	received?: string;
	receivedLess?: boolean;
	replacedBy?: string;
	replaces?: string;
	signature: string;
	signedTransaction?: string;
	status: "awaiting_signature" | "awaiting_approval" | "pending" | "broadcast" | "confirmed" | "failed" | "cancelled" | "expired";
	stuck?: boolean;
	to: string;
	tokenAddress?: string;
	transactionId: string;
	txHash?: string;
	type: "transfer_native" | "transfer_token" | "call" | "sign" | "speed_up" | "void" | "agent_payment";
	unsignedTransaction?: string;
	updatedAt: string;
	waitsFor?: (string)[];
};
export type FundedEnvelope = {
	data: Funded;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Funding = {
	amount: number;
	currency: string;
	fees: number;
	stablecoinAmount: number;
};
export type GasEstimation = {
	estimatedCost: string;
	gasLimit: string;
};
export type GlobalStats = {
	fees: (Volume)[];
	volume: (Volume)[];
};
export type Health = {
	environment: "sandbox" | "production";
	missing?: (string)[];
	service: string;
	status: "ok" | "degraded";
	timestamp: string;
	version: string;
};
export type HealthEnvelope = {
	data: Health;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type IndexedExecutions = {
	events: (ExecutionStatus)[];
	indexed: boolean;
	processed: number;
};
export type IndexedExecutionsEnvelope = {
	data: IndexedExecutions;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type InitiateRecoveryRequest = {
	email?: string;
	returnUrl?: string;
	state?: string;
	targetPublicKey?: string;
};
export type Integrator = {
	agentRateLimits: RateLimits;
	createdAt: string;
	email?: string;
	environment: "sandbox" | "production";
	id: string;
	kybReason?: string;
	kybStatus: "pending" | "approved" | "rejected";
	modules: ("signing" | "payout" | "agents" | "widget")[];
	name: string;
	updatedAt: string;
};
export type IntegratorChange = {
	email?: string;
	name?: string;
};
export type IntegratorEnvelope = {
	data: Integrator;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type IntegratorPage = {
	data: (Integrator)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type IntegratorRequest = {
	email?: string;
	modules?: ("signing" | "payout" | "agents" | "widget")[];
	name: string;
};
export type Invitation = {
	createdAt: string;
	email: string;
	expiresAt: string;
	id: string;
	language: "en" | "es" | "pt";
	mailStatus: "queued" | "sent" | "failed";
	role: "admin" | "manager" | "auditor" | "viewer";
	status: "pending" | "accepted" | "replaced" | "revoked" | "expired";
};
export type InvitationEnvelope = {
	data: Invitation;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type InvitationOpened = {
	email: string;
	expiresAt: string;
	integratorId: string;
	options: PasskeyOptions;
	role: "admin" | "manager" | "auditor" | "viewer";
	workspaceName: string;
};
export type InvitationOpenedEnvelope = {
	data: InvitationOpened;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type InvitationPage = {
	data: (Invitation)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type InvitationToken = {
	token: string;
};
export type InviteAccount = {
	currency: "usd" | "eur" | "mxn" | "brl" | "gbp";
	lastFour: string;
	status: "pending" | "active" | "rejected" | "closed";
};
export type InviteAccountEnvelope = {
	data: InviteAccount;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type InviteMemberRequest = {
	email: string;
	language?: "en" | "es" | "pt";
	role: "admin" | "manager" | "auditor" | "viewer";
};
export type InviteOpened = {
	businessName: string;
	currencies: (string)[];
	expiresAt: string;
	recipientName: string;
	suggestedCurrency: string;
};
export type InviteOpenedEnvelope = {
	data: InviteOpened;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type InviteToken = {
	token: string;
};
export type Journal = {
	proof: Proof;
};
export type JournalEnvelope = {
	data: Journal;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type KYB = {
	activity: KYBActivity;
	addresses: KYBAddresses;
	allOwnersListed: boolean;
	business: KYBBusiness;
	completion: KYBCompletion;
	documents: (KYBDocument)[];
	people: (KYBPerson)[];
	reason?: string;
	state: "draft" | "submitted" | "in_review" | "approved" | "rejected" | "more_information";
	updatedAt: string | null;
	version: number;
};
export type KYBActivity = {
	description: string;
	expectedVolumeUsd: string;
	sourceOfFunds: string;
	website: string;
};
export type KYBActivityChange = {
	description?: string;
	expectedVolumeUsd?: string;
	sourceOfFunds?: "business_loans" | "grants" | "inter_company_funds" | "investment_proceeds" | "legal_settlement" | "owners_capital" | "sale_of_assets" | "sales_of_goods_and_services" | "third_party_funds" | "treasury_reserves";
	website?: string;
};
export type KYBAddresses = {
	operating: PostalAddress | null;
	registered: PostalAddress | null;
};
export type KYBAddressesChange = {
	operating?: PostalAddressRequest;
	registered?: PostalAddressRequest;
};
export type KYBBusiness = {
	legalName: string;
	registrationNumberLastFour: string;
	taxIdLastFour: string;
	type: string;
};
export type KYBBusinessChange = {
	legalName?: string;
	registrationNumber?: string;
	taxId?: string;
	type?: "cooperative" | "corporation" | "llc" | "other" | "partnership" | "sole_prop" | "trust";
};
export type KYBChange = {
	activity?: KYBActivityChange;
	addresses?: KYBAddressesChange;
	allOwnersListed?: boolean;
	business?: KYBBusinessChange;
	people?: (KYBPersonRequest)[];
	version: number;
};
export type KYBCompletion = {
	complete: boolean;
	sections: (KYBSection)[];
};
export type KYBDocument = {
	createdAt: string;
	id: string;
	kind: "formation" | "ownership" | "address_proof" | "identity" | "other";
	mediaType: "application/pdf" | "image/png" | "image/jpeg";
	name: string;
	personId?: string;
	size: number;
};
export type KYBDocumentEnvelope = {
	data: KYBDocument;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type KYBDocumentRequest = {
	content: string;
	kind: "formation" | "ownership" | "address_proof" | "identity" | "other";
	name: string;
	personId?: string;
};
export type KYBEnvelope = {
	data: KYB;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type KYBMissing = {
	field: string;
	message: string;
};
export type KYBPerson = {
	address?: PostalAddress;
	birthDate?: string;
	hasControl: boolean;
	id: string;
	isSigner: boolean;
	name: string;
	ownershipPercent?: number;
};
export type KYBPersonRequest = {
	address?: PostalAddressRequest;
	birthDate?: string;
	hasControl?: boolean;
	id?: string;
	isSigner?: boolean;
	name: string;
	ownershipPercent?: number;
};
export type KYBSection = {
	complete: boolean;
	missing: (KYBMissing)[];
	section: "business" | "addresses" | "activity" | "people" | "documents";
};
export type KYBSubmission = {
	decidedAt: string | null;
	id: string;
	reason?: string;
	state: "submitted" | "in_review" | "approved" | "rejected" | "more_information";
	submittedAt: string;
	version: number;
};
export type KYBSubmissionEnvelope = {
	data: KYBSubmission;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type KYBSubmissionOrNullEnvelope = {
	data: KYBSubmission | null;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type KYBSubmitRequest = {
	version: number;
};
export type KillSwitch = {
	on: boolean;
	proof: Proof;
	subOrganizationId: string;
};
export type KillSwitchDoneEnvelope = {
	data: KillSwitch;
	message: string;
	outcome: "done";
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type KillSwitchRequest = {
	on: boolean;
	returnUrl?: string;
	signedActivity?: SignedActivity;
	state?: string;
	subOrganizationId?: string;
};
export type KybRequest = {
	reason?: string;
	status: "pending" | "approved" | "rejected" | "more_information";
	submissionId?: string;
};
export type LeftKey = {
	id: string;
	lastFour: string;
	name: string;
	prefix: string;
	scopes: (string)[];
};
export type LendingAccount = {
	availableBorrowsUsd: string;
	healthFactor: string | null;
	totalCollateralUsd: string;
	totalDebtUsd: string;
};
export type LendingChain = {
	chainId: number;
	isTestnet: boolean;
	name: string;
};
export type LendingChains = {
	mainnets: (LendingChain)[];
	testnets: (LendingChain)[];
	testnetsEnabled: boolean;
};
export type LendingChainsEnvelope = {
	data: LendingChains;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type LendingHealth = {
	message: string;
	service: string;
	status: "healthy" | "degraded" | "unavailable";
	timestamp: number;
};
export type LendingHealthEnvelope = {
	data: LendingHealth;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type LendingMarkets = {
	allMarketsData: (LendingReserve)[];
	supplyReserves: (LendingReserve)[];
	userState: LendingAccount | null;
};
export type LendingMarketsEnvelope = {
	data: LendingMarkets;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type LendingPosition = {
	amount: string;
	amountUsd: string;
	symbol: string;
	tokenAddress: string;
};
export type LendingPositions = {
	borrows: (LendingPosition)[];
	healthFactor: string | null;
	supplies: (LendingPosition)[];
	totalBorrowedUsd: string;
	totalSuppliedUsd: string;
};
export type LendingPositionsEnvelope = {
	data: LendingPositions;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type LendingReserve = {
	borrowApy: string;
	borrowApyFormatted: string;
	borrowableAmount?: string;
	borrowableAmountUsd?: string;
	canBeBorrowed: boolean;
	canBeCollateral: boolean;
	decimals: number;
	isInIsolationMode: boolean;
	name: string;
	suppliableAmount?: string;
	suppliableAmountUsd?: string;
	supplyApy: string;
	supplyApyFormatted: string;
	symbol: string;
	tokenAddress: string;
	usdExchangeRate: string;
	userBalance?: string;
	userBalanceUsd?: string;
};
export type LendingStatus = {
	blockNumber: string;
	confirmations: number;
	status: "awaiting_signature" | "awaiting_approval" | "pending" | "broadcast" | "confirmed" | "failed" | "cancelled" | "expired";
	transactionHash: string;
	transactionId: string;
};
export type LendingStatusEnvelope = {
	data: LendingStatus;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type LendingTransaction = {
	gasEstimation: GasEstimation;
	message: string;
	serializedTransaction: string;
	step: "revoke" | "approve" | "supply" | "withdraw";
	success: boolean;
};
export type LiquidationAddress = {
	address: string;
	chain: string;
	currency: string;
	id: string;
};
export type LiquidationAddressEnvelope = {
	data: LiquidationAddress;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type LiquidationAddressRequest = {
	beneficiaryAccountId: string;
	beneficiaryId: string;
	chain: "base" | "polygon" | "arbitrum" | "solana";
	currency: "usdc" | "usdt";
};
export type LoginOptions = {
	challenge: string;
	rpId: string;
	timeout: number;
	userVerification: "required";
};
export type LoginOptionsEnvelope = {
	data: LoginOptions;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type LoginPasskey = {
	createdAt: string;
	id: string;
	label: string;
	lastUsedAt: string;
};
export type LoginPasskeyEnvelope = {
	data: LoginPasskey;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type LoginPasskeyListEnvelope = {
	data: (LoginPasskey)[];
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type LoginPasskeyRequest = {
	credential: { [name: string]: unknown };
	label?: string;
};
export type Member = {
	createdAt: string;
	email: string;
	id: string;
	role: "admin" | "manager" | "auditor" | "viewer";
	updatedAt: string;
};
export type MemberPage = {
	data: (Member)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type MemberRemoved = {
	apiKeys: (LeftKey)[];
	id: string;
};
export type MemberRemovedEnvelope = {
	data: MemberRemoved;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type MemberRoleRequest = {
	role: "admin" | "manager" | "auditor" | "viewer";
};
export type Metadata = {
	actions: (Action)[];
	baseUrl?: string;
	description: string;
	icon: string;
	title: string;
	url: string;
};
export type MigrationEligibility = {
	eligible: boolean;
	passkeys: number;
	required: number;
	subOrganizationId: string;
};
export type MigrationEligibilityEnvelope = {
	data: MigrationEligibility;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type MinedNonce = {
	address: string;
	network: string;
	nonce: number;
};
export type MiniApp = {
	blockchain_network: number;
	blockchain_network_destination: number | null;
	contract_address: string | null;
	created_at: string | null;
	description: string;
	id: string;
	id_user: string | null;
	integrator_id: string | null;
	is_active: boolean | null;
	metadata: Metadata;
	protocol: string | null;
	source: string | null;
	tx_hash: string | null;
	type: string | null;
	updated_at: string | null;
	wallet_address: string;
};
export type MiniAppMetrics = {
	globalStats: (GlobalStats)[];
	miniApps: (MiniAppWithStats)[];
};
export type MiniAppMetricsEnvelope = {
	data: MiniAppMetrics;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type MiniAppStats = {
	executions: number;
	fees: (Volume)[];
	postHogStats: (string)[];
	swaps: (Volume)[];
	tokensWithoutPrice: (string)[];
	volume: (Volume)[];
};
export type MiniAppWithStats = {
	blockchain_network: number;
	blockchain_network_destination: number | null;
	contract_address: string | null;
	created_at: string | null;
	description: string;
	id: string;
	id_user: string | null;
	integrator_id: string | null;
	is_active: boolean | null;
	metadata: Metadata;
	protocol: string | null;
	source: string | null;
	stats: MiniAppStats;
	tx_hash: string | null;
	type: string | null;
	updated_at: string | null;
	wallet_address: string;
};
export type ModulesRequest = {
	modules: ("signing" | "payout" | "agents" | "widget")[];
};
export type MyIntegrator = {
	active_modules: (string)[];
	created_at: string;
	environment: "sandbox" | "production";
	id: string;
	kyb_status: string;
	name: string;
};
export type MyMember = {
	email: string;
	id: string;
	internal_role: "admin" | "manager" | "auditor" | "viewer";
};
export type NamedPayee = {
	id: string;
	name: string;
};
export type NativeTransferButton = {
	address: string;
	amount?: number;
	chain?: string;
	chainId?: number;
	description: string;
	icon?: string;
	title: string;
	url: string;
};
export type NetworkBalances = {
	asOf: string;
	balances: (WalletBalance)[];
	chain: string;
	chainId: number;
	error?: NetworkError;
	name: string;
};
export type NetworkError = {
	code: string;
	message: string;
};
export type NetworkFee = {
	gasLimit: string;
	maxFeePerGas?: string;
	maxPriorityFeePerGas?: string;
	maxRent?: string;
	maxTotalFee: string;
};
export type Next = {
	actionId: string;
	conditions?: (Condition)[];
};
export type Notifications = {
	agents: boolean;
	decisions: boolean;
	language: "en" | "es" | "pt";
	requests: boolean;
	security: boolean;
};
export type NotificationsChange = {
	agents?: boolean;
	decisions?: boolean;
	language?: "en" | "es" | "pt";
	requests?: boolean;
	security?: boolean;
};
export type NotificationsEnvelope = {
	data: Notifications;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type OffRampQuote = {
	arrives_by?: string;
	cut_off_at?: string;
	destination_amount: string;
	destination_currency: string;
	destination_payment_rail: string;
	display_rate: string;
	estimated_arrival: string;
	maximum_amount: string;
	midmarket_rate: string;
	minimum_amount: string;
	network_fee_amount: string;
	network_fee_percent: number;
	sell_rate: string;
	service_fee_amount: string;
	service_fee_percent: number;
	source_amount: string;
	source_currency: string;
	total_fee_amount: string;
	total_fee_percent: number;
};
export type OffRampQuoteEnvelope = {
	data: OffRampQuote;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type OffRampQuoteRequest = {
	chain?: string;
	country?: string;
	destination_amount?: string;
	destination_currency: "usd" | "eur" | "mxn" | "brl" | "gbp";
	destination_payment_rail?: "ach" | "wire" | "spei" | "sepa" | "pix" | "faster_payments";
	source_amount?: string;
	source_currency: "usdc" | "usdt";
};
export type OnRampQuote = {
	arrives_by?: string;
	beyond_amount: string;
	converted_amount: string;
	cut_off_at?: string;
	destination_amount: string;
	destination_currency: string;
	developer_fee_amount: string;
	developer_fee_percent: number;
	display_rate: string;
	estimated_arrival: string;
	maximum_amount: string;
	midmarket_rate: string;
	minimum_amount: string;
	network_fee_amount: string;
	network_fee_percent: number;
	sell_rate: string;
	service_fee_amount: string;
	service_fee_percent: number;
	source_amount: string;
	source_currency: string;
	source_payment_rail: string;
	total_fee_amount: string;
	total_fee_percent: number;
};
export type OnRampQuoteEnvelope = {
	data: OnRampQuote;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type OnRampQuoteRequest = {
	chain?: string;
	country?: string;
	destination_amount?: string;
	destination_currency: "usdc" | "usdt";
	source_amount?: string;
	source_currency: "usd" | "eur" | "mxn" | "brl" | "gbp";
	source_payment_rail?: "ach" | "wire" | "spei" | "sepa" | "pix" | "faster_payments";
};
export type OpenedSession = {
	accessToken: string;
	expiresAt: string;
	integratorId: string;
	member: Member;
};
export type OpenedSessionEnvelope = {
	data: OpenedSession;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Option = {
	description?: string;
	label: string;
	nextActionId?: string;
	value: unknown;
};
export type Order = {
	beneficiaryAccountId: string;
	completedAt?: string;
	createdAt: string;
	delayReason?: string;
	depositAccountId?: string;
	destination: OrderDestination;
	expectedAmount?: string;
	expiresAt?: string;
	failure?: OrderFailure;
	fees: (OrderFee)[];
	id: string;
	labels: (string)[];
	netAmount?: string;
	origin: string;
	pair: string;
	payIn?: PayIn;
	quoteId?: string;
	rate?: string;
	recipientId: string;
	recipientName: string;
	reference: string;
	references: OrderReferences;
	refund?: Refund;
	reviewReason?: string;
	size: string;
	source: OrderSource;
	status: "awaiting" | "funds_received" | "in_review" | "payment_submitted" | "completed" | "canceled" | "expired" | "returned" | "error";
	type: "off_ramp" | "on_ramp" | "global_payment";
	updatedAt: string;
	version: number;
	walletId?: string;
	withdrawAddressId: string;
};
export type OrderAmounts = {
	converted: string;
	currency: string;
	deposit?: OrderDeposit;
	drift: string;
	gross: string;
	net: string;
	netCurrency: string;
	network: string;
	platform: string;
	rate: string;
	residue: string;
	text: string;
};
export type OrderDeposit = {
	amount: string;
	converted: string;
	currency: string;
	fee: string;
};
export type OrderDestination = {
	accountLast4?: string;
	address?: string;
	amount?: string;
	chain?: string;
	currency: string;
	rail?: string;
};
export type OrderDetail = {
	beneficiaryAccountId: string;
	completedAt?: string;
	createdAt: string;
	delayReason?: string;
	deposit?: Deposit;
	depositAccountId?: string;
	destination: OrderDestination;
	expectedAmount?: string;
	expiresAt?: string;
	explanation?: OrderAmounts;
	failure?: OrderFailure;
	fees: (OrderFee)[];
	id: string;
	labels: (string)[];
	netAmount?: string;
	origin: string;
	pair: string;
	payIn?: PayIn;
	quoteId?: string;
	rate?: string;
	rates?: QuotedRates;
	recipientId: string;
	recipientName: string;
	reference: string;
	references: OrderReferences;
	refund?: Refund;
	reviewReason?: string;
	size: string;
	source: OrderSource;
	status: "awaiting" | "funds_received" | "in_review" | "payment_submitted" | "completed" | "canceled" | "expired" | "returned" | "error";
	timeline: (OrderTimelineEntry)[];
	type: "off_ramp" | "on_ramp" | "global_payment";
	updatedAt: string;
	version: number;
	walletId?: string;
	withdrawAddressId: string;
};
export type OrderDetailEnvelope = {
	data: OrderDetail;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type OrderEnvelope = {
	data: Order;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type OrderFailure = {
	code: string;
	message: string;
	returnCode?: string;
};
export type OrderFee = {
	amount: string;
	currency: string;
	kind: "deposit" | "network" | "platform";
};
export type OrderPage = {
	data: (Order)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type OrderReferences = {
	depositTxHash?: string;
	imad?: string;
	partnerTransferId?: string;
	refund?: string;
	refundTxHash?: string;
	traceNumber?: string;
	trackingKey?: string;
};
export type OrderRequest = {
	amount: number;
	autoApprove?: boolean;
	autoBroadcast?: boolean;
	chainId: number;
	returnUrl?: string;
	signWith: string;
	state?: string;
	tokenAddress: string;
};
export type OrderSource = {
	address?: string;
	amount?: string;
	chain?: string;
	currency: string;
	from?: string;
	rail?: string;
};
export type OrderTimelineEntry = {
	at: string;
	detail?: { [name: string]: string };
	occurredAt: string;
	seq: number;
	source: "system" | "partner" | "chain" | "user" | "operator";
	status: string;
	type: string;
};
export type Outstanding = {
	authorizations: (OutstandingAuthorization)[];
	complete: boolean;
	finalized: (FinalizedHeight)[];
	mined: (MinedNonce)[];
	policyId: string;
	proofs: (Proof)[];
	transactions: (OutstandingTransaction)[];
};
export type OutstandingAuthorization = {
	amountUsdc: string;
	contract?: string;
	digest: string;
	effects: (Effect)[];
	endsAt: string | null;
	fingerprint: string;
	from?: string;
	network?: string;
	nonces: (string)[];
	signedAt: string;
	type: string;
	void: Voiding;
};
export type OutstandingEnvelope = {
	data: Outstanding;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type OutstandingTransaction = {
	amountUsdc: string;
	endsAt?: string;
	fingerprint: string;
	from: string;
	lastHeight?: number;
	network: string;
	nonce?: number;
	replacedBy?: string;
	signedAt: string;
	standing?: boolean;
	status?: string;
	transactionId?: string;
	txHash: string;
	void: Voiding;
};
export type OverridePriceRequest = {
	asset: string;
	returnUrl?: string;
	signedActivity?: SignedActivity;
	state?: string;
	subOrganizationId?: string;
	usd: number;
};
export type PageMeta = {
	counts?: { [name: string]: number };
	limit: number;
	nextCursor?: string;
	page: number;
	proof?: Proof;
	total: number;
	totalPages: number;
};
export type Param = {
	description?: string;
	fixed?: boolean;
	label: string;
	name: string;
	options?: (Option)[];
	required?: boolean;
	type: string;
	value?: unknown;
};
export type Passkey = {
	aaguid: string;
	createdAt: string;
	credentialId: string;
	email: string;
	id: string;
	label: string;
	lastUsedAt: string | null;
	publicKey: string;
	subOrganizationId: string;
	transports: (string)[];
	userId: string;
};
export type PasskeyAlgorithm = {
	alg: number;
	type: "public-key";
};
export type PasskeyChanged = {
	createdAt: string;
	credentialId: string;
	email: string;
	id: string;
	label: string;
	proof: Proof;
	publicKey: string;
	subOrganizationId: string;
	userId: string;
};
export type PasskeyChangedDoneEnvelope = {
	data: PasskeyChanged;
	message: string;
	outcome: "done";
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PasskeyDescriptor = {
	id: string;
	type: "public-key";
};
export type PasskeyEnvelope = {
	data: Passkey;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PasskeyOptions = {
	attestation: "none";
	authenticatorSelection: PasskeySelection;
	challenge: string;
	excludeCredentials: (PasskeyDescriptor)[];
	pubKeyCredParams: (PasskeyAlgorithm)[];
	rp: PasskeyParty;
	timeout: number;
	user: PasskeyUser;
};
export type PasskeyOptionsEnvelope = {
	data: PasskeyOptions;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PasskeyPage = {
	data: (Passkey)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PasskeyParty = {
	id: string;
	name: string;
};
export type PasskeySelection = {
	requireResidentKey: boolean;
	residentKey: "required";
	userVerification: "required";
};
export type PasskeyUser = {
	displayName: string;
	id: string;
	name: string;
};
export type PayIn = {
	amount: string;
	confirmations?: number;
	currency: string;
	partnerDepositId: string;
	rail: string;
	reason?: string;
	receivable?: string;
	requiredConfirmations?: number;
	returnedAmount?: string;
	sender?: string;
	settlementAmount?: string;
	settlementFinal: boolean;
	settlementTxHash?: string;
	status: "scheduled" | "received" | "held" | "submitted" | "settled" | "returning" | "returned" | "failed" | "writtenoff";
	trace?: string;
};
export type Payee = {
	address: string;
	bankAccount?: PayeeBankAccount;
	createdAt: string;
	id: string;
	kind: "wallet" | "bank_account" | "contract";
	name: string;
	network: string;
	proof?: Proof;
	removedAt?: string;
	status: "active" | "removed";
	subOrganizationId: string;
};
export type PayeeBankAccount = {
	bank: string;
	currency: string;
	lastFour: string;
	owner: string;
};
export type PayeeDoneEnvelope = {
	data: Payee;
	message: string;
	outcome: "done";
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PayeeEnvelope = {
	data: Payee;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PayeePage = {
	data: (Payee)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PayeeRequest = {
	address: string;
	bankAccount?: PayeeBankAccount;
	kind: "wallet" | "bank_account" | "contract";
	name: string;
	network: string;
	returnUrl?: string;
	signedActivity?: SignedActivity;
	state?: string;
	subOrganizationId?: string;
};
export type Payment = {
	accountLast4?: string;
	amount?: string;
	beneficiaryAccountId: string;
	beneficiaryId: string;
	beneficiaryName: string;
	completedAt?: string;
	createdAt: string;
	currency: string;
	depositInstructions?: DepositInstructions;
	destinationCurrency: string;
	failureReason?: string;
	fees?: string;
	netAmount?: string;
	orderId: string;
	orderStatus: string;
	quoteId?: string;
	rail: string;
	rate?: string;
	reference: string;
	refund?: Refund;
	status: "pending" | "processing" | "completed" | "failed";
	transferId?: string;
	updatedAt: string;
};
export type PaymentEnvelope = {
	data: Payment;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PaymentFailure = {
	code: string;
	message: string;
	returnCode?: string;
};
export type PaymentPage = {
	data: (Payment)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Policy = {
	createdAt: string;
	id: string;
	name: string;
	outstanding?: Outstanding;
	proof: Proof;
	rules: PolicyRules;
	status: "active" | "deleted";
	subOrganizationId: string;
	updatedAt: string;
	walletId: string;
};
export type PolicyChange = {
	name?: string;
	returnUrl?: string;
	rules?: PolicyRulesPatch;
	signedActivity?: SignedActivity;
	state?: string;
};
export type PolicyDoneEnvelope = {
	data: Policy;
	message: string;
	outcome: "done";
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PolicyPage = {
	data: (Policy)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PolicyRequest = {
	name: string;
	returnUrl?: string;
	rules: PolicyRules;
	signedActivity?: SignedActivity;
	state?: string;
	walletId: string;
};
export type PolicyRules = {
	allowRawDigests?: boolean;
	allowedChains?: (string)[];
	allowedContracts?: (AllowedContract)[];
	allowedDestinations?: (string)[];
	allowedTokens?: (string)[];
	dailyUsd?: number;
	delegation?: Delegation;
	maxSlippagePercent?: number;
	maxValueUsd?: number;
	monthlyUsd?: number;
	payeeCoolingHours?: number;
	payeesOnly?: boolean;
};
export type PolicyRulesPatch = {
	allowRawDigests?: boolean | null;
	allowedChains?: (string)[] | null;
	allowedContracts?: (AllowedContract)[] | null;
	allowedDestinations?: (string)[] | null;
	allowedTokens?: (string)[] | null;
	dailyUsd?: number | null;
	delegation?: Delegation;
	maxSlippagePercent?: number | null;
	maxValueUsd?: number | null;
	monthlyUsd?: number | null;
	payeeCoolingHours?: number | null;
	payeesOnly?: boolean | null;
};
export type PostalAddress = {
	city: string;
	country: string;
	postalCode?: string;
	state?: string;
	street: string;
};
export type PostalAddressRequest = {
	city: string;
	country: string;
	postalCode?: string;
	state?: string;
	street: string;
};
export type PrepareAccountRequest = {
	chain: string;
	name?: string;
	path?: string;
	returnUrl?: string;
	state?: string;
	walletId?: string;
};
export type PrepareAgentRequest = {
	allowedChains?: (string)[];
	allowedHosts?: (string)[];
	allowedRecipients?: (string)[];
	anyRecipient?: boolean;
	budget: AgentAmounts;
	chainId?: number;
	description?: string;
	maxWallets?: number;
	name: string;
	payeeCoolingHours?: number;
	payeesOnly?: boolean;
	recipientPublicKey?: string;
	requireHttpSignature?: boolean;
	returnUrl?: string;
	state?: string;
	subOrganizationId?: string;
	walletAddress?: string;
};
export type PrepareFundingRequest = {
	amount?: number;
	amountUSDC?: string;
	from?: string;
	network?: string;
	returnUrl?: string;
	state?: string;
};
export type PrepareTransactionRequest = {
	allowContract?: boolean;
	amount?: string;
	broadcast?: boolean;
	chainId?: number;
	data?: string;
	gasLimit?: string;
	maxFeePerGas?: string;
	network?: string;
	replaces?: string;
	returnUrl?: string;
	signWith?: string;
	state?: string;
	to?: string;
	tokenAddress?: string;
	type: "transfer_native" | "transfer_token" | "call" | "sign" | "speed_up" | "void";
	unsignedTransaction?: string;
	value?: string;
};
export type PrepareWalletRequest = {
	chain?: string;
	returnUrl?: string;
	state?: string;
	subOrganizationId?: string;
	walletName: string;
};
export type PreparedAccount = {
	allowCredentials: (AllowCredential)[];
	ceremonyUrl?: string;
	challenge: string;
	expiresAt: string;
	fingerprint: string;
	prepareSkipsActivity: boolean;
	preview: Proof;
	unsignedActivity: UnsignedActivity;
	walletAccountRequestId: string;
};
export type PreparedAccountEnvelope = {
	data: PreparedAccount;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PreparedActivity = {
	allowCredentials: (AllowCredential)[];
	ceremonyUrl?: string;
	challenge: string;
	expiresAt: string;
	fingerprint: string;
	preview: Proof;
	unsignedActivity: UnsignedActivity;
};
export type PreparedActivityPreparedEnvelope = {
	data: PreparedActivity;
	message: string;
	outcome: "prepared";
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PreparedAgent = {
	agentRequestId: string;
	allowCredentials: (AllowCredential)[];
	ceremonyUrl?: string;
	challenge: string;
	expiresAt: string;
	fingerprint: string;
	preview: Proof;
	unsignedActivity: UnsignedActivity;
};
export type PreparedAgentEnvelope = {
	data: PreparedAgent;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PreparedAgentPolicies = {
	agentId: string;
	allowCredentials: (AllowCredential)[];
	ceremonyUrl?: string;
	challenge: string;
	expiresAt: string;
	fingerprint: string;
	policiesRequestId: string;
	preview: Proof;
	proof?: Proof;
	unsignedActivity: UnsignedActivity;
};
export type PreparedAgentPoliciesEnvelope = {
	data: PreparedAgentPolicies;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PreparedFunding = {
	agentId: string;
	allowCredentials: (AllowCredential)[];
	amount: string;
	ceremonyUrl?: string;
	chainId?: number;
	challenge: string;
	createdAt: string;
	custody: "enclave" | "external";
	expiresAt: string;
	fee: NetworkFee;
	fingerprint: string;
	from: string;
	fundRequestId: string;
	network: string;
	notice?: string;
	preview: Proof;
	replaces?: string;
	status: "awaiting_signature";
	to: string;
	tokenAddress?: string;
	transactionId: string;
	unsignedActivity: UnsignedActivity;
	unsignedTransaction: string;
};
export type PreparedFundingEnvelope = {
	data: PreparedFunding;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PreparedLending = {
	allowCredentials: (AllowCredential)[];
	amount: string;
	ceremonyUrl?: string;
	chainId?: number;
	challenge: string;
	createdAt: string;
	custody: "enclave" | "external";
	expiresAt: string;
	fee: NetworkFee;
	fingerprint: string;
	from: string;
	network: string;
	notice?: string;
	preview: Proof;
	replaces?: string;
	status: "awaiting_signature";
	step: "revoke" | "approve" | "supply" | "withdraw";
	to: string;
	tokenAddress?: string;
	transactionId: string;
	unsignedActivity: UnsignedActivity;
	unsignedTransaction: string;
};
export type PreparedLendingEnvelope = {
	data: PreparedLending;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PreparedSwap = {
	allowCredentials: (AllowCredential)[];
	amount: string;
	ceremonyUrl?: string;
	chainId?: number;
	challenge: string;
	createdAt: string;
	custody: "enclave" | "external";
	expiresAt: string;
	fee: NetworkFee;
	fingerprint: string;
	from: string;
	network: string;
	notice?: string;
	preview: Proof;
	replaces?: string;
	status: "awaiting_signature";
	step: "revoke" | "approve" | "swap";
	swap: SwapTrade;
	to: string;
	tokenAddress?: string;
	transactionId: string;
	unsignedActivity: UnsignedActivity;
	unsignedTransaction: string;
};
export type PreparedSwapEnvelope = {
	data: PreparedSwap;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PreparedTransaction = {
	allowCredentials?: (AllowCredential)[];
	amount: string;
	ceremonyUrl?: string;
	chainId?: number;
	challenge?: string;
	createdAt: string;
	custody: "enclave" | "external";
	expiresAt: string;
	fee: NetworkFee;
	fingerprint?: string;
	from: string;
	network: string;
	notice?: string;
	preview?: Proof;
	replaces?: string;
	status: "awaiting_signature";
	to: string;
	tokenAddress?: string;
	transactionId: string;
	unsignedActivity?: UnsignedActivity;
	unsignedTransaction: string;
};
export type PreparedTransactionEnvelope = {
	data: PreparedTransaction;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PreparedTransactionPreparedEnvelope = {
	data: PreparedTransaction;
	message: string;
	outcome: "prepared";
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PreparedVote = {
	allowCredentials: (AllowCredential)[];
	approvalId: string;
	ceremonyUrl?: string;
	challenge: string;
	expiresAt: string;
	fingerprint: string;
	preview: Proof;
	unsignedActivity: UnsignedActivity;
};
export type PreparedVotePreparedEnvelope = {
	data: PreparedVote;
	message: string;
	outcome: "prepared";
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type PreparedWallet = {
	allowCredentials: (AllowCredential)[];
	ceremonyUrl?: string;
	challenge: string;
	expiresAt: string;
	fingerprint: string;
	preview: Proof;
	unsignedActivity: UnsignedActivity;
	walletRequestId: string;
};
export type PreparedWalletEnvelope = {
	data: PreparedWallet;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Price = {
	asOf?: string;
	asset: string;
	expiresAt?: string;
	refused?: string;
	usd?: number;
};
export type PriceOverride = {
	asset: string;
	proof: Proof;
	subOrganizationId: string;
	usd: number;
};
export type PriceOverrideDoneEnvelope = {
	data: PriceOverride;
	message: string;
	outcome: "done";
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Prices = {
	assets: (Price)[];
	dataFees: (DataFee)[];
};
export type PricesEnvelope = {
	data: Prices;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Proof = {
	payload: string;
	publicKey: string;
	signature: string;
};
export type Queued = {
	approvalId: string;
	expiresAt: string;
	paymentId?: string;
	status: string;
};
export type QueuedEnvelope = {
	approvalId: string;
	data: Queued;
	error?: "approval_required";
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Quote = {
	amount: number;
	arrivesBy?: string;
	beneficiaryAccountId: string;
	beneficiaryId: string;
	chain: string;
	currency: string;
	cutOffAt?: string;
	destinationCurrency: string;
	estimatedArrival: string;
	expiresAt: string;
	feeBreakdown: FeeBreakdown;
	fees: number;
	funding?: Funding;
	limits: AmountLimits;
	midmarketRate: number;
	netAmount: number;
	quoteId: string;
	rail: string;
	rate: number;
	rateFetchedAt: string;
	sourceAmount: number;
	sourceCurrency: string;
	spreadBps: number;
	token: string;
	withdrawAddress: string;
	withdrawAddressId: string;
};
export type QuoteEnvelope = {
	data: Quote;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type QuoteRequest = {
	amount?: number;
	beneficiaryAccountId?: string;
	beneficiaryId: string;
	chain?: string;
	currency?: string;
	destinationAmount?: string;
	destinationCurrency?: string;
	sourceAmount?: string;
	sourceCurrency?: string;
	token?: "usdc" | "usdt";
};
export type QuotedRates = {
	fetchedAt: string;
	midmarket: string;
	publishedAt: string;
	sell: string;
	spreadBps: number;
};
export type RateLimits = {
	financial?: number;
	standard?: number;
};
export type RawBroadcast = {
	broadcastedAt: string;
	network: string;
	status: "broadcast";
	txHash: string;
};
export type RawBroadcastEnvelope = {
	data: RawBroadcast;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type RawTransactionRequest = {
	chainId?: number;
	network?: string;
	signedTransaction: string;
};
export type ReceivedNotice = {
	eventId: string;
	first: boolean;
};
export type ReceivedNoticeEnvelope = {
	data: ReceivedNotice;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type RecentBlock = {
	blockhash: string;
	chain: string;
	height?: number;
	lastHeight?: number;
	transaction?: SeenTransaction;
};
export type RecentBlockEnvelope = {
	data: RecentBlock;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Recipient = {
	address: PostalAddress;
	createdAt: string;
	email?: string;
	id: string;
	isSelf: boolean;
	name: string;
	ownerType: "individual" | "business";
	pendingReason?: string;
	status: "active" | "archived";
	updatedAt: string;
};
export type RecipientChange = {
	email?: string;
	name?: string;
};
export type RecipientEnvelope = {
	data: Recipient;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type RecipientInvite = {
	email?: string;
	expiresAt: string;
	inviteUrl: string;
	mailStatus?: "queued" | "sent" | "failed";
	token: string;
};
export type RecipientInviteEnvelope = {
	data: RecipientInvite;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type RecipientInviteRequest = {
	email?: string;
};
export type RecipientOrder = {
	completed_at: string | null;
	created_at: string;
	destination_amount: string | null;
	destination_currency: string;
	failure_reason: string | null;
	id: string;
	reference: string;
	source_amount: string | null;
	source_currency: string;
	status: "pending" | "processing" | "completed" | "failed";
};
export type RecipientOrderListEnvelope = {
	data: (RecipientOrder)[];
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type RecipientPage = {
	data: (Recipient)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type RecipientPayments = {
	currency: "USD";
	last_paid_amount: string | null;
	last_paid_at: string | null;
	payment_count_ytd: number;
	total_ytd: string;
};
export type RecipientRequest = {
	address: PostalAddressRequest;
	email?: string;
	isSelf?: boolean;
	name: string;
	ownerType: "individual" | "business";
};
export type RecipientStatusRequest = {
	pendingReason?: string;
	status: "active" | "archived";
};
export type RecipientWithAccounts = {
	accounts: (BankAccount)[];
	address: PostalAddress;
	createdAt: string;
	email?: string;
	id: string;
	isSelf: boolean;
	name: string;
	ownerType: "individual" | "business";
	pendingReason?: string;
	status: "active" | "archived";
	summary: RecipientPayments;
	updatedAt: string;
};
export type RecipientWithAccountsPage = {
	data: (RecipientWithAccounts)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Reconciliation = {
	checkedAt: string | null;
	differences: (Difference)[];
	total: number;
};
export type ReconciliationEnvelope = {
	data: Reconciliation;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Recovery = {
	credentialId: string;
	email: string;
	emailOnly: boolean;
	proof: Proof | null;
	readyAt: string | null;
	recoveryId: string;
	status: "requested" | "pending" | "completed" | "cancelled" | "expired";
	subOrganizationId: string;
	userId: string;
};
export type RecoveryContext = {
	ceremonyUrl?: string;
	email: string;
	environment: "sandbox" | "production";
	expiresAt: string;
	needsCode: boolean;
	readyAt: string | null;
	recoveryId: string;
	rpId: string;
	status: "requested" | "pending" | "completed" | "cancelled" | "expired";
	subOrganizationId: string;
	userId: string;
};
export type RecoveryContextEnvelope = {
	data: RecoveryContext;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type RecoveryDoneEnvelope = {
	data: Recovery;
	message: string;
	outcome: "done";
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type RecoveryEnvelope = {
	data: Recovery;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type RecoveryRequested = {
	ceremonyUrl?: string;
	expiresAt: string;
	recoveryId?: string;
	status: "offered" | "requested";
};
export type RecoveryRequestedEnvelope = {
	data: RecoveryRequested;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type RecoveryRule = {
	emailOnlyRecovery: boolean;
	proof: Proof;
	recoveryPublicKey: string;
	subOrganizationId: string;
};
export type RecoveryRuleDoneEnvelope = {
	data: RecoveryRule;
	message: string;
	outcome: "done";
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type ReferredMiniApp = {
	executions: number;
	miniAppId: string;
	name: string;
	volume: (Volume)[];
};
export type Refund = {
	address?: string;
	amount: string;
	chain: string;
	currency: string;
	id: string;
	reason?: string;
	reference: string;
	status: "pending" | "submitted" | "completed" | "failed";
	txHash?: string;
};
export type RegisterRequest = {
	attestation: Attestation;
	email: string;
	encodedChallenge: string;
	label?: string;
	name: string;
	recoveryPublicKey?: string;
};
export type RegisteredPasskey = {
	createdAt: string;
	passkeyId: string;
	proof: Proof;
	subOrganizationId: string;
	userId: string;
};
export type RegisteredPasskeyEnvelope = {
	data: RegisteredPasskey;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type RejectRequest = {
	reason?: string;
};
export type RemovedItem = {
	id: string;
};
export type RemovedItemEnvelope = {
	data: RemovedItem;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type RemovedReturnOrigin = {
	id: string;
	origin: string;
	removed: boolean;
};
export type RemovedReturnOriginEnvelope = {
	data: RemovedReturnOrigin;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type RenamePasskeyRequest = {
	label: string;
};
export type ReportEventsRequest = {
	events: (AgentEvent)[];
};
export type ReportedEvent = {
	id: string;
	status: "accepted" | "duplicate";
};
export type ReportedEvents = {
	accepted: number;
	budget_status: AgentBudget;
	duplicates: number;
	events: (ReportedEvent)[];
};
export type ReportedEventsEnvelope = {
	data: ReportedEvents;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Resemblance = {
	address: string;
	name?: string;
};
export type Return = {
	effectiveAt: string;
	returnAddress: string;
	walletId: string;
};
export type ReturnConfirm = {
	returnAddress?: string;
};
export type ReturnOrigin = {
	createdAt: string;
	createdBy: string;
	id: string;
	origin: string;
};
export type ReturnOriginEnvelope = {
	data: ReturnOrigin;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type ReturnOriginListEnvelope = {
	data: (ReturnOrigin)[];
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type ReturnOriginRequest = {
	origin: string;
};
export type ReturnRequest = {
	walletId: string;
};
export type ReturnTo = {
	returnUrl?: string;
	state?: string;
};
export type RevokedAPIKey = {
	id: string;
	message: string;
	name: string;
	revokedAt: string;
};
export type RevokedAPIKeyEnvelope = {
	data: RevokedAPIKey;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type RewardEvent = {
	amount: string;
	asset: string;
	blockNumber: number;
	chainId: number;
	miniAppId: string;
	reportedAt: string;
	txHash: string;
	type: "transfer" | "blockchain" | "dynamic";
	userAddress: string;
};
export type RewardMetrics = {
	address: string;
	currency: string | null;
	events: (RewardEvent)[];
	referredMiniApps: (ReferredMiniApp)[];
	stats: RewardStats;
	totalEvents: number;
	totalExecutions: number;
	totalVolume: string | null;
	triggerIds: (string)[];
};
export type RewardMetricsEnvelope = {
	data: RewardMetrics;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type RewardStats = {
	executions: number;
	volume: (Volume)[];
};
export type RoleChanged = {
	apiKeys: (LeftKey)[];
	createdAt: string;
	email: string;
	id: string;
	role: "admin" | "manager" | "auditor" | "viewer";
	updatedAt: string;
};
export type RoleChangedEnvelope = {
	data: RoleChanged;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type RotateAgentRequest = {
	recipientPublicKey?: string;
	returnUrl?: string;
	signedActivity?: SignedActivity;
	state?: string;
};
export type SandboxBlocks = {
	blocks?: number;
	chain: string;
};
export type SandboxBlocksEnvelope = {
	data: SandboxBlocks;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type SandboxDelay = {
	seconds: number;
};
export type SandboxFailure = {
	code?: string;
	reason?: string;
};
export type SandboxOrder = {
	orderId: string;
	partnerDepositId?: string;
	partnerTransferId?: string;
	reference: string;
};
export type SandboxOrderEnvelope = {
	data: SandboxOrder;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type SandboxReorg = {
	chain: string;
	depth: number;
	drop?: boolean;
};
export type SandboxReorgEnvelope = {
	data: SandboxReorg;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type SandboxTime = {
	seconds: number;
};
export type SandboxTimeEnvelope = {
	data: SandboxTime;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type SealedSecret = {
	recipientPublicKey: string;
	sealed: string;
};
export type SeenTransaction = {
	id: string;
	status: "pending" | "confirmed" | "failed";
};
export type Session = {
	createdAt: string;
	current: boolean;
	expiresAt: string;
	id: string;
	refreshedAt: string;
};
export type SessionListEnvelope = {
	data: (Session)[];
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type SetAgentStatusRequest = {
	returnUrl?: string;
	signedActivity?: SignedActivity;
	state?: string;
	status: "active" | "suspended" | "paused" | "draining" | "killed";
};
export type SignMessageRequest = {
	payload: string;
	returnUrl?: string;
	signWith: string;
	signedActivity?: SignedActivity;
	state?: string;
	type: "EIP191_TEXT" | "EIP191_HEX" | "EIP712" | "RAW_DIGEST";
};
export type SignTransactionRequest = {
	broadcast?: boolean;
	chainId?: number;
	returnUrl?: string;
	signWith: string;
	signedActivity?: SignedActivity;
	state?: string;
	type: "TRANSACTION_TYPE_ETHEREUM" | "TRANSACTION_TYPE_SOLANA" | "TRANSACTION_TYPE_TRON";
	unsignedTransaction: string;
};
export type SignedActivity = {
	body: string;
	organizationId?: string;
	stamp: Stamp;
	timestampMs?: string;
	url?: string;
};
export type SignedActivityRequest = {
	returnUrl?: string;
	signedActivity?: SignedActivity;
	state?: string;
};
export type SignedMessage = {
	digest: string;
	messageId: string;
	proof: Proof;
	signWith: string;
	signature: string;
};
export type SignedMessageDoneEnvelope = {
	data: SignedMessage;
	message: string;
	outcome: "done";
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type SimulatedBankDeposit = {
	amount: string;
	currency: string;
	depositAccountId?: string;
	number?: string;
	partnerDepositId: string;
	rail: string;
	senderName?: string;
	trace: string;
	virtualAccountId?: string;
};
export type SimulatedBankDepositEnvelope = {
	data: SimulatedBankDeposit;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type SimulatedBankDepositRequest = {
	amount: string;
	depositAccountId?: string;
	number?: string;
	senderName?: string;
	virtualAccountId?: string;
};
export type SimulatedDeposit = {
	address?: string;
	amount: string;
	chain?: string;
	currency?: "usdc" | "usdt";
	txHash: string;
	withdrawAddressId?: string;
};
export type SimulatedDepositEnvelope = {
	data: SimulatedDeposit;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type SimulatedDepositRequest = {
	address?: string;
	amount: string;
	chain?: string;
	currency?: "usdc" | "usdt";
	withdrawAddressId?: string;
};
export type Skill = {
	auth_type: "none" | "api_key" | "bearer";
	cost_usdc: number;
	createdAt: string;
	description?: string;
	health: SkillHealth;
	id: string;
	is_public: boolean;
	method: "GET" | "POST" | "PUT" | "DELETE";
	name: string;
	network?: string;
	owner: string;
	payTo?: string;
	schema_input?: { [name: string]: unknown };
	schema_output?: { [name: string]: unknown };
	subtype: "x402" | "mcp" | "http" | "internal";
	updatedAt: string;
	url: string;
};
export type SkillAnswer = {
	body: string;
	bodyEncoding?: "base64";
	headers: { [name: string]: string };
	latencyMs: number;
	output?: unknown;
	payment?: SkillPayment;
	skillId: string;
	status: number;
};
export type SkillAnswerEnvelope = {
	data: SkillAnswer;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type SkillAuth = {
	header?: string;
	key?: string;
	token?: string;
};
export type SkillCall = {
	input?: { [name: string]: unknown };
};
export type SkillChange = {
	auth_config?: SkillAuth;
	auth_type?: "none" | "api_key" | "bearer";
	cost_usdc?: number;
	description?: string;
	is_public?: boolean;
	method?: "GET" | "POST" | "PUT" | "DELETE";
	name?: string;
	network?: string;
	payTo?: string;
	priceUSDC?: string;
	schema_input?: { [name: string]: unknown };
	schema_output?: { [name: string]: unknown };
	subtype?: "x402" | "mcp" | "http" | "internal";
	url?: string;
	visibility?: "public" | "private";
};
export type SkillDeleted = {
	deletedAt: string;
	id: string;
};
export type SkillDeletedEnvelope = {
	data: SkillDeleted;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type SkillEnvelope = {
	data: Skill;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type SkillHealth = {
	httpStatus: number | null;
	lastCheckedAt: string | null;
	latencyMs: number | null;
	reason?: string;
	status: "unknown" | "healthy" | "unhealthy";
};
export type SkillHealthEnvelope = {
	data: SkillHealth;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type SkillPage = {
	data: (Skill)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type SkillPayment = {
	amount: string;
	asset: string;
	network: string;
	payTo: string;
	payer: string;
	transaction: string;
};
export type SkillRequest = {
	auth_config?: SkillAuth;
	auth_type?: "none" | "api_key" | "bearer";
	cost_usdc?: number;
	description?: string;
	is_public?: boolean;
	method?: "GET" | "POST" | "PUT" | "DELETE";
	name: string;
	network?: string;
	payTo?: string;
	priceUSDC?: string;
	schema_input?: { [name: string]: unknown };
	schema_output?: { [name: string]: unknown };
	subtype?: "x402" | "mcp" | "http" | "internal";
	url: string;
	visibility?: "public" | "private";
};
export type SkillTest = {
	input?: { [name: string]: unknown };
};
export type SkillTested = {
	body: string;
	headers: { [name: string]: string };
	latencyMs: number;
	status: number;
	truncated: boolean;
};
export type SkillTestedEnvelope = {
	data: SkillTested;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type SourceDepositInstructions = {
	account_number?: string;
	bank_account_number?: string;
	bank_address?: string;
	bank_beneficiary_name?: string;
	bank_name?: string;
	bank_routing_number?: string;
	bic?: string;
	br_code?: string;
	clabe?: string;
	currency: "usd" | "eur" | "mxn" | "brl" | "gbp";
	iban?: string;
	payment_rails: (string)[];
	sort_code?: string;
};
export type Stamp = {
	stampHeaderName: string;
	stampHeaderValue: string;
};
export type StatementBalance = {
	closing: string;
	currency: string;
	fees: string;
	moneyIn: string;
	moneyOut: string;
	opening: string;
	returnedIn: string;
	returnedOut: string;
};
export type StatementDay = {
	balances: (StatementBalance)[];
	date: string;
};
export type StatementLine = {
	at: string;
	balance: string;
	currency: string;
	fees: string;
	kind: "deposit" | "conversion" | "payout" | "return" | "refund" | "reversal" | "other";
	moneyIn: string;
	moneyOut: string;
	orderId: string;
	reference: string;
};
export type SubmitInviteRequest = {
	account: BankAccountRequest;
	token: string;
};
export type SwapButton = {
	chainName: string;
	description?: string;
	fromToken: string;
	icon?: string;
	protocol: string;
	routerAddress?: string;
	slippageTolerance: number;
	title?: string;
	toToken: string;
	url?: string;
};
export type SwapQuote = {
	amountOut: string;
	chainId: number;
	estimatedGas: string;
	minimumAmountOut: string;
	priceImpactBps: number;
	protocol: string;
	route: (string)[];
};
export type SwapRequest = {
	amount: number;
	chainId?: number;
	fromToken: string;
	minimumAmountOut?: string;
	network?: string;
	protocol?: string;
	returnUrl?: string;
	signWith?: string;
	slippage?: number;
	state?: string;
	toToken: string;
};
export type SwapStep = {
	amount: string;
	approvalId?: string;
	chainId?: number;
	createdAt: string;
	custody: "enclave" | "external";
	endsAt?: string;
	expiresAt: string;
	fee: NetworkFee;
	from: string;
	lastHeight?: number;
	network: string;
	nonce?: number;
	proof?: Proof;
	reason?: string;
	received?: string;
	receivedLess?: boolean;
	replacedBy?: string;
	replaces?: string;
	signature?: string;
	signedTransaction?: string;
	status: "awaiting_signature" | "awaiting_approval" | "pending" | "broadcast" | "confirmed" | "failed" | "cancelled" | "expired";
	step: "revoke" | "approve" | "swap";
	stuck?: boolean;
	to: string;
	tokenAddress?: string;
	transactionId: string;
	txHash?: string;
	type: "transfer_native" | "transfer_token" | "call" | "sign" | "speed_up" | "void" | "agent_payment";
	unsignedTransaction?: string;
	updatedAt: string;
	waitsFor?: (string)[];
};
export type SwapStepEnvelope = {
	data: SwapStep;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type SwapTrade = {
	amountIn: string;
	amountOut: string;
	deadline: string;
	fromToken: string;
	minimumAmountOut: string;
	priceImpactBps: number;
	protocol: string;
	route: (string)[];
	router: string;
	toToken: string;
};
export type SyncRecoveryRequest = {
	attestationObject?: string;
	clientDataJson?: string;
	credentialId: string;
	label?: string;
	newRecoveryPublicKey?: string;
	recoveryId?: string;
	recoverySignature?: string;
	removeOtherPasskeys?: boolean;
	transports?: (string)[];
};
export type Token = {
	address: string;
	chain: string;
	chainId: number;
	decimals: number;
	logoURI: string | null;
	symbol: string;
};
export type TokenAccount = {
	account: string;
	balance: string;
	formatted: string;
};
export type TokenBalance = {
	address: string;
	balance: string;
	chain: string;
	chainId: number;
	decimals: number;
	formatted: string;
	otherAccounts?: (TokenAccount)[];
	symbol: string;
	tokenAddress: string;
};
export type TokenBalanceEnvelope = {
	data: TokenBalance;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type TokenListEnvelope = {
	data: (Token)[];
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type TokenMovement = {
	account?: string;
	amount: string;
	blockNumber: number;
	chain: string;
	direction: "in" | "out";
	formatted: string;
	from: string;
	symbol: string;
	timestamp: string;
	to: string;
	txHash: string;
};
export type TokenMovementListEnvelope = {
	data: (TokenMovement)[];
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type Transaction = {
	amount: string;
	approvalId?: string;
	chainId?: number;
	createdAt: string;
	custody: "enclave" | "external";
	endsAt?: string;
	expiresAt: string;
	fee: NetworkFee;
	from: string;
	lastHeight?: number;
	network: string;
	nonce?: number;
	proof?: Proof;
	reason?: string;
	received?: string;
	receivedLess?: boolean;
	replacedBy?: string;
	replaces?: string;
	signature?: string;
	signedTransaction?: string;
	status: "awaiting_signature" | "awaiting_approval" | "pending" | "broadcast" | "confirmed" | "failed" | "cancelled" | "expired";
	stuck?: boolean;
	to: string;
	tokenAddress?: string;
	transactionId: string;
	txHash?: string;
	type: "transfer_native" | "transfer_token" | "call" | "sign" | "speed_up" | "void" | "agent_payment";
	unsignedTransaction?: string;
	updatedAt: string;
	waitsFor?: (string)[];
};
export type TransactionDoneEnvelope = {
	data: Transaction;
	message: string;
	outcome: "done";
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type TransactionEnvelope = {
	data: Transaction;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type TransactionPage = {
	data: (Transaction)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type UnsignedActivity = {
	body: string;
	organizationId: string;
	timestampMs: string;
	url: string;
};
export type UpdateRecoveryRequest = {
	emailOnlyRecovery?: boolean;
	recoveryPublicKey?: string;
	returnUrl?: string;
	signedActivity?: SignedActivity;
	state?: string;
	subOrganizationId?: string;
};
export type VirtualAccount = {
	beneficiaryId: string;
	clabe: string;
	currency: "MXN";
	id: string;
};
export type VirtualAccountEnvelope = {
	data: VirtualAccount;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type VirtualAccountRequest = {
	beneficiaryAccountId: string;
	beneficiaryId: string;
};
export type VoidRequest = {
	chainId?: number;
	data?: string;
	replaces?: string;
	signWith?: string;
	to?: string;
	type: "void" | "call";
};
export type Voiding = {
	how: string;
	prepare: (VoidRequest)[];
};
export type Volume = {
	amount: string;
	asset: string;
	chainId: number;
	decimals: number;
	executions: number;
	formatted: string;
	symbol: string;
};
export type Wallet = {
	addresses: (WalletAddress)[];
	created_at: string;
	id: string;
	lastActivity: string | null;
	proof: Proof;
	subOrganizationId: string;
	type: "master" | "agent" | "operational";
	walletId: string;
	walletName: string;
};
export type WalletAddress = {
	address: string;
	addressFormat: string;
	chain: string;
	path: string;
	publicKey: string;
	walletAccountId: string;
};
export type WalletBalance = {
	address: string;
	balance: string;
	decimals: number;
	formatted: string;
	symbol: string;
	tokenAddress?: string;
};
export type WalletBalances = {
	addressesLeftOut: number;
	networks: (NetworkBalances)[];
	walletId: string;
};
export type WalletBalancesEnvelope = {
	data: WalletBalances;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type WalletCreated = {
	addresses: (WalletAddress)[];
	createdAt: string;
	created_at: string;
	id: string;
	lastActivity: string | null;
	name: string;
	proof: Proof;
	subOrganizationId: string;
	type: "master" | "agent" | "operational";
	walletId: string;
	walletName: string;
};
export type WalletCreatedEnvelope = {
	data: WalletCreated;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type WalletEnvelope = {
	data: Wallet;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type WalletPage = {
	data: (Wallet)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type WalletTransaction = {
	amount: string;
	blockNumber?: number;
	counterparty: string;
	from: string;
	id: string;
	looksLike?: (Resemblance)[];
	network: string;
	payee?: NamedPayee;
	status: "pending" | "confirmed" | "failed";
	timestamp: string;
	to: string;
	tokenSymbol: string;
	txHash: string;
	type: "send" | "receive";
};
export type WalletTransactionPage = {
	data: (WalletTransaction)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type WebhookAttempt = {
	answer?: string;
	at: string;
	durationMs: number;
	httpStatus?: number;
	reason?: string;
};
export type WebhookDelivery = {
	createdAt: string;
	endedAt: string | null;
	eventId: string;
	lastAttempt: WebhookAttempt | null;
	nextAttemptAt: string | null;
	object: EventObject;
	reason?: string;
	sequence: number;
	status: "waiting" | "pending" | "delivered" | "failed" | "canceled";
	type: string;
};
export type WebhookDeliveryDetail = {
	attempts: (WebhookAttempt)[];
	body?: unknown;
	createdAt: string;
	endedAt: string | null;
	eventId: string;
	lastAttempt: WebhookAttempt | null;
	nextAttemptAt: string | null;
	object: EventObject;
	reason?: string;
	sequence: number;
	status: "waiting" | "pending" | "delivered" | "failed" | "canceled";
	type: string;
};
export type WebhookDeliveryDetailEnvelope = {
	data: WebhookDeliveryDetail;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type WebhookDeliveryEnvelope = {
	data: WebhookDelivery;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type WebhookDeliveryPage = {
	data: (WebhookDelivery)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type WebhookEndpoint = {
	createdAt: string;
	description: string;
	failingSince: string | null;
	id: string;
	oldSecretEndsAt: string | null;
	pausedUntil: string | null;
	reason?: string;
	replay: WebhookRange | null;
	sequence: number;
	status: "disabled" | "active" | "deleted";
	types: (string)[];
	updatedAt: string;
	url: string;
};
export type WebhookEndpointCreated = {
	createdAt: string;
	description: string;
	failingSince: string | null;
	id: string;
	oldSecretEndsAt: string | null;
	pausedUntil: string | null;
	reason?: string;
	replay: WebhookRange | null;
	secret: string;
	sequence: number;
	status: "disabled" | "active" | "deleted";
	types: (string)[];
	updatedAt: string;
	url: string;
};
export type WebhookEndpointCreatedEnvelope = {
	data: WebhookEndpointCreated;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type WebhookEndpointEnvelope = {
	data: WebhookEndpoint;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type WebhookEndpointPage = {
	data: (WebhookEndpoint)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type WebhookEndpointRequest = {
	description?: string;
	types?: (string)[];
	url: string;
};
export type WebhookEndpointUpdate = {
	description?: string;
	types?: (string)[];
	url?: string;
};
export type WebhookPing = {
	attempt: WebhookAttempt;
	endpoint: WebhookEndpoint;
};
export type WebhookPingEnvelope = {
	data: WebhookPing;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type WebhookRange = {
	after: number;
	upTo: number;
};
export type WebhookReplay = {
	after: number;
	includeDelivered?: boolean;
	upTo?: number;
};
export type WebhookRotation = {
	oldSecretHours?: number;
};
export type WithdrawAddress = {
	address: string;
	beneficiaryAccountId: string;
	beneficiaryId: string;
	chain: string;
	createdAt: string;
	currency: string;
	destinationCurrency: string;
	destinationPaymentRail: string;
	id: string;
	integratorId: string;
	liquidationAddressId?: string;
	payee?: WithdrawPayee;
	pendingReturn?: Return;
	reference: string;
	returnAddress?: string;
	status: "provisioning" | "active";
	updatedAt: string;
	walletId?: string;
};
export type WithdrawAddressEnvelope = {
	data: WithdrawAddress;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type WithdrawAddressRequest = {
	beneficiaryAccountId: string;
	beneficiaryId?: string;
	chain?: "base" | "polygon" | "arbitrum" | "solana";
	currency?: "usdc" | "usdt";
	payeeName?: string;
	walletId?: string;
};
export type WithdrawPayee = {
	code?: string;
	id?: string;
	name?: string;
	prepared?: PreparedActivity;
	reason?: string;
	status: "prepared" | "in_book" | "unavailable";
};
export type X402Answer = {
	body?: string;
	bodyEncoding?: "base64";
	headers?: { [name: string]: string };
	payment?: X402Payment;
	paymentHeader?: string;
	paymentHeaderName?: string;
	status?: number;
	transactionId?: string;
};
export type X402AnswerEnvelope = {
	data: X402Answer;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type X402PayRequest = {
	amount?: string;
	body?: unknown;
	cluster?: string;
	headers?: { [name: string]: string };
	maxAmount?: string;
	memo?: string;
	method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	paymentId?: string;
	paymentRequirement?: X402Requirement;
	recipient?: string;
	resource_url?: string;
	url?: string;
};
export type X402Payment = {
	agentId: string;
	amount: string;
	asset: string;
	createdAt: string;
	delivered: boolean;
	delivery: "pending" | "delivered" | "undelivered" | "unseen";
	httpStatus?: number;
	id: string;
	lastHeight?: number;
	network: string;
	payTo: string;
	reason?: string;
	resource: string;
	state: "prepared" | "signed" | "settled" | "unused" | "void";
	tx?: string;
	updatedAt: string;
	validBefore: string | null;
};
export type X402PaymentEnvelope = {
	data: X402Payment;
	message: string;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type X402PaymentPage = {
	data: (X402Payment)[];
	message: string;
	meta: PageMeta;
	path: string;
	statusCode: number;
	success: true;
	timestamp: string;
};
export type X402Requirement = {
	amount: string;
	currency: "USDC";
	description?: string;
	feePayer?: string;
	memo?: string;
	network: string;
	recipient: string;
	resource?: string;
};

export const getHealth = /* @__PURE__ */ op<{}, HealthEnvelope>("GET", "/v1/");

export const getRecentBlock = /* @__PURE__ */ op<{ path: { chain: string }; query?: { transaction?: string } }, RecentBlockEnvelope>("GET", "/v1/action/blocks/recent/{chain}");

export const buildCrosschainBridge = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: CrosschainButton }, BuiltEnvelope>("POST", "/v1/action/builders/crosschain-bridge");

export const buildCrosschainTransfer = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: CrosschainButton }, BuiltEnvelope>("POST", "/v1/action/builders/crosschain-transfer");

export const buildSwap = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: SwapButton }, BuiltEnvelope>("POST", "/v1/action/builders/swap");

export const buildNativeTransfer = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: NativeTransferButton }, BuiltEnvelope>("POST", "/v1/action/builders/transfer-native");

export const listMiniApps = /* @__PURE__ */ op<{ query?: { page?: number; limit?: number; offset?: number; cursor?: string } }, DirectoryEntryPage>("GET", "/v1/action/directory");

export const confirmSwap = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: ConfirmSwapRequest }, SwapStepEnvelope | QueuedEnvelope>("POST", "/v1/action/execute/swap/confirm");

export const prepareSwap = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: SwapRequest }, PreparedSwapEnvelope>("POST", "/v1/action/execute/swap/prepare");

export const getSwapQuote = /* @__PURE__ */ op<{ query: { fromToken: string; toToken: string; amount: string; chainId: number; slippage?: string; protocol?: string } }, SwapQuote>("GET", "/v1/action/execute/swap/quote");

export const reportExecutions = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: ExecutionReports }, IndexedExecutionsEnvelope>("POST", "/v1/action/indexing/events");

export const listRewardTokens = /* @__PURE__ */ op<{ query: { integratorId?: string; chainId: string; protocol?: string } }, TokenListEnvelope>("GET", "/v1/action/rewards/get-token-list");

export const getRewardMetrics = /* @__PURE__ */ op<{ query?: { integratorId?: string; address?: string; kolAddress?: string; miniAppId?: string; timeRange?: "24h" | "7d" | "30d" | "90d" | "all"; page?: number; limit?: number } }, RewardMetricsEnvelope>("GET", "/v1/action/rewards/metrics");

export const listMiniAppMetrics = /* @__PURE__ */ op<{ query?: { integratorId?: string; address?: string; kolAddress?: string; miniAppId?: string; timeRange?: "24h" | "7d" | "30d" | "90d" | "all" } }, MiniAppMetricsEnvelope>("GET", "/v1/action/rewards/mini-apps-with-onchain-metrics");

export const listSkills = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; subtype?: "x402" | "mcp" | "http" | "internal" } }, SkillPage>("GET", "/v1/action/skills");

export const createSkill = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: SkillRequest }, SkillEnvelope>("POST", "/v1/action/skills");

export const listBazaar = /* @__PURE__ */ op<{ query?: { integratorId?: string; type?: "http" | "mcp"; limit?: number; offset?: number } }, BazaarEnvelope>("GET", "/v1/action/skills/bazaar");

export const deleteSkill = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, SkillDeletedEnvelope>("DELETE", "/v1/action/skills/{id}");

export const getSkill = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, SkillEnvelope>("GET", "/v1/action/skills/{id}");

export const updateSkill = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body: SkillChange }, SkillEnvelope>("PATCH", "/v1/action/skills/{id}");

export const executeSkill = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body?: SkillCall }, SkillAnswerEnvelope>("POST", "/v1/action/skills/{id}/execute");

export const getSkillHealth = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, SkillHealthEnvelope>("GET", "/v1/action/skills/{id}/health");

export const testSkill = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body?: SkillTest }, SkillTestedEnvelope>("POST", "/v1/action/skills/{id}/test");

export const listTokens = /* @__PURE__ */ op<{ path: { chain: string; protocol: string } }, TokenListEnvelope>("GET", "/v1/action/tokens/{chain}/{protocol}");

export const getMiniApp = /* @__PURE__ */ op<{ path: { id: string } }, MiniApp>("GET", "/v1/action/{id}");

export const getMiniAppMetadata = /* @__PURE__ */ op<{ path: { id: string } }, Metadata>("GET", "/v1/action/{id}/metadata");

export const listAgents = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; subOrganizationId?: string; search?: string } }, AgentPage>("GET", "/v1/agents");

export const getAgentsSummary = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; period?: "day" | "week" | "month" } }, AgentActivityPage>("GET", "/v1/agents/analytics/summary");

export const listAgentApprovals = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; status?: "pending" | "approved" | "rejected" | "expired" | "all" } }, ApprovalPage>("GET", "/v1/agents/approvals");

export const confirmAgentPolicies = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: ConfirmAgentPoliciesRequest }, AgentWithSecretEnvelope | QueuedEnvelope>("POST", "/v1/agents/confirm-policies");

export const confirmAgentUser = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: ConfirmAgentRequest }, PreparedAgentPoliciesEnvelope | QueuedEnvelope>("POST", "/v1/agents/confirm-user");

export const reportAgentEvents = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: ReportEventsRequest }, ReportedEventsEnvelope>("POST", "/v1/agents/events/batch");

export const setKillSwitch = /* @__PURE__ */ op<{ query?: { integratorId?: string; prepare?: boolean }; body: KillSwitchRequest }, KillSwitchDoneEnvelope | PreparedActivityPreparedEnvelope | QueuedEnvelope>("POST", "/v1/agents/kill-switch");

export const prepareAgent = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: PrepareAgentRequest }, PreparedAgentEnvelope>("POST", "/v1/agents/prepare");

export const createAgentWallet = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: AgentWalletRequest }, AgentMadeWalletEnvelope>("POST", "/v1/agents/wallets");

export const deleteAgent = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, AgentChangedEnvelope | QueuedEnvelope>("DELETE", "/v1/agents/{id}");

export const getAgent = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, AgentEnvelope>("GET", "/v1/agents/{id}");

export const getAgentAnalytics = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; period?: "day" | "week" | "month" } }, AgentAnalyticsEnvelope>("GET", "/v1/agents/{id}/analytics");

export const listAgentAudit = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; type?: "budget" | "lifecycle" | "credential" | "approval" | "payment"; period?: "24h" | "7d" | "30d"; status?: "success" | "failed" } }, AgentAuditEntryPage>("GET", "/v1/agents/{id}/audit");

export const getAgentBudget = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, AgentBudgetEnvelope>("GET", "/v1/agents/{id}/budget");

export const setAgentBudget = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; prepare?: boolean }; body: AgentBudgetRequest }, AgentChangedDoneEnvelope | PreparedActivityPreparedEnvelope | QueuedEnvelope>("POST", "/v1/agents/{id}/budget");

export const getAgentExposure = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, AgentExposureEnvelope>("GET", "/v1/agents/{id}/exposure");

export const confirmAgentFunding = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body: ConfirmFundingRequest }, FundedEnvelope | QueuedEnvelope>("POST", "/v1/agents/{id}/fund/confirm");

export const prepareAgentFunding = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body: PrepareFundingRequest }, PreparedFundingEnvelope>("POST", "/v1/agents/{id}/fund/prepare");

export const killAgent = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; prepare?: boolean }; body?: SignedActivityRequest }, AgentChangedDoneEnvelope | PreparedActivityPreparedEnvelope | QueuedEnvelope>("POST", "/v1/agents/{id}/kill");

export const pauseAgent = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; prepare?: boolean }; body?: SignedActivityRequest }, AgentChangedDoneEnvelope | PreparedActivityPreparedEnvelope | QueuedEnvelope>("POST", "/v1/agents/{id}/pause");

export const prepareAgentPolicies = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body?: ReturnTo }, PreparedAgentPoliciesEnvelope>("POST", "/v1/agents/{id}/prepare-policies");

export const resumeAgent = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; prepare?: boolean }; body?: SignedActivityRequest }, AgentChangedDoneEnvelope | PreparedActivityPreparedEnvelope | QueuedEnvelope>("POST", "/v1/agents/{id}/resume");

export const rotateAgentSecret = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; prepare?: boolean }; body?: RotateAgentRequest }, AgentWithSecretDoneEnvelope | PreparedActivityPreparedEnvelope | QueuedEnvelope>("POST", "/v1/agents/{id}/rotate");

export const signAgentTransaction = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body: AgentPaymentRequest }, TransactionEnvelope | QueuedEnvelope>("POST", "/v1/agents/{id}/sign-transaction");

export const getAgentStatus = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, AgentStateEnvelope>("GET", "/v1/agents/{id}/status");

export const setAgentStatus = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; prepare?: boolean }; body: SetAgentStatusRequest }, AgentChangedDoneEnvelope | PreparedActivityPreparedEnvelope | QueuedEnvelope>("PATCH", "/v1/agents/{id}/status");

export const listAgentTools = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, AgentToolsEnvelope>("GET", "/v1/agents/{id}/tools");

export const addAgentTool = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body: AgentToolRequest }, AgentToolEnvelope>("POST", "/v1/agents/{id}/tools");

export const removeAgentTool = /* @__PURE__ */ op<{ path: { id: string; toolId: string }; query?: { integratorId?: string } }, AgentToolRemovedEnvelope>("DELETE", "/v1/agents/{id}/tools/{toolId}");

export const getAgentWallet = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, AgentWalletEnvelope>("GET", "/v1/agents/{id}/wallet");

export const getAgentWalletBalance = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; network?: string } }, AgentBalanceEnvelope>("GET", "/v1/agents/{id}/wallet-balance");

export const payX402 = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body: X402PayRequest }, X402AnswerEnvelope | QueuedEnvelope>("POST", "/v1/agents/{id}/x402-pay");

export const listX402Payments = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; state?: "prepared" | "signed" | "settled" | "unused" | "void" } }, X402PaymentPage>("GET", "/v1/agents/{id}/x402-payments");

export const getX402Payment = /* @__PURE__ */ op<{ path: { id: string; paymentId: string }; query?: { integratorId?: string } }, X402PaymentEnvelope>("GET", "/v1/agents/{id}/x402-payments/{paymentId}");

export const listAudit = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; actorType?: "api_key" | "agent" | "session" | "operator" | "system" | "ceremony" | "invite"; actorId?: string; action?: string; resource?: string; requestId?: string; from?: string; to?: string } }, AuditEntryPage>("GET", "/v1/audit");

export const acceptInvitation = /* @__PURE__ */ op<{ body: AcceptInvitationRequest }, OpenedSessionEnvelope>("POST", "/v1/auth/invitations/accept");

export const openInvitation = /* @__PURE__ */ op<{ body: InvitationToken }, InvitationOpenedEnvelope>("POST", "/v1/auth/invitations/open");

export const beginLogin = /* @__PURE__ */ op<{}, LoginOptionsEnvelope>("POST", "/v1/auth/login/begin");

export const finishLogin = /* @__PURE__ */ op<{ body: FinishLoginRequest }, OpenedSessionEnvelope>("POST", "/v1/auth/login/finish");

export const logout = /* @__PURE__ */ op<{}, EmptyEnvelope>("POST", "/v1/auth/logout");

export const getMe = /* @__PURE__ */ op<{ query?: { integratorId?: string } }, CurrentMemberEnvelope>("GET", "/v1/auth/me");

export const getNotifications = /* @__PURE__ */ op<{ query?: { integratorId?: string } }, NotificationsEnvelope>("GET", "/v1/auth/notifications");

export const changeNotifications = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: NotificationsChange }, NotificationsEnvelope>("PATCH", "/v1/auth/notifications");

export const listLoginPasskeys = /* @__PURE__ */ op<{ query?: { integratorId?: string } }, LoginPasskeyListEnvelope>("GET", "/v1/auth/passkeys");

export const addLoginPasskey = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: LoginPasskeyRequest }, LoginPasskeyEnvelope>("POST", "/v1/auth/passkeys");

export const createLoginPasskeyChallenge = /* @__PURE__ */ op<{ query?: { integratorId?: string } }, PasskeyOptionsEnvelope>("POST", "/v1/auth/passkeys/challenge");

export const deleteLoginPasskey = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, RemovedItemEnvelope>("DELETE", "/v1/auth/passkeys/{id}");

export const refreshSession = /* @__PURE__ */ op<{}, OpenedSessionEnvelope>("POST", "/v1/auth/refresh");

export const listSessions = /* @__PURE__ */ op<{ query?: { integratorId?: string } }, SessionListEnvelope>("GET", "/v1/auth/sessions");

export const endSession = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, RemovedItemEnvelope>("DELETE", "/v1/auth/sessions/{id}");

export const listTokenActivity = /* @__PURE__ */ op<{ query: { integratorId?: string; address: string; chain: string; limit?: number; days?: number } }, TokenMovementListEnvelope>("GET", "/v1/balance/activity");

export const getTokenBalance = /* @__PURE__ */ op<{ query: { integratorId?: string; address: string; chain: string; symbol: "USDC" | "USDT" } }, TokenBalanceEnvelope>("GET", "/v1/balance/token");

export const getLendingHealth = /* @__PURE__ */ op<{ query?: { integratorId?: string } }, LendingHealthEnvelope>("GET", "/v1/defi/lending/health");

export const getLendingMarkets = /* @__PURE__ */ op<{ query: { integratorId?: string; userAddress?: string; chainId: number } }, LendingMarketsEnvelope>("GET", "/v1/defi/lending/markets");

export const getAvaxSupply = /* @__PURE__ */ op<{ query: { integratorId?: string; userAddress: string; chainId: number } }, AvaxSupplyEnvelope>("GET", "/v1/defi/lending/my-avax-supply");

export const getLendingPositions = /* @__PURE__ */ op<{ query: { integratorId?: string; userAddress: string; chainId: number } }, LendingPositionsEnvelope>("GET", "/v1/defi/lending/positions");

export const makeSupply = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: AssetSupplyRequest }, LendingTransaction>("POST", "/v1/defi/lending/supply");

export const makeAvaxSupply = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: AvaxRequest }, LendingTransaction>("POST", "/v1/defi/lending/supply-avax");

export const makeAvaxWithdrawal = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: AvaxRequest }, LendingTransaction>("POST", "/v1/defi/lending/withdraw-avax");

export const listEvents = /* @__PURE__ */ op<{ query?: { integratorId?: string; after?: string; types?: (string)[]; object?: string; limit?: number } }, EventListEnvelope>("GET", "/v1/events");

export const streamEvents = /* @__PURE__ */ op<{ query?: { integratorId?: string; after?: string; types?: (string)[]; object?: string } }, unknown>("GET", "/v1/events/stream");

export const listIntegrators = /* @__PURE__ */ op<{ query?: { page?: number; limit?: number; offset?: number; cursor?: string; email?: string; search?: string } }, IntegratorPage>("GET", "/v1/integrators");

export const createIntegrator = /* @__PURE__ */ op<{ body: IntegratorRequest }, CreatedIntegratorEnvelope>("POST", "/v1/integrators");

export const getIntegrator = /* @__PURE__ */ op<{ path: { integratorId: string } }, IntegratorEnvelope>("GET", "/v1/integrators/{integratorId}");

export const updateIntegrator = /* @__PURE__ */ op<{ path: { integratorId: string }; body: IntegratorChange }, IntegratorEnvelope>("PATCH", "/v1/integrators/{integratorId}");

export const setIntegratorAgentLimits = /* @__PURE__ */ op<{ path: { integratorId: string }; body: AgentLimitsRequest }, IntegratorEnvelope>("PATCH", "/v1/integrators/{integratorId}/agent-limits");

export const listApiKeys = /* @__PURE__ */ op<{ path: { integratorId: string }; query?: { page?: number; limit?: number; offset?: number; cursor?: string } }, APIKeyPage>("GET", "/v1/integrators/{integratorId}/api-keys");

export const createApiKey = /* @__PURE__ */ op<{ path: { integratorId: string }; body: APIKeyRequest }, CreatedAPIKeyEnvelope>("POST", "/v1/integrators/{integratorId}/api-keys");

export const revokeApiKey = /* @__PURE__ */ op<{ path: { integratorId: string; keyId: string } }, RevokedAPIKeyEnvelope>("DELETE", "/v1/integrators/{integratorId}/api-keys/{keyId}");

export const getApiKey = /* @__PURE__ */ op<{ path: { integratorId: string; keyId: string } }, APIKeyEnvelope>("GET", "/v1/integrators/{integratorId}/api-keys/{keyId}");

export const listInvitations = /* @__PURE__ */ op<{ path: { integratorId: string }; query?: { page?: number; limit?: number; offset?: number; cursor?: string } }, InvitationPage>("GET", "/v1/integrators/{integratorId}/invitations");

export const revokeInvitation = /* @__PURE__ */ op<{ path: { integratorId: string; id: string } }, RemovedItemEnvelope>("DELETE", "/v1/integrators/{integratorId}/invitations/{id}");

export const resendInvitation = /* @__PURE__ */ op<{ path: { integratorId: string; id: string } }, InvitationEnvelope>("POST", "/v1/integrators/{integratorId}/invitations/{id}/resend");

export const setIntegratorKyb = /* @__PURE__ */ op<{ path: { integratorId: string }; body: KybRequest }, IntegratorEnvelope>("PATCH", "/v1/integrators/{integratorId}/kyb");

export const listMembers = /* @__PURE__ */ op<{ path: { integratorId: string }; query?: { page?: number; limit?: number; offset?: number; cursor?: string } }, MemberPage>("GET", "/v1/integrators/{integratorId}/members");

export const inviteMember = /* @__PURE__ */ op<{ path: { integratorId: string }; body: InviteMemberRequest }, InvitationEnvelope>("POST", "/v1/integrators/{integratorId}/members");

export const removeMember = /* @__PURE__ */ op<{ path: { integratorId: string; memberId: string } }, MemberRemovedEnvelope>("DELETE", "/v1/integrators/{integratorId}/members/{memberId}");

export const changeMemberRole = /* @__PURE__ */ op<{ path: { integratorId: string; memberId: string }; body: MemberRoleRequest }, RoleChangedEnvelope>("PATCH", "/v1/integrators/{integratorId}/members/{memberId}");

export const setIntegratorModules = /* @__PURE__ */ op<{ path: { integratorId: string }; body: ModulesRequest }, IntegratorEnvelope>("PATCH", "/v1/integrators/{integratorId}/modules");

export const listReturnOrigins = /* @__PURE__ */ op<{ path: { integratorId: string } }, ReturnOriginListEnvelope>("GET", "/v1/integrators/{integratorId}/return-origins");

export const addReturnOrigin = /* @__PURE__ */ op<{ path: { integratorId: string }; body: ReturnOriginRequest }, ReturnOriginEnvelope>("POST", "/v1/integrators/{integratorId}/return-origins");

export const removeReturnOrigin = /* @__PURE__ */ op<{ path: { integratorId: string; id: string } }, RemovedReturnOriginEnvelope>("DELETE", "/v1/integrators/{integratorId}/return-origins/{id}");

export const updateKybForm = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: KYBChange }, KYBEnvelope>("PATCH", "/v1/kyb/customers");

export const addKybDocument = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: KYBDocumentRequest }, KYBDocumentEnvelope>("POST", "/v1/kyb/customers/documents");

export const deleteKybDocument = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, KYBDocumentEnvelope>("DELETE", "/v1/kyb/customers/documents/{id}");

export const getKybForm = /* @__PURE__ */ op<{ query?: { integratorId?: string } }, KYBEnvelope>("GET", "/v1/kyb/customers/me");

export const getKybSubmission = /* @__PURE__ */ op<{ query?: { integratorId?: string } }, KYBSubmissionOrNullEnvelope>("GET", "/v1/kyb/customers/submission");

export const submitKybForm = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: KYBSubmitRequest }, KYBSubmissionEnvelope>("POST", "/v1/kyb/customers/submit");

export const listOrders = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; status?: ("awaiting" | "awaiting_funds" | "in_review" | "funds_received" | "payment_submitted" | "completed" | "canceled" | "returned" | "expired" | "error")[]; type?: ("global_payment" | "off_ramp" | "on_ramp")[]; size?: ("ach_wire" | "spei" | "sepa" | "pix" | "faster_payments")[]; pair?: string; beneficiary_legal_name?: string; beneficiary_account_id?: string; recipientId?: string; withdrawAddressId?: string; from?: string; to?: string; q?: string; reference?: string; txHash?: string } }, OrderPage>("GET", "/v1/orders");

export const exportOrders = /* @__PURE__ */ op<{ query?: { integratorId?: string; status?: ("awaiting" | "awaiting_funds" | "in_review" | "funds_received" | "payment_submitted" | "completed" | "canceled" | "returned" | "expired" | "error")[]; type?: ("global_payment" | "off_ramp" | "on_ramp")[]; size?: ("ach_wire" | "spei" | "sepa" | "pix" | "faster_payments")[]; pair?: string; beneficiary_legal_name?: string; beneficiary_account_id?: string; recipientId?: string; withdrawAddressId?: string; from?: string; to?: string; q?: string; reference?: string; txHash?: string; format?: "csv" | "jsonl" } }, unknown>("GET", "/v1/orders/export");

export const getOrder = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, OrderDetailEnvelope>("GET", "/v1/orders/{id}");

export const cancelOrder = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, OrderEnvelope>("POST", "/v1/orders/{id}/cancel");

export const listPayments = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string } }, PaymentPage>("GET", "/v1/payout/accounts");

export const executePayout = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: ExecuteRequest }, PaymentEnvelope>("POST", "/v1/payout/accounts/execute");

export const quotePayout = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: QuoteRequest }, QuoteEnvelope>("POST", "/v1/payout/accounts/quote");

export const setupLiquidationAddress = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: LiquidationAddressRequest }, LiquidationAddressEnvelope>("POST", "/v1/payout/accounts/setup/liquidation-address");

export const setupVirtualAccount = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: VirtualAccountRequest }, VirtualAccountEnvelope>("POST", "/v1/payout/accounts/setup/virtual-account");

export const getPaymentStatus = /* @__PURE__ */ op<{ path: { reference: string }; query?: { integratorId?: string } }, PaymentEnvelope>("GET", "/v1/payout/accounts/{reference}/status");

export const freezeBankAccount = /* @__PURE__ */ op<{ body: FreezeAccountRequest }, AccountFrozenEnvelope>("POST", "/v1/payout/alerts/freeze");

export const openAlert = /* @__PURE__ */ op<{ body: InviteToken }, AlertOpenedEnvelope>("POST", "/v1/payout/alerts/open");

export const listBatches = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string } }, BatchPage>("GET", "/v1/payout/batches");

export const previewBatch = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: BatchRequest }, BatchDetailEnvelope>("POST", "/v1/payout/batches");

export const getBatch = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; page?: number; limit?: number } }, BatchDetailEnvelope>("GET", "/v1/payout/batches/{id}");

export const cancelBatch = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, BatchEnvelope>("POST", "/v1/payout/batches/{id}/cancel");

export const executeBatch = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body?: BatchExecuteRequest }, BatchDetailEnvelope>("POST", "/v1/payout/batches/{id}/execute");

export const openInvite = /* @__PURE__ */ op<{ body: InviteToken }, InviteOpenedEnvelope>("POST", "/v1/payout/invites/open");

export const submitInvite = /* @__PURE__ */ op<{ body: SubmitInviteRequest }, InviteAccountEnvelope>("POST", "/v1/payout/invites/submit");

export const quoteOffRamp = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: OffRampQuoteRequest }, OffRampQuoteEnvelope>("POST", "/v1/payout/offramp/quote");

export const createWithdrawAddress = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: WithdrawAddressRequest }, WithdrawAddressEnvelope>("POST", "/v1/payout/offramp/withdraw-addresses");

export const getWithdrawAddress = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, WithdrawAddressEnvelope>("GET", "/v1/payout/offramp/withdraw-addresses/{id}");

export const listDrains = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string } }, DrainPage>("GET", "/v1/payout/offramp/withdraw-addresses/{id}/drains");

export const changeReturnAddress = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body: ReturnRequest }, WithdrawAddressEnvelope>("POST", "/v1/payout/offramp/withdraw-addresses/{id}/return-address");

export const cancelReturnAddress = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, WithdrawAddressEnvelope>("POST", "/v1/payout/offramp/withdraw-addresses/{id}/return-address/cancel");

export const confirmReturnAddress = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body: ReturnConfirm }, WithdrawAddressEnvelope>("POST", "/v1/payout/offramp/withdraw-addresses/{id}/return-address/confirm");

export const listDepositAccounts = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string } }, (DepositAccount)[]>("GET", "/v1/payout/onramp/deposit-accounts");

export const createDepositAccount = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: DepositAccountRequest }, DepositAccount | DepositAccountNumberEnvelope>("POST", "/v1/payout/onramp/deposit-accounts");

export const getDepositAccount = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, DepositAccount>("GET", "/v1/payout/onramp/deposit-accounts/{id}");

export const listDepositEvents = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string } }, (DepositEvent)[]>("GET", "/v1/payout/onramp/deposit-accounts/{id}/events");

export const quoteOnRamp = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: OnRampQuoteRequest }, OnRampQuoteEnvelope>("POST", "/v1/payout/onramp/quote");

export const receivePartnerNotice = /* @__PURE__ */ op<{ body: { [name: string]: unknown } }, ReceivedNoticeEnvelope>("POST", "/v1/payout/rails/webhooks");

export const listRecipients = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; status?: "active" | "archived" | "all"; search?: string } }, RecipientPage>("GET", "/v1/payout/recipients");

export const createRecipient = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: RecipientRequest }, RecipientEnvelope>("POST", "/v1/payout/recipients");

export const listRecipientsWithAccounts = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; status?: "active" | "archived" | "all"; search?: string; include_archived?: boolean } }, RecipientWithAccountsPage>("GET", "/v1/payout/recipients/with-accounts");

export const updateRecipient = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body: RecipientChange }, RecipientEnvelope>("PATCH", "/v1/payout/recipients/{id}");

export const listBankAccounts = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; include_archived?: boolean } }, BankAccountPage>("GET", "/v1/payout/recipients/{id}/accounts");

export const createBankAccount = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body: BankAccountRequest }, BankAccountEnvelope>("POST", "/v1/payout/recipients/{id}/accounts");

export const updateBankAccount = /* @__PURE__ */ op<{ path: { id: string; accountId: string }; query?: { integratorId?: string }; body: BankAccountChange }, BankAccountEnvelope>("PATCH", "/v1/payout/recipients/{id}/accounts/{accountId}");

export const confirmBankAccount = /* @__PURE__ */ op<{ path: { id: string; accountId: string }; query?: { integratorId?: string }; body: BankAccountConfirm }, BankAccountEnvelope>("POST", "/v1/payout/recipients/{id}/accounts/{accountId}/confirm");

export const unfreezeBankAccount = /* @__PURE__ */ op<{ path: { id: string; accountId: string }; query?: { integratorId?: string }; body: BankAccountConfirm }, BankAccountEnvelope>("POST", "/v1/payout/recipients/{id}/accounts/{accountId}/unfreeze");

export const getRecipientInvite = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, RecipientInviteEnvelope>("GET", "/v1/payout/recipients/{id}/invite");

export const createRecipientInvite = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body?: RecipientInviteRequest }, RecipientInviteEnvelope>("POST", "/v1/payout/recipients/{id}/invite");

export const listRecipientOrders = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; limit?: number } }, RecipientOrderListEnvelope>("GET", "/v1/payout/recipients/{id}/orders");

export const setRecipientStatus = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body: RecipientStatusRequest }, RecipientEnvelope>("PATCH", "/v1/payout/recipients/{id}/status");

export const getReconciliation = /* @__PURE__ */ op<{ query?: { integratorId?: string } }, ReconciliationEnvelope>("GET", "/v1/payout/reconciliation");

export const getDailyStatement = /* @__PURE__ */ op<{ query?: { integratorId?: string; from?: string; to?: string; format?: "json" | "csv" } }, AccountStatementEnvelope>("GET", "/v1/payout/statements/days");

export const getDepositAccountStatement = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; from?: string; to?: string; format?: "json" | "csv" } }, AccountStatementEnvelope>("GET", "/v1/payout/statements/deposit-accounts/{id}");

export const getRecipientStatement = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; from?: string; to?: string; format?: "json" | "csv" } }, AccountStatementEnvelope>("GET", "/v1/payout/statements/recipients/{id}");

export const listLendingChains = /* @__PURE__ */ op<{ query?: { integratorId?: string } }, LendingChainsEnvelope>("GET", "/v1/protocols/lending/aave/execute/chains");

export const getLendingStatus = /* @__PURE__ */ op<{ path: { transactionId: string }; query?: { integratorId?: string } }, LendingStatusEnvelope>("GET", "/v1/protocols/lending/aave/execute/status/{transactionId}");

export const prepareLendingSupply = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: OrderRequest }, PreparedLendingEnvelope>("POST", "/v1/protocols/lending/aave/execute/supply");

export const prepareLendingWithdrawal = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: OrderRequest }, PreparedLendingEnvelope>("POST", "/v1/protocols/lending/aave/execute/withdraw");

export const getLendingHealthByProtocol = /* @__PURE__ */ op<{ query?: { integratorId?: string } }, LendingHealthEnvelope>("GET", "/v1/protocols/lending/health");

export const getLendingMarketsByProtocol = /* @__PURE__ */ op<{ query: { integratorId?: string; userAddress?: string; chainId: number } }, LendingMarketsEnvelope>("GET", "/v1/protocols/lending/markets");

export const getAvaxSupplyByProtocol = /* @__PURE__ */ op<{ query: { integratorId?: string; userAddress: string; chainId: number } }, AvaxSupplyEnvelope>("GET", "/v1/protocols/lending/my-avax-supply");

export const getLendingPositionsByProtocol = /* @__PURE__ */ op<{ query: { integratorId?: string; userAddress: string; chainId: number } }, LendingPositionsEnvelope>("GET", "/v1/protocols/lending/positions");

export const makeSupplyByProtocol = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: AssetSupplyRequest }, LendingTransaction>("POST", "/v1/protocols/lending/supply");

export const makeAvaxSupplyByProtocol = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: AvaxRequest }, LendingTransaction>("POST", "/v1/protocols/lending/supply-avax");

export const makeAvaxWithdrawalByProtocol = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: AvaxRequest }, LendingTransaction>("POST", "/v1/protocols/lending/withdraw-avax");

export const advanceSandbox = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: SandboxTime }, SandboxTimeEnvelope>("POST", "/v1/sandbox/advance");

export const fundAddress = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: FaucetRequest }, FaucetPaymentEnvelope>("POST", "/v1/sandbox/faucet");

export const mineSandbox = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: SandboxBlocks }, SandboxBlocksEnvelope>("POST", "/v1/sandbox/mine");

export const clearOrder = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, SandboxOrderEnvelope>("POST", "/v1/sandbox/orders/{id}/clear");

export const delayOrder = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body: SandboxDelay }, SandboxOrderEnvelope>("POST", "/v1/sandbox/orders/{id}/delay");

export const failOrder = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body?: SandboxFailure }, SandboxOrderEnvelope>("POST", "/v1/sandbox/orders/{id}/fail");

export const returnOrder = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body?: SandboxFailure }, SandboxOrderEnvelope>("POST", "/v1/sandbox/orders/{id}/return");

export const reorgSandbox = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: SandboxReorg }, SandboxReorgEnvelope>("POST", "/v1/sandbox/reorg");

export const simulateBankDeposit = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: SimulatedBankDepositRequest }, SimulatedBankDepositEnvelope>("POST", "/v1/sandbox/simulate-bank-deposit");

export const simulateDeposit = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: SimulatedDepositRequest }, SimulatedDepositEnvelope>("POST", "/v1/sandbox/simulate-deposit");

export const getApprovalConfig = /* @__PURE__ */ op<{ query?: { integratorId?: string; subOrganizationId?: string; proof?: "stored" | "fresh" } }, ApprovalConfigEnvelope>("GET", "/v1/signing/approval-config");

export const updateApprovalConfig = /* @__PURE__ */ op<{ query?: { integratorId?: string; prepare?: boolean }; body: ApprovalConfigRequest }, ApprovalConfigDoneEnvelope | PreparedActivityPreparedEnvelope | QueuedEnvelope>("PATCH", "/v1/signing/approval-config");

export const listApprovals = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; status?: "pending" | "approved" | "rejected" | "expired" | "all"; subOrganizationId?: string; walletId?: string } }, ApprovalPage>("GET", "/v1/signing/approvals");

export const getApproval = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; wait?: number } }, ApprovalEnvelope>("GET", "/v1/signing/approvals/{id}");

export const approveApproval = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; prepare?: boolean }; body?: ApproveRequest }, PreparedVotePreparedEnvelope | ApprovalDoneEnvelope>("POST", "/v1/signing/approvals/{id}/approve");

export const approveApprovalWithPasskey = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; prepare?: boolean }; body?: ApproveRequest }, PreparedVotePreparedEnvelope | ApprovalDoneEnvelope>("POST", "/v1/signing/approvals/{id}/approve-with-passkey");

export const rejectApproval = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body?: RejectRequest }, ApprovalEnvelope>("POST", "/v1/signing/approvals/{id}/reject");

export const getJournalHeads = /* @__PURE__ */ op<{ query?: { integratorId?: string; seqs?: (string)[] } }, JournalEnvelope>("GET", "/v1/signing/journal");

export const signMessage = /* @__PURE__ */ op<{ query?: { integratorId?: string; prepare?: boolean }; body: SignMessageRequest }, SignedMessageDoneEnvelope | PreparedActivityPreparedEnvelope | QueuedEnvelope>("POST", "/v1/signing/messages/sign");

export const listPasskeys = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; subOrganizationId?: string; email?: string } }, PasskeyPage>("GET", "/v1/signing/passkeys");

export const addPasskey = /* @__PURE__ */ op<{ query?: { integratorId?: string; prepare?: boolean }; body: AddPasskeyRequest }, PreparedActivityPreparedEnvelope | PasskeyChangedDoneEnvelope | QueuedEnvelope>("POST", "/v1/signing/passkeys/add");

export const createPasskeyChallenge = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: ChallengeRequest }, ChallengeEnvelope>("POST", "/v1/signing/passkeys/challenge");

export const registerPasskey = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: RegisterRequest }, RegisteredPasskeyEnvelope>("POST", "/v1/signing/passkeys/register");

export const deletePasskey = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; prepare?: boolean }; body?: SignedActivityRequest }, PasskeyChangedDoneEnvelope | PreparedActivityPreparedEnvelope | QueuedEnvelope>("DELETE", "/v1/signing/passkeys/{id}");

export const renamePasskey = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string }; body: RenamePasskeyRequest }, PasskeyEnvelope>("PATCH", "/v1/signing/passkeys/{id}");

export const listPayees = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; subOrganizationId?: string; network?: string; address?: string; search?: string; proof?: "stored" | "fresh" } }, PayeePage>("GET", "/v1/signing/payees");

export const addPayee = /* @__PURE__ */ op<{ query?: { integratorId?: string; prepare?: boolean }; body: PayeeRequest }, PreparedActivityPreparedEnvelope | PayeeDoneEnvelope | QueuedEnvelope>("POST", "/v1/signing/payees");

export const removePayee = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; prepare?: boolean }; body?: SignedActivityRequest }, PayeeDoneEnvelope | PreparedActivityPreparedEnvelope | QueuedEnvelope>("DELETE", "/v1/signing/payees/{id}");

export const getPayee = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; proof?: "stored" | "fresh" } }, PayeeEnvelope>("GET", "/v1/signing/payees/{id}");

export const listPolicies = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; walletId?: string; subOrganizationId?: string; proof?: "stored" | "fresh" } }, PolicyPage>("GET", "/v1/signing/policies");

export const createPolicy = /* @__PURE__ */ op<{ query?: { integratorId?: string; prepare?: boolean }; body: PolicyRequest }, PreparedActivityPreparedEnvelope | PolicyDoneEnvelope | QueuedEnvelope>("POST", "/v1/signing/policies");

export const deletePolicy = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; prepare?: boolean }; body?: SignedActivityRequest }, PolicyDoneEnvelope | PreparedActivityPreparedEnvelope | QueuedEnvelope>("DELETE", "/v1/signing/policies/{id}");

export const updatePolicy = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; prepare?: boolean }; body: PolicyChange }, PolicyDoneEnvelope | PreparedActivityPreparedEnvelope | QueuedEnvelope>("PATCH", "/v1/signing/policies/{id}");

export const getOutstanding = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string } }, OutstandingEnvelope>("GET", "/v1/signing/policies/{id}/outstanding");

export const listPrices = /* @__PURE__ */ op<{ query?: { integratorId?: string } }, PricesEnvelope>("GET", "/v1/signing/prices");

export const overridePrice = /* @__PURE__ */ op<{ query?: { integratorId?: string; prepare?: boolean }; body: OverridePriceRequest }, PriceOverrideDoneEnvelope | PreparedActivityPreparedEnvelope | QueuedEnvelope>("POST", "/v1/signing/prices/override");

export const updateRecovery = /* @__PURE__ */ op<{ query?: { integratorId?: string; prepare?: boolean }; body: UpdateRecoveryRequest }, RecoveryRuleDoneEnvelope | PreparedActivityPreparedEnvelope | QueuedEnvelope>("PATCH", "/v1/signing/recovery");

export const getRecoveryContext = /* @__PURE__ */ op<{ query?: { integratorId?: string } }, RecoveryContextEnvelope>("GET", "/v1/signing/recovery/context");

export const initiateRecovery = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: InitiateRecoveryRequest }, RecoveryRequestedEnvelope>("POST", "/v1/signing/recovery/initiate");

export const getMigrationEligibility = /* @__PURE__ */ op<{ query?: { integratorId?: string; subOrganizationId?: string } }, MigrationEligibilityEnvelope>("GET", "/v1/signing/recovery/migration-eligibility");

export const syncRecovery = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: SyncRecoveryRequest }, RecoveryEnvelope>("POST", "/v1/signing/recovery/sync");

export const cancelRecovery = /* @__PURE__ */ op<{ path: { id: string }; query?: { integratorId?: string; prepare?: boolean }; body?: SignedActivityRequest }, RecoveryDoneEnvelope | PreparedActivityPreparedEnvelope | QueuedEnvelope>("POST", "/v1/signing/recovery/{id}/cancel");

export const listWallets = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; search?: string; subOrganizationId?: string; sortBy?: "created_at" | "name"; sortDir?: "asc" | "desc" } }, WalletPage>("GET", "/v1/signing/wallets");

export const confirmWalletAccount = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: ConfirmAccountRequest }, AddressEnvelope>("POST", "/v1/signing/wallets/accounts/confirm");

export const prepareWalletAccount = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: PrepareAccountRequest }, PreparedAccountEnvelope>("POST", "/v1/signing/wallets/accounts/prepare");

export const confirmWallet = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: ConfirmWalletRequest }, WalletCreatedEnvelope>("POST", "/v1/signing/wallets/confirm");

export const prepareWallet = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: PrepareWalletRequest }, PreparedWalletEnvelope>("POST", "/v1/signing/wallets/prepare");

export const getWallet = /* @__PURE__ */ op<{ path: { walletId: string }; query?: { integratorId?: string; proof?: "stored" | "fresh" } }, WalletEnvelope>("GET", "/v1/signing/wallets/{walletId}");

export const listAddresses = /* @__PURE__ */ op<{ path: { walletId: string }; query?: { integratorId?: string } }, AddressListEnvelope>("GET", "/v1/signing/wallets/{walletId}/addresses");

export const getAddress = /* @__PURE__ */ op<{ path: { walletId: string; addressId: string }; query?: { integratorId?: string; proof?: "stored" | "fresh" } }, AddressEnvelope>("GET", "/v1/signing/wallets/{walletId}/addresses/{addressId}");

export const getWalletBalances = /* @__PURE__ */ op<{ path: { walletId: string }; query?: { integratorId?: string; address?: string } }, WalletBalancesEnvelope>("GET", "/v1/signing/wallets/{walletId}/balances");

export const listDenials = /* @__PURE__ */ op<{ path: { walletId: string }; query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; layer?: "enclave" | "platform" | "turnkey" | "relayer"; severity?: "blocked" | "warn" | "critical" } }, DenialPage>("GET", "/v1/signing/wallets/{walletId}/denials");

export const listWalletTransactions = /* @__PURE__ */ op<{ path: { walletId: string }; query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; status?: "pending" | "confirmed" | "failed"; direction?: "in" | "out"; tokenSymbol?: string; sortDir?: "asc" | "desc" } }, WalletTransactionPage>("GET", "/v1/signing/wallets/{walletId}/transactions");

export const broadcastRaw = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: RawTransactionRequest }, RawBroadcastEnvelope>("POST", "/v1/transactions/broadcast/raw");

export const getBroadcast = /* @__PURE__ */ op<{ path: { transactionId: string }; query?: { integratorId?: string } }, BroadcastEnvelope>("GET", "/v1/transactions/broadcast/{transactionId}");

export const broadcastTransaction = /* @__PURE__ */ op<{ path: { transactionId: string }; query?: { integratorId?: string } }, BroadcastEnvelope>("POST", "/v1/transactions/broadcast/{transactionId}");

export const retryBroadcast = /* @__PURE__ */ op<{ path: { transactionId: string }; query?: { integratorId?: string } }, BroadcastEnvelope>("POST", "/v1/transactions/broadcast/{transactionId}/retry");

export const confirmTransaction = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: ConfirmTransactionRequest }, TransactionEnvelope | QueuedEnvelope>("POST", "/v1/transactions/confirm");

export const listPendingSignature = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string } }, TransactionPage>("GET", "/v1/transactions/pending-signature");

export const prepareTransaction = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: PrepareTransactionRequest }, PreparedTransactionEnvelope>("POST", "/v1/transactions/prepare");

export const listTransactions = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; status?: string } }, TransactionPage>("GET", "/v1/transactions/sign");

export const signTransaction = /* @__PURE__ */ op<{ query?: { integratorId?: string; prepare?: boolean }; body: SignTransactionRequest }, TransactionDoneEnvelope | PreparedTransactionPreparedEnvelope | QueuedEnvelope>("POST", "/v1/transactions/sign");

export const cancelTransaction = /* @__PURE__ */ op<{ path: { transactionId: string }; query?: { integratorId?: string } }, TransactionEnvelope>("DELETE", "/v1/transactions/sign/{transactionId}");

export const getTransaction = /* @__PURE__ */ op<{ path: { transactionId: string }; query?: { integratorId?: string } }, TransactionEnvelope>("GET", "/v1/transactions/sign/{transactionId}");

export const getWalletDetail = /* @__PURE__ */ op<{ path: { walletId: string }; query?: { integratorId?: string; proof?: "stored" | "fresh" } }, WalletEnvelope>("GET", "/v1/wallets/{walletId}");

export const listWebhookEndpoints = /* @__PURE__ */ op<{ query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string } }, WebhookEndpointPage>("GET", "/v1/webhooks/endpoints");

export const createWebhookEndpoint = /* @__PURE__ */ op<{ query?: { integratorId?: string }; body: WebhookEndpointRequest }, WebhookEndpointCreatedEnvelope>("POST", "/v1/webhooks/endpoints");

export const deleteWebhookEndpoint = /* @__PURE__ */ op<{ path: { endpointId: string }; query?: { integratorId?: string } }, WebhookEndpointEnvelope>("DELETE", "/v1/webhooks/endpoints/{endpointId}");

export const getWebhookEndpoint = /* @__PURE__ */ op<{ path: { endpointId: string }; query?: { integratorId?: string } }, WebhookEndpointEnvelope>("GET", "/v1/webhooks/endpoints/{endpointId}");

export const updateWebhookEndpoint = /* @__PURE__ */ op<{ path: { endpointId: string }; query?: { integratorId?: string }; body: WebhookEndpointUpdate }, WebhookEndpointEnvelope>("PATCH", "/v1/webhooks/endpoints/{endpointId}");

export const listWebhookDeliveries = /* @__PURE__ */ op<{ path: { endpointId: string }; query?: { integratorId?: string; page?: number; limit?: number; offset?: number; cursor?: string; status?: "waiting" | "pending" | "delivered" | "failed" | "canceled"; type?: string; object?: string } }, WebhookDeliveryPage>("GET", "/v1/webhooks/endpoints/{endpointId}/deliveries");

export const getWebhookDelivery = /* @__PURE__ */ op<{ path: { endpointId: string; eventId: string }; query?: { integratorId?: string } }, WebhookDeliveryDetailEnvelope>("GET", "/v1/webhooks/endpoints/{endpointId}/deliveries/{eventId}");

export const resendWebhook = /* @__PURE__ */ op<{ path: { endpointId: string; eventId: string }; query?: { integratorId?: string } }, WebhookDeliveryEnvelope>("POST", "/v1/webhooks/endpoints/{endpointId}/deliveries/{eventId}/resend");

export const disableWebhookEndpoint = /* @__PURE__ */ op<{ path: { endpointId: string }; query?: { integratorId?: string } }, WebhookEndpointEnvelope>("POST", "/v1/webhooks/endpoints/{endpointId}/disable");

export const pingWebhookEndpoint = /* @__PURE__ */ op<{ path: { endpointId: string }; query?: { integratorId?: string } }, WebhookPingEnvelope>("POST", "/v1/webhooks/endpoints/{endpointId}/ping");

export const replayWebhooks = /* @__PURE__ */ op<{ path: { endpointId: string }; query?: { integratorId?: string }; body: WebhookReplay }, WebhookEndpointEnvelope>("POST", "/v1/webhooks/endpoints/{endpointId}/replay");

export const rotateWebhookSecret = /* @__PURE__ */ op<{ path: { endpointId: string }; query?: { integratorId?: string }; body?: WebhookRotation }, WebhookEndpointCreatedEnvelope>("POST", "/v1/webhooks/endpoints/{endpointId}/rotate-secret");
