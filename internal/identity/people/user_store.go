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

var users = db.Table[User]{Name: "users", Prefix: "usr", Noun: "user"}

// FindUser returns a user with the roles and two-factor methods.
func FindUser(ctx context.Context, tx *db.Tx, id string) (User, error) {
	u, err := users.Find(ctx, tx, id)
	if err != nil {
		return u, err
	}
	one := []User{u}
	err = loadRolesAndFactors(ctx, tx, one)
	return one[0], err
}

// FindUserForUpdate returns a user and locks it until the transaction ends. A
// sign-in and a deactivation at the same time must not overlap.
func FindUserForUpdate(ctx context.Context, tx *db.Tx, id string) (User, error) {
	if err := db.LockRow(ctx, tx, `SELECT id FROM users WHERE env = ? AND id = ?`, tx.Env, id); err != nil {
		return User{}, err
	}
	return FindUser(ctx, tx, id)
}

// FindUserByEmail returns the user with an email address.
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

// AllUsers returns all users of an environment, for the command line.
func AllUsers(ctx context.Context, tx *db.Tx) ([]User, error) {
	all, err := db.All[User](ctx, tx, `SELECT {cols} FROM users WHERE env = ? ORDER BY id`, tx.Env)
	if err != nil {
		return nil, err
	}
	return all, loadRolesAndFactors(ctx, tx, all)
}

// UserFilter is the query of the list of users.
type UserFilter struct {
	page.Query
	Status UserStatus `query:"status" doc:"Only users in this status."`
	Email  string     `query:"email" maxLength:"254" doc:"Exact email address. Ignores case."`
}

func (f UserFilter) where() *db.Where {
	w := &db.Where{}
	w.AndIf(f.Status != "", "status = ?", f.Status)
	w.AndIf(f.Email != "", "email = ?", strings.ToLower(f.Email))
	return w
}

// StatusesOf returns the statuses of users by their IDs.
func StatusesOf(ctx context.Context, tx *db.Tx, ids []string) (map[string]string, error) {
	statuses := map[string]string{}
	if len(ids) == 0 {
		return statuses, nil
	}
	marks, args := db.In(ids)
	found, err := db.All[struct {
		ID     string `db:"id"`
		Status string `db:"status"`
	}](ctx, tx, `SELECT {cols} FROM users WHERE env = ? AND id IN `+marks, append([]any{tx.Env}, args...)...)
	for _, u := range found {
		statuses[u.ID] = u.Status
	}
	return statuses, err
}

// loadRolesAndFactors fills in the roles and two-factor methods of users, with
// one query each.
func loadRolesAndFactors(ctx context.Context, tx *db.Tx, users []User) error {
	if len(users) == 0 {
		return nil
	}
	args, byID := []any{tx.Env}, map[string]*User{}
	for i := range users {
		users[i].Roles, users[i].MFAFactors = []UserRole{}, []UserFactor{}
		args, byID[users[i].ID] = append(args, users[i].ID), &users[i]
	}

	in := " IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(users)), ", ") + ")"
	assigned, err := db.All[struct {
		UserID string `db:"user_id"`
		UserRole
	}](ctx, tx, `SELECT {cols} FROM (
		SELECT u.user_id, r.id, r.name, r.scopes, r.manager, r.own_locations FROM user_roles u JOIN roles r ON r.env = u.env AND r.id = u.role_id
		WHERE u.env = ? AND u.user_id`+in+`) AS held ORDER BY id`, args...)
	if err != nil {
		return err
	}
	for _, r := range assigned {
		byID[r.UserID].Roles = append(byID[r.UserID].Roles, r.UserRole)
	}
	for _, u := range byID {
		u.deriveLeads()
	}

	enrolled, err := db.All[struct {
		UserID string `db:"user_id"`
		UserFactor
	}](ctx, tx, `SELECT {cols} FROM mfa_factors WHERE env = ? AND user_id`+in+` ORDER BY id`, args...)
	for _, f := range enrolled {
		byID[f.UserID].MFAFactors = append(byID[f.UserID].MFAFactors, f.UserFactor)
	}
	return err
}

// insertUser adds a user with roles.
func insertUser(ctx context.Context, tx *db.Tx, u *User, assigned []Role) error {
	if err := users.CheckUnique(ctx, tx, u.ID, "email", u.Email); err != nil {
		return err
	}
	if u.LocationIDs == nil {
		u.LocationIDs = []string{}
	}
	if err := users.Insert(ctx, tx, u); err != nil {
		return err
	}
	u.MFAFactors = []UserFactor{}
	return replaceRoles(ctx, tx, u, assigned)
}

