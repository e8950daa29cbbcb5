// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "imports.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct search {
    const char *prefix;  // of the library's file name
    const struct import_replacement *replacements;
    size_t count;
    int wants_main_program;
    int patched;
};

struct object { ElfW(Addr) base; const ElfW(Sym) *symbols; const char *names; const struct dl_phdr_info *info; };

// Only slots that are read-only after relocation are made read-only again.
static int was_read_only(const struct dl_phdr_info *info, uintptr_t slot) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_GNU_RELRO && slot >= start && slot < start + header->p_memsz) return 1;
    }
    return 0;
}

static int write_slot(const struct object *object, void **slot, void *value) {
    uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)((uintptr_t)slot & ~(page_size - 1));
    if (mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0) return 0;
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    if (was_read_only(object->info, (uintptr_t)slot)) mprotect(page, page_size, PROT_READ);
    return 1;
}

static int patch_relocations(
    const struct search *search, const struct object *object, const ElfW(Rela) *relocations, size_t size) {
    int patched = 0;
    for (size_t i = 0; relocations && i < size / sizeof *relocations; i++) {
#if defined(__x86_64__)
        uint32_t type = (uint32_t)ELF64_R_TYPE(relocations[i].r_info);
        if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
#elif defined(__aarch64__)
        uint32_t type = (uint32_t)ELF64_R_TYPE(relocations[i].r_info);
        if (type != R_AARCH64_JUMP_SLOT && type != R_AARCH64_GLOB_DAT) continue;
#else
        continue;
#endif
        const char *name = object->names + object->symbols[ELF64_R_SYM(relocations[i].r_info)].st_name;
        for (size_t k = 0; k < search->count; k++) {
            if (strcmp(name, search->replacements[k].name) != 0) continue;
            void **slot = (void **)(object->base + relocations[i].r_offset);
            patched += write_slot(object, slot, search->replacements[k].replacement);
        }
    }
    return patched;
}

// glibc stores relocated addresses in the dynamic section; musl and the kernel's vDSO do not.
static const void *address(const struct object *object, ElfW(Addr) value) {
    return (const void *)(value < object->base ? object->base + value : value);
}

static int patch_object(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size;
    struct search *search = user;
    const char *file = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    file = file ? file + 1 : info->dlpi_name ? info->dlpi_name : "";
    int is_wanted = search->wants_main_program ? *file == 0 : strncmp(file, search->prefix, strlen(search->prefix)) == 0;
    if (!is_wanted) return 0;
    struct object object = {.base = info->dlpi_addr, .info = info};
    const ElfW(Rela) *plain = NULL, *jumps = NULL;
    size_t plain_size = 0, jumps_size = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            switch (entry->d_tag) {
            case DT_SYMTAB: object.symbols = address(&object, entry->d_un.d_ptr); break;
            case DT_STRTAB: object.names = address(&object, entry->d_un.d_ptr); break;
            case DT_RELA: plain = address(&object, entry->d_un.d_ptr); break;
            case DT_RELASZ: plain_size = entry->d_un.d_val; break;
            case DT_JMPREL: jumps = address(&object, entry->d_un.d_ptr); break;
            case DT_PLTRELSZ: jumps_size = entry->d_un.d_val; break;
            default: break;
            }
        }
    }
    if (!object.symbols || !object.names) return 0;
    search->patched += patch_relocations(search, &object, plain, plain_size);
    search->patched += patch_relocations(search, &object, jumps, jumps_size);
    return search->wants_main_program;  // the main program comes first and is alone
}

int replace_imports(
    const char *prefix, int may_be_in_program, const struct import_replacement *replacements, size_t count) {
    struct search search = {.prefix = prefix, .replacements = replacements, .count = count};
    dl_iterate_phdr(patch_object, &search);
    // With Swift's libraries linked statically the library is part of the program itself.
    search.wants_main_program = 1;
    if (search.patched == 0 && may_be_in_program) dl_iterate_phdr(patch_object, &search);
    return search.patched;
}
