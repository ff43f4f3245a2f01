# What a user and a maintainer of Pullback run. `make help` lists it.

CARGO ?= cargo

# An example is examples/NAME.rs or examples/NAME/main.rs.
EXAMPLES := $(sort $(patsubst examples/%.rs,%,$(wildcard examples/*.rs)) \
                   $(patsubst examples/%/main.rs,%,$(wildcard examples/*/main.rs)))

.PHONY: help setup demo test bench lint examples
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install LLVM 22 and a C++ compiler if they are missing
	@scripts/setup

demo: setup ## weigh Jupiter and Saturn from where the planets were seen to be
	$(CARGO) run --release --example planets

test: setup ## all tests of all crates
	$(CARGO) test --workspace

# Compiled for this CPU, so that the loops by hand are at their best; PEERS is a Python environment with jax.
bench: setup ## the benchmarks behind benches/README.md; with PEERS=/path/to/venv the peer's too
	CARGO_TARGET_DIR=target/native RUSTFLAGS='-C target-cpu=native' $(CARGO) bench --package pullback
	@if [ -n "$(PEERS)" ]; then \
	    printf 'planets, loss and gradient in JAX: '; \
	    $(PEERS)/bin/python benches/peers/planets_jax.py examples/data/planets.csv; \
	fi

lint: setup ## formatting, clippy and docs, warnings denied
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --workspace --no-deps

examples: setup ## run each example in its short mode
	$(CARGO) build --release --examples
	@set -e; for example in $(EXAMPLES); do \
	    echo "== example $$example"; \
	    $(CARGO) run --quiet --release --example $$example -- --short; \
	done
