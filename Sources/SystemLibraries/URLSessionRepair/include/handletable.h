// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

// A table from pointers to pointers that any number of threads may use at once. It owns neither.
struct handle_table;

// An empty table; NULL where there is no memory.
struct handle_table *handle_table_make(void);

// Frees the table, which nobody uses any more.
void handle_table_free(struct handle_table *table);

// The value of `key`; NULL where it has none. Takes tens of nanoseconds, whatever the table holds.
void *handle_table_find(struct handle_table *table, const void *key);

// Gives `key` a value, in place of one it had. Neither is NULL. Returns 0 where there is no memory: nothing is changed then.
int handle_table_set(struct handle_table *table, const void *key, void *value);

// Takes `key` out of the table and returns the value it had; NULL where it had none.
void *handle_table_remove(struct handle_table *table, const void *key);

// The number of keys.
size_t handle_table_count(struct handle_table *table);
