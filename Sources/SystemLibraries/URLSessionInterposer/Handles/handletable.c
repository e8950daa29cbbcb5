// SPDX-License-Identifier: Apache-2.0
//
// A hash table with open addressing that is at most half full. A key is stored at the position of its hash, or at one
// of the following positions without a gap in between.
#include "handletable.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct entry {
    const void *key;  // NULL if the position is free
    void *value;
};

struct handle_table {
    pthread_mutex_t lock;  // guards all members below
    struct entry *entries;
    size_t capacity;  // a power of two
    size_t count;
};

enum { least_capacity = 64 };

struct handle_table *handle_table_make(void) {
    struct handle_table *table = calloc(1, sizeof *table);
    if (!table) return NULL;
    table->entries = calloc(least_capacity, sizeof *table->entries);
    if (!table->entries || pthread_mutex_init(&table->lock, NULL) != 0) {
        free(table->entries);
        free(table);
        return NULL;
    }
    table->capacity = least_capacity;
    return table;
}

void handle_table_free(struct handle_table *table) {
    if (!table) return;
    pthread_mutex_destroy(&table->lock);
    free(table->entries);
    free(table);
}

// Returns the position for a key's hash. Handles are aligned, so their low bits carry no information.
static size_t home(const struct handle_table *table, const void *key) {
    uint64_t hash = ((uint64_t)(uintptr_t)key >> 4) * 0x9E3779B97F4A7C15u;
    return (size_t)(hash >> 32) & (table->capacity - 1);
}

// Returns the position of the key, or the free position at which the key belongs.
static size_t index_of(const struct handle_table *table, const void *key) {
    size_t index = home(table, key);
    while (table->entries[index].key && table->entries[index].key != key) index = (index + 1) & (table->capacity - 1);
    return index;
}

static int grow(struct handle_table *table) {
    struct handle_table grown = {.capacity = table->capacity * 2};
    grown.entries = calloc(grown.capacity, sizeof *grown.entries);
    if (!grown.entries) return 0;
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->entries[i].key) grown.entries[index_of(&grown, table->entries[i].key)] = table->entries[i];
    }
    free(table->entries);
    table->entries = grown.entries;
    table->capacity = grown.capacity;
    return 1;
}

// Closes the gap at `free_index`, so that every later key can still be reached from its home.
static void close_gap(struct handle_table *table, size_t free_index) {
    size_t mask = table->capacity - 1;
    for (size_t index = (free_index + 1) & mask; table->entries[index].key; index = (index + 1) & mask) {
        size_t way = (index - home(table, table->entries[index].key)) & mask;
        if (way < ((index - free_index) & mask)) continue;  // its home is after the gap
        table->entries[free_index] = table->entries[index];
        free_index = index;
    }
    table->entries[free_index].key = NULL;
    table->entries[free_index].value = NULL;
}

void *handle_table_find(struct handle_table *table, const void *key) {
    pthread_mutex_lock(&table->lock);
    void *value = table->entries[index_of(table, key)].value;
    pthread_mutex_unlock(&table->lock);
    return value;
}

int handle_table_set(struct handle_table *table, const void *key, void *value) {
    pthread_mutex_lock(&table->lock);
    size_t index = index_of(table, key);
    int has_room = table->entries[index].key || table->count * 2 < table->capacity;
    if (!has_room && grow(table)) {
        has_room = 1;
        index = index_of(table, key);
    }
    if (has_room) {
        table->count += table->entries[index].key == NULL;
        table->entries[index].key = key;
        table->entries[index].value = value;
    }
    pthread_mutex_unlock(&table->lock);
    return has_room;
}

void *handle_table_remove(struct handle_table *table, const void *key) {
    pthread_mutex_lock(&table->lock);
    size_t index = index_of(table, key);
    void *value = table->entries[index].value;
    if (table->entries[index].key) {
        table->count--;
        close_gap(table, index);
    }
    pthread_mutex_unlock(&table->lock);
    return value;
}

size_t handle_table_count(struct handle_table *table) {
    pthread_mutex_lock(&table->lock);
    size_t count = table->count;
    pthread_mutex_unlock(&table->lock);
    return count;
}
