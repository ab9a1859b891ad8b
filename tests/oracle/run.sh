#!/bin/sh
# Compares Lockstep's Python parser with CPython's `ast` over the standard libraries that this machine has.
#
#   run.sh DUMP_AST [FOLDER...]     DUMP_AST: the program lockstep-dump_ast; FOLDERs are compared as well
#   PYTHON=python3.13 run.sh …      with another CPython (3.8 or newer)
set -u
dump_ast=${1:?usage: run.sh DUMP_AST [FOLDER...]}
shift
here=$(dirname "$0")
python=${PYTHON:-python3}
library=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["stdlib"])') || exit 1
exec "$python" "$here/compare_ast.py" "$dump_ast" --at-least 100 "$library" "$@"
