#!/usr/bin/env bash
# Installs the pinned conformance suite from npm and runs it on the product and on the fixture.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
suite="$here/node_modules/@modelcontextprotocol/conformance/dist/index.js"
stamp="$here/node_modules/.installed"
pinned="$here/node_modules/node/bin/node"
oldest=22 # the suite imports what older ones lack

skip() {
    echo "conformance: $1"
    if [ -n "${CI:-}" ]; then
        echo "conformance: not run, which is a failure in CI"
        exit 1
    fi
    echo "conformance: skipped"
    exit 0
}

install() {
    if [ -f "$suite" ] && [ "$stamp" -nt "$here/package-lock.json" ]; then
        return
    fi
    command -v npm >/dev/null || skip "npm is not installed, and the suite comes from npm"
    echo "conformance: installing the suite from npm"
    (cd "$here" && npm ci --no-audit --no-fund --no-update-notifier --loglevel=error \
        --fetch-timeout=60000 --fetch-retries=1) ||
        skip "npm could not install the suite"
    [ -f "$suite" ] || skip "npm installed something else than the suite"
    # The pinned Node arrives by an install script, which npm may refuse to run.
    [ -x "$pinned" ] || (cd "$here/node_modules/node" && node installArchSpecificPackage.js) ||
        echo "conformance: the pinned Node could not be fetched; trying this machine's"
    touch "$stamp"
}

find_node() {
    local node version
    for node in "$pinned" "$(command -v node || true)"; do
        version=$("$node" --version 2>/dev/null) || continue
        version=${version#v}
        if [ "${version%%.*}" -ge "$oldest" ]; then
            echo "$node"
            return
        fi
    done
}

# A PYTHON meant for building the environment may not have the package; then the environment's has.
find_python() {
    local python
    for python in "${PYTHON:-}" "$root/.venv/bin/python"; do
        if [ -n "$python" ] && "$python" -c "import citewell, mcp" 2>/dev/null; then
            echo "$python"
            return
        fi
    done
}

install
node=$(find_node)
[ -n "$node" ] || skip "there is no Node $oldest or newer, neither from npm nor on this machine"
python=$(find_python)
[ -n "$python" ] || { echo "conformance: no Python with citewell; run make check first"; exit 1; }

cd "$root"
exec "$python" -m tests.conformance.suite "$node"
