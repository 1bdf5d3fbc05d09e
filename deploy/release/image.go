package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// descriptor refers to a file of an image by its hash, as in the OCI image specification.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// list is an index of images, or the manifest of one.
type list struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Config        *descriptor  `json:"config,omitempty"`
	Layers        []descriptor `json:"layers,omitempty"`
	Manifests     []descriptor `json:"manifests,omitempty"`
}

const mediaType = "application/vnd.oci.image."

// image is an OCI image layout with an image for each machine.
type image struct {
	blobs  []file
	images []descriptor
}

// add adds a file and returns what refers to it.
func (i *image) add(kind string, content []byte) descriptor {
	sum := fmt.Sprintf("%x", sha256.Sum256(content))
	i.blobs = append(i.blobs, file{"blobs/sha256/" + sum, 0o644, content})
	return descriptor{MediaType: mediaType + kind, Digest: "sha256:" + sum, Size: len(content)}
}

func (i *image) addJSON(kind string, v any) (descriptor, error) {
	text, err := json.Marshal(v)
	return i.add(kind, text), err
}

// image adds the image of a machine. It is the one of deploy/Dockerfile.
func (r *release) image(program []byte, machine string) error {
	dockerfile, err := os.ReadFile("deploy/Dockerfile")
	if err != nil {
		return err
	}
	plain, packed, err := layer(program, r.date)
	if err != nil {
		return err
	}
	config, err := r.config(string(dockerfile), machine, plain)
	if err != nil {
		return err
	}
	at, err := r.images.addJSON("config.v1+json", config)
	if err != nil {
		return err
	}
	manifest, err := r.images.addJSON("manifest.v1+json", list{
		SchemaVersion: 2, MediaType: mediaType + "manifest.v1+json", Config: &at, Layers: []descriptor{r.images.add("layer.v1.tar+gzip", packed)},
	})
	manifest.Platform = &platform{machine, "linux"}
	r.images.images = append(r.images.images, manifest)
	return err
}

// config returns the configuration of an image: what the last stage of a Dockerfile says.
func (r *release) config(dockerfile, machine string, layer []byte) (map[string]any, error) {
	stage := dockerfile[strings.LastIndex(dockerfile, "\nFROM scratch\n")+1:]
	config, ports := map[string]any{}, map[string]any{}
	for _, m := range regexp.MustCompile(`(?m)^([A-Z]+) (.*)$`).FindAllStringSubmatch(stage, -1) {
		switch name, value := m[1], m[2]; name {
		case "USER":
			config["User"] = value
		case "ENV":
			config["Env"] = strings.Fields(value)
		case "VOLUME":
			config["Volumes"] = map[string]any{value: map[string]any{}}
		case "EXPOSE":
			for _, port := range strings.Fields(value) {
				ports[port+"/tcp"] = map[string]any{}
			}
			config["ExposedPorts"] = ports
		case "ENTRYPOINT", "CMD":
			var words []string
			if err := json.Unmarshal([]byte(value), &words); err != nil {
				return nil, fmt.Errorf("%s of the Dockerfile: %w", name, err)
			}
			config[map[string]string{"ENTRYPOINT": "Entrypoint", "CMD": "Cmd"}[name]] = words
		case "FROM", "COPY", "HEALTHCHECK": // layer writes the files, and OCI has no health checks
		default:
			return nil, fmt.Errorf("the image doesn't know %s of the Dockerfile", name)
		}
	}
	config["Labels"] = map[string]string{"org.opencontainers.image.version": r.version, "org.opencontainers.image.revision": r.commit}
	return map[string]any{
		"created": r.date.Format(time.RFC3339), "architecture": machine, "os": "linux", "config": config,
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer))}},
	}, nil
}

// layer returns the files of the image, and the same packed.
func layer(program []byte, at time.Time) (plain, packed []byte, err error) {
	var b bytes.Buffer
	archive := tar.NewWriter(&b)
	for _, f := range []struct {
		file

		owner int
	}{
		{file{"data/", 0o700, nil}, 65532}, {file{"etc/", 0o755, nil}, 0}, {file{"etc/ssl/", 0o755, nil}, 0}, {file{"etc/ssl/certs/", 0o755, nil}, 0},
		{file{"etc/ssl/certs/ca-certificates.crt", 0o644, authorities()}, 0}, {file{"slipway", 0o755, program}, 0}, {file{"tmp/", 0o700, nil}, 65532},
	} {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.content)), Uid: f.owner, Gid: f.owner, ModTime: at, Format: tar.FormatUSTAR}
		if h.Typeflag = tar.TypeReg; path.Clean(f.name) != f.name {
			h.Typeflag = tar.TypeDir
		}
		if err := archive.WriteHeader(h); err != nil {
			return nil, nil, err
		}
		if _, err := archive.Write(f.content); err != nil {
			return nil, nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, nil, err
	}
	var z bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
	if err != nil {
		return nil, nil, err
	}
	_, err = zipped.Write(b.Bytes())
	err = errors.Join(err, zipped.Close())
	return b.Bytes(), z.Bytes(), err
}

// authorities returns the certificates of Mozilla's list, for TLS to webhooks, mail servers and
// buckets. They are of a version in go.mod, so that they are the same on each machine.
func authorities() []byte {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil { // the file can't express the others
			_ = pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // to memory
		}
	}
	return b.Bytes()
}

// writeImage writes the images of all machines to one archive.
func (r *release) writeImage() error {
	if len(r.images.images) == 0 {
		return nil
	}
	all, err := r.images.addJSON("index.v1+json", list{SchemaVersion: 2, MediaType: mediaType + "index.v1+json", Manifests: r.images.images})
	if err != nil {
		return err
	}
	all.Annotations = map[string]string{"org.opencontainers.image.ref.name": r.version}
	index, err := json.Marshal(list{SchemaVersion: 2, MediaType: mediaType + "index.v1+json", Manifests: []descriptor{all}})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	archive := tar.NewWriter(&b)
	for _, f := range append([]file{{"oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)}, {"index.json", 0o644, index}}, r.images.blobs...) {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.content)), ModTime: r.date, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(h); err != nil {
			return err
		}
		if _, err := archive.Write(f.content); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return r.write("slipway_"+r.version+"_image.tar", b.Bytes())
}
