// SPDX-License-Identifier: Apache-2.0
// Checks the assumptions of URLSessionInterposer about relocations and pages on the machine that it is compiled for.
// Prints each failed assumption. Exits with the number of failures.
#define _GNU_SOURCE
#include "Image/object.h"
#include "buildid.h"
#include "imports.h"
#include "pages.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int failures;

static void expect(int holds, const char *text) {
    if (holds) return;
    failures++;
    printf("failed: %s\n", text);
}

static int replacement(int value) { return value + 100; }

static int deny(void *start, size_t length, int protection) {
    (void)start, (void)length, (void)protection;
    errno = EACCES;
    return -1;
}

// Returns the protection of a page, as the kernel reports it: "r--p" for example.
static const char *protection(const void *address) {
    static char found[8];
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    found[0] = 0;
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        char text[8];
        if (sscanf(line, "%lx-%lx %7s", &start, &end, text) != 3) continue;
        if ((uintptr_t)address >= start && (uintptr_t)address < end) strcpy(found, text);
    }
    if (maps) fclose(maps);
    return found;
}

// Every page size of the architecture, whatever the size on this machine.
static void check_pages(const struct object *object, void **slot) {
    static const size_t sizes[] = {4096, 16384, 65536};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t size = sizes[i];
        struct page_span pages = pages_around((uintptr_t)slot, sizeof *slot, size);
        expect(pages.length == size && pages.start % size == 0, "a slot lies in one page");
        expect((uintptr_t)slot - pages.start < size, "the page contains the slot");
        // Binding at the start puts the slots into the part that the loader makes read-only. The linker aligns the end of
        // that part for the largest page size.
        expect(object_is_read_only_page(object, pages.start, size), "the slot's page is read-only after relocation");
    }
}

// `is_bound` tells whether the loader binds all imports at the start, as for Swift's libraries.
static void check(const char *path, const char *prefix, int is_bound) {
    void *library = dlopen(path, RTLD_NOW);
    if (!is_bound) {
        if (library) dlclose(library);
        library = dlopen(path, RTLD_LAZY);
    }
    if (!library) {
        failures++;
        printf("failed: %s\n", dlerror());
        return;
    }
    int (*call)(int) = (int (*)(int))dlsym(library, "call_provided");
    int (*call_by_address)(int) = (int (*)(int))dlsym(library, "call_by_address");
    void *original = dlsym(RTLD_DEFAULT, "provided");
    struct object object;
    expect(object_find(prefix, &object), "the library is found");
    void **slot = import_slot(prefix, "provided");
    expect(slot != NULL, "the import has a slot: R_AARCH64_JUMP_SLOT or R_AARCH64_GLOB_DAT");
    if (!slot) return;
    expect(import_slot(prefix, "missing") == NULL, "a function that is not imported has no slot");
    expect(object_is_data(&object, (uintptr_t)slot, sizeof *slot), "the slot is in the library's data");
    if (is_bound) check_pages(&object, slot);
    expect(call(1) == 2 && call_by_address(1) == 3, "the functions are bound");

    const struct import_replacement required = {"provided", (void *)replacement, original, 0};
    const struct import_replacement missing = {"missing", (void *)replacement, NULL, 0};
    const struct import_replacement both[] = {required, missing};
    struct import_set set = {.prefix = prefix, .replacements = both, .count = 2};
    char reason[200] = "";
    expect(replace_imports(&set, 1, NULL, reason, sizeof reason) == 0, "a missing import refuses all");
    expect(strstr(reason, "missing is not imported by") != NULL, "the reason names the import");
    expect(call(1) == 2, "nothing was replaced");
    set.count = 1;
    if (is_bound) {
        expect(replace_imports(&set, 1, deny, reason, sizeof reason) == 0, "a denied mprotect refuses all");
        expect(call(1) == 2, "nothing was replaced");
        expect(protection(slot)[1] == '-', "the slot's page is read-only");
    }
    int count = replace_imports(&set, 1, NULL, reason, sizeof reason);
    expect(count >= 1, reason);
    expect(call(1) == 101, "calls reach the replacement");
    expect(call_by_address(1) == 3, "other imports are unchanged");
    if (is_bound) expect(protection(slot)[1] == '-', "the slot's page is read-only again");
    char digits[build_id_room];
    build_id_of(prefix, digits);
    expect(strlen(digits) == 40, "the build number is found");
    dlclose(library);
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: main BOUND-LIBRARY LAZY-LIBRARY\n");
        return 100;
    }
    printf("page size %ld, ", sysconf(_SC_PAGESIZE));
    check(arguments[1], "libbound", 1);
    check(arguments[2], "liblazy", 0);
    printf("failed assumptions: %d\n", failures);
    return failures;
}
