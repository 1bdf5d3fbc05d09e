// Package testkeys has RSA keys for tests, because a new key takes longer than most tests. Nothing
// else trusts them.
package testkeys

import (
	"crypto/rsa"
	"crypto/x509"
	"embed"
	"encoding/pem"
	"fmt"
	"sync/atomic"
)

//go:embed testdata/*.pem
var files embed.FS

// Providers sign with the keys below, the service with the others.
const (
	count    = 10
	services = 6
)

// RSA returns one of 10 keys of 2048 bits.
func RSA(i int) *rsa.PrivateKey {
	text, err := files.ReadFile(fmt.Sprintf("testdata/rsa-%d.pem", i))
	if err != nil {
		panic(err)
	}
	block, _ := pem.Decode(text)
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		panic(err)
	}
	return key
}

var used atomic.Int64

// Next returns a key of the service. Two in a row differ.
func Next() (*rsa.PrivateKey, error) {
	return RSA(services + int(used.Add(1)%(count-services))), nil
}
