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

// readKey reads the P-256 key of a file, if there is one. All versions of openssl can check its
// signatures.
func (r *release) readKey(file string) error {
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return errors.New("the key is not PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return err
	}
	var ok bool
	if r.private, ok = parsed.(*ecdsa.PrivateKey); !ok {
		return fmt.Errorf("the key is %T, want one of: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256", parsed)
	}
	r.public, err = x509.MarshalPKIXPublicKey(&r.private.PublicKey)
	return err
}

// publish writes what is about the other files: the list of checksums, its signature, an installer,
// a formula for Homebrew, and the name of the version. Without a key, nothing is signed.
func (r *release) publish() error {
	list := []byte(strings.Join(r.sums, ""))
	public := ""
	if r.private != nil {
		sum := sha256.Sum256(list)
		signature, err := ecdsa.SignASN1(rand.Reader, r.private, sum[:])
		if err != nil {
			return err
		}
		public = strings.TrimSpace(string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: r.public})))
		if err := os.WriteFile(filepath.Join(r.folder, "SHA256SUMS.sig"), signature, 0o644); err != nil {
			return err
		}
	}
	script := strings.NewReplacer("@VERSION@", r.version, "@DOWNLOADS@", r.downloads, "@PUBLIC_KEY@", public).Replace(installer)
	if err := os.WriteFile(filepath.Join(r.folder, "install.sh"), []byte(script), 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{"slipway.rb": r.formula(), "latest": r.version + "\n", "SHA256SUMS": string(list)} {
		if err := os.WriteFile(filepath.Join(r.folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// formula is for Homebrew.
func (r *release) formula() string {
	sums := map[string]string{}
	for _, line := range r.sums {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	var b strings.Builder
	fmt.Fprintf(&b, "class Slipway < Formula\n  desc \"Self-hosted software for boat dealerships\"\n  homepage %q\n  version %q\n  license \"Apache-2.0\"\n",
		r.downloads, strings.TrimPrefix(r.version, "v"))
	for _, system := range []struct{ ruby, name string }{{"macos", "darwin"}, {"linux", "linux"}} {
		fmt.Fprintf(&b, "\n  on_%s do\n", system.ruby)
		for _, machine := range []struct{ ruby, name string }{{"intel", "amd64"}, {"arm", "arm64"}} {
			file := fmt.Sprintf("slipway_%s_%s_%s.tar.gz", r.version, system.name, machine.name)
			if sums[file] != "" {
				fmt.Fprintf(&b, "    on_%s do\n      url %q\n      sha256 %q\n    end\n", machine.ruby, r.downloads+"/"+r.version+"/"+file, sums[file])
			}
		}
		b.WriteString("  end\n")
	}
	b.WriteString("\n  def install\n    bin.install \"slipway\"\n  end\n\n  test do\n    system \"#{bin}/slipway\", \"version\"\n  end\nend\n")
	return b.String()
}
