# `make run` and `make test` are all a newcomer needs; `make help` lists the rest.
.DEFAULT_GOAL := help
.PHONY: help run demo test lint build programs bench soak install uninstall deb test-deb

help:
	@echo 'make run    starts focusd here and shows the moves of Orca; without a desktop, on a private one'
	@echo 'make demo   shows an app that brings Orca to its notification; without a desktop, on a private one'
	@echo 'make test   installs what the tests need and runs all of them, with a real Orca'
	@echo 'make lint   checks the format of the code and what imports what'
	@echo 'make build  builds focusd and focusctl for release, their manual pages and completions'
	@echo 'make install, make uninstall   what was built, below prefix=/usr/local; DESTDIR is heeded'
	@echo 'make deb    makes a Debian package of it'
	@echo 'make test-deb   installs, runs, upgrades and removes that in clean roots of Debian 12 and 13; as root'
	@echo 'make bench  measures focusd beside the barest programs that do the same'
	@echo 'make soak   half an hour of applications and clients that come, go and misbehave; MINUTES=10 for less'

run:
	@scripts/run

demo:
	@scripts/demo

test:
	@scripts/test

lint:
	@swift format lint --strict --recursive Package.swift Sources Tests GTK Examples
	@scripts/check-imports

build:
	@scripts/install-packages build manual
	@$(MAKE) --no-print-directory programs

# The same where everything that is needed is there.
programs:
	@swift build -c release --static-swift-stdlib --product focusd
	@swift build -c release --static-swift-stdlib --product focusctl
	@scripts/build-manual

# Variables like prefix and DESTDIR go to the script; scripts/install-files names them all.
export DESTDIR prefix bindir unitdir datadir mandir docdir bashdir zshdir fishdir interfacedir BUILD MANUAL BACK_OFF

install:
	@scripts/install-files install

uninstall:
	@scripts/install-files uninstall

deb:
	@scripts/install-packages build manual deb
	@scripts/build-deb

test-deb:
	@scripts/install-packages roots
	@scripts/test-deb

bench:
	@scripts/install-packages build run
	@Benchmarks/run

soak:
	@scripts/soak $(MINUTES)
