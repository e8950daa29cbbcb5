// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "buildid.h"
#include "object.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

// A build is added to this list once the executor's tests pass with the build. 'readelf -n
// libFoundationNetworking.so' prints its number; the log prints the number of an unknown build.
static const struct { const char *digits, *release; } tested[] = {
    {"8c9476902050c07a24ced43fb8f5be319af5dad1", "Swift 6.3.1 for Debian 12, x86-64"},
};

const char *tested_foundation(const char *digits) {
    for (size_t i = 0; i < sizeof tested / sizeof *tested; i++) {
        if (strcmp(tested[i].digits, digits) == 0) return tested[i].release;
    }
    return NULL;
}

static size_t rounded_up(size_t length) { return (length + 3) & ~(size_t)3; }

void build_id_in_notes(const void *notes, size_t length, char digits[build_id_room]) {
    const unsigned char *bytes = notes;
    digits[0] = 0;
    size_t at = 0;
    while (at < length && length - at >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        memcpy(&head, bytes + at, sizeof head);
        size_t name = at + sizeof head, value = name + rounded_up(head.n_namesz);
        if (head.n_namesz > length || head.n_descsz > length || value > length || head.n_descsz > length - value) return;
        int is_number = head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && memcmp(bytes + name, "GNU", 4) == 0;
        if (is_number && head.n_descsz * 2 < build_id_room) {
            for (size_t i = 0; i < head.n_descsz; i++) {
                digits[2 * i] = "0123456789abcdef"[bytes[value + i] >> 4];
                digits[2 * i + 1] = "0123456789abcdef"[bytes[value + i] & 15];
            }
            digits[2 * head.n_descsz] = 0;
            return;
        }
        at = value + rounded_up(head.n_descsz);
    }
}

void build_id_of(const char *prefix, char digits[build_id_room]) {
    struct object object;
    digits[0] = 0;
    if (!object_find(prefix, &object)) return;
    for (int i = 0; i < object.header_count && digits[0] == 0; i++) {
        const ElfW(Phdr) *header = &object.headers[i];
        if (header->p_type != PT_NOTE) continue;
        build_id_in_notes((const void *)(object.base + header->p_vaddr), header->p_memsz, digits);
    }
}
