// SPDX-License-Identifier: Apache-2.0
#pragma once

// Marks the socket's packets as lower effort (RFC 8622) or as ordinary ones.
void sockets_mark(int fd, int is_background);

// Adds what went over the socket since it was last looked at, and remembers it as one of ours.
void sockets_count(int fd);
