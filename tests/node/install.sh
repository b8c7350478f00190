#!/usr/bin/env bash
# Installs the pinned Node packages that tests run. Without npm, tests that need them skip; in CI they fail.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

stamp=node_modules/.installed
[ -f "$stamp" ] && [ ! package-lock.json -nt "$stamp" ] && exit 0
if ! command -v npm >/dev/null; then
    echo "npm is not installed: tests that need Node packages are skipped." >&2
    [ -z "${CI:-}" ]
    exit
fi
npm ci --no-audit --no-fund --no-update-notifier --loglevel=error --fetch-timeout=60000 --fetch-retries=1
# The pinned Node arrives by an install script, which npm may refuse to run.
[ -x node_modules/node/bin/node ] || (cd node_modules/node && node installArchSpecificPackage.js) ||
    echo "The pinned Node could not be fetched; this machine's is used." >&2
touch "$stamp"
