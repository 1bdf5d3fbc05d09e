package samltest

import (
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	_ "crypto/sha1" // the default hash of OAEP
	_ "crypto/sha256"
	_ "crypto/sha512"
	"encoding/base64"
	"strings"

	"github.com/beevik/etree"
)

const (
	xenc   = "http://www.w3.org/2001/04/xmlenc#"
	xenc11 = "http://www.w3.org/2009/xmlenc11#"
)

// Algorithms of encrypted assertions.
const (
	AES128CBC = xenc + "aes128-cbc"
	AES256CBC = xenc + "aes256-cbc"
	AES128GCM = xenc11 + "aes128-gcm"
	AES256GCM = xenc11 + "aes256-gcm"
	TripleDES = xenc + "tripledes-cbc"

	OAEP   = xenc + "rsa-oaep-mgf1p"
	OAEP11 = xenc11 + "rsa-oaep"
	RSA15  = xenc + "rsa-1_5"

	DigestSHA256 = xenc + "sha256"
	DigestSHA512 = xenc + "sha512"
	MaskSHA256   = xenc11 + "mgf1sha256"
)

var digests = map[string]crypto.Hash{"": crypto.SHA1, DigestSHA256: crypto.SHA256, DigestSHA512: crypto.SHA512}

var masks = map[string]crypto.Hash{"": crypto.SHA1, MaskSHA256: crypto.SHA256}

// encrypt returns an EncryptedAssertion.
func (e *Encryption) encrypt(assertion *etree.Element) *etree.Element {
	key := make([]byte, 32)
	if strings.Contains(e.Data, "128") {
		key = key[:16]
	}
	random(key)
	ciphertext := seal(key, write(assertion), strings.HasSuffix(e.Data, "gcm"))
	if e.Corrupt {
		ciphertext[len(ciphertext)/2] ^= 1
	}

	root := etree.NewElement("saml:EncryptedAssertion")
	root.CreateAttr("xmlns:saml", Assertions)
	data := root.CreateElement("xenc:EncryptedData")
	data.CreateAttr("xmlns:xenc", xenc)
	data.CreateAttr("Type", xenc+"Element")
	data.CreateElement("xenc:EncryptionMethod").CreateAttr("Algorithm", e.Data)
	if e.Detached {
		root.AddChild(e.encryptKey(key))
	} else {
		info := data.CreateElement("ds:KeyInfo")
		info.CreateAttr("xmlns:ds", Signatures)
		info.AddChild(e.encryptKey(key))
	}
	data.CreateElement("xenc:CipherData").CreateElement("xenc:CipherValue").SetText(base64.StdEncoding.EncodeToString(ciphertext))
	return root
}

func (e *Encryption) encryptKey(key []byte) *etree.Element {
	public, ok := e.For.PublicKey.(*rsa.PublicKey)
	if !ok {
		panic("the certificate has no RSA key")
	}
	transport := e.KeyTransport
	if transport == "" {
		transport = OAEP
	}
	var encrypted []byte
	var err error
	if transport == RSA15 {
		encrypted, err = rsa.EncryptPKCS1v15(rand.Reader, public, key) //nolint:staticcheck // the attack that must be refused
	} else {
		encrypted, err = rsa.EncryptOAEPWithOptions(rand.Reader, public, key, &rsa.OAEPOptions{Hash: digests[e.Digest], MGFHash: masks[e.Mask]})
	}
	if err != nil {
		panic(err)
	}

	el := etree.NewElement("xenc:EncryptedKey")
	el.CreateAttr("xmlns:xenc", xenc)
	method := el.CreateElement("xenc:EncryptionMethod")
	method.CreateAttr("Algorithm", transport)
	if e.Digest != "" || e.UnknownDigest {
		digest := method.CreateElement("ds:DigestMethod")
		digest.CreateAttr("xmlns:ds", Signatures)
		digest.CreateAttr("Algorithm", e.Digest)
		if e.UnknownDigest {
			digest.CreateAttr("Algorithm", "urn:none")
		}
	}
	if e.Mask != "" {
		mask := method.CreateElement("xenc11:MGF")
		mask.CreateAttr("xmlns:xenc11", xenc11)
		mask.CreateAttr("Algorithm", e.Mask)
	}
	el.CreateElement("xenc:CipherData").CreateElement("xenc:CipherValue").SetText(base64.StdEncoding.EncodeToString(encrypted))
	return el
}

func seal(key, plain []byte, gcm bool) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	if gcm {
		aead, err := cipher.NewGCM(block)
		if err != nil {
			panic(err)
		}
		nonce := random(make([]byte, aead.NonceSize()))
		return aead.Seal(nonce, nonce, plain, nil)
	}

	padding := aes.BlockSize - len(plain)%aes.BlockSize
	plain = append(plain, make([]byte, padding)...)
	plain[len(plain)-1] = byte(padding)
	iv := random(make([]byte, aes.BlockSize))
	encrypted := make([]byte, len(plain))
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(encrypted, plain)
	return append(iv, encrypted...)
}

func random(b []byte) []byte {
	_, _ = rand.Read(b) // never fails
	return b
}
