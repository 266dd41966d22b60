// Package examples is what the document shows of bodies, and the names that it gives types. It is large, and stands by
// itself so that it is compiled only where it changed.
package examples

// SchemaNames are the names that types have in the document, where their own are clear in their package only.
var SchemaNames = map[string]string{
	"AcceptInput":    "AcceptInvitationRequest",
	"Authorization":  "OutstandingAuthorization",
	"FreezeInput":    "FreezeAccountRequest",
	"InviteLink":     "InviteToken",
	"InvitedAccount": "SubmitInviteRequest",
	"LoginAnswer":    "FinishLoginRequest",
	"Me":             "CurrentMember",
	"Meta":           "PageMeta",
	"Opened":         "OpenedSession",
	"Registered":     "RegisteredPasskey",
	"Removed":        "RemovedItem",
	"RoleInput":      "MemberRoleRequest",
	"RulesPatch":     "PolicyRulesPatch",
	"StampInput":     "SignedActivityRequest",
	"Stamped":        "SignedActivity",
	"Vote":           "ApprovalVote",
}

// Of the examples: a wallet and its address, a receiver, a token, a payment on chain, a digest.
const (
	exampleID        = "019c8f5e-7d7a-7cc1-9a35-2d1f0c6a4e11"
	exampleOtherID   = "019c8f5e-8a10-7b52-8f0e-6b7f9d2c3a44"
	exampleWalletID  = "6f1c9a52-6d5e-4d0b-9a57-2f1f0f4a8c11"
	exampleAddress   = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	exampleReceiver  = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
	exampleLinkToken = "Zb1tq0m5mJ7nH0o2vR6wYx3cF4dK8pLs"
	exampleToken     = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
	exampleTxHash    = "0xab38c0e1f7d94b52a6c38e20d915f47b6e03a8d1c2f4b59687a0e1d3c5f789a7"
	exampleDigest    = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	exampleSigned    = "0x02f8b2830149340180843b9aca00850a3e9ab80082fde894036cbd53842c5426634e7929541ec2318f3dcf7e80"
	examplePublicKey = "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"
	exampleHook      = "https://hooks.example.com/railkit"
	exampleBase64URL = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA"
)

// exampleCrossing is the body of both builders that pay across networks.
var exampleCrossing = map[string]any{
	"title": "Pay Ana", "description": "On Base", "url": "https://app.example.com/ana", "fromChain": "fuji",
	"toChain": "base-sepolia", "address": exampleReceiver, "amount": 0.5,
}

