// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

// The callbacks that libcurl calls instead of FoundationNetworking's functions. `user` is the handle's `struct
// handle`.
size_t header_callback(char *line, size_t size, size_t count, void *user);
size_t body_callback(char *bytes, size_t size, size_t count, void *user);
size_t source_callback(char *bytes, size_t size, size_t count, void *user);

// Called when libcurl waits for a socket of the handle.
void socket_awaited(void *easy, int fd);
