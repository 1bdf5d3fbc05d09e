package people

import (
	"context"
	"slices"
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// FindUser returns a user with their roles and factors.
func FindUser(ctx context.Context, tx *db.Tx, id string) (User, error) {
	u, err := db.One[User](ctx, tx, `SELECT {cols} FROM users WHERE env = ? AND id = ?`, tx.Env, id)
	if db.IsNoRows(err) {
		return u, fault.NotFound("user", id)
	}
	if err != nil {
		return u, err
	}
	users := []User{u}
	err = complete(ctx, tx, users)
	return users[0], err
}

// FindUserForUpdate returns a user whom nobody else can change until the transaction
// ends: who signs in while being deactivated does one after the other.
func FindUserForUpdate(ctx context.Context, tx *db.Tx, id string) (User, error) {
	if err := db.LockRow(ctx, tx, `SELECT id FROM users WHERE env = ? AND id = ?`, tx.Env, id); err != nil {
		return User{}, err
	}
	return FindUser(ctx, tx, id)
}

// FindUserByEmail returns a user.
func FindUserByEmail(ctx context.Context, tx *db.Tx, email string) (User, error) {
	id, err := db.One[string](ctx, tx, `SELECT id FROM users WHERE env = ? AND email = ?`, tx.Env, strings.ToLower(email))
	if db.IsNoRows(err) {
		return User{}, fault.NotFound("user", email)
	}
	if err != nil {
		return User{}, err
	}
	return FindUser(ctx, tx, id)
}

// UserFilter narrows the list of users.
type UserFilter struct {
	page.Query
	Status UserStatus `query:"status" enum:"invited,active,deactivated"`
	Email  string     `query:"email" maxLength:"254" doc:"Exact email address. Ignores case."`
}

func listUsers(ctx context.Context, tx *db.Tx, f UserFilter) (page.Page[User], error) {
	if err := f.Check("usr"); err != nil {
		return page.Page[User]{}, err
	}
	w := &db.Where{}
	w.And("env = ?", tx.Env)
	if f.Status != "" {
		w.And("status = ?", f.Status)
	}
	if f.Email != "" {
		w.And("email = ?", strings.ToLower(f.Email))
	}
	p, err := db.List[User](ctx, tx, db.From("users"), f.Query, w)
	if err != nil {
		return p, err
	}
	return p, complete(ctx, tx, p.Data)
}

// complete adds the roles and factors of users, in one query each.
func complete(ctx context.Context, tx *db.Tx, users []User) error {
	if len(users) == 0 {
		return nil
	}
	args, at := []any{tx.Env}, map[string]*User{}
	for i := range users {
		users[i].Roles, users[i].MFAFactors = []UserRole{}, []UserFactor{}
		args, at[users[i].ID] = append(args, users[i].ID), &users[i]
	}
	in := " IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(users)), ", ") + ")"
	roles, err := db.All[struct {
		UserID string `db:"user_id"`
		UserRole
	}](ctx, tx, `SELECT {cols} FROM (SELECT u.user_id, r.id, r.name FROM user_roles u JOIN roles r ON r.env = u.env AND r.id = u.role_id
		WHERE u.env = ? AND u.user_id`+in+`) AS held ORDER BY id`, args...)
	if err != nil {
		return err
	}
	for _, r := range roles {
		at[r.UserID].Roles = append(at[r.UserID].Roles, r.UserRole)
	}
	factors, err := db.All[struct {
		UserID string `db:"user_id"`
		UserFactor
	}](ctx, tx, `SELECT {cols} FROM mfa_factors WHERE env = ? AND user_id`+in+` ORDER BY id`, args...)
	for _, f := range factors {
		at[f.UserID].MFAFactors = append(at[f.UserID].MFAFactors, f.UserFactor)
	}
	return err
}

// insertUser adds a user with roles.
func insertUser(ctx context.Context, tx *db.Tx, u *User, roles []Role) error {
	if err := emailIsFree(ctx, tx, *u); err != nil {
		return err
	}
	if u.LocationIDs == nil {
		u.LocationIDs = []string{}
	}
	u.Env, u.ID, u.Version, u.CreatedAt, u.UpdatedAt = tx.Env, tx.NewID("usr"), 1, tx.Now, tx.Now
	if err := db.Insert(ctx, tx, "users", *u); err != nil {
		return err
	}
	u.MFAFactors = []UserFactor{}
	return replaceRoles(ctx, tx, u, roles)
}

