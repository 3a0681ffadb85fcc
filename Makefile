# A thin door: CMake and its presets (CMakePresets.json) do the work, `make` only saves the typing.
# `make help` lists what there is.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60

# CMake and CTest read these; without ninja CMake falls back to make by itself.
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export CTEST_PARALLEL_LEVEL := $(JOBS)

.PHONY: all api build demo check test install bench-peers clean setup fuzz faults soak coverage threads memcheck reproducible format format-check help wheel test-torch

all: build

build: ## compile: the command is build/pinion, the libraries are build/libpinion.*
	@sh tools/setup build --check
	@sh tools/compile release products

demo: ## install what is missing, compile, and show the main job on a bundled robot
	@sh tools/setup build
	@sh tools/compile release products
	@build/pinion demo

check: ## the quick loop: gcc alone, without the tests that take long (tests/README.md)
	@sh tools/setup test
	@QUICK=1 sh tools/test release

test: ## install what is missing, and run every test: gcc, clang, sanitizers, core alone
	@sh tools/setup test
	@sh tools/test release clang sanitize core

install: ## compile and install below PREFIX (/usr/local); DESTDIR stages
	@sh tools/setup build --check
	@sh tools/compile release products -DCMAKE_INSTALL_PREFIX="$(PREFIX)"
	@cmake --install build
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ] && command -v ldconfig >/dev/null 2>&1; then ldconfig; fi

fuzz: ## fuzz all that is read, and the numbers with other seeds, FUZZ_SECONDS (60) each
	@sh tools/setup test
	@sh tools/compile sanitize all
	@sh tools/compile release all
	@sh tools/fuzz build/sanitize $(FUZZ_SECONDS)
	@sh tools/seeds build $(FUZZ_SECONDS)

faults: ## every command with every call that can fail failing once, and every allocation (half an hour)
	@sh tools/setup test
	@sh tools/compile release all
	@python3 tests/faults/faults.py build/pinion build/tests/faults/libfail_allocation.so --all
	@python3 tests/faults/surroundings.py build/pinion build/tests/faults/libjump_clocks.so build/tests/locale --all

SOAK_HOURS = 24
soak: ## a day of use in a few minutes: memory, open files and the cache may not grow; SOAK_HOURS
	@sh tools/setup test
	@sh tools/compile release all
	@sh tests/soak/soak.sh build/tests/soak/soak $(SOAK_HOURS) models

coverage: ## which lines of src and cli no test runs, against tests/coverage.txt (half an hour)
	@sh tools/setup test
	@sh tools/compile coverage all
	@find build/coverage -name '*.gcda' -delete
	@ctest --preset coverage
	@python3 tools/coverage build/coverage

threads: ## what runs on threads under ThreadSanitizer
	@sh tools/setup threads
	@sh tools/test threads

memcheck: ## what no test may read, since nobody wrote it: the numbers' tests under valgrind (ten minutes)
	@sh tools/setup memcheck
	@sh tools/compile clang all
	@python3 tools/memcheck clang

reproducible: ## the same bytes from two clones in different folders
	@sh tools/setup build
	@sh tools/reproducible

wheel: ## the Python package, built and checked: build/wheel/*.whl (docs/python.md)
	@sh tools/setup wheel
	@sh tools/wheel

test-torch: ## pinion.torch with PyTorch, 5 GB of packages (docs/autodiff.md); PINION_TORCH=FILE takes another build
	@sh tools/setup wheel
	@sh tools/wheel --torch

bench-peers: ## measure beside other libraries (bench/README.md); RESULTS=1 keeps the results, BENCH=OPTIONS
	@sh tools/setup bench
	@sh tools/compile release products
	@python3 tools/bench-peers $(if $(RESULTS),--keep) $(BENCH)

api: ## write the headers that are made from the table of calls (src/kernel/calls.inc)
	@python3 tools/api

setup: ## install what is missing (Debian, Ubuntu)
	@sh tools/setup test

format: ## rewrite the C sources in the house style (clang-format)
	@sh tools/format

format-check: ## say which C sources clang-format would change
	@sh tools/format --check

.PHONY: dist dist-check
dist: ## the release as a tarball of the committed files, build/pinion-VERSION.tar.gz, and what it stands on, .spdx.json
	@sh tools/setup build --check
	@sh tools/compile release products
	@python3 tools/sbom build -o "$$(sh tools/dist build | sed 's/[.]tar[.]gz$$/.spdx.json/')"

dist-check: ## make it, unpack it where there is no git, build it there as the README says, and test it
	@sh tools/dist-check

clean: ## remove everything that was built
	@rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 22
