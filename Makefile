# SPDX-License-Identifier: GPL-2.0-only
#
# make            build ./tiermem
# make demo       install what is missing, build, and show this machine and a captured one
# make check      install what the tests need, build, and run every test
# make help       every target

VERSION = 0.1.0

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
BASHCOMPDIR ?= $(DATADIR)/bash-completion/completions
ZSHCOMPDIR ?= $(DATADIR)/zsh/site-functions
FISHCOMPDIR ?= $(DATADIR)/fish/vendor_completions.d
UNITDIR ?= $(PREFIX)/lib/systemd/system
UDEVRULESDIR ?= $(PREFIX)/lib/udev/rules.d
SYSCONFDIR ?= /etc
RUNSTATEDIR ?= /run

# Objects go to O, so that builds with other compilers or sanitizers can stand side by side.
O ?= build
ifeq ($(origin CC),default)
CC = gcc
endif
PKG_CONFIG ?= pkg-config
INSTALL ?= install
WERROR ?= -Werror
CFLAGS ?= -O2 -g
SANITIZE ?=

# For a build inside a recipe: all processors, unless the caller has said how many jobs there may be.
jobs = $(if $(findstring --jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

# make V=1 shows whole commands.
V ?= 0
ifeq ($(V),0)
quiet = @printf '  %-5s %s\n' '$(1)' '$(or $(2),$@)';
endif

LIBRARIES = libsysfs libcjson smartcols
# Loaded when used, so only its headers are needed.
LOADED = libarchive numa
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -DTIERMEM_VERSION='"$(VERSION)"' -Wall -Wextra $(WERROR) -I. \
	-Wshadow -Wstrict-prototypes -Wmissing-prototypes -fstack-protector-strong \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer) \
	$(shell $(PKG_CONFIG) --cflags $(LIBRARIES) $(LOADED) 2>/dev/null) $(CFLAGS)
ALL_LDFLAGS = $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(LDFLAGS)
# What runs in other programs is never built with a sanitizer: it would need that in them too.
PLAIN_CFLAGS = -std=gnu11 -D_GNU_SOURCE -Wall -Wextra $(WERROR) -I. -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -fstack-protector-strong $(CFLAGS)
LIBS = $(shell $(PKG_CONFIG) --libs $(LIBRARIES) 2>/dev/null) -lm
CMOCKA_LIBS = $(shell $(PKG_CONFIG) --libs cmocka 2>/dev/null)

LIB_SOURCES := $(sort $(wildcard lib/*/*.c))
CMD_SOURCES := $(sort $(wildcard cmd/*.c cmd/*/*.c))
PRELOAD_SOURCES := $(sort $(wildcard preload/*.c))
UNIT_SOURCES := $(sort $(wildcard tests/unit/*.c))
FUZZ_SOURCES := $(filter-out tests/fuzz/replay.c,$(sort $(wildcard tests/fuzz/*.c)))

LIB_OBJECTS := $(LIB_SOURCES:%.c=$(O)/%.o)
CMD_OBJECTS := $(CMD_SOURCES:%.c=$(O)/%.o)
UNIT_TESTS := $(UNIT_SOURCES:tests/unit/%.c=$(O)/unit/%)
RUN_HELPERS := $(patsubst tests/%.c,$(O)/%,$(sort $(wildcard tests/run-helpers/*.c)))
FUZZ_TARGETS := $(FUZZ_SOURCES:tests/fuzz/%.c=$(O)/fuzz/%)
FUZZ_REPLAYS := $(FUZZ_SOURCES:tests/fuzz/%.c=$(O)/replay/%)

CLI_TESTS := $(sort $(wildcard tests/cli/*.t))
VM_TESTS := $(sort $(wildcard tests/vm/*.t))

all: tiermem

tiermem: $(O)/tiermem $(O)/libtiermem-large.so
	@cp -f $< $@

$(O)/tiermem: $(CMD_OBJECTS) $(O)/libtiermem.a $(O)/ldflags
	$(call quiet,LINK)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(CMD_OBJECTS) $(O)/libtiermem.a $(LIBS)

$(O)/libtiermem.a: $(LIB_OBJECTS)
	@rm -f $@
	$(call quiet,AR)$(AR) rcs $@ $^

$(O)/%.o: %.c $(O)/cflags
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(CC) $(ALL_CFLAGS) $(OWN_CFLAGS) -MMD -MP -c -o $@ $<

# Where the preloaded library is installed: for one object, lest another PREFIX at installing builds all anew.
$(O)/cmd/run-large.o: OWN_CFLAGS = -DTIERMEM_LIBDIR='"$(LIBDIR)"'
$(O)/cmd/run-large.o: $(O)/libdir
# The same for the kernel patches.
$(O)/cmd/patches-set.o: OWN_CFLAGS = -DTIERMEM_DATADIR='"$(DATADIR)"'
$(O)/cmd/patches-set.o: $(O)/libdir

$(O)/libtiermem-large.so: $(PRELOAD_SOURCES) preload/large.h $(O)/cflags
	$(call quiet,LINK)$(CC) $(PLAIN_CFLAGS) -fPIC -fvisibility=hidden -fno-builtin -ftls-model=initial-exec \
		$(LDFLAGS) -shared -Wl,-z,now,-z,defs -o $@ $(PRELOAD_SOURCES) -ldl

$(O)/run-helpers/%: tests/run-helpers/%.c $(O)/cflags
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(PLAIN_CFLAGS) $(LDFLAGS) -pthread -o $@ $<

$(O)/unit/%: $(O)/tests/unit/%.o $(O)/libtiermem.a $(O)/ldflags
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(O)/libtiermem.a $(LIBS) $(CMOCKA_LIBS)

$(O)/fuzz/%: $(O)/tests/fuzz/%.o $(O)/libtiermem.a
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(O)/libtiermem.a $(LIBS)

$(O)/replay/%: $(O)/tests/fuzz/%.o $(O)/tests/fuzz/replay.o $(O)/libtiermem.a
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(O)/libtiermem.a $(LIBS)

# What reads saved results, and reports them, is in cmd.
$(O)/fuzz/bench $(O)/replay/bench: $(filter-out $(O)/cmd/main.o,$(CMD_OBJECTS))

# A command table of the tests' own, with the program's real main, parser, help and completion.
DEMO_OBJECTS = $(O)/tests/cli/demo.o $(filter-out $(O)/cmd/commands.o $(O)/cmd/snapshot.o $(O)/cmd/topology.o,$(CMD_OBJECTS))
$(O)/tests/demo: $(DEMO_OBJECTS) $(O)/libtiermem.a $(O)/ldflags
	$(call quiet,LINK)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(DEMO_OBJECTS) $(O)/libtiermem.a $(LIBS)

# Prints what lib/acpi reads, field by field, for a comparison with iasl.
$(O)/tests/acpi-dump: $(O)/tests/acpi/dump.o $(O)/libtiermem.a $(O)/ldflags
	$(call quiet,LINK)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(O)/libtiermem.a $(LIBS)

# Counts TLB flushes around a command by lib/sample.
$(O)/run-helpers/flushes: $(O)/tests/run-helpers/flushes.o $(O)/libtiermem.a $(O)/ldflags
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(O)/libtiermem.a $(LIBS)

# Stamps that change when the flags do, so that everything built with the old ones is built again.
$(O)/cflags: force
	@mkdir -p $(O)
	@$(PKG_CONFIG) --exists $(LIBRARIES) $(LOADED) || { echo "libraries are missing ($(LIBRARIES) $(LOADED)): run 'make deps'" >&2; exit 1; }
	@echo '$(subst ','\'',$(CC) $(ALL_CFLAGS))' | cmp -s - $@ || echo '$(subst ','\'',$(CC) $(ALL_CFLAGS))' >$@

$(O)/ldflags: force
	@mkdir -p $(O)
	@echo '$(CC) $(ALL_LDFLAGS) $(LIBS)' | cmp -s - $@ || echo '$(CC) $(ALL_LDFLAGS) $(LIBS)' >$@

$(O)/libdir: force
	@mkdir -p $(O)
	@echo '$(LIBDIR) $(DATADIR)' | cmp -s - $@ || echo '$(LIBDIR) $(DATADIR)' >$@

-include $(LIB_OBJECTS:.o=.d) $(CMD_OBJECTS:.o=.d) $(O)/tests/cli/demo.d $(O)/tests/acpi/dump.d
-include $(O)/tests/run-helpers/flushes.d
-include $(UNIT_SOURCES:%.c=$(O)/%.d) $(FUZZ_SOURCES:%.c=$(O)/%.d) $(O)/tests/fuzz/replay.d

## Getting started

deps:                   ## install what building needs (as root or with sudo)
	tools/deps build

demo:                   ## build, and show this machine and a captured one
	@tools/deps build
	@$(MAKE) --no-print-directory $(jobs) all
	@tests/demo

## Tests

# Tests whose children are killed, or look at each other through /proc: emulators change the exit codes of the
# ones and the /proc of the others. (qemu-user has no memory policies either.)
FORKING = plan plan-faults plan-trigger-faults

# Programs that `make check` runs; built by a second make, after tools/deps.
tests: tests-unit tests-cli tiermem
tests-unit: $(UNIT_TESTS) $(FUZZ_REPLAYS)
tests-cli: $(O)/tiermem $(O)/libtiermem-large.so $(O)/tests/demo $(O)/tests/acpi-dump $(RUN_HELPERS) $(O)/unit/bench-stream

check:                  ## install what the tests need, build, run every test
	@tools/deps build test $(if $(TIERMEM_NO_VM),,vm)
	@$(MAKE) --no-print-directory $(jobs) tests
	@# The longest first: no processor is idle at the end.
	@tests/run $(O)/check.log $(VM_TESTS) $(CLI_TESTS) $(UNIT_TESTS) $(FUZZ_REPLAYS)

check-unit: tests-unit  ## unit tests and the fuzz corpora
	@TEST_EXEC='$(TEST_EXEC)' tests/run $(O)/check-unit.log \
		$(filter-out $(EXCLUDE:%=$(O)/unit/%),$(UNIT_TESTS)) $(FUZZ_REPLAYS)

check-cli: tests-cli    ## the command line's tests
	@TIERMEM=$(abspath $(O)/tiermem) TIERMEM_DEMO=$(abspath $(O)/tests/demo) \
		TIERMEM_HELPERS=$(abspath $(O)/run-helpers) tests/run $(O)/check-cli.log $(CLI_TESTS)

check-vm: tiermem $(RUN_HELPERS) ## real kernels in virtual machines
	@tools/deps vm
	@tests/run $(O)/check-vm.log $(VM_TESTS)

KERNEL_TESTS := $(sort $(wildcard tests/kernel/*.t))

check-patches:          ## kernel patches: they apply, in kernel style, and compile without new warnings
	@tools/deps kernel
	@tests/run build/check-patches.log tests/patches/check-patches.t

# Machines need no library for it.
$(O)/tests/kernel/stress: tests/kernel/stress.c $(O)/cflags
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(PLAIN_CFLAGS) $(LDFLAGS) -static -pthread -o $@ $<

check-kernel: tiermem $(O)/tests/kernel/stress ## kernel patches: kernels with and without them, in virtual machines
	@tools/deps vm kernel
	@tools/kernel build
	@rm -rf build/kernel/figures
	@TIERMEM_STRESS=$(abspath $(O)/tests/kernel/stress) tests/run build/check-kernel.log $(KERNEL_TESTS)
	@tools/kernel figures >build/kernel/figures.md

stress-kernel: T = 600
stress-kernel: tiermem $(O)/tests/kernel/stress ## kernel patches: memory moved and checked for T seconds (T=600)
	@tools/deps vm kernel
	@tools/kernel build
	@TIERMEM_STRESS=$(abspath $(O)/tests/kernel/stress) STRESS_SECONDS=$(T) tests/kernel/stress.t true

asan = $(MAKE) --no-print-directory O=$(O)/asan SANITIZE=address,undefined CFLAGS='-O1 -g -fno-sanitize-recover=all'
check-asan:             ## unit, CLI and corpora with AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/deps build test
	+@$(asan) $(jobs) tests-unit tests-cli
	+@$(asan) check-unit check-cli

check-clang:            ## build and unit tests with clang
	@tools/deps build test lint
	@$(MAKE) --no-print-directory $(jobs) O=$(O)/clang CC=clang $(O)/clang/tiermem check-unit

VALGRIND = valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=all --num-callers=30 \
	--child-silent-after-fork=yes --suppressions=$(CURDIR)/tests/valgrind.supp
check-valgrind: $(UNIT_TESTS) $(FUZZ_REPLAYS)   ## unit tests under valgrind
	@tools/deps lint
	@TEST_EXEC='$(VALGRIND)' \
		tests/run $(O)/check-valgrind.log $(filter-out $(FORKING:%=$(O)/unit/%),$(UNIT_TESTS))

check-cross:            ## build for arm64, unit tests under qemu
	@tools/deps build test cross
	+@tools/cross make --no-print-directory $(jobs) O=$(O)/arm64 TEST_EXEC='$(CURDIR)/tools/cross run' EXCLUDE='$(FORKING) numa' \
		$(O)/arm64/tiermem check-unit

check-fresh:            ## both README commands in newly made Debian 12 and 13 folders
	@tools/deps fresh
	@tests/fresh bookworm trixie

check-layers: $(LIB_OBJECTS) ## layers point one way
	@tools/check-layers --objects $(O)

lint:                   ## static checks of sources, scripts and manual pages
	@tools/deps build test lint
	@$(MAKE) --no-print-directory check-layers
	@prove tools/check-layers :: --self-test
	@tools/lint -- $(ALL_CFLAGS)

# Seconds for all fuzz targets together.
T ?= 60
fuzz:                   ## fuzz every target for T seconds (T=60) in all
	@tools/deps build lint
	@$(MAKE) --no-print-directory $(jobs) O=$(O)/libfuzzer CC=clang SANITIZE=address,undefined \
		CFLAGS='-O1 -g -fno-sanitize-recover=all -fsanitize=fuzzer-no-link' \
		$(FUZZ_SOURCES:tests/fuzz/%.c=$(O)/libfuzzer/fuzz/%)
	@tests/fuzz/run $(T) $(FUZZ_SOURCES:tests/fuzz/%.c=$(O)/libfuzzer/fuzz/%)

fuzz-check:             ## the short fuzzing that CI does
	@$(MAKE) --no-print-directory fuzz T=60

bench-cli: tiermem      ## speed of reading a large tree against lstopo and numactl
	@tools/deps bench
	@tests/bench/cli

bench-top: tiermem $(RUN_HELPERS) ## what `tiermem top` costs, against lsirq
	@tools/deps bench
	@tests/bench/top

bench-peers: tiermem    ## `tiermem bench` side by side with others that measure the same
	@tools/deps bench
	@tests/bench/peers.sh

bench-quick: tiermem    ## how long `--quick` of every benchmark takes
	@tests/bench/quick

vm: tiermem             ## boot a machine with a shell: make vm MACHINE=B KERNEL=6.12
	@tools/deps vm
	@tests/vm/vm shell --machine $(or $(MACHINE),A) --kernel $(or $(KERNEL),6.12)

update-golden: tiermem $(O)/tests/demo $(O)/tests/acpi-dump $(RUN_HELPERS) ## rewrite the expected outputs of the CLI tests (then read the diff)
	@UPDATE_GOLDEN=1 tests/run $(O)/golden.log $(CLI_TESTS)

## Installing

install: tiermem install-service ## install below DESTDIR and PREFIX
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man5 \
		$(DESTDIR)$(BASHCOMPDIR) $(DESTDIR)$(ZSHCOMPDIR) $(DESTDIR)$(FISHCOMPDIR) \
		$(DESTDIR)$(DATADIR)/tiermem/schemas $(DESTDIR)$(DATADIR)/tiermem/patches/6.12
	$(INSTALL) -m 755 tiermem $(DESTDIR)$(BINDIR)/tiermem
	$(INSTALL) -D -m 644 $(O)/libtiermem-large.so $(DESTDIR)$(LIBDIR)/tiermem/libtiermem-large.so
	$(INSTALL) -m 644 man/*.1 $(DESTDIR)$(MANDIR)/man1/
	$(INSTALL) -m 644 man/*.5 $(DESTDIR)$(MANDIR)/man5/
	$(INSTALL) -m 644 completions/tiermem.bash $(DESTDIR)$(BASHCOMPDIR)/tiermem
	$(INSTALL) -m 644 completions/_tiermem $(DESTDIR)$(ZSHCOMPDIR)/_tiermem
	$(INSTALL) -m 644 completions/tiermem.fish $(DESTDIR)$(FISHCOMPDIR)/tiermem.fish
	$(INSTALL) -m 644 schemas/*.json $(DESTDIR)$(DATADIR)/tiermem/schemas/
	$(INSTALL) -m 644 patches/6.12/series patches/6.12/*.patch $(DESTDIR)$(DATADIR)/tiermem/patches/6.12/

# Files with the places of other installed files in them: mode, file, folder.
define install_template
sed -e 's|@BINDIR@|$(BINDIR)|g' -e 's|@LIBDIR@|$(LIBDIR)|g' -e 's|@SYSCONFDIR@|$(SYSCONFDIR)|g' \
		-e 's|@RUNSTATEDIR@|$(RUNSTATEDIR)|g' $(2).in >$(DESTDIR)$(3)/$(notdir $(2))
	chmod $(1) $(DESTDIR)$(3)/$(notdir $(2))
endef

install-service:        ## of these only the boot service and the hotplug rule
	$(INSTALL) -d $(DESTDIR)$(UNITDIR)/multi-user.target.wants $(DESTDIR)$(UDEVRULESDIR) \
		$(DESTDIR)$(LIBDIR)/tiermem $(DESTDIR)$(SYSCONFDIR)/tiermem
	$(call install_template,644,systemd/tiermem-profile.service,$(UNITDIR))
	$(INSTALL) -m 644 systemd/tiermem-hotplug.timer $(DESTDIR)$(UNITDIR)/
	ln -sf ../tiermem-profile.service $(DESTDIR)$(UNITDIR)/multi-user.target.wants/
	$(call install_template,644,udev/90-tiermem.rules,$(UDEVRULESDIR))
	$(call install_template,755,udev/tiermem-hotplug,$(LIBDIR)/tiermem)

clean:                  ## remove what was built
	rm -rf build tiermem

help:                   ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## *\(.*\)/\1\t\2/p; s/^## \(.*\)/\n\1:/p' Makefile | expand -t 18

force:

.PHONY: all deps demo tests tests-unit tests-cli check check-unit check-cli check-vm check-patches check-kernel stress-kernel check-asan check-clang check-valgrind check-cross \
	check-fresh check-layers lint fuzz fuzz-check bench-cli bench-top bench-peers bench-quick vm update-golden install install-service clean help force
.DELETE_ON_ERROR:
.SECONDARY:
