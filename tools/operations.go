package tools

import (
	"counterfoil/intent"
	"counterfoil/policy"
	"counterfoil/provider"
)

// Operations are all tools that write, as the engine knows them.
func Operations(m provider.Marketplace, p func() policy.Policy) []intent.Operation {
	return []intent.Operation{
		NewIssueRefund(m, p),
		NewMessageSeller(m),
		NewReplyToBuyer(m),
		NewBookPickup(m),
		NewCancelPickup(m),
		NewSendReplacement(m),
		NewEscalateToHuman(m),
	}
}
