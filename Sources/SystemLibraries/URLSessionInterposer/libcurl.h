// SPDX-License-Identifier: Apache-2.0
#pragma once

// libcurl's stable constants (curl/curl.h, curl/multi.h), repeated here so that the build does not need its headers.
enum {
    opt_http_version = 84, http_1_1 = 2, opt_buffersize = 98, opt_upload_buffersize = 280, opt_noprogress = 43, opt_ssl_verifypeer = 64, opt_ssl_verifyhost = 81, opt_content_decoding = 158,
    opt_writedata = 10001, opt_url = 10002, opt_proxy = 10004, opt_readdata = 10009, opt_httpheader = 10023,
    opt_headerdata = 10029, opt_cainfo = 10065, opt_capath = 10097, opt_accept_encoding = 10102,
    opt_suppress_connect_headers = 265,
    opt_writefunction = 20011, opt_readfunction = 20012, opt_headerfunction = 20079,
    mopt_socketfunction = 20001, mopt_timerfunction = 20004, mopt_timerdata = 10005,
    data_pause = 0x10000001, source_abort = 0x10000000, socket_timeout = -1,
    info_content_length = 0x300000 + 15, info_active_socket = 0x500000 + 44,
    url_part_host = 5, message_done = 1, code_got_nothing = 52,
    first_object = 10000, first_offset = 30000, first_blob = 40000,
};

// The message of curl_multi_info_read (struct CURLMsg).
struct curl_message {
    int what;
    void *easy;
    union {
        void *any;
        int code;
    } data;
};

typedef int (*setopt_fn)(void *, int, ...);
typedef int (*getinfo_fn)(void *, int, ...);
typedef void (*cleanup_fn)(void *);
typedef void *(*duphandle_fn)(void *);
typedef int (*socket_action_fn)(void *, int, int, int *);
typedef int (*url_get_fn)(const void *, int, char **, unsigned);
typedef int (*pause_fn)(void *, int);
typedef int (*remove_fn)(void *, void *);
typedef struct curl_message *(*info_read_fn)(void *, int *);
