// SPDX-License-Identifier: Apache-2.0
// libcrypto of OpenSSL 3, for digests. libcurl, which FoundationNetworking uses, loads the same library.
#ifndef CCRYPTO_SHIM_H
#define CCRYPTO_SHIM_H

#include <openssl/evp.h>

#endif
