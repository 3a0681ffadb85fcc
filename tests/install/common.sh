# Read by the scripts of this folder: names their arguments and sets up a folder to work in.
#   BUILD SOURCE PREFIX LIBDIR io|core CC CXX
set -eu
build=$1
source=$2
prefix=$3
libdir=$prefix/$4
kind=$5
CC=$6
CXX=$7
export CC
here=$source/tests/install
if [ -n "$CXX" ]; then export CXX; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The shared library is found where it was installed, and nothing of the environment helps.
export LD_LIBRARY_PATH="$libdir"
unset CMAKE_PREFIX_PATH CMAKE_GENERATOR CFLAGS CXXFLAGS LDFLAGS MAKEFLAGS MFLAGS MAKELEVEL 2>/dev/null || :

fail()
{
    echo "$*"
    exit 1
}