// Fields are the values that the document shows, by the name of a field.
var Fields = map[string]any{
	"check": "balance", "about": "order:019c8f5e-7d7a-7cc1-9a35-2d1f0c6a4e11", "want": "100.000000", "got": "99.000000",
	"format:date-time": "2026-11-22T18:24:19.123Z",
	"format:uuid":      exampleID,
	"format:email":     "ada@example.com",
	"format:date":      "2026-11-22",
	"kind:integer":     1,
	"by":               "ada@example.com",
	"accountId":        exampleOtherID,
	"nonces":           "7",
	"kind":             "transaction",

	// events
	"RecentBlock.chain": "solana", "RecentBlock.blockhash": "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N",
	"Event.type": "transaction.confirmed", "EventObject.type": "transaction", "Event.sequence": 42,
	"EventList.after": 42,
	"Event.data": map[string]any{
		"status": "confirmed", "subOrganizationId": exampleOtherID, "walletId": exampleWalletID,
		"chain": "base-sepolia",
		"from":  exampleAddress, "to": exampleReceiver, "amount": "100", "tokenSymbol": "USDC", "txHash": exampleTxHash,
	},

	// webhooks
	"WebhookEndpoint.url": exampleHook, "WebhookEndpointRequest.url": exampleHook,
	"WebhookEndpointUpdate.url": exampleHook, "WebhookEndpointCreated.url": exampleHook,
	"WebhookEndpoint.types": []string{"order.*"}, "WebhookEndpointRequest.types": []string{"order.*"},
	"WebhookEndpointUpdate.types": []string{"order.*"}, "WebhookEndpointCreated.types": []string{"order.*"},
	"WebhookDelivery.type": "order.completed", "WebhookDeliveryDetail.type": "order.completed",
	"WebhookEndpointCreated.secret": "whsec_q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=",

	// who, and which
	"agentId": exampleOtherID, "approvalId": exampleID, "beneficiaryAccountId": exampleOtherID,
	"beneficiaryId": exampleID,
	"eventId":       "evt_6b7f9d2c3a44", "id": exampleID, "integratorId": exampleOtherID, "messageId": exampleID,
	"orderId": exampleID, "organizationId": exampleOtherID, "partnerTransferId": "tr_2d1f0c6a4e11",
	"passkeyId": exampleOtherID, "quoteId": exampleID, "recipientId": exampleID, "recoveryId": exampleID,
	"policyId": exampleOtherID, "validUntil": 1795371859, "how": "Prepare a transaction of type void that replaces it.",
	"requestId": "R7M2K4QZ", "resource": exampleID, "subOrganizationId": exampleOtherID, "transactionId": exampleID,
	"userId": exampleOtherID, "walletId": exampleWalletID, "withdrawAddressId": exampleID,
	"requester": "ada@example.com",
	"addressId": exampleID, "walletAccountId": exampleID, "walletAccountRequestId": exampleID,
	"walletRequestId": exampleID,
	"reference":       "OFR-20261122-4Y8K", "prefix": "rk_client_key_v1_", "lastFour": "pxJg",

	// skills
	"Skill.url": "https://weather.example.com/forecast", "BazaarItem.resource": "https://weather.example.com/forecast",
	"Skill.name": "Weather", "BazaarMetadata.name": "Weather", "x402Version": 2, "cost_usdc": 1000, "scheme": "exact",
	"BazaarOffer.asset":   exampleToken,
	"BazaarOffer.network": "eip155:84532", "BazaarOffer.amount": "1000",
	"payTo": exampleAddress, "maxTimeoutSeconds": 60, "BazaarExtra.name": "USDC", "BazaarExtra.version": "2",
	"SkillTested.status": 200, "SkillTested.body": `{"celsius":21}`, "BazaarPage.limit": 20,
	"SkillTested.headers": map[string]any{"Content-Type": "application/json"}, "latencyMs": 84, "httpStatus": 402,
	"SkillAnswer.status": 200, "SkillAnswer.body": `{"celsius":21}`, "output": map[string]any{"celsius": 21},
	"SkillAnswer.headers": map[string]any{"Content-Type": "application/json"}, "skillId": exampleID,
	"SkillPayment.network": "eip155:84532", "SkillPayment.amount": "1000", "SkillPayment.asset": exampleToken,
	"SkillPayment.payer": exampleAddress, "SkillPayment.transaction": exampleTxHash,
	"BazaarPage.offset": 0, "SkillHealth.status": "healthy", "Skill.owner": exampleOtherID, "toolId": exampleID,

	// the passkey page
	"createdBy": exampleOtherID, "removed": true, "ReturnOrigin.origin": "https://app.example.com",
	"ReturnOriginRequest.origin": "https://app.example.com", "RemovedReturnOrigin.origin": "https://app.example.com",

	"returnUrl":          "https://app.example.com/payments",
	"ReturnTo.state":     "invoice 2041",
	"EventCeremony.kind": "transaction",

	// names and words
	"name": "Treasury", "walletName": "Treasury", "workspaceName": "Example Payments",
	"businessName":  "Example Payments",
	"recipientName": "Ana Ruiz", "beneficiaryName": "Ana Ruiz", "displayName": "ada@example.com",
	"label":  "Ada's phone",
	"labels": "Ada's phone", "message": "Success", "detail": "60.26 USD is more than the 50 USD that the policy allows",
	"action": "wallet.create", "operation": "confirmWallet", "service": "railkit", "version": "1.0.0",
	"status":      "active",
	"orderStatus": "completed", "kyb_status": "approved", "failure_reason": "account_closed", "platform": "software",
	"rule": "maxValueUsd", "field": "amount", "observed": "60.26", "active_modules": "signing", "scopes": "integrator",
	"ipAllowlist": "203.0.113.0/24", "ip": "203.0.113.7", "email": "ada@example.com",
	"street": "Avenida Juarez 10", "city": "Ciudad de Mexico", "country": "MX",

	// an agent's money
	"tokenAddress": exampleToken, "explorerUrl": "https://basescan.org/address/" + exampleReceiver,
	"balanceUSDC": "10.5", "native": "0.002", "nativeCoin": "ETH", "amountUsdc": "0.01",
	"openExposureUsdc": "0.01", "fundRequestId": exampleID,
	"Funded.signature": exampleSigned,

	// lending
	"AvaxRequest.amount": 1.5, "OrderRequest.amount": 25.5, "healthFactor": "1.95", "amountUsd": "25.50",
	"totalSuppliedUsd": "120.00", "totalBorrowedUsd": "48.00",
	"totalCollateralUsd": "120.00", "totalDebtUsd": "48.00", "availableBorrowsUsd": "33.60", "avaxSupply": "4.000002",
	"LendingTransaction.message": "This transaction supplies 1.5 AVAX", "LendingTransaction.step": "supply",
	"LendingTransaction.success": true,
	"PreparedLending.step":       "supply",
	"estimatedCost":              "0.0021",
	"userAddress":                exampleAddress, "serializedTransaction": exampleSigned,
	"LendingReserve.name": "USD Coin", "supplyApy": "0.0275",
	"supplyApyFormatted": "2.75%", "borrowApy": "0.055", "borrowApyFormatted": "5.50%", "usdExchangeRate": "1",
	"userBalance": "120.00", "userBalanceUsd": "120.00", "suppliableAmount": "80.00", "suppliableAmountUsd": "80.00",
	"borrowableAmount": "33.60", "borrowableAmountUsd": "33.60", "LendingChain.name": "Avalanche Fuji",
	"LendingHealth.service": "lending", "LendingHealth.message": "6 of 6 networks with a pool answer",
	"LendingHealth.timestamp": 1795371859123, "transactionHash": exampleTxHash, "LendingStatus.blockNumber": "4711",

	// money
	"amount": "25.50", "Quote.amount": 100, "FeeBreakdown.network": 0.5, "FeeBreakdown.platform": 0.25,
	"currency": "usdc", "currencies": "usdc", "size": "25500000", "pair": "usdc/mxn",
	"source_amount": "100", "source_currency": "usdc", "destination_amount": "1787.44", "destination_currency": "mxn",
	"sourceAmount": 100, "sourceCurrency": "usdc", "destinationCurrency": "mxn", "suggestedCurrency": "mxn",
	"destination_payment_rail": "spei", "destinationPaymentRail": "spei", "rail": "spei", "clabe": "032180000118359719",
	"rate": 18.0095, "sell_rate": "18.0095", "midmarket_rate": "18.1000", "midmarketRate": 18.1,
	"display_rate": "18.0095",
	"spreadBps":    50, "fees": 0.75, "netAmount": 1787.44, "minimum": 10, "maximum": 100000, "converted": 99.249841,
	"network": "base", "residue": 0.000159, "platformFee": 0.25,
	"network_fee_amount": "0.50", "network_fee_percent": 0.5, "service_fee_amount": "0.25", "service_fee_percent": 0.25,
	"total_fee_amount": "0.75", "total_fee_percent": 0.75, "estimatedArrival": "minutes",
	"estimated_arrival": "minutes", "last_paid_amount": "1787.44", "total_ytd": "1787.44",
	"completed_at": "2026-11-22T18:24:21Z", "payment_count_ytd": 1, "usd": 25.5, "thresholdUsd": 1000, "limit": "50",
	"OrderAmounts.network": 0.5, "OrderAmounts.platform": 0.25, "OrderFee.amount": "0.50",
	"opening": "0.000000", "moneyIn": "100.000000", "moneyOut": "99.250000", "StatementBalance.fees": "0.750000",
	"returnedIn": "0.000000", "returnedOut": "0.000000", "closing": "0.000000", "linesTotal": 1,
	"StatementLine.moneyOut": "0.000000", "StatementLine.fees": "0.000000", "balance": "100.000000",
	"AccountStatement.from": "2026-11-22", "AccountStatement.to": "2026-11-22", "date": "2026-11-22",
	"minimum_amount": "1.000000", "maximum_amount": "1000000.000000", "beyond_amount": "0.000000",
	"OnRampQuote.source_amount": "5000.00", "OnRampQuote.source_currency": "mxn",
	"OnRampQuote.minimum_amount": "100.00", "OnRampQuote.maximum_amount": "20000000.00",
	"OnRampQuote.network_fee_amount": "30.00", "OnRampQuote.network_fee_percent": 0.6,
	"OnRampQuote.service_fee_amount": "25.00", "OnRampQuote.service_fee_percent": 0.5,
	"OnRampQuote.developer_fee_amount": "25.00", "OnRampQuote.developer_fee_percent": 0.5,
	"OnRampQuote.total_fee_amount": "55.00", "OnRampQuote.total_fee_percent": 1.1,
	"OnRampQuote.midmarket_rate": "0.05524862", "OnRampQuote.sell_rate": "0.0549723769",
	"OnRampQuote.display_rate": "1 USDC ≈ 18.19 MXN", "converted_amount": "4945.00",
	"OnRampQuote.destination_amount": "271.838403", "OnRampQuote.destination_currency": "usdc",
	"source_payment_rail": "spei",
	"OrderSource.amount":  100, "OrderDestination.amount": 1787.44, "OrderDestination.currency": "mxn",
	"BatchSum.currency": "USDC", "BatchRow.amount": "1500.00", "BatchRow.currency": "MXN",
	"BatchIssue.code": "required", "BatchIssue.message": "amount is required", "Batch.status": "ready",
	"BatchAddress.token": "usdc",

	// agents
	"AgentBudgetLayer.limit": 200, "AgentPaymentsBudget.limit": 10, "spent": 0.018, "held": 0, "remaining": 9.982,
	"AgentBudgetLayer.remaining": 199.982, "AgentBudgetLayer.currency": "USD", "AgentPaymentsBudget.currency": "USDC",
	"AgentLayerUsage.currency": "USD", "perTx": 1, "unused": 0, "approvalThreshold": 0.5, "AgentDay.infra": 0.0012,
	"AgentDay.tokens": 0.018, "AgentDay.payments": 0.01, "ReportedEvent.id": "run-7-call-1",

	// deposits
	"DepositAccount.reference": "ONR-20261122-7K3M", "DepositAccount.source_currency": "mxn",
	"DepositAccountNumber.reference": "ONR-20261122-7K3M", "DepositAccountNumber.source_currency": "mxn",
	"DepositAccount.destination_currency": "usdc", "DepositAccountNumber.destination_currency": "usdc",
	"partner_virtual_account_id": "va_2d1f0c6a4e11", "DepositAccount.destination_payment_rail": "base",
	"DepositAccountNumber.destination_payment_rail": "base", "destination_address": exampleAddress,
	"SourceDepositInstructions.currency": "mxn", "payment_rails": "spei",
	"DepositLimits.total_fee_percent": "1.1", "DepositLimits.minimum_amount": "100.00",
	"DepositLimits.maximum_amount": "20000000.00", "DepositRail.rail": "spei",
	"partnerDepositId": "dep_6b7f9d2c3a44", "trace": "RKP20261122184ABB2D199A4A4A",
	"SimulatedBankDeposit.amount": "5000.00", "SimulatedBankDeposit.currency": "mxn",
	"partner_deposit_id": "dep_6b7f9d2c3a44", "raw_type": "funds_received", "DepositEvent.amount": "5000.00",
	"DepositEvent.currency": "mxn",

	// the form about a business
	"KYBBusiness.legalName": "Acme Payments LLC", "KYBBusiness.type": "llc", "registrationNumberLastFour": "2345",
	"taxIdLastFour": "6789", "KYBAddresses.operating": nil, "website": "https://acme.example",
	"KYBAddresses.registered": map[string]any{
		"street": "1 Main Street", "city": "Austin", "state": "TX", "postalCode": "78701", "country": "US",
	},
	"KYBActivity.description": "Pays suppliers of small shops in Mexico", "sourceOfFunds": "owners_capital",
	"expectedVolumeUsd": "250000", "KYBPerson.name": "Ada Park", "KYBPersonRequest.name": "Ada Park",
	"KYBDocument.name": "certificate.pdf", "KYBDocumentRequest.name": "certificate.pdf", "KYBDocument.size": 48213,
	"KYBDocumentRequest.content": "JVBERi0xLjcK", "KYBMissing.field": "business.taxId",
	"KYBMissing.message": "The tax number of the business is missing", "KYB.version": 4, "KYBSubmission.version": 7,
	"KYBSubmitRequest.version": 7, "KYBChange.version": 3, "KYBSubmission.state": "in_review",
	"KYBSubmission.decidedAt": nil,

	// chains
	"address": exampleAddress, "from": exampleAddress, "fromAddress": exampleAddress, "signWith": exampleAddress,
	"to": exampleReceiver, "token": exampleLinkToken, "counterparty": exampleReceiver,
	"withdrawAddress": exampleReceiver, "addresses": exampleAddress, "AgentMadeWallet.wallet_id": exampleWalletID,
	"TokenBalance.balance": "1500000", "TokenMovement.amount": "1500000", "formatted": "1.5", "symbol": "USDC",
	"title": "Tip jar", "description": "Send a tip of any size.", "Action.label": "Send AVAX",
	"icon": "https://app.example.com/favicon.ico", "operator": "Ana Apps", "host": "app.example.com",
	"contract_address": exampleReceiver, "wallet_address": exampleReceiver, "protocol": "pangolin",
	"Metadata.url": "https://app.example.com/tip", "DirectoryEntry.url": "https://app.example.com/tip",
	"DirectoryEntry.name": "Tip jar", "DirectoryEntry.type": "Tips", "MiniApp.blockchain_network_destination": nil,
	"Token.logoURI": nil, "Token.address": exampleToken,
	"Token.decimals": 6, "MiniApp.id_user": nil,
	"MiniApp.integrator_id": nil, "MiniApp.tx_hash": nil, "MiniApp.source": "curated",
	"MiniApp.type": "Tips", "blockchain_network": 43113,
	"Volume.asset": "native", "Volume.symbol": "AVAX", "Volume.decimals": 18, "Volume.amount": "500000000000000000",
	"Volume.formatted": "0.5", "Volume.executions": 1, "RewardEvent.type": "transfer", "RewardEvent.asset": "native",
	"RewardEvent.amount": "500000000000000000", "totalVolume": "0.5", "RewardMetrics.currency": "AVAX",
	"ReferredMiniApp.name": "Tip jar", "triggerIds": exampleID, "tokensWithoutPrice": "AVAX",
	"referrerAddress":          exampleReceiver,
	"MiniAppWithStats.id_user": nil, "MiniAppWithStats.integrator_id": nil, "MiniAppWithStats.tx_hash": nil,
	"MiniAppWithStats.source": "curated", "MiniAppWithStats.type": "Tips",
	"MiniAppWithStats.blockchain_network_destination": nil, "postHogStats": "", "RewardEvent.blockNumber": 4711,
	"totalEvents": 1, "totalExecutions": 1, "executions": 1, "processed": 1, "RewardEvent.chainId": 43113,
	"Volume.chainId": 43113, "ExecutionReport.chainId": 43113,
	"RewardMetrics.address": exampleReceiver, "ExecutionStatus.reason": nil,
	"ExecutionStatus.state": "counted", "ExecutionStatus.chainId": 43113,
	"amountOut": "3324991229999999", "minimumAmountOut": "3308366273849999",
	"SwapInput.minimumAmountOut": "3308366273849999",
	"SwapQuote.route":            []string{"USDC", "WETH"},
	"SwapTrade.route":            []string{"USDC", "WETH"}, "priceImpactBps": 0, "estimatedGas": "150000",
	"slippageTolerance": 0.5,
	"router":            "0x8Ac2bCbE7F97ab90955696341f9D99806f9e7E34", "fromToken": "USDC", "toToken": "WETH",
	"amountIn":           "10000000",
	"SwapQuote.protocol": "uniswap", "SwapTrade.protocol": "uniswap", "SwapInput.amount": 10,
	"chainName": "base-sepolia", "slippage": 0.5,
	"tokenSymbol": "USDC", "asset": "USDC", "chain": "base", "chainId": 84532, "txHash": exampleTxHash,
	"depositTxHash": exampleTxHash, "blockNumber": 1024, "confirmations": 12, "requiredConfirmations": 1, "logIndex": 3,
	"path": "m/44'/60'/0'/0/0", "addressFormat": "ADDRESS_FORMAT_ETHEREUM", "gasLimit": "65000",
	"maxFeePerGas": "1500000000", "maxPriorityFeePerGas": "1000000", "maxTotalFee": "97500000000000",
	"unsignedTransaction": exampleSigned, "signedTransaction": exampleSigned, "depth": 3, "seconds": 60,

	// what is stamped, and proofs
	"activity": "{\"type\":\"ACTIVITY_TYPE_CREATE_WALLET\"}", "fingerprint": "sha256:" + exampleDigest,
	"digest": exampleDigest,
	"body":   "{\"type\":\"ACTIVITY_TYPE_CREATE_WALLET\"}", "url": "/public/v1/submit/create_wallet",
	"timestampMs":      "1795371859123",
	"stampHeaderName":  "X-Stamp-Webauthn",
	"stampHeaderValue": "{\"credentialId\":\"q83vEjRWeJA\",\"signature\":\"MEUCIQ\"}",
	"challenge":        exampleBase64URL, "encodedChallenge": exampleBase64URL, "credentialId": "q83vEjRWeJA",
	"rpId":   "localhost",
	"origin": "http://localhost:8081", "attestationObject": "o2NmbXRkbm9uZQ",
	"clientDataJson": "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
	"clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0", "rawId": "q83vEjRWeJA", "transports": "internal",
	"aaguid":    "00000000-0000-0000-0000-000000000000",
	"publicKey": examplePublicKey, "recoveryPublicKey": examplePublicKey, "signature": "MEUCIQDx",
	"payload":     "{\"seq\":42}",
	"residentKey": "required", "userVerification": "required", "attestation": "none", "alg": -7, "timeout": 60000,
	"credential": map[string]any{
		"id": "q83vEjRWeJA", "rawId": "q83vEjRWeJA", "type": "public-key",
		"response": map[string]any{
			"clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0", "authenticatorData": "SZYN5Yg",
			"signature": "MEUCIQDx",
		},
	},
	"type": "public-key", "seq": 42, "at": "2026-11-22T18:24:19.123Z", "requiredApprovers": 2, "timeoutMinutes": 30,
	"accessToken": "eyJhbGciOiJFZERTQSJ9", "inviteUrl": "http://localhost:8080/invite/#4f0d6a",
	"key": "rk_client_key_v1_example",
}

