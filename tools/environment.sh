#!/bin/sh
# Makes .venv hold exactly what a lock names. Usage: tools/environment.sh run|dev
# Quick when nothing changed: a stamp named after the hash of lock and script is written last, so a broken half-install
# is redone.
set -eu

cd "$(dirname "$0")/.."
kind=${1:?usage: tools/environment.sh run|dev}
venv=.venv

hash_of() { # of the lock and of this script; sha256sum is missing on macOS, shasum on a bare Debian
    cat "$1" tools/environment.sh | if command -v sha256sum >/dev/null 2>&1; then sha256sum; else shasum -a 256; fi | cut -d' ' -f1
}

run_stamp=$venv/.stamp-$(hash_of requirements.lock)
dev_stamp=$venv/.stamp-$(hash_of requirements-dev.lock)
case $kind in
run) lock=requirements.lock stamp=$run_stamp ;;
dev) lock=requirements-dev.lock stamp=$dev_stamp ;;
*) echo "tools/environment.sh: unknown kind '$kind'" >&2 && exit 2 ;;
esac

# A virtual environment copied or moved elsewhere, or one whose interpreter is gone, starts nothing.
works() { "$venv/bin/python" -c 'import sys; sys.exit(sys.prefix == sys.base_prefix)' >/dev/null 2>&1; }
if [ -f "$stamp" ] && works; then exit 0; fi

# Two makes at once (two terminals, parallel jobs) must not install into each other.
if command -v flock >/dev/null 2>&1 && [ "${TURNWRIGHT_ENVIRONMENT_LOCKED:-}" != 1 ]; then
    TURNWRIGHT_ENVIRONMENT_LOCKED=1 exec flock .venv.lock sh tools/environment.sh "$kind"
fi

find_python() {
    without_venv=
    if [ -n "${PYTHON:-}" ]; then set -- "$PYTHON"; else set -- python3.14 python3.13 python3.12 python3.11 python3; fi
    for candidate; do
        # A version manager's shim can exist and yet start nothing, so only running it tells.
        "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' >/dev/null 2>&1 || continue
        if "$candidate" -c 'import ensurepip, venv' >/dev/null 2>&1; then
            echo "$candidate"
            return
        fi
        without_venv=$candidate
    done
    if [ -n "$without_venv" ]; then
        echo "Turnwright: $without_venv has no venv module. On Debian or Ubuntu: apt-get install python3-venv" >&2
    else
        echo "Turnwright needs Python 3.11 to 3.14; none was found as: $*." >&2
        echo "Install one, or name it: make PYTHON=/path/to/python3 ..." >&2
    fi
    exit 1
}

# No stamp at all means that an installation was cut off: pip would take its half-written packages for whole ones.
if ! works || ! ls "$venv"/.stamp-* >/dev/null 2>&1; then
    python=$(find_python)
    echo "Creating $venv with $("$python" --version)"
    rm -rf "$venv"
    "$python" -m venv "$venv"
fi

rm -f "$venv"/.stamp-*
echo "Installing $lock into $venv"
# Wheels only: a missing wheel fails at once instead of compiling for minutes. The locks name every package, hence --no-deps.
PIP_ONLY_BINARY=:all: PIP_DISABLE_PIP_VERSION_CHECK=1 \
    "$venv/bin/python" -m pip install --quiet --no-input --no-deps --require-hashes -r "$lock"

# The project runs from the checkout: a path file instead of a build, so that nothing is fetched for it. The path is
# relative to site-packages, so the folder may have any name.
site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo ../../../.. >"$site/turnwright.pth"
# The first lines are shell and a Python string at once: a plain #! line breaks on long paths and on spaces.
cat >"$venv/bin/turnwright" <<'SCRIPT'
#!/bin/sh
'''exec' "$(dirname "$0")/python" "$0" "$@"
' '''
import sys

from app.cli import main

if __name__ == "__main__":  # workers load this file as well
    sys.exit(main())
SCRIPT
chmod +x "$venv/bin/turnwright"

touch "$run_stamp" # the development lock contains the runtime one, version for version
if [ "$kind" = dev ]; then touch "$dev_stamp"; fi
