// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "imports.h"
#include "object.h"
#include "pages.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { most_slots = 128 };

// All planned writes, collected before the first write.
struct plan {
    struct { void **slot; void *value; } changes[most_slots];
    size_t count;
    uintptr_t pages[most_slots];  // pages to make read-only again
    size_t page_count;
    size_t page_size;
    protect_fn protect;
    char *reason;
    size_t room;
};

// The state of a visit to the imports of a library.
struct visit {
    struct plan *plan;
    const struct object *object;
    const struct import_set *set;
    size_t found[most_slots];  // the number of slots of each replacement
};

static int refuse(struct plan *plan, const char *text, const char *name, const char *file) {
    snprintf(plan->reason, plan->room, text, name, file);
    return -1;
}

// Returns whether a slot may be changed. The slot must contain the loader's value: the function, or the stub that binds
// the function at its first call.
static int is_as_expected(const struct object *object, const void *value, const void *expected) {
    uintptr_t address = (uintptr_t)value;
    return !expected || value == expected || (address >= object->base && address < object->end);
}

static int add(struct visit *visit, const struct import_replacement *replacement, void **slot) {
    struct plan *plan = visit->plan;
    const char *name = replacement->name, *file = visit->object->file;
    if (plan->count == most_slots) return refuse(plan, "too many imports of %s by %s", name, file);
    if (!object_is_data(visit->object, (uintptr_t)slot, sizeof *slot)) {
        return refuse(plan, "the import of %s by %s is outside the writable data", name, file);
    }
    if (!is_as_expected(visit->object, *slot, replacement->expected)) {
        return refuse(plan, "the import of %s by %s is bound to a function of another library", name, file);
    }
    struct page_span pages = pages_around((uintptr_t)slot, sizeof *slot, plan->page_size);
    for (uintptr_t page = pages.start; page - pages.start < pages.length; page += plan->page_size) {
        int is_known = !object_is_read_only_page(visit->object, page, plan->page_size);
        for (size_t i = 0; i < plan->page_count; i++) is_known |= plan->pages[i] == page;
        if (is_known) continue;
        if (plan->page_count == most_slots) return refuse(plan, "too many imports of %s by %s", name, file);
        plan->pages[plan->page_count++] = page;
    }
    plan->changes[plan->count].slot = slot;
    plan->changes[plan->count++].value = replacement->replacement;
    return 0;
}

static int add_if_wanted(const char *name, void **slot, void *user) {
    struct visit *visit = user;
    for (const char *const *refused = visit->set->refused; refused && *refused; refused++) {
        if (strcmp(name, *refused) != 0) continue;
        return refuse(visit->plan, "%s is imported by %s, which is not supported", name, visit->object->file);
    }
    for (size_t i = 0; i < visit->set->count; i++) {
        if (strcmp(name, visit->set->replacements[i].name) != 0) continue;
        visit->found[i]++;
        return add(visit, &visit->set->replacements[i], slot);
    }
    return 0;
}

static int add_set(struct plan *plan, const struct import_set *set) {
    struct object object;
    if (set->count > most_slots) return refuse(plan, "%s%s: too many replacements", set->prefix, "*");
    // If Swift's libraries are linked statically, the library is a part of the program.
    if (!object_find(set->prefix, &object) && !(set->may_be_in_program && object_find(NULL, &object))) {
        return refuse(plan, "%s%s is not loaded", set->prefix, "*");
    }
    struct visit visit = {.plan = plan, .object = &object, .set = set};
    if (object_visit_imports(&object, add_if_wanted, &visit) != 0) return -1;
    for (size_t i = 0; i < set->count; i++) {
        if (visit.found[i] > 0 || set->replacements[i].is_optional) continue;
        return refuse(plan, "%s is not imported by %s", set->replacements[i].name, object.file);
    }
    return 0;
}

static void protect_first(const struct plan *plan, size_t count) {
    for (size_t i = 0; i < count; i++) plan->protect((void *)plan->pages[i], plan->page_size, PROT_READ);
}

int replace_imports(const struct import_set *sets, size_t count, protect_fn protect, char *reason, size_t room) {
    struct plan plan = {.page_size = (size_t)sysconf(_SC_PAGESIZE), .reason = reason, .room = room};
    plan.protect = protect ? protect : mprotect;
    for (size_t i = 0; i < count; i++) if (add_set(&plan, &sets[i]) != 0) return 0;
    for (size_t i = 0; i < plan.page_count; i++) {
        if (plan.protect((void *)plan.pages[i], plan.page_size, PROT_READ | PROT_WRITE) == 0) continue;
        refuse(&plan, "the imports cannot be made writable: %s%s", strerror(errno), "");
        protect_first(&plan, i);
        return 0;
    }
    // No step can fail from here on.
    for (size_t i = 0; i < plan.count; i++) {
        __atomic_store_n(plan.changes[i].slot, plan.changes[i].value, __ATOMIC_RELEASE);
    }
    protect_first(&plan, plan.page_count);
    if (plan.count == 0) refuse(&plan, "no imports to replace%s%s", "", "");
    return (int)plan.count;
}

struct slot_search { const char *name; void **slot; };

static int match_slot(const char *name, void **slot, void *user) {
    struct slot_search *search = user;
    if (strcmp(name, search->name) == 0) search->slot = slot;
    return search->slot != NULL;
}

void **import_slot(const char *prefix, const char *name) {
    struct object object;
    struct slot_search search = {name, NULL};
    if (object_find(prefix, &object)) object_visit_imports(&object, match_slot, &search);
    return search.slot;
}
