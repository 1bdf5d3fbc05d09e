#!/bin/sh
# Installs Slipway @VERSION@ for this user, or for everyone if you are root. It checks the signature
# and the checksum, and changes nothing but the program.
#
#   curl -fsSL @DOWNLOADS@/@VERSION@/install.sh | sh
#
# PREFIX is where it goes: $PREFIX/bin/slipway. SLIPWAY_DOWNLOADS is another address.
set -eu
version=@VERSION@
downloads=${SLIPWAY_DOWNLOADS:-@DOWNLOADS@}
key='@PUBLIC_KEY@'

fail() {
	echo "install.sh: $*" >&2
	exit 1
}

case $(uname -s) in
Linux) system=linux ;;
Darwin) system=darwin ;;
*) fail "There is no program for $(uname -s). On Windows, unpack the archive in $downloads/$version." ;;
esac
case $(uname -m) in
x86_64 | amd64) machine=amd64 ;;
aarch64 | arm64) machine=arm64 ;;
*) fail "There is no program for $(uname -m)." ;;
esac
if [ -z "${PREFIX:-}" ]; then
	PREFIX=$HOME/.local
	if [ "$(id -u)" = 0 ]; then PREFIX=/usr/local; fi
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
get() {
	if command -v curl >/dev/null; then
		curl -fsSLo "$1" "$downloads/$version/$1"
	elif command -v wget >/dev/null; then
		wget -qO "$1" "$downloads/$version/$1"
	else
		fail "curl or wget is required."
	fi || fail "Can't download $downloads/$version/$1."
}

archive=slipway_${version}_${system}_${machine}
get "$archive.tar.gz"
get SHA256SUMS
if [ -n "$key" ]; then
	command -v openssl >/dev/null || fail "openssl is required to check the signature."
	get SHA256SUMS.sig
	echo "$key" >key.pem
	openssl dgst -sha256 -verify key.pem -signature SHA256SUMS.sig SHA256SUMS >/dev/null 2>&1 || fail "The signature of SHA256SUMS is wrong. Nothing was installed."
	echo "The signature is valid."
else
	echo "This release is not signed."
fi
grep " $archive.tar.gz\$" SHA256SUMS >wanted || fail "SHA256SUMS doesn't list $archive.tar.gz."
if command -v sha256sum >/dev/null; then
	sha256sum -c wanted >/dev/null 2>&1
else
	shasum -a 256 -c wanted >/dev/null 2>&1
fi || fail "The checksum of $archive.tar.gz is wrong. Nothing was installed."
echo "The checksum is valid."

tar -xzf "$archive.tar.gz"
mkdir -p "$PREFIX/bin"
cp "$archive/slipway" "$PREFIX/bin/.slipway.new"
chmod 755 "$PREFIX/bin/.slipway.new"
mv "$PREFIX/bin/.slipway.new" "$PREFIX/bin/slipway" # at once, also while the old one runs
echo "Installed $PREFIX/bin/slipway."
case ":$PATH:" in
*":$PREFIX/bin:"*) echo "Try it: slipway demo" ;;
*) echo "Add it to your path: export PATH=\"$PREFIX/bin:\$PATH\"" ;;
esac
