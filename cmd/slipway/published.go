package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"slipway/internal/app"
	"slipway/internal/vocab/lazy"
)

// published are the releases at an address.
type published struct {
	Address  string
	Key      *ecdsa.PublicKey // nil if the releases are not signed
	Unsigned bool
}

// maxRelease limits what is downloaded.
const maxRelease = 500 << 20

var releaseVersion = lazy.Regexp(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)

// publicKey returns the key of a file, or the one of the build.
func (c upgradeCmd) publicKey() (*ecdsa.PublicKey, error) {
	der, err := base64.StdEncoding.DecodeString(app.PublicKey)
	if c.Key != "" {
		text, readErr := os.ReadFile(c.Key)
		block, _ := pem.Decode(text)
		if readErr != nil || block == nil {
			return nil, errors.Join(readErr, errors.New("--key is not a PEM file"))
		}
		der = block.Bytes
	}
	if err != nil {
		return nil, err
	}
	if len(der) == 0 {
		if !c.Unsigned {
			return nil, errors.New("this build doesn't know the key of the releases. Use --key, or --unsigned to trust the address alone")
		}
		return nil, nil
	}
	key, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, err
	}
	known, ok := key.(*ecdsa.PublicKey)
	if !ok {
		return nil, fmt.Errorf("the key is %T, want a P-256 key", key)
	}
	return known, nil
}

// newest returns the version to install. The file latest isn't signed, so it can't name one that
// is older than this program.
func (p published) newest(ctx context.Context, wanted string) (string, error) {
	version := wanted
	if version == "" {
		text, err := p.get(ctx, "latest")
		if err != nil {
			return "", err
		}
		version = strings.TrimSpace(string(text))
	}
	if !releaseVersion().MatchString(version) {
		return "", fmt.Errorf("%q is not a version such as v1.3.0", version)
	}
	if wanted == "" && older(version, app.Build) {
		return "", fmt.Errorf("the newest release is %s, which is older than this program, %s. Name the version to install it anyway", version, app.Build)
	}
	return version, nil
}

// older compares two versions. What isn't a release is never newer.
func older(a, b string) bool {
	var x, y [3]int
	if !releaseVersion().MatchString(b) {
		return false
	}
	_, errA := fmt.Sscanf(a, "v%d.%d.%d", &x[0], &x[1], &x[2])
	_, errB := fmt.Sscanf(b, "v%d.%d.%d", &y[0], &y[1], &y[2])
	if errA != nil || errB != nil {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return false
}

// download gets a release, checks it, and returns the path of its program in a folder.
func (p published) download(s *session, version, folder string) (string, error) {
	name := fmt.Sprintf("slipway_%s_%s_%s.tar.gz", version, runtime.GOOS, runtime.GOARCH)
	sums, err := p.get(s, version+"/SHA256SUMS")
	if err != nil {
		return "", err
	}
	if err := p.verify(s, version, sums); err != nil {
		return "", err
	}
	archive, err := p.get(s, version+"/"+name)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(archive)
	if !bytes.Contains(append([]byte("\n"), sums...), []byte("\n"+hex.EncodeToString(sum[:])+"  "+name+"\n")) {
		return "", fmt.Errorf("the checksum of %s is wrong. Nothing was changed", name)
	}
	path := filepath.Join(folder, "slipway")
	if err := unpackProgram(archive, path); err != nil {
		return "", err
	}
	signed := "is not signed"
	if p.Key != nil {
		signed = "has a valid signature"
	}
	_, err = fmt.Fprintf(s.out, "Downloaded %s, which %s and a valid checksum.\n", name, signed)
	return path, err
}

// verify checks the signature of the list of checksums.
func (p published) verify(ctx context.Context, version string, sums []byte) error {
	if p.Key == nil {
		return nil
	}
	signature, err := p.get(ctx, version+"/SHA256SUMS.sig")
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(sums); !ecdsa.VerifyASN1(p.Key, sum[:], signature) {
		return errors.New("the signature of SHA256SUMS is wrong. Nothing was changed")
	}
	return nil
}

var releaseClient = &http.Client{Timeout: 15 * time.Minute}

// get downloads a file.
func (p published) get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Address+"/"+path, nil)
	if err != nil {
		return nil, err
	}
	res, err := releaseClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("can't download %s/%s: %s", p.Address, path, res.Status)
	}
	content, err := io.ReadAll(io.LimitReader(res.Body, maxRelease+1))
	if err == nil && len(content) > maxRelease {
		err = fmt.Errorf("%s/%s is larger than %d MB", p.Address, path, maxRelease>>20)
	}
	return content, err
}

// unpackProgram writes the program of an archive to a path.
func unpackProgram(archive []byte, path string) error {
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return err
	}
	files := tar.NewReader(unzipped)
	for {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			return errors.New("the archive has no program")
		}
		if err != nil {
			return err
		}
		if filepath.Base(file.Name) != "slipway" || file.Typeflag != tar.TypeReg {
			continue
		}
		content, err := io.ReadAll(io.LimitReader(files, maxRelease))
		if err != nil {
			return err
		}
		return os.WriteFile(path, content, 0o755)
	}
}
