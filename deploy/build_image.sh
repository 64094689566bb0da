#!/bin/sh
# Build the image without a daemon: `make image`. Needs buildah, and root.
#   BASE=...   takes another base; unset, it is made of Debian's packages by mmdebstrap
#   IMAGE=...  names the result
#   EXTRAS=... installs further lock files, as the Dockerfile says
# PIP_CERT or SSL_CERT_FILE names the certificates of a proxy that ends TLS.
set -eu
cd "$(dirname "$0")/.."
export BUILDAH_ISOLATION=chroot
image=${IMAGE:-automaton-auditor} base=${BASE:-} certificates=${PIP_CERT:-${SSL_CERT_FILE:-}}

if [ -z "$base" ]; then
    base=localhost/auditor-base
    archive=$(mktemp --suffix=.tar)
    trap 'rm -f "$archive"' EXIT
    mmdebstrap --quiet --variant=minbase --include=python3,python3-venv,ca-certificates bookworm "$archive"
    container=$(buildah from scratch)
    buildah add --quiet "$container" "$archive" / >/dev/null
    buildah commit --quiet --rm "$container" "$base" >/dev/null
fi

set -- --layers=false --build-arg BASE="$base" --build-arg EXTRAS="${EXTRAS:-}" --tag "$image"
[ -z "$certificates" ] || set -- "$@" --secret id=ca_certificates,src="$certificates"
buildah build "$@" .
buildah images --format '{{.Name}}: {{.Size}}' "$image"
