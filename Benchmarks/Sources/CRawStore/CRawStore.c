// SPDX-License-Identifier: Apache-2.0
#include "CRawStore.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// The store's two tables for a new transfer, and the store's settings.
static const char *schema =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON;"
    "CREATE TABLE task (id INTEGER NOT NULL PRIMARY KEY CHECK (id > 0), key TEXT CHECK (key <> ''),"
    " specification TEXT NOT NULL CHECK (json_valid(specification)), url TEXT, directory TEXT, name TEXT,"
    " collision TEXT) STRICT;"
    "CREATE INDEX task_key ON task (key, id) WHERE key IS NOT NULL;"
    "CREATE TABLE queue (task INTEGER NOT NULL PRIMARY KEY REFERENCES task (id) ON DELETE CASCADE,"
    " class INTEGER NOT NULL, submitted INTEGER NOT NULL, deadline INTEGER, not_before INTEGER, expected INTEGER,"
    " sending INTEGER, expires INTEGER) STRICT;";

static int insert(sqlite3_stmt *task, sqlite3_stmt *queue, int id) {
    char url[64];
    int length = snprintf(url, sizeof url, "https://download.example.org/files/%d.bin", id);
    sqlite3_bind_int64(task, 1, id);
    sqlite3_bind_null(task, 2);
    sqlite3_bind_text(task, 3, "{}", 2, SQLITE_STATIC);
    sqlite3_bind_text(task, 4, url, length, SQLITE_TRANSIENT);
    sqlite3_bind_text(task, 5, "/srv/downloads", 14, SQLITE_STATIC);
    sqlite3_bind_null(task, 6);
    sqlite3_bind_text(task, 7, "rename", 6, SQLITE_STATIC);
    if (sqlite3_step(task) != SQLITE_DONE) return 1;
    sqlite3_reset(task);
    sqlite3_bind_int64(queue, 1, id);
    sqlite3_bind_int64(queue, 2, 1 + id % 64);
    sqlite3_bind_int64(queue, 3, 1795228604123456789);
    for (int column = 4; column <= 8; column++) sqlite3_bind_null(queue, column);
    if (sqlite3_step(queue) != SQLITE_DONE) return 1;
    sqlite3_reset(queue);
    return 0;
}

double raw_store_submit(const char *path, int count, int batch) {
    sqlite3 *database;
    sqlite3_stmt *task = NULL, *queue = NULL;
    double seconds = -1;
    if (sqlite3_open(path, &database) != SQLITE_OK) return -1;
    if (sqlite3_exec(database, schema, NULL, NULL, NULL) == SQLITE_OK
        && sqlite3_prepare_v2(database, "INSERT INTO task VALUES (?, ?, ?, ?, ?, ?, ?)", -1, &task, NULL) == SQLITE_OK
        && sqlite3_prepare_v2(database, "INSERT INTO queue VALUES (?, ?, ?, ?, ?, ?, ?, ?)", -1, &queue, NULL)
            == SQLITE_OK) {
        double start = now();
        int failed = 0;
        for (int first = 1; first <= count && !failed; first += batch) {
            failed |= sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
            for (int id = first; id < first + batch && id <= count && !failed; id++)
                failed |= insert(task, queue, id);
            failed |= sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
        }
        if (!failed) seconds = now() - start;
    }
    sqlite3_finalize(task);
    sqlite3_finalize(queue);
    sqlite3_close(database);
    return seconds;
}

double raw_store_scan(const char *path, long long *rows) {
    sqlite3 *database;
    sqlite3_stmt *select = NULL;
    double seconds = -1, start = now();
    volatile long long sum = 0;
    *rows = 0;
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) return -1;
    if (sqlite3_prepare_v2(
            database,
            "SELECT task, class, submitted, deadline, not_before, expected, sending, expires FROM queue ORDER BY task",
            -1, &select, NULL)
        == SQLITE_OK) {
        int code;
        while ((code = sqlite3_step(select)) == SQLITE_ROW) {
            for (int column = 0; column < 8; column++)
                if (sqlite3_column_type(select, column) != SQLITE_NULL) sum += sqlite3_column_int64(select, column);
            *rows += 1;
        }
        if (code == SQLITE_DONE) seconds = now() - start;
    }
    sqlite3_finalize(select);
    sqlite3_close(database);
    return seconds;
}

double raw_sync(const char *path, int count) {
    static const char block[4096];
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) return -1;
    double start = now();
    for (int index = 0; index < count; index++)
        if (write(file, block, sizeof block) != sizeof block || fdatasync(file) != 0) {
            close(file);
            return -1;
        }
    close(file);
    return now() - start;
}
