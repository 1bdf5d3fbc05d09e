package dealership

import (
	"context"
	"net/http"
	"time"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
)

// AuditChain is whether the audit log is unchanged.
type AuditChain struct {
	_ struct{} `doc:"Whether the entries of the audit log are unchanged."`

	State     ChainState `json:"state" doc:"Whether the checked entries are unchanged."`
	Complete  bool       `json:"complete" doc:"Whether all entries were checked, and not only the newest 100."`
	Checked   int64      `json:"checked" doc:"Number of the entries that were checked and are unchanged." example:"48211"`
	Waiting   int64      `json:"waiting" doc:"Number of new entries that are not linked yet. They are linked every two seconds."`
	Problem   *string    `json:"problem" doc:"The first problem that was found. Null if there is none." example:"entry aud_01jcqz8t5n8m2x4v6b7c9d0e1f (link 48102) was changed"`
	CheckedAt time.Time  `json:"checked_at" doc:"When the entries were checked."`
}

// ChainState is whether the audit log is unchanged.
type ChainState string

// The values.
const (
	chainIntact ChainState = "intact"
	chainBroken ChainState = "broken"
)

var chainStates = enum.Of("AuditChainState", "Whether the checked entries of the audit log are unchanged, or one was changed, removed or inserted.",
	chainIntact, chainBroken)

func (ChainState) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return chainStates.Describe(s)
}

func (a *API) mountChain(r *rest.Router) {
	p := r.Preview("2026-11-19")
	rest.Raw(p, http.MethodGet, http.StatusOK, rest.Route{
		Path: "/audit_chain", ID: "getAuditChain", Needs: administer,
		Summary: "Check the newest entries of the audit log",
		Text:    "Checks the newest 100 entries and those that are not linked yet. To check all entries, use checkAuditChain.",
		Assist:  assist.Read,
	}, a.chain)
	rest.Raw(p, http.MethodPost, http.StatusOK, rest.Route{
		Path: "/audit_chain/check", ID: "checkAuditChain", Needs: administer,
		Summary: "Check all entries of the audit log",
		Text:    "Takes a few seconds for 100,000 entries. The command `slipway audit verify` does the same, and can compare the log with a head that you stored elsewhere.",
		Assist:  assist.Never(assist.ChangesNothing), NoIfMatch: true, OnlyReads: true, Heavy: true,
	}, a.checkChain)
}

func (a *API) chain(ctx context.Context, _ *struct{}) (AuditChain, error) {
	v, err := audit.VerifyNewest(ctx, a.DB, auth.From(ctx).Env)
	return chainOf(v, false), err
}

func (a *API) checkChain(ctx context.Context, _ *struct{}) (AuditChain, error) {
	v, err := audit.Verify(ctx, a.DB, auth.From(ctx).Env, nil)
	return chainOf(v, true), err
}

func chainOf(v audit.Verification, complete bool) AuditChain {
	c := AuditChain{State: chainIntact, Complete: complete, Checked: v.Entries, Waiting: v.Waiting, CheckedAt: v.At}
	if v.Problem != "" {
		c.State, c.Problem = chainBroken, &v.Problem
	}
	return c
}
