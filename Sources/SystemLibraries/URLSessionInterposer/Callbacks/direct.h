// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../Handles/handle.h"
#include "URLSessionInterposer.h"

#include <stddef.h>
#include <stdint.h>

// Sets the functions that read and receive bodies. Must be called before the hooks are installed. Only the first call has
// an effect.
void direct_install(const struct transfer_urlsession_bodies *bodies);

// Reads the next bytes of the request's body. Returns the value that FoundationNetworking's function would return.
size_t direct_read(struct handle *mine, char *bytes, size_t room, uint64_t now);

// Delivers bytes of a response's body. Returns the value that FoundationNetworking's function would return.
size_t direct_deliver(struct handle *mine, char *bytes, size_t count);
