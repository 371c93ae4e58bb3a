#!/bin/sh
# Makes .peers hold what others have built that `make bench` measures beside us: an environment for Python and, where
# Node is there, boardgame.io. Usage: tools/peers.sh [python]. Quick when nothing changed.
set -eu

cd "$(dirname "$0")/.."
python=${1:-.venv/bin/python} asked=bench/peers folder=.peers

hash_of() { # sha256sum is missing on macOS, shasum on a bare Debian
    if command -v sha256sum >/dev/null 2>&1; then sha256sum; else shasum -a 256; fi | cut -d' ' -f1
}
stamp=$folder/.stamp-$(cat "$asked/requirements.lock" "$asked/package-lock.json" | hash_of)
if [ -f "$stamp" ]; then exit 0; fi

echo "Installing what is measured beside us into $folder"
rm -rf "$folder"
"$python" -m venv "$folder/venv"
PIP_DISABLE_PIP_VERSION_CHECK=1 "$folder/venv/bin/python" -m pip install --quiet --no-input --no-deps --require-hashes \
    -r "$asked/requirements.lock"
if command -v npm >/dev/null 2>&1; then
    cp "$asked/package.json" "$asked/package-lock.json" "$asked/.npmrc" "$folder/"
    (cd "$folder" && npm ci --silent)
else
    echo "No npm here: boardgame.io is left out"
fi
touch "$stamp"
