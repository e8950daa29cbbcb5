// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

// A thread-safe table from pointers to pointers. The table owns neither.
struct handle_table;

// Creates an empty table. Returns NULL if there is no memory.
struct handle_table *handle_table_make(void);

// Frees the table. The table must no longer be in use.
void handle_table_free(struct handle_table *table);

// Returns the value of `key`, or NULL if there is none. Takes tens of nanoseconds, whatever the size of the table.
void *handle_table_find(struct handle_table *table, const void *key);

// Sets the value of `key` and replaces an earlier value. `key` and `value` must not be NULL. Returns 0 and changes
// nothing if there is no memory.
int handle_table_set(struct handle_table *table, const void *key, void *value);

// Removes `key` from the table. Returns its value, or NULL if there was none.
void *handle_table_remove(struct handle_table *table, const void *key);

// Returns the number of keys.
size_t handle_table_count(struct handle_table *table);
