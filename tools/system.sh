#!/usr/bin/env bash
# Installs the system tools that are missing, where that can be done without asking; otherwise says how, and goes on.
# A failed attempt leaves a stamp, so that it is not made again on the same day.
set -u
stamp=${1:?a folder for the stamp}/system-tools-$(date +%F)
declare -A package=([cc]=gcc [valgrind]=valgrind [musl-gcc]=musl-tools)
missing=()
for tool in cc valgrind musl-gcc; do
    command -v "$tool" >/dev/null 2>&1 || missing+=("${package[$tool]}")
done
[ ${#missing[@]} -eq 0 ] && exit 0
[ -e "$stamp" ] && exit 0

if [ "$(id -u)" -eq 0 ]; then root=(); else root=(sudo -n); fi
install="apt-get install -y ${missing[*]}"
if command -v apt-get >/dev/null 2>&1 && { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }; then
    echo "installing the system tools that are missing: $install" >&2
    if "${root[@]}" apt-get update -qq >/dev/null 2>&1 &&
        "${root[@]}" env DEBIAN_FRONTEND=noninteractive $install -qq >/dev/null 2>&1; then
        exit 0
    fi
    echo "that failed; what needs ${missing[*]} will be skipped" >&2
else
    echo "missing system tools: ${missing[*]}. To install them: sudo $install" >&2
fi
touch "$stamp"
