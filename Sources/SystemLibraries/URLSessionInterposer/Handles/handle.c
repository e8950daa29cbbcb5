// SPDX-License-Identifier: Apache-2.0
#include "handle.h"
#include "handletable.h"

#include <stdlib.h>

static struct handle_table *table;

int handles_prepare(void) {
    if (!table) table = handle_table_make();
    return table != NULL;
}

struct handle *handle_of(void *easy) { return easy ? handle_table_find(table, easy) : NULL; }

struct handle *make_handle(void *easy) {
    struct handle *mine = handle_of(easy);
    if (mine || !easy) return mine;
    mine = calloc(1, sizeof *mine);
    if (!mine) return NULL;
    mine->pace.easy = easy;
    if (handle_table_set(table, easy, mine)) return mine;
    free(mine);
    return NULL;
}

size_t handles_count(void) { return table ? handle_table_count(table) : 0; }

struct handle *remove_handle(void *easy) { return easy ? handle_table_remove(table, easy) : NULL; }
