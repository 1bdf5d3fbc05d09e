package documents

// The texts below come from general knowledge of brokerage, consignment and sales tax, and not
// from a lawyer. REVIEW BY COUNSEL: a lawyer of the state must read them before a dealership
// uses them. They are all here, so that one person can.
const (
	brokerClause = "%s is the broker of the seller and not the owner of the vessel. The seller, and not the broker, warrants the title. " +
		"The broker relies on information from the seller and makes no warranties about the vessel."
	commissionClause = "The seller pays the commission of the broker from the price when title passes, as the listing agreement states."
	escrowClause     = "%s holds the deposit in trust and releases it when title passes, or as both parties instruct in writing."

	reissueText = "The vessel had no hull identification number (HIN) when this document was issued. It must be issued again with the number, and " +
		"signed again, before the vessel is delivered."

	settlementText = "This statement shows how the price is divided between the owner of the vessel and the brokers. " +
		"Liens on the vessel are paid off from the owner's proceeds before the rest is paid to the owner."
	settlementAgreed = "The owner and the broker agree with this statement. The owner receives the net proceeds, less the payoffs listed above."

	affidavitText = "The buyer states under penalty of perjury that the sale of the vessel described below is exempt from the taxes listed, " +
		"for the reasons stated."
	affidavitDuties = "The buyer will title or register the vessel where the taxes of that place require it, and will pay any tax due there. If the " +
		"reason turns out not to apply, the buyer is liable for the tax, interest and penalties. The seller relies on this affidavit in good faith " +
		"and keeps it with the records of the sale."
)
