package people

// hasAccepted reports whether the user has accepted the invitation. Until then,
// the link in the invitation is the only proof that the address is theirs.
func (u User) hasAccepted() bool {
	return u.Status == Active || u.PasswordHash != nil || u.SSOSubject != nil
}

// changeEmail sets a new address. It takes effect immediately for a user who has
// not accepted the invitation. For other users, it is pending until they confirm
// it. The current address withdraws a pending one.
func (u *User) changeEmail(to string) {
	switch {
	case !u.hasAccepted():
		u.Email = to
	case to == u.Email:
		u.PendingEmail, u.EmailProven = nil, false
	default:
		u.PendingEmail, u.EmailProven = &to, u.IsAdmin() // a change of an administrator requires proof
	}
}

// canConfirm reports whether the user can confirm an address. An address that was
// requested without proof can't become the one of an administrator.
func (u User) canConfirm(email string) bool {
	return u.Status == Active && u.PendingEmail != nil && *u.PendingEmail == email && (u.EmailProven || !u.IsAdmin())
}

// confirmEmail makes the pending address the address of the user.
func (u *User) confirmEmail() {
	u.Email, u.PendingEmail, u.EmailProven = *u.PendingEmail, nil, false
}
