// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "object.h"
#include "pages.h"

#include <elf.h>
#include <string.h>

struct search { const char *prefix; struct object *found; };

// glibc stores relocated addresses in the dynamic section; musl and the kernel's vDSO do not.
static const void *address(const struct object *object, ElfW(Addr) value) {
    return (const void *)(value < object->base ? object->base + value : value);
}

static void read_dynamic(struct object *object, const ElfW(Dyn) *entry) {
    for (; entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_SYMTAB: object->symbols = address(object, entry->d_un.d_ptr); break;
        case DT_STRTAB: object->names = address(object, entry->d_un.d_ptr); break;
        case DT_RELA: object->relocations[0] = address(object, entry->d_un.d_ptr); break;
        case DT_RELASZ: object->relocation_counts[0] = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
        case DT_JMPREL: object->relocations[1] = address(object, entry->d_un.d_ptr); break;
        case DT_PLTRELSZ: object->relocation_counts[1] = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
        default: break;
        }
    }
}

static int read_if_matching(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size;
    struct search *search = user;
    const char *path = info->dlpi_name ? info->dlpi_name : "", *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    // The program comes first and has no name.
    if (search->prefix ? strncmp(file, search->prefix, strlen(search->prefix)) != 0 : *file != 0) return 0;
    struct object object = {
        .base = info->dlpi_addr, .end = info->dlpi_addr, .headers = info->dlpi_phdr, .header_count = info->dlpi_phnum};
    strncpy(object.file, *file ? file : "the program", sizeof object.file - 1);
    for (int i = 0; i < object.header_count; i++) {
        const ElfW(Phdr) *header = &object.headers[i];
        ElfW(Addr) start = object.base + header->p_vaddr;
        if (header->p_type == PT_LOAD && start + header->p_memsz > object.end) object.end = start + header->p_memsz;
        if (header->p_type == PT_DYNAMIC) read_dynamic(&object, (const ElfW(Dyn) *)start);
    }
    if (!object.symbols || !object.names) return search->prefix == NULL;
    *search->found = object;
    return 1;
}

int object_find(const char *prefix, struct object *found) {
    memset(found, 0, sizeof *found);
    struct search search = {prefix, found};
    dl_iterate_phdr(read_if_matching, &search);
    return found->symbols != NULL;
}

static int is_slot(uint64_t info) {
#if defined(__x86_64__)
    return ELF64_R_TYPE(info) == R_X86_64_JUMP_SLOT || ELF64_R_TYPE(info) == R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
    return ELF64_R_TYPE(info) == R_AARCH64_JUMP_SLOT || ELF64_R_TYPE(info) == R_AARCH64_GLOB_DAT;
#else
    (void)info;
    return 0;
#endif
}

int object_visit_imports(
    const struct object *object, int (*visit)(const char *name, void **slot, void *user), void *user) {
    for (int table = 0; table < 2; table++) {
        const ElfW(Rela) *relocations = object->relocations[table];
        for (size_t i = 0; relocations && i < object->relocation_counts[table]; i++) {
            if (!is_slot(relocations[i].r_info)) continue;
            const char *name = object->names + object->symbols[ELF64_R_SYM(relocations[i].r_info)].st_name;
            int result = visit(name, (void **)(object->base + relocations[i].r_offset), user);
            if (result) return result;
        }
    }
    return 0;
}

int object_is_data(const struct object *object, uintptr_t start, size_t length) {
    for (int i = 0; i < object->header_count; i++) {
        const ElfW(Phdr) *header = &object->headers[i];
        uintptr_t first = object->base + header->p_vaddr;
        if (header->p_type == PT_LOAD && (header->p_flags & PF_W) && start >= first
            && start + length <= first + header->p_memsz) return 1;
    }
    return 0;
}

int object_is_read_only_page(const struct object *object, uintptr_t page, size_t page_size) {
    for (int i = 0; i < object->header_count; i++) {
        const ElfW(Phdr) *header = &object->headers[i];
        if (header->p_type != PT_GNU_RELRO) continue;
        struct page_span pages =
            pages_after_relocation(object->base + header->p_vaddr, header->p_memsz, page_size);
        if (page >= pages.start && page - pages.start < pages.length) return 1;
    }
    return 0;
}
