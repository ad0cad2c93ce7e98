#!/usr/bin/env bash
# Renews the README's picture of a report: bash docs/make_picture.sh audit-report/chen2022/report.html
set -euo pipefail
page=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
"${CHROMIUM:-chromium}" --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
    --user-data-dir="$profile" --hide-scrollbars --window-size=900,1180 --screenshot="$here/report.png" "file://$page"
