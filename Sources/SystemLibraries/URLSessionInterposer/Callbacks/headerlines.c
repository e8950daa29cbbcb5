// SPDX-License-Identifier: Apache-2.0
#include "headerlines.h"

#include <string.h>
#include <strings.h>

int status_of(const char *line, size_t length) {
    const char *space = memchr(line, ' ', length);
    if (!space || line + length - space < 4) return 0;
    int status = 0;
    for (int i = 1; i <= 3; i++) {
        if (space[i] < '0' || space[i] > '9') return 0;
        status = status * 10 + (space[i] - '0');
    }
    return status;
}

void replace_invalid_utf8(char *text, size_t length) {
    for (size_t i = 0; i < length;) {
        unsigned char c = (unsigned char)text[i];
        size_t width = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
        int valid = width > 0 && i + width <= length;
        for (size_t k = 1; valid && k < width; k++) valid = ((unsigned char)text[i + k] & 0xC0) == 0x80;
        if (valid) {
            i += width;
        } else {
            text[i++] = '?';
        }
    }
}

size_t tidy_line(const char *line, size_t length, int is_status, char *out) {
    size_t used = 0;
    if (is_status) {
        memcpy(out, line, length);
        used = length;
        int spaces = 0;
        for (size_t i = 0; i < length; i++) spaces += line[i] == ' ';
        if (spaces < 2) out[used++] = ' ';
        return used;
    }
    const char *colon = memchr(line, ':', length);
    if (!colon || colon == line || line[0] == ' ' || line[0] == '\t') return 0;
    size_t name = (size_t)(colon - line), start = name + 1, end = length;
    while (start < end && (line[start] == ' ' || line[start] == '\t')) start++;
    while (end > start && (line[end - 1] == ' ' || line[end - 1] == '\t')) end--;
    if (start == end) return 0;
    if (name == 8 && strncasecmp(line, "location", 8) == 0) {
        memcpy(out, "X-Unfollowed-Location", 21);
        used = 21;
    } else {
        for (size_t i = 0; i < name; i++) out[used++] = line[i] > 32 && line[i] < 127 ? line[i] : '_';
    }
    out[used++] = ':';
    out[used++] = ' ';
    memcpy(out + used, line + start, end - start);
    return used + (end - start);
}
