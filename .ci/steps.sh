# What `.ci/run` and `.ci/full` share: a clean environment, steps that all run, and a last block that names what failed.
#
#     step NAME NEEDS SECONDS COMMAND    declares a step: after NEEDS ("-" for none; "beside" for none, and run beside the
#                                        steps before it), SECONDS of an idle two-core machine
#     run_steps NAME...                  runs those named and what they need, or all; returns 1 where one failed
#
# A step is ended after five times its seconds. The last block is also written to $CI_REPORT, where that is set.
set -uo pipefail

# What a caller may have left behind would decide the verdict: SIGINT ignored (a background job's child raises no
# KeyboardInterrupt), no bytecode, a folder of other modules, options for pytest, another order of hashing. BLAS has one
# thread, as two processes of pytest have a core each: threads that wait for each other take most of it beside other work.
# What pip installs is compiled when it is imported, most of it never.
if [ -z "${MECHDESIGN_CI:-}" ]; then
    exec env --default-signal=INT,QUIT \
        -u PYTHONPATH -u PYTHONHOME -u PYTHONDONTWRITEBYTECODE -u PYTHONWARNINGS -u PYTHONOPTIMIZE -u PYTHONSTARTUP \
        -u PYTHONUNBUFFERED -u PYTEST_ADDOPTS -u COLUMNS -u LINES -u NO_COLOR -u FORCE_COLOR -u MPLBACKEND \
        MECHDESIGN_CI=1 PIP_NO_COMPILE=1 PYTHONHASHSEED=0 OMP_NUM_THREADS=1 TZ=UTC LC_ALL=C.UTF-8 PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1 \
        bash "$0" "$@"
fi
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2

# The README's own lines, so that the two cannot drift apart.
mapfile -t readme < <(sed -n '/^```sh$/,/^```$/p' README.md | grep '^python -m pip install ' || true)
if [ "${#readme[@]}" -ne 2 ]; then
    echo ".ci/run: README.md has ${#readme[@]} commands in its sh block, not 2" >&2
    exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'kill $(jobs -p) 2>/dev/null; exit 130' INT TERM
# A path without spaces, as pip splits the variable; from pip 25.3 on isolated builds read another one.
cp .ci/lock.txt "$work/lock.txt"
export PIP_CONSTRAINT=$work/lock.txt PIP_BUILD_CONSTRAINT=$work/lock.txt

names=()
declare -A needs=() seconds=() commands=() ended=() took=() begun=()

step() {
    names+=("$1")
    needs[$1]=$2 seconds[$1]=$3 commands[$1]=$4
}

chosen() { # the steps that are asked for and what they need, one a line
    local name
    for name in "$@"; do
        if [ -z "${commands[$name]+known}" ]; then
            echo "there is no step $name, only ${names[*]}" >&2
            return 2
        fi
        while [ "$name" != - ] && [ "$name" != beside ]; do
            echo "$name"
            name=${needs[$name]}
        done
    done
}

begin() { # a step's command, its output in its log; what bash starts in the background would ignore SIGINT
    : >"$work/$1.log"
    JUNIT=$work/$1.xml env --default-signal=INT,QUIT timeout --kill-after=30 "$((5 * seconds[$1]))" \
        bash -euo pipefail -c "${commands[$1]}" >"$work/$1.log" 2>&1 &
    begun[$1]=$!
}

run_step() { # and wait for it; `took` is how long that was
    local name=$1 start=$SECONDS before=${needs[$1]} shown
    if [ "$before" != - ] && [ "$before" != beside ] && [ "${ended[$before]}" != 0 ]; then
        ended[$name]="not run: $before failed" took[$name]=0
        return
    fi
    printf '\n==> %s: %s\n' "$name" "${commands[$name]}"
    [ -n "${begun[$name]-}" ] || begin "$name"
    tail -n +1 -f -s 0.1 --pid="${begun[$name]}" "$work/$name.log" &
    shown=$!
    wait "${begun[$name]}"
    ended[$name]=$? took[$name]=$((SECONDS - start))
    wait "$shown"
    # 124 and 137 are those of `timeout`.
    case ${ended[$name]} in 124 | 137) ended[$name]="stopped after $((5 * seconds[$name])) s" ;; esac
}

report() {
    local name
    printf '\n%s at %s\n' "$1" "$(git rev-parse --short HEAD 2>/dev/null || echo 'no commit')"
    for name in "${names[@]}"; do
        case ${ended[$name]-} in
            '') ;;
            0) printf '  ok      %-12s %5d s\n' "$name" "${took[$name]}" ;;
            not*) printf '  -       %-12s         %s\n' "$name" "${ended[$name]}" ;;
            *)
                printf '  FAILED  %-12s %5d s   exit %s\n' "$name" "${took[$name]}" "${ended[$name]}"
                python3 .ci/failures.py "$work/$name.xml" "$work/$name.log"
                ;;
        esac
    done
}

run_steps() {
    local asked name failed=0
    asked=$(chosen "${@:-${names[@]}}") || return 2
    for name in "${names[@]}"; do
        if [ "${needs[$name]}" = beside ] && grep -qx -- "$name" <<<"$asked"; then begin "$name"; fi
    done
    for name in "${names[@]}"; do
        if grep -qx -- "$name" <<<"$asked"; then
            run_step "$name"
            [ "${ended[$name]}" = 0 ] || failed=1
        fi
    done
    report "$0" >"$work/report"
    [ "$failed" = 0 ] && printf '%s: all of it holds\n' "$0" >>"$work/report"
    if [ -n "${CI_REPORT:-}" ]; then cp "$work/report" "$CI_REPORT"; fi
    cat "$work/report"
    return "$failed"
}
