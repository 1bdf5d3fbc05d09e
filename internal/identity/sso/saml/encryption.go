package saml

import (
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rsa"
	_ "crypto/sha1" // the default hash of OAEP, where collisions don't matter
	_ "crypto/sha256"
	_ "crypto/sha512"
	"errors"
	"slices"

	"github.com/beevik/etree"
)

const (
	keyTransportOAEP   = nsEncryption + "rsa-oaep-mgf1p"
	keyTransportOAEP11 = nsEncrypt11 + "rsa-oaep"
)

// maxEncryptedKeys is the number of keys that an assertion can be encrypted for.
// Each costs one RSA operation for each of our keys.
const maxEncryptedKeys = 4

var oaepHashes = map[string]crypto.Hash{
	"":                                       crypto.SHA1,
	"http://www.w3.org/2000/09/xmldsig#sha1": crypto.SHA1,
	"http://www.w3.org/2001/04/xmlenc#sha256":       crypto.SHA256,
	"http://www.w3.org/2001/04/xmldsig-more#sha384": crypto.SHA384,
	"http://www.w3.org/2001/04/xmlenc#sha512":       crypto.SHA512,
}

var oaepMasks = map[string]crypto.Hash{
	"":                         crypto.SHA1,
	nsEncrypt11 + "mgf1sha1":   crypto.SHA1,
	nsEncrypt11 + "mgf1sha256": crypto.SHA256,
	nsEncrypt11 + "mgf1sha384": crypto.SHA384,
	nsEncrypt11 + "mgf1sha512": crypto.SHA512,
}

type blockMethod struct {
	keySize int
	gcm     bool
}

var blockMethods = map[string]blockMethod{
	nsEncryption + "aes128-cbc": {16, false},
	nsEncryption + "aes192-cbc": {24, false},
	nsEncryption + "aes256-cbc": {32, false},
	nsEncrypt11 + "aes128-gcm":  {16, true},
	nsEncrypt11 + "aes192-gcm":  {24, true},
	nsEncrypt11 + "aes256-gcm":  {32, true},
}

// decrypt returns the assertion in an EncryptedAssertion. gosaml2 can decrypt too,
// but with one key only, with the wrong names of the OAEP hashes, and with the
// key transport RSA 1.5, which leaks keys through its errors.
func (s Service) decrypt(el *etree.Element) (*etree.Element, error) {
	data, err := required(el, nsEncryption, "EncryptedData")
	if err != nil {
		return nil, err
	}
	method, err := required(data, nsEncryption, "EncryptionMethod")
	if err != nil {
		return nil, err
	}
	block, ok := blockMethods[attribute(method, "Algorithm")]
	if !ok || !block.gcm && !s.AllowCBC {
		return nil, refuse(CodeAlgorithm, "The assertion is encrypted with %s, which is not accepted. "+
			"In your identity provider, set the encryption algorithm to AES-256-GCM. If it can't, set allow_cbc on the connection.",
			shown(attribute(method, "Algorithm")))
	}
	ciphertext, err := cipherValue(data)
	if err != nil {
		return nil, err
	}
	encryptedKeys, err := findEncryptedKeys(el, data)
	if err != nil {
		return nil, err
	}

	// All failures from here on give the same fault. A difference would be an oracle for the plain text.
	for _, pair := range slices.Backward(s.Keys) {
		for _, encrypted := range encryptedKeys {
			key, err := encrypted.open(pair)
			if err != nil || len(key) != block.keySize {
				continue
			}
			plain, err := block.open(key, ciphertext)
			if err != nil {
				continue
			}
			assertion, err := parse(plain)
			if err != nil || !is(assertion, nsAssertion, "Assertion") {
				continue
			}
			return assertion, nil
		}
	}
	return nil, refuse(CodeDecryption, "The assertion can't be decrypted. "+
		"In your identity provider, replace the encryption certificate with the newest one in the metadata of this connection.")
}