// InsertOwner adds the built-in roles and an active owner to a new environment.
func InsertOwner(ctx context.Context, tx *db.Tx, email, passwordHash string) (User, error) {
	owner := User{Email: email, Name: email, Status: Active, PasswordHash: &passwordHash}
	if err := owner.check(); err != nil {
		return owner, err
	}

	var ownerRoles []Role
	for _, r := range builtIn {
		r.BuiltIn = true
		if err := insertRole(ctx, tx, &r); err != nil {
			return owner, err
		}
		if r.Name == ownerRole {
			ownerRoles = append(ownerRoles, r)
		}
	}

	if err := insertUser(ctx, tx, &owner, ownerRoles); err != nil {
		return owner, err
	}
	return owner, events.Emit(ctx, tx, "user.provisioned", owner.ID, events.Change{After: owner})
}

func saveUser(ctx context.Context, tx *db.Tx, u *User) error {
	if err := users.CheckUnique(ctx, tx, u.ID, "email", u.Email); err != nil {
		return err
	}
	return users.Save(ctx, tx, u)
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

// replaceRoles replaces all roles of a user.
func replaceRoles(ctx context.Context, tx *db.Tx, u *User, assigned []Role) error {
	if _, err := db.Exec(ctx, tx, `DELETE FROM user_roles WHERE env = ? AND user_id = ?`, u.Env, u.ID); err != nil {
		return err
	}
	u.Roles = []UserRole{}
	for _, r := range assigned {
		if _, err := db.Exec(ctx, tx, `INSERT INTO user_roles (env, user_id, role_id) VALUES (?, ?, ?)`, u.Env, u.ID, r.ID); err != nil {
			return err
		}
		u.Roles = append(u.Roles, UserRole{ID: r.ID, Name: r.Name, Scopes: r.Scopes, Manager: r.Manager, OwnLocations: r.OwnLocations})
	}
	u.deriveLeads()
	return nil
}

// requireOwner returns an error if the environment has no active owner. It locks
// the dealership. Otherwise two simultaneous transactions could each remove an
// owner and rely on the other one.
func requireOwner(ctx context.Context, tx *db.Tx) error {
	if err := dealership.Lock(ctx, tx); err != nil {
		return err
	}

	owners, err := countOwners(ctx, tx, "")
	if err == nil && owners == 0 {
		err = fault.Conflict("The dealership must have an active owner. Assign the owner role to another user first.").
			Detail("user_id", "state", "refers to the last owner")
	}
	return err
}

// countOwners returns the number of active owners except for one user.
func countOwners(ctx context.Context, tx *db.Tx, except string) (int64, error) {
	return db.One[int64](ctx, tx, `SELECT COUNT(*) FROM users u JOIN user_roles x ON x.env = u.env AND x.user_id = u.id
		JOIN roles r ON r.env = x.env AND r.id = x.role_id WHERE u.env = ? AND u.status = ? AND r.built_in AND r.name = ? AND u.id <> ?`,
		tx.Env, Active, ownerRole, except)
}

// Sellers returns the active users who take leads at a location, or at any
// location for "". If there are none, it returns the users with the admin scope,
// unless they chose not to take leads, so that an owner who works alone gets them.
func Sellers(ctx context.Context, tx *db.Tx, locationID string) ([]User, error) {
	all, err := db.All[Role](ctx, tx, `SELECT {cols} FROM roles WHERE env = ?`, tx.Env)
	if err != nil {
		return nil, err
	}
	active, err := db.All[User](ctx, tx, `SELECT {cols} FROM users WHERE env = ? AND status = ? ORDER BY id`, tx.Env, Active)
	if err != nil {
		return nil, err
	}
	if err := loadRolesAndFactors(ctx, tx, active); err != nil {
		return nil, err
	}

	scopes := map[string][]auth.Scope{}
	for _, r := range all {
		scopes[r.ID] = r.Scopes
	}
	var sellers, admins []User
	for _, u := range active {
		var granted []auth.Scope
		for _, r := range u.Roles {
			granted = append(granted, scopes[r.ID]...)
		}
		switch {
		case !slices.Contains(granted, auth.LeadsWrite) || !u.worksAt(locationID):
		case u.TakesLeads:
			sellers = append(sellers, u)
		case slices.Contains(granted, auth.Admin) && u.LeadsChoice == nil:
			admins = append(admins, u)
		}
	}

	if len(sellers) == 0 {
		return admins, nil
	}
	return sellers, nil
}
