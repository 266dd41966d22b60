package walk

// Mutations has for each operation that changes something a request that has not
// been made yet and will succeed. It is called again for another one.
var Mutations = map[string]func(*World) Request{
	"createIntegrator":     createIntegrator,
	"updateIntegrator":     updateIntegrator,
	"setIntegratorKyb":     setIntegratorKyb,
	"setIntegratorModules": setIntegratorModules,
	"createApiKey":         createAPIKey,
	"revokeApiKey":         revokeAPIKey,

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

	"createPasskeyChallenge": createPasskeyChallenge,
	"registerPasskey":        registerPasskey,
	"renamePasskey":          renamePasskey,
	"addPasskey":             addPasskey,
	"deletePasskey":          deletePasskey,
	"createPolicy":           createPolicy,
	"updatePolicy":           updatePolicy,
	"deletePolicy":           deletePolicy,
	"updateApprovalConfig":   updateApprovalConfig,
	"prepareWallet":          prepareWallet,
	"confirmWallet":          confirmWallet,
	"prepareWalletAccount":   prepareWalletAccount,
	"confirmWalletAccount":   confirmWalletAccount,
	"prepareTransaction":     prepareTransaction,
	"confirmTransaction":     confirmTransaction,
	"cancelTransaction":      cancelTransaction,
	"signTransaction":        signTransaction,

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
	"cancelOrder":             cancelOrder,
	"setupLiquidationAddress": setupLiquidationAddress,
	"setupVirtualAccount":     setupVirtualAccount,
	"createWithdrawAddress":   createWithdrawAddress,
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
	"advanceSandbox":       advanceSandbox,
	"mineSandbox":          mineSandbox,
	"reorgSandbox":         reorgSandbox,
	"finishCeremony":       finishCeremony,
}
