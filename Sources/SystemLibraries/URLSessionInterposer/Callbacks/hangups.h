// SPDX-License-Identifier: Apache-2.0
#pragma once

struct epoll_event;

// Works like epoll_wait(2). While the interposer is enabled, reports a hang-up as readable and writable.
int wait_without_hangups(int epoll, struct epoll_event *events, int capacity, int timeout);