func cipherValue(el *etree.Element) ([]byte, error) {
	data, err := required(el, nsEncryption, "CipherData")
	if err != nil {
		return nil, err
	}
	value, err := required(data, nsEncryption, "CipherValue")
	if err != nil {
		return nil, err
	}
	encoded, err := text(value)
	if err != nil {
		return nil, err
	}
	return decodeBase64(encoded)
}

// encryptedKey is the key of an assertion, encrypted with the key of a service.
type encryptedKey struct {
	value   []byte
	options *rsa.OAEPOptions
}

// findEncryptedKeys reads the keys inside the encrypted data and next to it.
func findEncryptedKeys(assertion, data *etree.Element) (keys []encryptedKey, err error) {
	elements := children(assertion, nsEncryption, "EncryptedKey")
	info, err := optional(data, nsSignature, "KeyInfo")
	if err != nil {
		return nil, err
	}
	if info != nil {
		elements = append(children(info, nsEncryption, "EncryptedKey"), elements...)
	}
	if len(elements) == 0 || len(elements) > maxEncryptedKeys {
		return nil, refuse(CodeDecryption, "The encrypted assertion has %d keys. It must have 1 to %d.", len(elements), maxEncryptedKeys)
	}

	for _, el := range elements {
		options, err := readKeyTransport(el)
		if err != nil {
			return nil, err
		}
		value, err := cipherValue(el)
		if err != nil {
			return nil, err
		}
		keys = append(keys, encryptedKey{value, options})
	}
	return keys, nil
}

func readKeyTransport(el *etree.Element) (*rsa.OAEPOptions, error) {
	method, err := required(el, nsEncryption, "EncryptionMethod")
	if err != nil {
		return nil, err
	}
	algorithm := attribute(method, "Algorithm")
	if algorithm != keyTransportOAEP && algorithm != keyTransportOAEP11 {
		return nil, refuse(CodeAlgorithm, "The key of the assertion is encrypted with %s, which is not accepted. "+
			"In your identity provider, set the key transport algorithm to RSA-OAEP.", shown(algorithm))
	}

	digest, mask := "", ""
	for _, child := range method.ChildElements() {
		switch {
		case is(child, nsSignature, "DigestMethod"):
			digest = attribute(child, "Algorithm")
		case is(child, nsEncrypt11, "MGF") && algorithm == keyTransportOAEP11:
			mask = attribute(child, "Algorithm")
		case is(child, nsEncryption, "KeySize"): // the key has the size of the certificate's
		default:
			return nil, refuse(CodeAlgorithm, "The key transport has the unknown parameter %s.", shown(child.Tag))
		}
	}
	options := &rsa.OAEPOptions{Hash: oaepHashes[digest], MGFHash: oaepMasks[mask]}
	if options.Hash == 0 || options.MGFHash == 0 {
		return nil, refuse(CodeAlgorithm, "The key transport uses an unknown hash: %s.", shown(digest+" "+mask))
	}
	return options, nil
}

func (k encryptedKey) open(pair KeyPair) ([]byte, error) {
	decrypter, ok := pair.Key.(crypto.Decrypter)
	if !ok {
		return nil, errors.New("the key can't decrypt")
	}
	return decrypter.Decrypt(nil, k.value, k.options)
}

func (m blockMethod) open(key, ciphertext []byte) ([]byte, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	if m.gcm {
		gcm, err := cipher.NewGCM(block)
		if err != nil {
			return nil, err
		}
		if len(ciphertext) < gcm.NonceSize() {
			return nil, errors.New("too short")
		}
		return gcm.Open(nil, ciphertext[:gcm.NonceSize()], ciphertext[gcm.NonceSize():], nil)
	}

	size := block.BlockSize()
	if len(ciphertext) < 2*size || len(ciphertext)%size != 0 {
		return nil, errors.New("not a multiple of the block size")
	}
	plain := make([]byte, len(ciphertext)-size)
	cipher.NewCBCDecrypter(block, ciphertext[:size]).CryptBlocks(plain, ciphertext[size:])
	padding := int(plain[len(plain)-1])
	if padding == 0 || padding > size {
		return nil, errors.New("invalid padding")
	}
	return plain[:len(plain)-padding], nil
}