// InsertOwner adds the built-in roles and an active owner to a new environment.
func InsertOwner(ctx context.Context, tx *db.Tx, email, passwordHash string) (User, error) {
	owner := User{Email: email, Name: email, Status: Active, PasswordHash: &passwordHash}
	if err := owner.check(); err != nil {
		return owner, err
	}

	var held []Role
	for _, r := range builtIn {
		r.BuiltIn = true
		if err := insertRole(ctx, tx, &r); err != nil {
			return owner, err
		}
		if r.Name == ownerRole {
			held = append(held, r)
		}
	}

	if err := insertUser(ctx, tx, &owner, held); err != nil {
		return owner, err
	}
	return owner, events.Emit(ctx, tx, "user.provisioned", owner.ID, nil, owner)
}

// SaveUser writes a changed user.
func SaveUser(ctx context.Context, tx *db.Tx, u *User) error {
	if err := emailIsFree(ctx, tx, *u); err != nil {
		return err
	}
	was := u.Version
	u.Version, u.UpdatedAt = was+1, tx.Now
	return db.Changed(db.Update(ctx, tx, "users", u, "env = ? AND id = ? AND version = ?", u.Env, u.ID, was))
}

// emailIsFree names the user who has the address; the unique index is the guard.
func emailIsFree(ctx context.Context, tx *db.Tx, u User) error {
	other, err := db.All[string](ctx, tx, `SELECT id FROM users WHERE env = ? AND email = ? AND id <> ?`, tx.Env, u.Email, u.ID)
	if err != nil || len(other) == 0 {
		return err
	}
	return fault.Conflict("email %s is already used by user %s.", u.Email, other[0]).Detail("email", "duplicate", "is already used by %s", other[0])
}

func checkLocations(ctx context.Context, tx *db.Tx, ids []string) error {
	var bad fault.Fields
	for _, id := range ids {
		_, err := dealership.FindLocation(ctx, tx, id)
		if fault.KindOf(err) == fault.KindNotFound {
			bad.Add("location_ids", "not_found", "contains %s, which doesn't exist", id)
		} else if err != nil {
			return err
		}
	}
	return bad.Err()
}

// replaceRoles gives the user exactly these roles.
func replaceRoles(ctx context.Context, tx *db.Tx, u *User, roles []Role) error {
	if _, err := db.Exec(ctx, tx, `DELETE FROM user_roles WHERE env = ? AND user_id = ?`, u.Env, u.ID); err != nil {
		return err
	}
	u.Roles = []UserRole{}
	for _, r := range roles {
		if _, err := db.Exec(ctx, tx, `INSERT INTO user_roles (env, user_id, role_id) VALUES (?, ?, ?)`, u.Env, u.ID, r.ID); err != nil {
			return err
		}
		u.Roles = append(u.Roles, UserRole{r.ID, r.Name})
	}
	return nil
}

// keepAnOwner fails if the environment has no active owner left. Transactions
// that take an owner away pass one at a time, so that two of them cannot each
// leave the last one to the other.
func keepAnOwner(ctx context.Context, tx *db.Tx) error {
	if err := dealership.Lock(ctx, tx); err != nil {
		return err
	}
	owners, err := db.One[int64](ctx, tx, `SELECT COUNT(*) FROM users u JOIN user_roles x ON x.env = u.env AND x.user_id = u.id
		JOIN roles r ON r.env = x.env AND r.id = x.role_id WHERE u.env = ? AND u.status = ? AND r.built_in AND r.name = ?`, tx.Env, Active, ownerRole)
	if err == nil && owners == 0 {
		err = fault.Conflict("The dealership must have an active owner. Assign the owner role to another user first.").Detail("user_id", "state", "is the last owner")
	}
	return err
}

// Sellers are the active users who can work leads at a location, or anywhere
// for "". Those who run the dealership are among them only if there is nobody
// else: an owner may do everything and takes no turns.
func Sellers(ctx context.Context, tx *db.Tx, locationID string) ([]User, error) {
	roles, err := db.All[Role](ctx, tx, `SELECT {cols} FROM roles WHERE env = ?`, tx.Env)
	if err != nil {
		return nil, err
	}
	users, err := db.All[User](ctx, tx, `SELECT {cols} FROM users WHERE env = ? AND status = ? ORDER BY id`, tx.Env, Active)
	if err != nil {
		return nil, err
	}
	if err := complete(ctx, tx, users); err != nil {
		return nil, err
	}
	scopes := map[string][]auth.Scope{}
	for _, r := range roles {
		scopes[r.ID] = r.Scopes
	}
	var sellers, bosses []User
	for _, u := range users {
		var held []auth.Scope
		for _, r := range u.Roles {
			held = append(held, scopes[r.ID]...)
		}
		switch {
		case !slices.Contains(held, auth.LeadsWrite) || !u.worksAt(locationID):
		case slices.Contains(held, auth.Admin):
			bosses = append(bosses, u)
		default:
			sellers = append(sellers, u)
		}
	}
	if len(sellers) == 0 {
		return bosses, nil
	}
	return sellers, nil
}
