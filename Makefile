# A thin front of CMake: the presets are in CMakePresets.json, the results in build/.

PREFIX ?= /usr/local
JOBS ?= $(shell getconf _NPROCESSORS_ONLN)
FUZZ_SECONDS ?= 600
# Some tests wait for a time: one more than there are cores.
TESTS_AT_ONCE = $(shell expr $(JOBS) + 1)

# $(call build,PRESET,OPTIONS)
build = cmake --preset $(1) $(2) >build/$(1).log 2>&1 || { cat build/$(1).log; exit 1; }; \
	cmake --build --preset $(1) -j $(JOBS)

.PHONY: help build demo check test test-browser bench fuzz lint format install dist deb deb-check \
	deb-fresh deps clean
.DEFAULT_GOAL := help
# One apt-get and one build at a time; each takes all cores by itself.
.NOTPARALLEL:

help:
	@echo 'make demo      install what the build needs, build; a program in half its memory, a curve, a page'
	@echo 'make build     the program and the library, in build/release'
	@echo 'make check     the tests that a change needs, in a minute or two'
	@echo 'make test      every test, plain and under sanitizers; every fuzz target for 15 s'
	@echo 'make test-browser  the pages of tide report in Chromium, without a window'
	@echo 'make bench     the benchmarks'
	@echo 'make fuzz      every fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS)'
	@echo 'make lint      style and likely bugs; make format repairs the style'
	@echo 'make install   into PREFIX=$(PREFIX), under DESTDIR if that is set'
	@echo 'make dist      build/tide-VERSION.tar.gz, of what is committed'
	@echo 'make deb       the Debian packages, in build/deb'
	@echo 'make deb-check builds them twice, compares, and runs lintian'
	@echo 'make deb-fresh installs them on a fresh Debian 12 and runs their tests; needs root'
	@echo 'make deps      install every Debian package that any of these needs'
	@echo 'make clean     remove build/'

# What is missing is installed first, so each of these works on a fresh machine.
deps-%:
	@scripts/deps.sh $*

deps:
	@scripts/deps.sh

build/:
	@mkdir -p $@

# Tests need packages that the program does not. A build that has them keeps them: without, CTest
# would run the old ones.
build: deps-build | build/
	@$(call build,release,$(if $(wildcard build/release/build.ninja),,-DTIDE_TESTS=OFF))

demo: build
	@scripts/demo.sh build/release/tide build

check: deps-test | build/
	@$(call build,release,-DTIDE_TESTS=ON)
	ctest --test-dir build/release -j $(TESTS_AT_ONCE) -LE 'browser|long' --output-on-failure \
		--no-tests=error

# The three builds are one CTest run, which ends with one verdict. It needs no browser.
test: deps-test | build/
	@$(call build,release,-DTIDE_TESTS=ON)
	@$(call build,asan)
	@$(call build,fuzz)
	@echo 'subdirs(release asan fuzz)' >build/CTestTestfile.cmake
	FUZZ_SECONDS=15 ctest --test-dir build -j $(TESTS_AT_ONCE) -LE browser --output-on-failure \
		--no-tests=error

# Says a line per test, so that the verdict of `make test` stays the last one of .ci/run.
test-browser: deps-browser | build/
	@$(call build,release,-DTIDE_TESTS=ON)
	@ctest --test-dir build/release -L browser -Q -O $(CURDIR)/build/browser.log \
		--output-on-failure --no-tests=error || { cat build/browser.log; exit 1; }
	@sed -n 's/.*Test *#[0-9]*: /test-browser: /p' build/browser.log

fuzz: deps-test | build/
	@$(call build,fuzz)
	FUZZ_SEED=0 FUZZ_SECONDS=$(FUZZ_SECONDS) ctest --test-dir build/fuzz -j $(JOBS) \
		--output-on-failure --no-tests=error --timeout $$(($(FUZZ_SECONDS) + 120))

bench: deps-bench build
	@bench/run.sh build/release/tide

lint: deps-lint build
	@scripts/lint.sh build/release

format: deps-lint
	@find include src policies lab report examples tests bench -type f \
		\( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -exec clang-format -i {} +

install: build
	@DESTDIR='$(DESTDIR)' cmake --install build/release --prefix '$(PREFIX)'
	@if [ -z '$(DESTDIR)' ] && [ "$$(id -u)" -eq 0 ]; then ldconfig; fi

dist: | build/
	@scripts/dist.sh build

deb: deps-deb | build/
	@rm -rf build/deb
	@JOBS=$(JOBS) scripts/deb.sh build/deb

deb-check: deb
	@JOBS=$(JOBS) tests/packages/twice.sh build/deb

deb-fresh: deps-fresh deb
	@tests/packages/fresh.sh build/deb

clean:
	rm -rf build
