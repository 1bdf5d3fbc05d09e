package oauth

import (
	"context"

	"slipway/internal/identity/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
)

// Holder returns what happens to the apps of users who leave. Apps that act for a user only
// end with EndAssistants.
func Holder() people.Holder {
	return people.Holder{List: listOf, End: endOf, HandOver: handOver}
}

func listOf(ctx context.Context, tx *db.Tx, by people.Author) (items []people.UserAccessItem, err error) {
	installed, err := installsOf(ctx, tx, by.User)
	if err != nil {
		return nil, err
	}
	for _, i := range installed {
		items = append(items, people.UserAccessItem{
			Kind: people.AppAccess, ID: i.ID, Name: i.App.Name, Scopes: i.Scopes, CanHandOver: true, CreatedAt: i.CreatedAt, LastUsedAt: i.LastUsedAt,
		})
	}

	personal, err := assistantsOf(ctx, tx, by.User)
	for _, i := range personal {
		items = append(items, people.UserAccessItem{
			Kind: people.AssistantAccess, ID: i.ID, Name: i.App.Name, Scopes: i.Scopes, CreatedAt: i.CreatedAt, LastUsedAt: i.LastUsedAt,
		})
	}
	return items, err
}

func endOf(ctx context.Context, tx *db.Tx, by people.Author) error {
	all, err := installsOf(ctx, tx, by.User)
	if err != nil {
		return err
	}
	for _, i := range all {
		if err := uninstall(ctx, tx, i); err != nil {
			return err
		}
	}
	return nil
}

func handOver(ctx context.Context, tx *db.Tx, by people.Author, to people.User) error {
	all, err := installsOf(ctx, tx, by.User)
	if err != nil {
		return err
	}
	for _, i := range all {
		before := i
		i.UserID, i.UserName = to.ID, to.Name
		if err := installs.Save(ctx, tx, &i); err != nil {
			return err
		}
		if err := audit.Record(ctx, tx, "app.handed_over", i.ID, map[string][2]any{"user_id": {before.UserID, i.UserID}}); err != nil {
			return err
		}
	}
	return nil
}

// installsOf returns the installs of registered apps that a user allowed. They act for the
// dealership.
func installsOf(ctx context.Context, tx *db.Tx, u people.User) ([]Install, error) {
	all, err := db.All[Install](ctx, tx, `SELECT {i.cols} FROM installs i JOIN apps a ON a.env = i.app_env AND a.id = i.app_id
		WHERE i.env = ? AND i.user_id = ? AND a.metadata_url IS NULL ORDER BY i.id`, tx.Env, u.ID)
	if err != nil {
		return nil, err
	}
	return all, loadApps(ctx, tx, all)
}

// personal selects the grants that act for one user: grants for MCP, and grants of
// apps that are not registered.
const personal = ` revoked_at IS NULL AND (resource = 'mcp' OR EXISTS (SELECT 1 FROM installs i JOIN apps a ON a.env = i.app_env AND a.id = i.app_id
	WHERE i.env = oauth_grants.env AND i.id = oauth_grants.install_id AND a.metadata_url IS NOT NULL))`

// assistantsOf returns the installs of the apps that act for a user only.
func assistantsOf(ctx context.Context, tx *db.Tx, u people.User) ([]Install, error) {
	all, err := db.All[Install](ctx, tx, `SELECT {cols} FROM installs WHERE env = ? AND id IN (
		SELECT install_id FROM oauth_grants WHERE env = ? AND user_id = ? AND`+personal+`) ORDER BY id`, tx.Env, tx.Env, u.ID)
	if err != nil {
		return nil, err
	}
	return all, loadApps(ctx, tx, all)
}

// EndAssistants ends the access of apps that act for a user only. Other users of the same
// app keep theirs. An app that no one else uses is uninstalled.
func EndAssistants(ctx context.Context, tx *db.Tx, u people.User) error {
	granted, err := db.All[string](ctx, tx, `SELECT id FROM oauth_grants WHERE env = ? AND user_id = ? AND`+personal+` ORDER BY id`, tx.Env, u.ID)
	if err != nil {
		return err
	}
	for _, id := range granted {
		if err := revokeGrant(ctx, tx, id, "the user was deactivated"); err != nil {
			return err
		}
	}

	unused, err := db.All[Install](ctx, tx, `SELECT {i.cols} FROM installs i JOIN apps a ON a.env = i.app_env AND a.id = i.app_id
		WHERE i.env = ? AND i.user_id = ? AND a.metadata_url IS NOT NULL AND NOT EXISTS (
			SELECT 1 FROM oauth_grants g WHERE g.env = i.env AND g.install_id = i.id AND g.revoked_at IS NULL) ORDER BY i.id`, tx.Env, u.ID)
	if err != nil {
		return err
	}
	if err := loadApps(ctx, tx, unused); err != nil {
		return err
	}
	for _, i := range unused {
		if err := uninstall(ctx, tx, i); err != nil {
			return err
		}
	}
	return nil
}
