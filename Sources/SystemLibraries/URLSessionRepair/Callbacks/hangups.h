// SPDX-License-Identifier: Apache-2.0
#pragma once

struct epoll_event;

// As epoll_wait(2), but tells of a hang-up as of something to read and room to write while the repair is enabled.
int wait_without_hangups(int epoll, struct epoll_event *events, int capacity, int timeout);
