// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#define CURL_DISABLE_TYPECHECK
#include "CCurl.h"

#include <dlfcn.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

#define FUNCTIONS(F) \
    F(curl_global_init) F(curl_easy_init) F(curl_easy_reset) F(curl_easy_cleanup) F(curl_easy_pause) F(curl_easy_setopt) \
    F(curl_easy_getinfo) F(curl_easy_strerror) F(curl_slist_append) F(curl_slist_free_all) F(curl_multi_init) \
    F(curl_multi_cleanup) F(curl_multi_add_handle) F(curl_multi_remove_handle) F(curl_multi_perform) F(curl_multi_poll) \
    F(curl_multi_wakeup) F(curl_multi_info_read)
#define MEMBER(name) __typeof__(&name) name;
static struct { FUNCTIONS(MEMBER) } curl;
static const char *fault;

static void load(void) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) fault = dlerror();
#define FIND(name) if (library && !(curl.name = (__typeof__(&name))dlsym(library, #name))) fault = dlerror();
    FUNCTIONS(FIND)
    if (!fault && curl.curl_global_init(CURL_GLOBAL_DEFAULT) != 0) fault = "curl_global_init failed";
}

const char *transfer_curl_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return fault;
}

CURLcode transfer_curl_set_number(CURL *easy, CURLoption option, int64_t value) {
    return option >= CURLOPTTYPE_OFF_T ? curl.curl_easy_setopt(easy, option, (curl_off_t)value)
                                       : curl.curl_easy_setopt(easy, option, (long)value);
}
CURLcode transfer_curl_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl.curl_easy_setopt(easy, option, value);
}
CURLcode transfer_curl_set_bytes(CURL *easy, CURLoption option, transfer_curl_bytes function) {
    return curl.curl_easy_setopt(easy, option, function);
}
CURLcode transfer_curl_set_seek(CURL *easy, int (*function)(void *, curl_off_t, int)) {
    return curl.curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, function);
}
CURLcode transfer_curl_set_prerequest(CURL *easy, int (*function)(void *, char *, char *, int, int)) {
    return curl.curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}
CURLcode transfer_curl_set_opened(CURL *easy, int (*function)(void *, curl_socket_t, curlsocktype)) {
    return curl.curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, function);
}
long transfer_curl_cause(CURL *easy) {
    long number = 0;
    return curl.curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &number) == 0 ? number : 0;
}

CURL *transfer_curl_easy_init(void) { return curl.curl_easy_init(); }
void transfer_curl_easy_reset(CURL *easy) { curl.curl_easy_reset(easy); }
void transfer_curl_easy_cleanup(CURL *easy) { curl.curl_easy_cleanup(easy); }
CURLcode transfer_curl_easy_pause(CURL *easy, int what) { return curl.curl_easy_pause(easy, what); }
const char *transfer_curl_text(CURLcode code) { return curl.curl_easy_strerror(code); }
struct curl_slist *transfer_curl_append(struct curl_slist *list, const char *line) {
    return curl.curl_slist_append(list, line);
}
void transfer_curl_free(struct curl_slist *list) { curl.curl_slist_free_all(list); }

CURLM *transfer_curl_multi_init(void) { return curl.curl_multi_init(); }
CURLMcode transfer_curl_multi_cleanup(CURLM *multi) { return curl.curl_multi_cleanup(multi); }
CURLMcode transfer_curl_multi_add(CURLM *multi, CURL *easy) { return curl.curl_multi_add_handle(multi, easy); }
CURLMcode transfer_curl_multi_remove(CURLM *multi, CURL *easy) { return curl.curl_multi_remove_handle(multi, easy); }
CURLMcode transfer_curl_multi_perform(CURLM *multi, int *running) { return curl.curl_multi_perform(multi, running); }
CURLMcode transfer_curl_multi_poll(CURLM *multi, int milliseconds) {
    return curl.curl_multi_poll(multi, NULL, 0, milliseconds, NULL);
}
CURLMcode transfer_curl_multi_wakeup(CURLM *multi) { return curl.curl_multi_wakeup(multi); }
CURL *transfer_curl_multi_ended(CURLM *multi, CURLcode *result, void **user) {
    int left;
    struct CURLMsg *message;
    while ((message = curl.curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        curl.curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, user);
        return message->easy_handle;
    }
    return NULL;
}

struct transfer_wire_bytes transfer_wire_bytes_of(int descriptor, int with_loopback) {
    enum { header_bytes = 66 };  // Ethernet, IPv4, and TCP with timestamps
    struct transfer_wire_bytes bytes = {0};
    union { struct sockaddr any; struct sockaddr_in v4; struct sockaddr_in6 v6; } local;
    struct tcp_info info;
    memset(&info, 0, sizeof info);
    socklen_t length = sizeof local, size = sizeof info;
    if (getsockname(descriptor, &local.any, &length) != 0) return bytes;
    int is_v4 = local.any.sa_family == AF_INET, is_v6 = local.any.sa_family == AF_INET6;
    if ((!is_v4 && !is_v6) || getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return bytes;
    int is_loopback = is_v4 ? ntohl(local.v4.sin_addr.s_addr) >> 24 == 127 : IN6_IS_ADDR_LOOPBACK(&local.v6.sin6_addr);
    if (is_loopback && !with_loopback) return bytes;
    bytes.in = info.tcpi_bytes_received + (uint64_t)info.tcpi_segs_in * header_bytes;
    bytes.out = info.tcpi_bytes_sent + (uint64_t)info.tcpi_segs_out * header_bytes;
    bytes.port = is_v4 ? local.v4.sin_port : local.v6.sin6_port;
    return bytes;
}

int transfer_local_port(int descriptor) {
    union { struct sockaddr any; struct sockaddr_in v4; struct sockaddr_in6 v6; } local;
    socklen_t length = sizeof local;
    if (getsockname(descriptor, &local.any, &length) != 0) return -1;
    return local.any.sa_family == AF_INET ? local.v4.sin_port : local.any.sa_family == AF_INET6 ? local.v6.sin6_port : -1;
}

void transfer_mark_background(int descriptor, int is_background) {
    int value = is_background ? 1 << 2 : 0;  // the codepoint LE is 000001
    // One of the two options does not match the socket's family. Its failure is expected.
    setsockopt(descriptor, IPPROTO_IP, IP_TOS, &value, sizeof value);
    setsockopt(descriptor, IPPROTO_IPV6, IPV6_TCLASS, &value, sizeof value);
}
