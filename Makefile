# The front door. `make demo` shows what Lockstep does; `make test` runs every test. Both install what is missing.
SHELL := /bin/bash
PREFIX ?= /usr/local
BUILD := build
JOBS ?= $(shell nproc)
CMAKE_COMMON := -G Ninja -Wno-dev

.PHONY: help setup build test demo install deb tarball deb-test bench golden format format-check lint asan tsan fuzz clean

help:  ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

setup:
	@scripts/setup.sh

build: setup  ## Build the program: build/release/lockstep
	@cmake -S . -B $(BUILD)/release $(CMAKE_COMMON) -DCMAKE_BUILD_TYPE=Release -DLOCKSTEP_BUILD_TESTS=OFF > /dev/null
	@cmake --build $(BUILD)/release -j $(JOBS)

demo: build  ## Review the example pull request
	@scripts/demo.sh $(BUILD)/release/lockstep

test:  ## Install what is missing, build and run all tests
	@scripts/setup.sh --tests
	@cmake -S . -B $(BUILD)/test $(CMAKE_COMMON) -DCMAKE_BUILD_TYPE=Release -DLOCKSTEP_BUILD_TESTS=ON > /dev/null
	@cmake --build $(BUILD)/test -j $(JOBS)
	@ctest --test-dir $(BUILD)/test -j $(JOBS) --output-on-failure

install: build  ## Install to PREFIX (default /usr/local)
	@cmake --install $(BUILD)/release --prefix $(PREFIX) --strip

# Packages are built on their own, hardened as Debian does, without the paths of this machine in them.
PACKAGE_FLAGS = $$(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get CXXFLAGS) -ffile-prefix-map=$(CURDIR)=. -g0
PACKAGE_LINK = $$(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get LDFLAGS)

$(BUILD)/package/lockstep: FORCE
	@scripts/setup.sh --packages
	@cmake -S . -B $(BUILD)/package $(CMAKE_COMMON) -DCMAKE_BUILD_TYPE=Release -DLOCKSTEP_BUILD_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr \
	  -DCMAKE_CXX_FLAGS="$(PACKAGE_FLAGS)" -DCMAKE_EXE_LINKER_FLAGS="$(PACKAGE_LINK)" > /dev/null
	@cmake --build $(BUILD)/package -j $(JOBS) --target lockstep manual

FORCE:

deb: $(BUILD)/package/lockstep  ## Package for Debian 12: build/package/lockstep_*.deb
	@scripts/package.sh deb $(BUILD)/package $(BUILD)/package

tarball: $(BUILD)/package/lockstep  ## Package that runs wherever it is unpacked: build/package/lockstep-*.tar.gz
	@scripts/package.sh tarball $(BUILD)/package $(BUILD)/package

deb-test: deb tarball  ## Install and try both packages in a fresh Debian 12 (needs root and the network)
	@scripts/test_packages.sh $(BUILD)/package

bench:  ## Measure against what people use instead, in one run
	@scripts/setup.sh --tools
	@cmake -S . -B $(BUILD)/bench $(CMAKE_COMMON) -DCMAKE_BUILD_TYPE=Release -DLOCKSTEP_BUILD_TESTS=OFF -DLOCKSTEP_BUILD_BENCH=ON > /dev/null
	@cmake --build $(BUILD)/bench -j $(JOBS)
	@bench/run.sh $(BUILD)/bench $(REPO)

golden:  ## Accept the documents that the tests now print as the expected ones
	@scripts/setup.sh --tests
	@cmake -S . -B $(BUILD)/test $(CMAKE_COMMON) -DCMAKE_BUILD_TYPE=Release -DLOCKSTEP_BUILD_TESTS=ON > /dev/null
	@cmake --build $(BUILD)/test -j $(JOBS)
	@LOCKSTEP_UPDATE_GOLDENS=1 ctest --test-dir $(BUILD)/test -j 1 --output-on-failure

SOURCES = $(shell git ls-files '*.cpp' '*.h')

format:  ## Format the sources
	@scripts/setup.sh --tools
	@clang-format -i $(SOURCES)

format-check:
	@clang-format --dry-run -Werror $(SOURCES)

lint:  ## clang-tidy over the sources
	@scripts/setup.sh --tools
	@cmake -S . -B $(BUILD)/lint $(CMAKE_COMMON) -DCMAKE_BUILD_TYPE=Debug > /dev/null
	@git ls-files 'src/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy -p $(BUILD)/lint --quiet --warnings-as-errors='*' \
	  2> >(grep -v 'warnings generated' >&2)

# What a sanitizer's report needs, in half the time of the build that -O2 -g takes; assertions stay in.
SANITIZED := -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1"

asan:  ## All tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/setup.sh --tests
	@cmake -S . -B $(BUILD)/asan $(CMAKE_COMMON) $(SANITIZED) -DLOCKSTEP_SANITIZE=address,undefined > /dev/null
	@cmake --build $(BUILD)/asan -j $(JOBS)
	@ctest --test-dir $(BUILD)/asan -j $(JOBS) --output-on-failure

tsan:  ## All tests under ThreadSanitizer
	@scripts/setup.sh --tests
	@cmake -S . -B $(BUILD)/tsan $(CMAKE_COMMON) $(SANITIZED) -DLOCKSTEP_SANITIZE=thread > /dev/null
	@cmake --build $(BUILD)/tsan -j $(JOBS)
	@ctest --test-dir $(BUILD)/tsan -j $(JOBS) --output-on-failure

FUZZ_SECONDS ?= 300
fuzz:  ## Run every fuzz target for FUZZ_SECONDS (clang-19)
	@scripts/setup.sh --fuzz
	@scripts/fuzz.sh $(BUILD)/fuzz $(FUZZ_SECONDS)

clean:
	@rm -rf $(BUILD) node_modules
