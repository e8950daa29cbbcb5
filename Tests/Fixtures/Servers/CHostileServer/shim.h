// SPDX-License-Identifier: Apache-2.0
// OpenSSL 3, for the TLS of the tests' servers and of their clients. Functions stand in for the macros that Swift cannot
// import.
#ifndef CHOSTILESERVER_SHIM_H
#define CHOSTILESERVER_SHIM_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

// Swift's module lacks this function because it is built without _GNU_SOURCE.
int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

static inline EVP_PKEY *server_new_p256_key(void) { return EVP_EC_gen("P-256"); }

static inline int server_limit_versions(SSL_CTX *context, int lowest, int highest) {
    return SSL_CTX_set_min_proto_version(context, lowest) && SSL_CTX_set_max_proto_version(context, highest);
}

#endif
