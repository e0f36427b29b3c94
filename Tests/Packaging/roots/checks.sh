# What the tests of the package share. Sourced by bash, inside a root of scripts/in-root.

failures=0
mkfifo /run/never

# check NAME COMMAND...: one line about it. What it wrote is shown only where it failed.
check() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then
        echo "ok      $name"
    else
        echo "FAILED  $name"
        printf '%s\n' "$output" | tail -n 15 | sed 's/^/        | /'
        failures=$((failures + 1))
    fi
}

# fails COMMAND...: whether it fails.
fails() { ! "$@"; }

# same WHAT WANTED: whether the two are the same; says both where they are not.
same() { [ "$1" = "$2" ] || { printf 'got: %s\nnot: %s\n' "$1" "$2"; return 1; }; }

# await COMMAND...: waits until it succeeds, on a clock that a change of the date does not move.
await() {
    local deadline=$((SECONDS + 30))
    until "$@" >/run/await.output 2>&1; do
        if [ "$SECONDS" -ge "$deadline" ]; then
            echo "did not come: $*"
            cat /run/await.output
            return 1
        fi
        read -rt 0.05 <>/run/never || true
    done
    cat /run/await.output
}

# listing: every file of this root but those that note what was installed.
listing() {
    find / -xdev \( -path /proc -o -path /sys -o -path /run -o -path /tmp -o -path /mnt -o -path /home -o -path /var/log \
        -o -path /var/cache -o -path /var/lib/apt -o -path /var/lib/dpkg \) -prune -o -print | sort
}

install_package() { apt-get install --yes --quiet --no-install-recommends "$@"; }

finish() {
    [ "$failures" = 0 ] || echo "$failures checks failed"
    [ "$failures" = 0 ]
}