// Bodies are requests that need more than their required fields to work, by operation id.
var Bodies = map[string]any{
	"addPayee": map[string]any{
		"name": "Ana Ruiz", "network": "base", "address": exampleReceiver, "kind": "bank_account",
		"bankAccount": map[string]any{"owner": "Ana Ruiz", "bank": "Banorte", "lastFour": "9719", "currency": "MXN"},
	},
	"reportExecutions": map[string]any{
		"miniAppId": exampleID, "txHash": exampleTxHash, "userAddress": exampleAddress,
		"referrerAddress": exampleReceiver, "chainId": 43113,
	},
	"addPasskey": map[string]any{
		"email": "bob@example.com", "encodedChallenge": exampleBase64URL, "attestation": exampleAttestation,
	},
	"advanceSandbox":             map[string]any{"seconds": 3600},
	"approveApproval":            map[string]any{"signedActivity": exampleSignedActivity},
	"approveApprovalWithPasskey": map[string]any{"signedActivity": exampleSignedActivity},
	"cancelRecovery":             map[string]any{"signedActivity": exampleSignedActivity},
	"confirmBankAccount":         map[string]any{"updatedAt": "2026-11-22T18:24:19.123Z"},
	"confirmTransaction":         map[string]any{"transactionId": exampleID, "signedActivity": exampleSignedActivity},
	"confirmSwap":                map[string]any{"transactionId": exampleID, "signedActivity": exampleSignedActivity},
	"prepareSwap": map[string]any{
		"chainId": 84532, "fromToken": "USDC", "toToken": "WETH", "amount": 10, "slippage": 0.5,
		"signWith": exampleAddress,
	},
	"confirmReturnAddress": map[string]any{"returnAddress": exampleAddress},
	"unfreezeBankAccount":  map[string]any{"updatedAt": "2026-11-22T18:24:19.123Z"},
	"createApiKey": map[string]any{
		"name": "Reports", "scopes": []string{"integrator:read"}, "ipAllowlist": []string{"203.0.113.0/24"},
	},
	"createBankAccount": map[string]any{
		"currency": "mxn", "clabe": "032180000118359719", "legalName": "Ana Ruiz", "country": "MX",
	},
	"createIntegrator": map[string]any{
		"name": "Example Payments", "email": "ops@example.com", "modules": []string{"signing", "payout"},
	},
	"buildNativeTransfer": map[string]any{
		"title": "Tip jar", "description": "A tip of any size", "url": "https://app.example.com/tip", "chainId": 43113,
		"address": exampleReceiver,
	},
	"buildCrosschainTransfer": exampleCrossing,
	"buildCrosschainBridge":   exampleCrossing,
	"buildSwap": map[string]any{
		"protocol": "lfj", "chainName": "fuji", "fromToken": "USDC", "toToken": "native", "slippageTolerance": 0.5,
	},
	"createPasskeyChallenge": map[string]any{"email": "ada@example.com"},
	"createPolicy": map[string]any{
		"name": "Daily spending", "walletId": exampleWalletID,
		"rules": map[string]any{"maxValueUsd": 50, "dailyUsd": 500, "allowedDestinations": []string{exampleReceiver}},
	},
	"createRecipient": map[string]any{
		"name": "Ana Ruiz", "email": "ana@example.com", "ownerType": "individual",
		"address": map[string]any{
			"street": "Avenida Juarez 10", "city": "Ciudad de Mexico", "postalCode": "06050", "country": "MX",
		},
	},
	"createSkill": map[string]any{
		"name": "Weather", "url": "https://weather.example.com/forecast", "auth_type": "bearer",
		"auth_config": map[string]any{"token": "t-2f9c"}, "is_public": true, "cost_usdc": 1000, "payTo": exampleAddress,
		"network": "base",
	},
	"updateSkill":           map[string]any{"cost_usdc": 2000},
	"testSkill":             map[string]any{"input": map[string]any{"city": "Lisbon"}},
	"executeSkill":          map[string]any{"input": map[string]any{"city": "Lisbon"}},
	"executeBatch":          map[string]any{"payAgain": true},
	"createRecipientInvite": map[string]any{"email": "ana@example.com"},
	"createDepositAccount":  map[string]any{"wallet_id": exampleWalletID, "source_currency": "mxn"},
	"createWithdrawAddress": map[string]any{
		"beneficiaryAccountId": exampleOtherID, "chain": "base", "currency": "usdc", "walletId": exampleWalletID,
		"payeeName": "Ana Ruiz, BBVA 9719 MXN",
	},
	"deletePasskey":    map[string]any{"signedActivity": exampleSignedActivity},
	"deletePolicy":     map[string]any{"signedActivity": exampleSignedActivity},
	"executePayout":    map[string]any{"quoteId": exampleID, "beneficiaryId": exampleOtherID},
	"failOrder":        map[string]any{"code": "R03", "reason": "No account"},
	"initiateRecovery": map[string]any{"email": "ada@example.com"},
	"mineSandbox":      map[string]any{"chain": "base", "blocks": 3},
	"overridePrice":    map[string]any{"asset": "ETH", "usd": 2150.5, "subOrganizationId": exampleOtherID},
	"prepareTransaction": map[string]any{
		"type": "transfer_token", "signWith": exampleAddress, "network": "base", "to": exampleReceiver,
		"tokenAddress": exampleToken, "amount": "25.50",
	},
	"prepareAgent": map[string]any{
		"name": "Research agent", "walletAddress": exampleAddress, "chainId": 84532,
		"budget": map[string]any{
			"infraMonthlyUsd": 50, "tokensMonthlyUsd": 200, "paymentsMonthlyUsdc": 10, "perTxUsdc": 1,
			"approvalThresholdUsdc": 0.5,
		},
		"allowedRecipients": []string{exampleReceiver},
	},
	"createAgentWallet": map[string]any{"walletName": "Research"},
	"setAgentBudget":    map[string]any{"paymentsMonthlyUsdc": 5},
	"setAgentStatus":    map[string]any{"status": "suspended"},
	"reportAgentEvents": map[string]any{"events": []map[string]any{
		{"id": "run-7-call-1", "type": "llm_call", "amount": 0.018, "provider": "acme", "model": "large",
			"tokens_input": 1200, "tokens_output": 300},
		{"id": "run-7-call-2", "type": "api_call", "amount": "0.000250", "endpoint": "https://api.example.com/search"},
	}},
	"signAgentTransaction": map[string]any{
		"action_type": "payment", "amount": "10000", "destination": exampleReceiver, "token_mint": "USDC",
		"cluster": "base",
	},
	"payX402":              map[string]any{"url": "https://shop.example.com/report", "maxAmount": "10000"},
	"prepareAgentFunding":  map[string]any{"amount": 10.5, "from": exampleAddress, "network": "base"},
	"confirmAgentFunding":  map[string]any{"fundRequestId": exampleID, "signedActivity": exampleSignedActivity},
	"setKillSwitch":        map[string]any{"on": true, "subOrganizationId": exampleOtherID},
	"prepareWalletAccount": map[string]any{"walletId": exampleWalletID, "chain": "base"},
	"quoteOffRamp": map[string]any{
		"source_amount": "100", "source_currency": "usdc", "destination_currency": "mxn",
	},
	"quoteOnRamp": map[string]any{
		"source_amount": "5000", "source_currency": "mxn", "destination_currency": "usdc",
	},
	"quotePayout": map[string]any{
		"beneficiaryId": exampleID, "beneficiaryAccountId": exampleOtherID, "amount": 1000, "currency": "MXN",
	},
	"previewBatch": map[string]any{"rows": []any{
		map[string]any{
			"reference": "INV-0117", "beneficiaryId": exampleID, "amount": "1500.00", "currency": "MXN",
		},
		map[string]any{
			"reference": "INV-0118", "beneficiaryId": exampleOtherID, "amount": "250.00", "currency": "USDC",
		},
	}},
	"receivePartnerNotice": map[string]any{
		"event_id": "evt_6b7f9d2c3a44", "event_category": "liquidation_address.drain",
	},
	"rejectApproval":   map[string]any{"reason": "Not this month"},
	"returnOrder":      map[string]any{"code": "R02"},
	"removePayee":      map[string]any{"signedActivity": exampleSignedActivity},
	"setIntegratorKyb": map[string]any{"status": "approved", "submissionId": exampleID},
	"setIntegratorAgentLimits": map[string]any{
		"rateLimits": map[string]any{"standard": 1000, "financial": 200},
	},
	"signMessage": map[string]any{"signWith": exampleAddress, "type": "EIP191_TEXT", "payload": "Hello"},
	"simulateBankDeposit": map[string]any{
		"depositAccountId": exampleID, "amount": "5000.00", "senderName": "Ana Ruiz",
	},
	"simulateDeposit": map[string]any{"withdrawAddressId": exampleID, "amount": "25.50"},
	"submitInvite": map[string]any{
		"token": exampleLinkToken, "account": map[string]any{
			"currency": "mxn", "clabe": "032180000118359719", "legalName": "Ana Ruiz", "country": "MX",
		},
	},
	"syncRecovery": map[string]any{
		"credentialId": "q83vEjRWeJA", "attestationObject": "o2NmbXRkbm9uZQ",
		"clientDataJson": "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
	},
	"updateApprovalConfig": map[string]any{"enabled": true, "thresholdUsd": 1000, "requiredApprovers": 2},
	"updateBankAccount":    map[string]any{"routing_number": "021000021", "checking_or_savings": "savings"},
	"updateIntegrator":     map[string]any{"name": "Example Payments Ltd"},
	"updateKybForm": map[string]any{
		"version":  3,
		"business": map[string]any{"legalName": "Acme Payments LLC", "type": "llc", "taxId": "12-3456789"},
		"people": []any{map[string]any{
			"name": "Ada Park", "birthDate": "1984-05-17", "ownershipPercent": 60, "hasControl": true, "isSigner": true,
			"address": map[string]any{
				"street": "2 Oak Street", "city": "Austin", "state": "TX", "postalCode": "78702", "country": "US",
			},
		}},
		"allOwnersListed": true,
	},
	"updatePolicy":    map[string]any{"rules": map[string]any{"maxValueUsd": 25}},
	"updateRecipient": map[string]any{"email": "ana.ruiz@example.com"},
	"updateRecovery": map[string]any{
		"recoveryPublicKey": examplePublicKey, "signedActivity": exampleSignedActivity,
	},
}

var (
	exampleSignedActivity = map[string]any{
		"body": "{\"type\":\"ACTIVITY_TYPE_CREATE_WALLET\"}",
		"stamp": map[string]any{
			"stampHeaderName":  "X-Stamp-Webauthn",
			"stampHeaderValue": "{\"credentialId\":\"q83vEjRWeJA\",\"signature\":\"MEUCIQ\"}",
		},
	}
	exampleAttestation = map[string]any{
		"credentialId": "q83vEjRWeJA", "attestationObject": "o2NmbXRkbm9uZQ",
		"clientDataJson": "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
	}
)
