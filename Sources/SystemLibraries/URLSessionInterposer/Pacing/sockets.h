// SPDX-License-Identifier: Apache-2.0
#pragma once

// Marks the packets of the socket as lower effort (RFC 8622) or as ordinary packets.
void sockets_mark(int fd, int is_background);

// Adds the bytes that crossed the socket since the last count, and records the socket as one of this process's
// connections.
void sockets_count(int fd);
