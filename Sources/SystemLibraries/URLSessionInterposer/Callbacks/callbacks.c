// SPDX-License-Identifier: Apache-2.0
//
// Fixes 2, 3, and 4: header lines (headerlines.c implements their format) and bodies.
#include "callbacks.h"
#include "batch.h"
#include "direct.h"
#include "../Handles/handle.h"
#include "headerlines.h"
#include "../hooks.h"
#include "../libcurl.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

void socket_awaited(void *easy, int fd) {
    struct handle *mine = handle_of(easy);
    if (mine) pacing_on_socket(&mine->pace, fd);
}

static int is_redirect(int status) { return status >= 300 && status <= 308 && status != 304; }

size_t header_callback(char *line, size_t size, size_t count, void *user) {
    struct handle *mine = user;
    size_t length = size * count, content = length;
    if (!atomic_load(&hooks_enabled)) return mine->header(line, size, count, mine->header_user);
    while (content && (line[content - 1] == '\r' || line[content - 1] == '\n')) content--;
    batch_flush(mine);
    mine->passed_at = 0;
    int is_status = content >= 5 && memcmp(line, "HTTP/", 5) == 0;
    if (is_status) {
        mine->status = status_of(line, content);
        mine->header_has_ended = 0;
        mine->dropped = 0;
    }
    if (mine->header_has_ended) return length;
    // 104 names the URL at which an interrupted upload continues.
    int is_interim = mine->status >= 100 && mine->status < 200;
    if (is_interim && mine->status != 101 && mine->status != 104) return length;
    if (content == 0) {
        mine->header_has_ended = 1;
        char end[2] = {'\r', '\n'};  // the line may have ended in a bare line feed
        return mine->header(end, 1, sizeof end, mine->header_user) == sizeof end ? length : 0;
    }
    char small[4096], *out = content + 32 <= sizeof small ? small : malloc(content + 32);
    if (!out) return 0;
    size_t used = tidy_line(line, content, is_status, out);
    size_t taken = used;
    if (used) {
        replace_invalid_utf8(out, used);
        out[used++] = '\r';
        out[used++] = '\n';
        taken = mine->header(out, 1, used, mine->header_user);
    }
    if (out != small) free(out);
    return taken == used ? length : 0;
}

size_t body_callback(char *bytes, size_t size, size_t count, void *user) {
    struct handle *mine = user;
    if (pacing_is_stopped(&mine->pace)) return 0;  // a short count makes libcurl close the connection
    // libcurl keeps the bytes that it was not allowed to deliver.
    if (!pacing_may_receive(&mine->pace)) return data_pause;
    pacing_received(&mine->pace, size * count);
    if (atomic_load(&hooks_enabled) && is_redirect(mine->status)) {
        mine->dropped += size * count;
        return mine->dropped <= 1 << 20 ? size * count : 0;  // a redirect that never ends is an error
    }
    if (batch_is_open()) return batch_add(mine, bytes, size * count);
    return direct_deliver(mine, bytes, size * count);
}

size_t source_callback(char *bytes, size_t size, size_t count, void *user) {
    struct handle *mine = user;
    if (pacing_is_stopped(&mine->pace)) return source_abort;
    uint64_t now = pacing_now();
    size_t block = upload_block_next(&mine->block, size * count, now);
    size_t room = pacing_room_to_send(&mine->pace, block);
    if (room == 0 && size * count > 0) return data_pause;
    size_t given = direct_read(mine, bytes, room, now);
    if (given < source_abort) pacing_sent(&mine->pace, given);
    return given;
}
