// SPDX-License-Identifier: Apache-2.0
#ifndef URLSESSION_INTERPOSER_H
#define URLSESSION_INTERPOSER_H

#include <stddef.h>
#include <stdint.h>

/// The functions that exchange bodies with libcurl directly, without FoundationNetworking, for requests that have a
/// number. Each function may be NULL. Called on FoundationNetworking's queue.
struct transfer_urlsession_bodies {
    /// Reads up to `count` bytes of the request's body. Returns the number of bytes. If the function returns 0,
    /// FoundationNetworking reads its stream, for example at the end of the body and after a failure.
    size_t (*read)(uint64_t request, char *bytes, size_t count);
    /// Receives bytes of the response's body. If the function returns 0, FoundationNetworking receives them.
    int (*receive)(uint64_t request, const char *bytes, size_t count);
};

/// The options of the interposer. They apply to the whole process, because FoundationNetworking has a single libcurl
/// for all sessions.
struct transfer_urlsession_interposer_options {
    /// Whether the interposer is active. 0 passes every call on unchanged. Can be changed at any time.
    int enabled;
    /// The size of libcurl's receive buffer in bytes. 0 keeps FoundationNetworking's 16 KiB.
    long buffer_size;
    /// The largest number of body bytes that URLSession receives at once. 0 passes on each of libcurl's 16 KiB.
    ///
    /// For each delivery, FoundationNetworking cancels and creates a timer and wakes up three threads.
    long block_size;
    /// The path of a file with certificates to trust instead of the system's. NULL uses the system's certificates.
    const char *ca_file;
    /// The URL of the proxy. NULL uses the environment variables.
    const char *proxy;
    /// The functions that exchange bodies directly. Only the first installation sets them.
    struct transfer_urlsession_bodies bodies;
};

/// The state of the interposer's installation.
enum transfer_urlsession_interposer_state {
    /// The interposer could not be installed. No call goes through the interposer, no fault is fixed, and the options
    /// have no effect.
    transfer_urlsession_interposer_absent = 0,
    /// The interposer is completely installed and all checks succeeded, but it is untested with this build of
    /// FoundationNetworking.
    transfer_urlsession_interposer_untested = 1,
    /// The interposer is completely installed in a build of FoundationNetworking with which it was tested.
    transfer_urlsession_interposer_tested = 2,
    /// libcurl could not be loaded. No URLSession can be used.
    transfer_urlsession_interposer_no_libcurl = 3,
};

/// Installs the interposer between FoundationNetworking and libcurl. If the interposer is already installed, changes
/// its options.
///
/// Afterward, either all of FoundationNetworking's affected calls go through the interposer, or none. Must be called
/// before the first URLSession is created.
enum transfer_urlsession_interposer_state transfer_urlsession_interposer_install(
    const struct transfer_urlsession_interposer_options *options);

/// Returns the reason why the interposer is absent or why libcurl could not be loaded, as a part of a sentence. Returns
/// "" if the interposer is installed. Must be called after an installation.
const char *transfer_urlsession_interposer_reason(void);

/// Returns the number of FoundationNetworking's build in hexadecimal digits, or "" if the build has no number. Must
/// be called after an installation.
const char *transfer_urlsession_foundation_build(void);

/// Returns the number of libcurl handles for which the interposer keeps state: the handles that are not freed yet.
size_t transfer_urlsession_interposer_handles(void);

/// Returns the function that FoundationNetworking calls instead of libcurl's `name`. Returns NULL if
/// FoundationNetworking calls libcurl's own function. For tests.
void *transfer_urlsession_interposer_hook(const char *name);

// ---- Limiters: the rates of single connections, which any thread can change at any time.

/// The header field that contains the number of a request's limiter and, after a space, the number of the request
/// for `transfer_urlsession_bodies`. An installed interposer removes the field. Without the interposer, the field must
/// not be set.
#define TRANSFER_URLSESSION_LIMITER_FIELD "X-Transfer-Rate-Limiter-4c1e"

/// The counters of a limiter.
struct transfer_urlsession_limiter_state {
    /// The received and sent bytes of bodies.
    int64_t received, sent;
    /// The time of the last delay that the limiter caused, in nanoseconds of CLOCK_MONOTONIC.
    uint64_t held;
};

/// Opens a limiter without a limit. If `is_background` is not 0, marks the packets of the limiter as lower effort (RFC
/// 8622).
///
/// Returns the number of the limiter, or 0 if 4096 limiters are open.
uint64_t transfer_urlsession_limiter_open(int is_background);

/// Turns off the verification of certificates for the limiter's later requests. The requests of other limiters, and
/// requests without a limiter, are not affected: libcurl shares connections and TLS sessions only between requests
/// with the same verification.
void transfer_urlsession_limiter_accept_any_certificate(uint64_t limiter);

/// Sets the rate of the limiter's requests in bytes per second, separately for received and sent bytes. 0 removes the
/// limit. The smallest limit is 128.
void transfer_urlsession_limiter_set_rate(uint64_t limiter, int64_t rate);

/// Returns the counters of the limiter. All counters of a closed limiter are 0.
struct transfer_urlsession_limiter_state transfer_urlsession_limiter_state(uint64_t limiter);

/// Ends the requests of the limiter with an error as soon as the next byte of a body is received or sent. This is
/// earlier than FoundationNetworking's own cancellation.
void transfer_urlsession_limiter_stop(uint64_t limiter);

/// Closes the limiter. Its remaining requests end as after a stop.
void transfer_urlsession_limiter_close(uint64_t limiter);

/// The bytes on the wire of connections with limiters, including packet headers.
struct transfer_urlsession_wire_bytes {
    uint64_t in, out;
};

/// Starts or stops the count, which is off by default. Excludes loopback connections unless `with_loopback` is not 0.
void transfer_urlsession_count_wire(int is_on, int with_loopback);

/// Returns the current count. Costs two system calls per connection.
struct transfer_urlsession_wire_bytes transfer_urlsession_wire_bytes(void);

#endif
