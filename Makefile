# `make run` and `make test` are all a newcomer needs; `make help` lists the rest.
.DEFAULT_GOAL := help
.PHONY: help run demo test lint build bench soak

help:
	@echo 'make run    starts focusd here and shows the moves of Orca; without a desktop, on a private one'
	@echo 'make demo   shows an app that brings Orca to its notification; without a desktop, on a private one'
	@echo 'make test   installs what the tests need and runs all of them, with a real Orca'
	@echo 'make lint   checks the format of the code and what imports what'
	@echo 'make build  builds focusd and focusctl for release'
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
	@scripts/install-packages build
	@swift build -c release --static-swift-stdlib --product focusd
	@swift build -c release --static-swift-stdlib --product focusctl

bench:
	@scripts/install-packages build run
	@Benchmarks/run

soak:
	@scripts/soak $(MINUTES)
