package main

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	_ "embed"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed install.sh
var installer string

// downloads returns the address at which the release will be, from release.yaml.
func downloads() (string, error) {
	text, err := os.ReadFile("release.yaml")
	if err != nil {
		return "", err
	}
	var names struct{ Downloads string }
	err = yaml.Unmarshal(text, &names)
	return names.Downloads, err
}

// publish writes what is about the other files: the list of checksums, its signature, an installer
// and a formula for Homebrew. Without a key, nothing is signed.
func (r *release) publish(address, keyFile string) error {
	list := []byte(strings.Join(r.sums, ""))
	public := ""
	if keyFile != "" {
		text, err := os.ReadFile(keyFile)
		if err != nil {
			return err
		}
		signature, key, err := sign(list, text)
		if err != nil {
			return err
		}
		public = strings.TrimSpace(string(key))
		if err := os.WriteFile(filepath.Join(r.folder, "SHA256SUMS.sig"), signature, 0o644); err != nil {
			return err
		}
	}
	script := strings.NewReplacer("@VERSION@", r.version, "@DOWNLOADS@", address, "@PUBLIC_KEY@", public).Replace(installer)
	if err := os.WriteFile(filepath.Join(r.folder, "install.sh"), []byte(script), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.folder, "slipway.rb"), []byte(r.formula(address)), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.folder, "SHA256SUMS"), list, 0o644)
}

// sign signs a list with a P-256 key, which all versions of openssl can check, and returns the
// signature and the public key.
func sign(list, private []byte) (signature, public []byte, err error) {
	block, _ := pem.Decode(private)
	if block == nil {
		return nil, nil, errors.New("the key is not PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, nil, err
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return nil, nil, fmt.Errorf("the key is %T, want one of: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256", parsed)
	}
	sum := sha256.Sum256(list)
	if signature, err = ecdsa.SignASN1(rand.Reader, key, sum[:]); err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	return signature, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), err
}

// formula is for Homebrew.
func (r *release) formula(address string) string {
	sums := map[string]string{}
	for _, line := range r.sums {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	var b strings.Builder
	fmt.Fprintf(&b, "class Slipway < Formula\n  desc \"Self-hosted software for boat dealerships\"\n  homepage %q\n  version %q\n  license \"Apache-2.0\"\n",
		address, strings.TrimPrefix(r.version, "v"))
	for _, system := range []struct{ ruby, name string }{{"macos", "darwin"}, {"linux", "linux"}} {
		fmt.Fprintf(&b, "\n  on_%s do\n", system.ruby)
		for _, machine := range []struct{ ruby, name string }{{"intel", "amd64"}, {"arm", "arm64"}} {
			file := fmt.Sprintf("slipway_%s_%s_%s.tar.gz", r.version, system.name, machine.name)
			if sums[file] != "" {
				fmt.Fprintf(&b, "    on_%s do\n      url %q\n      sha256 %q\n    end\n", machine.ruby, address+"/"+r.version+"/"+file, sums[file])
			}
		}
		b.WriteString("  end\n")
	}
	b.WriteString("\n  def install\n    bin.install \"slipway\"\n  end\n\n  test do\n    system \"#{bin}/slipway\", \"version\"\n  end\nend\n")
	return b.String()
}
