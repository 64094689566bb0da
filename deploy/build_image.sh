#!/bin/sh
# Build the image without a daemon: `make image`. Needs buildah, and root.
#   BASE=...   takes another base; unset, it is made of Debian's packages by mmdebstrap, once a day
#   SUITE=...  is the release of Debian that this base is made of
#   IMAGE=...  names the result
#   EXTRAS=... installs further lock files, as the Dockerfile says
# PIP_CERT or SSL_CERT_FILE names the certificates of a proxy that ends TLS.
set -eu
cd "$(dirname "$0")/.."
export BUILDAH_ISOLATION=chroot
image=${IMAGE:-automaton-auditor} base=${BASE:-} suite=${SUITE:-bookworm}
certificates=${PIP_CERT:-${SSL_CERT_FILE:-}}

make_base() {
    container=$(buildah from scratch)
    trap 'buildah rm "$container" >/dev/null' EXIT
    # Without documents and translations, as Debian's own small images are.
    mmdebstrap --quiet --variant=minbase --include=python3,python3-venv,ca-certificates \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
        --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        "$suite" "$(buildah mount "$container")"
    buildah commit --quiet --rm "$container" "$base" >/dev/null
    trap - EXIT
}

if [ -z "$base" ]; then
    base=localhost/auditor-base:$suite-$(date +%F)
    buildah inspect --type image "$base" >/dev/null 2>&1 || make_base
fi

former=$(buildah images --quiet "$image" 2>/dev/null || true)
set -- --layers --build-arg BASE="$base" --build-arg EXTRAS="${EXTRAS:-}" --tag "$image"
revision=$(git describe --always --dirty --abbrev=40 2>/dev/null) && set -- "$@" --build-arg REVISION="$revision"
[ -z "$certificates" ] || set -- "$@" --secret id=ca_certificates,src="$certificates"
buildah build "$@" .
if [ -n "$former" ] && [ "$former" != "$(buildah images --quiet "$image")" ]; then
    buildah rmi "$former" >/dev/null 2>&1 || echo "The former image is in use, and stays: $former"
fi
buildah images --format '{{.Name}}: {{.Size}}' "$image"
