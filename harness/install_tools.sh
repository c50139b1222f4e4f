#!/bin/sh
# Installs the system tools that instruction counts need, where that takes neither a password nor another package
# manager than apt-get; otherwise prints the one command to run. What needs a missing tool is skipped, so this never
# fails. Argument: a file that keeps an attempt from being repeated on the same day.
set -u

missing=
want() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
want cc "gcc libc6-dev"
want musl-gcc musl-tools
want valgrind valgrind
[ -n "$missing" ] || exit 0

say() { printf '%s\n' "$*" >&2; }
root=
[ "$(id -u)" = 0 ] || root="sudo "
by_hand="${root}apt-get install -y$missing"
today=$(date +%F)

if [ "$(cat "$1" 2>/dev/null)" = "$today" ]; then
    say "Still missing after today's attempt:$missing; what needs them is skipped. To install: $by_hand"
elif ! command -v apt-get >/dev/null 2>&1 || { [ -n "$root" ] && ! sudo -n true 2>/dev/null; }; then
    say "Missing:$missing; what needs them is skipped. To install: $by_hand"
else
    say "Installing:$missing"
    echo "$today" >"$1"
    options="-qq -o Acquire::Retries=1 -o Acquire::http::Timeout=30 -o DPkg::Lock::Timeout=60"
    # shellcheck disable=SC2086 # the options and packages are words
    if { ${root}apt-get $options update &&
        ${root}env DEBIAN_FRONTEND=noninteractive apt-get $options install -y --no-install-recommends $missing; } \
        >"$1.log" 2>&1 </dev/null; then
        say "Installed:$missing"
    else
        say "Could not install:$missing (see $1.log); what needs them is skipped. To install: $by_hand"
    fi
fi
exit 0
