package app

import "golang.org/x/crypto/acme/autocert"

// CertificateStore returns the store of certificates.
func (a *App) CertificateStore() autocert.Cache { return certificateStore{a.DB, a.Box} }
