// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>
#include <stdint.h>

// libcurl, loaded at run time: few of the processes of a program transfer files, and libcurl and its libraries would
// take a third of the start of every one.

// Loads libcurl, once. Returns NULL, or the reason why it cannot be loaded.
const char *transfer_curl_load(void);

// The functions below must not be called before libcurl is loaded.

// curl_easy_setopt for the three kinds of values; Swift cannot call a function with variable arguments.
CURLcode transfer_curl_set_number(CURL *easy, CURLoption option, int64_t value);
CURLcode transfer_curl_set_pointer(CURL *easy, CURLoption option, const void *value);
typedef size_t (*transfer_curl_bytes)(char *bytes, size_t size, size_t count, void *user);
CURLcode transfer_curl_set_bytes(CURL *easy, CURLoption option, transfer_curl_bytes function);
CURLcode transfer_curl_set_seek(CURL *easy, int (*function)(void *user, curl_off_t offset, int origin));
CURLcode transfer_curl_set_prerequest(
    CURL *easy, int (*function)(void *user, char *to, char *from, int to_port, int from_port));
CURLcode transfer_curl_set_opened(CURL *easy, int (*function)(void *user, curl_socket_t socket, curlsocktype purpose));
// The number of the last failed system call (CURLINFO_OS_ERRNO), or 0.
long transfer_curl_cause(CURL *easy);

CURL *transfer_curl_easy_init(void);
void transfer_curl_easy_reset(CURL *easy);
void transfer_curl_easy_cleanup(CURL *easy);
CURLcode transfer_curl_easy_pause(CURL *easy, int what);
const char *transfer_curl_text(CURLcode code);
struct curl_slist *transfer_curl_append(struct curl_slist *list, const char *line);
void transfer_curl_free(struct curl_slist *list);

CURLM *transfer_curl_multi_init(void);
CURLMcode transfer_curl_multi_cleanup(CURLM *multi);
CURLMcode transfer_curl_multi_add(CURLM *multi, CURL *easy);
CURLMcode transfer_curl_multi_remove(CURLM *multi, CURL *easy);
CURLMcode transfer_curl_multi_perform(CURLM *multi, int *running);
CURLMcode transfer_curl_multi_poll(CURLM *multi, int milliseconds);
CURLMcode transfer_curl_multi_wakeup(CURLM *multi);
// The next transfer that has ended, with its result and the user's pointer of its handle, or NULL.
CURL *transfer_curl_multi_ended(CURLM *multi, CURLcode *result, void **user);

// The bytes of a TCP connection on the wire, with its packets' headers, and its local port. The port is 0 if the
// descriptor is no such connection, or one of the loopback interface that is not wanted.
struct transfer_wire_bytes {
    uint64_t in, out;
    uint16_t port;
};
struct transfer_wire_bytes transfer_wire_bytes_of(int descriptor, int with_loopback);
// The local port of a connection in network byte order, 0 if it has none yet, or -1 if the descriptor is no socket.
int transfer_local_port(int descriptor);
// Marks the packets of a connection as lower effort (RFC 8622), or as usual.
void transfer_mark_background(int descriptor, int is_background);
