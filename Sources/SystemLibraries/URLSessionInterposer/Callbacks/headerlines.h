// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

// Returns the status in a status line of `length` bytes, or 0 if there is none.
int status_of(const char *line, size_t length);

// Replaces each byte that is not valid UTF-8 with a question mark.
void replace_invalid_utf8(char *text, size_t length);

// Writes the line to `out` in the form that FoundationNetworking accepts, without the line ending. `out` must have
// room for 32 bytes more than the line. Returns the length of the result, or 0 if the line must not be delivered.
size_t tidy_line(const char *line, size_t length, int is_status, char *out);
