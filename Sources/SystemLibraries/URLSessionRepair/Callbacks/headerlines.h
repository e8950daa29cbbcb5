// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

// The status in a status line of `length` bytes; 0 where there is none.
int status_of(const char *line, size_t length);

// Puts a question mark in place of each byte that is not UTF-8.
void replace_invalid_utf8(char *text, size_t length);

// Writes the line in the form FoundationNetworking accepts, without line end, into `out`, which has room for 32 bytes
// more than the line; returns its length, 0 when there is nothing to pass on.
size_t tidy_line(const char *line, size_t length, int is_status, char *out);
