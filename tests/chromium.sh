#!/bin/sh
# Installs Debian's Chromium where no browser of tests/browser.py is found: as root, or with sudo.
for name in chromium chromium-browser google-chrome; do
    command -v $name >/dev/null && exit 0
done
fail() {
    echo "No Chromium here, and $1. Install Chromium or Chrome, on the PATH as chromium, chromium-browser or google-chrome." >&2
    exit 1
}
command -v apt-get >/dev/null || fail "no apt-get to install it with"
[ "$(id -u)" = 0 ] || command -v sudo >/dev/null || fail "neither root's rights nor sudo to install it with"
sudo=$([ "$(id -u)" = 0 ] || echo sudo)
$sudo apt-get update --quiet && $sudo apt-get install --quiet --yes chromium
