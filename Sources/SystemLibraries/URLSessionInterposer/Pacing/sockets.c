// SPDX-License-Identifier: Apache-2.0
//
// Counts the bytes of this process's connections on the wire, as reported by the kernel. The counters of an interface
// include bytes that wait in the kernel's buffers. The number of bytes that a program has read does not include them.
#define _GNU_SOURCE
#include "sockets.h"
#include "URLSessionInterposer.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>

enum { descriptors = 1 << 16, header_bytes = 66 };  // Ethernet, IPv4, and TCP with timestamps

// The counters by descriptor. Higher descriptors are neither marked nor counted.
static struct { uint64_t in, out; uint16_t port; } known[descriptors];
static int highest = -1;
static uint64_t total_in, total_out;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards the variables above
static unsigned char marked[descriptors];                 // only on FoundationNetworking's queue

static _Atomic int is_counting, counts_loopback;

void sockets_mark(int fd, int is_background) {
    if (fd < 0 || fd >= descriptors || (!is_background && !marked[fd])) return;
    int value = is_background ? 1 << 2 : 0;  // the codepoint LE is 000001
    marked[fd] = is_background != 0;
    // One of the two options does not match the socket's family. Its failure is expected.
    setsockopt(fd, IPPROTO_IP, IP_TOS, &value, sizeof value);
    setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &value, sizeof value);
}

// Returns the local port, which distinguishes a new connection from an old one with an equal descriptor. Returns 0 if
// the connection must not be counted.
static uint16_t port_of(int fd) {
    union { struct sockaddr any; struct sockaddr_in v4; struct sockaddr_in6 v6; } local;
    socklen_t length = sizeof local;
    if (getsockname(fd, &local.any, &length) != 0) return 0;
    int is_loopback = 0;
    uint16_t port = 0;
    if (local.any.sa_family == AF_INET) {
        is_loopback = (ntohl(local.v4.sin_addr.s_addr) >> 24) == 127;
        port = local.v4.sin_port;
    } else if (local.any.sa_family == AF_INET6) {
        is_loopback = IN6_IS_ADDR_LOOPBACK(&local.v6.sin6_addr);
        port = local.v6.sin6_port;
    }
    return is_loopback && !atomic_load(&counts_loopback) ? 0 : port;
}

// Adds the new bytes of a connection. Must be called under the lock. The descriptor may be closed by now, or refer to
// another file. Its port then differs, or it has none.
static void count(int fd) {
    struct tcp_info info;
    memset(&info, 0, sizeof info);
    socklen_t length = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return;
    uint64_t in = info.tcpi_bytes_received + (uint64_t)info.tcpi_segs_in * header_bytes;
    uint64_t out = info.tcpi_bytes_sent + (uint64_t)info.tcpi_segs_out * header_bytes;
    if (in > known[fd].in) total_in += in - known[fd].in;
    if (out > known[fd].out) total_out += out - known[fd].out;
    known[fd].in = in;
    known[fd].out = out;
}

void sockets_count(int fd) {
    if (!atomic_load_explicit(&is_counting, memory_order_relaxed) || fd < 0 || fd >= descriptors) return;
    uint16_t port = port_of(fd);
    if (port == 0) return;
    pthread_mutex_lock(&lock);
    if (known[fd].port != port) {
        known[fd].port = port;
        known[fd].in = known[fd].out = 0;
    }
    if (fd > highest) highest = fd;
    count(fd);
    pthread_mutex_unlock(&lock);
}

void transfer_urlsession_count_wire(int is_on, int with_loopback) {
    atomic_store(&counts_loopback, with_loopback);
    atomic_store(&is_counting, is_on);
}

struct transfer_urlsession_wire_bytes transfer_urlsession_wire_bytes(void) {
    pthread_mutex_lock(&lock);
    for (int fd = 0; fd <= highest; fd++) {
        if (known[fd].port == 0) continue;
        if (port_of(fd) == known[fd].port) {
            count(fd);
        } else {
            known[fd].port = 0;
        }
    }
    struct transfer_urlsession_wire_bytes bytes = {total_in, total_out};
    pthread_mutex_unlock(&lock);
    return bytes;
}
