package walk

// Mutations has for each operation that changes something a request that has not
// been made yet and will succeed. It is called again for another one.
var Mutations = map[string]func(*World) Request{
	"createIntegrator": createIntegrator,
	"updateIntegrator": updateIntegrator,
	"setIntegratorKyb": setIntegratorKyb,

	"setIntegratorAgentLimits": setIntegratorAgentLimits,

	"setIntegratorModules": setIntegratorModules,
	"createApiKey":         createAPIKey,
	"revokeApiKey":         revokeAPIKey,

	"createWebhookEndpoint":  createWebhookEndpoint,
	"updateWebhookEndpoint":  updateWebhookEndpoint,
	"deleteWebhookEndpoint":  func(w *World) Request { return hooks(w, "DELETE", webhookPath(w), nil) },
	"disableWebhookEndpoint": func(w *World) Request { return hooks(w, "POST", activeWebhook(w)+"/disable", nil) },
	"pingWebhookEndpoint":    func(w *World) Request { return hooks(w, "POST", webhookPath(w)+"/ping", nil) },
	"rotateWebhookSecret":    rotateWebhookSecret,
	"resendWebhook":          resendWebhook,
	"replayWebhooks":         replayWebhooks,

	"inviteMember":       inviteMember,
	"changeMemberRole":   changeMemberRole,
	"removeMember":       removeMember,
	"revokeInvitation":   revokeInvitation,
	"resendInvitation":   resendInvitation,
	"acceptInvitation":   acceptInvitation,
	"finishLogin":        finishLogin,
	"logout":             logout,
	"addLoginPasskey":    addLoginPasskey,
	"deleteLoginPasskey": deleteLoginPasskey,
	"endSession":         endSession,
	"addReturnOrigin":    addReturnOrigin,
	"removeReturnOrigin": removeReturnOrigin,

	"updateKybForm":     updateKybForm,
	"addKybDocument":    addKybDocument,
	"deleteKybDocument": deleteKybDocument,
	"submitKybForm":     submitKybForm,

	"changeNotifications": changeNotifications,

	"createPasskeyChallenge": createPasskeyChallenge,
	"registerPasskey":        registerPasskey,
	"renamePasskey":          renamePasskey,
	"addPasskey":             addPasskey,
	"deletePasskey":          deletePasskey,
	"createPolicy":           createPolicy,
	"updatePolicy":           updatePolicy,
	"deletePolicy":           deletePolicy,
	"addPayee":               addPayee,
	"removePayee":            removePayee,
	"updateApprovalConfig":   updateApprovalConfig,
	"prepareWallet":          prepareWallet,
	"confirmWallet":          confirmWallet,
	"prepareWalletAccount":   prepareWalletAccount,
	"confirmWalletAccount":   confirmWalletAccount,
	"prepareTransaction":     prepareTransaction,
	"confirmTransaction":     confirmTransaction,
	"cancelTransaction":      cancelTransaction,
	"signTransaction":        signTransaction,

	"prepareLendingSupply":     prepareLendingSupply,
	"prepareLendingWithdrawal": prepareLendingWithdrawal,

	"prepareAgent":         prepareAgent,
	"confirmAgentUser":     confirmAgentUser,
	"confirmAgentPolicies": confirmAgentPolicies,
	"prepareAgentPolicies": prepareAgentPolicies,
	"deleteAgent":          deleteAgent,
	"setAgentBudget":       setAgentBudget,
	"rotateAgentSecret":    rotateAgentSecret,
	"pauseAgent":           pauseAgent,
	"resumeAgent":          resumeAgent,
	"killAgent":            killAgent,
	"setAgentStatus":       setAgentStatus,
	"setKillSwitch":        setKillSwitch,
	"reportAgentEvents":    reportAgentEvents,
	"signAgentTransaction": signAgentTransaction,
	"payX402":              payX402,
	"createAgentWallet":    createAgentWallet,
	"prepareAgentFunding":  prepareAgentFunding,
	"confirmAgentFunding":  confirmAgentFunding,

	"reportExecutions": reportExecutions,

	"prepareSwap": prepareSwap,
	"confirmSwap": func(w *World) Request {
		p := w.prepare(swapPath+"/prepare", w.swap())
		return w.post(swapPath+"/confirm", map[string]any{"transactionId": p.id, "signedActivity": p.signed})
	},

	"createSkill":     createSkill,
	"updateSkill":     updateSkill,
	"deleteSkill":     deleteSkill,
	"executeSkill":    executeSkill,
	"addAgentTool":    addAgentTool,
	"removeAgentTool": removeAgentTool,

	"signMessage":                signMessage,
	"approveApproval":            func(w *World) Request { return w.ballot("approve") },
	"approveApprovalWithPasskey": func(w *World) Request { return w.ballot("approve-with-passkey") },
	"rejectApproval": func(w *World) Request {
		return w.post(w.approval()+"/reject", map[string]string{"reason": "no"})
	},

	"overridePrice": overridePrice,

	"initiateRecovery": initiateRecovery,
	"syncRecovery":     syncRecovery,
	"updateRecovery":   updateRecovery,
	"cancelRecovery":   cancelRecovery,

	"createRecipient":    createRecipient,
	"updateRecipient":    updateRecipient,
	"setRecipientStatus": setRecipientStatus,
	"createBankAccount":  createBankAccount,
	"updateBankAccount":  updateBankAccount,
	"confirmBankAccount": confirmBankAccount,
	"freezeBankAccount":  freezeBankAccount,

	"unfreezeBankAccount": unfreezeBankAccount,

	"quotePayout":             quotePayout,
	"executePayout":           executePayout,
	"previewBatch":            previewBatch,
	"executeBatch":            func(w *World) Request { return w.post(w.batch()+"/execute", nil) },
	"cancelBatch":             func(w *World) Request { return w.post(w.batch()+"/cancel", nil) },
	"cancelOrder":             cancelOrder,
	"setupLiquidationAddress": setupLiquidationAddress,
	"setupVirtualAccount":     setupVirtualAccount,
	"createWithdrawAddress":   createWithdrawAddress,
	"createDepositAccount":    createDepositAccount,
	"changeReturnAddress":     changeReturnAddress,
	"confirmReturnAddress":    confirmReturnAddress,
	"cancelReturnAddress":     func(w *World) Request { return w.post(w.changingReturn()+"/cancel", nil) },
	"createRecipientInvite":   func(w *World) Request { return w.post(w.recipient()+"/invite", nil) },
	"submitInvite":            submitInvite,

	"broadcastTransaction": broadcastTransaction,
	"retryBroadcast":       retryBroadcast,
	"broadcastRaw":         broadcastRaw,
	"fundAddress":          fundAddress,
	"simulateDeposit":      simulateDeposit,
	"simulateBankDeposit":  simulateBankDeposit,
	"advanceSandbox":       advanceSandbox,
	"mineSandbox":          mineSandbox,
	"reorgSandbox":         reorgSandbox,
	"finishCeremony":       finishCeremony,
}
