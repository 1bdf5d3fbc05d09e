package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"slipway/internal/testkit/assert"
)

// unpacked returns the files of an archive by name.
func unpacked(t *testing.T, archive []byte) (files map[string][]byte, headers map[string]*tar.Header) {
	t.Helper()
	files, headers = map[string][]byte{}, map[string]*tar.Header{}
	for entries := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return files, headers
		}
		assert.NoError(t, err)
		files[h.Name], err = io.ReadAll(entries)
		assert.NoError(t, err)
		headers[h.Name] = h
	}
}

// The image has a program for each machine, and is what the Dockerfile describes.
func TestImage(t *testing.T) {
	t.Chdir("../..")
	r := &release{version: "v9.9.9", commit: "abc", date: commit, folder: t.TempDir()}
	for _, machine := range []string{"amd64", "arm64"} {
		assert.NoError(t, r.image([]byte("#!/bin/sh\necho "+machine), machine))
	}
	assert.NoError(t, r.writeImage())
	archive, err := os.ReadFile(filepath.Join(r.folder, "slipway_v9.9.9_image.tar"))
	assert.NoError(t, err)
	files, _ := unpacked(t, archive)
	blob := func(d descriptor, out any) []byte {
		t.Helper()
		content := files["blobs/sha256/"+d.Digest[len("sha256:"):]]
		assert.Equal(t, fmt.Sprintf("sha256:%x", sha256.Sum256(content)), d.Digest)
		assert.Equal(t, len(content), d.Size)
		if out != nil {
			assert.NoError(t, json.Unmarshal(content, out))
		}
		return content
	}

	var index, all list
	assert.NoError(t, json.Unmarshal(files["index.json"], &index))
	assert.Len(t, index.Manifests, 1)
	assert.Equal(t, index.Manifests[0].Annotations["org.opencontainers.image.ref.name"], "v9.9.9")
	blob(index.Manifests[0], &all)
	assert.Len(t, all.Manifests, 2)
	for i, machine := range []string{"amd64", "arm64"} {
		assert.Equal(t, *all.Manifests[i].Platform, platform{machine, "linux"})
		var manifest list
		blob(all.Manifests[i], &manifest)
		var config struct {
			Architecture string
			Config       struct {
				User                  string
				Env, Entrypoint, Cmd  []string
				Volumes, ExposedPorts map[string]any
			}
			RootFS struct {
				DiffIDs []string `json:"diff_ids"`
			}
		}
		blob(*manifest.Config, &config)
		assert.Equal(t, config.Architecture, machine)
		assert.Equal(t, config.Config.User, "65532:65532")
		assert.Equal(t, config.Config.Env, []string{"SLIPWAY_DATA=/data", "SLIPWAY_LISTEN=0.0.0.0:8080", "SLIPWAY_METRICS_LISTEN=0.0.0.0:9090"})
		assert.Equal(t, append(config.Config.Entrypoint, config.Config.Cmd...), []string{"/slipway", "serve"})
		assert.Equal(t, len(config.Config.Volumes), 1, "volumes")
		assert.Equal(t, len(config.Config.ExposedPorts), 2, "ports")

		zipped, err := gzip.NewReader(bytes.NewReader(blob(manifest.Layers[0], nil)))
		assert.NoError(t, err)
		plain, err := io.ReadAll(zipped)
		assert.NoError(t, err)
		assert.Equal(t, config.RootFS.DiffIDs, []string{fmt.Sprintf("sha256:%x", sha256.Sum256(plain))})
		in, headers := unpacked(t, plain)
		assert.Equal(t, string(in["slipway"]), "#!/bin/sh\necho "+machine)
		assert.Equal(t, headers["data/"].Uid, 65532)
		assert.Equal(t, headers["data/"].Mode, int64(0o700))
		roots := x509.NewCertPool()
		assert.Equal(t, roots.AppendCertsFromPEM(in["etc/ssl/certs/ca-certificates.crt"]), true)
	}

	// A tool for images reads it, if the machine has one.
	for tool, args := range map[string][]string{
		"skopeo": {"inspect", "--raw", "oci-archive:" + filepath.Join(r.folder, "slipway_v9.9.9_image.tar")},
	} {
		if _, err := exec.LookPath(tool); err == nil {
			out, err := exec.Command(tool, args...).CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v\n%s", tool, err, out)
			}
		}
	}
}
