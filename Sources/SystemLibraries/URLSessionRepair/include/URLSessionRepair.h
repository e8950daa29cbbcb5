// SPDX-License-Identifier: Apache-2.0
#ifndef URLSESSION_REPAIR_H
#define URLSESSION_REPAIR_H

#include <stddef.h>
#include <stdint.h>

/// What the repair does. One set for the whole process, since FoundationNetworking has one libcurl for all sessions.
struct transfer_urlsession_repair_options {
    /// 0 lets every call through as it came: the switch may be turned at any time.
    int enabled;
    /// Bytes of libcurl's receive buffer; 0 keeps FoundationNetworking's 16 KiB.
    long buffer_size;
    /// A file of certificates to trust instead of the system's; NULL for the system's.
    const char *ca_file;
    /// The proxy's URL; NULL leaves it to the environment.
    const char *proxy;
};

/// Whether the repair is in place.
enum transfer_urlsession_repair_state {
    /// It could not be put in place: not one call goes through it, nothing is mended, and the options have no effect.
    transfer_urlsession_repair_absent = 0,
    /// All of it is in place, and all checks hold, but nobody has tested it with this build of FoundationNetworking.
    transfer_urlsession_repair_untested = 1,
    /// All of it is in place, in a build of FoundationNetworking that it was tested with.
    transfer_urlsession_repair_tested = 2,
};

/// Puts the repair between FoundationNetworking and libcurl, or changes its options when it is there already.
///
/// All of FoundationNetworking's calls that it mends go through it afterwards, or none. Call it before the first URLSession is
/// made.
enum transfer_urlsession_repair_state transfer_urlsession_repair_install(
    const struct transfer_urlsession_repair_options *options);

/// Why the repair is absent, as a part of a sentence; "" where it is not. Call it after an installation.
const char *transfer_urlsession_repair_reason(void);

/// The number of FoundationNetworking's build in hexadecimal digits; "" where it has none. Call it after an installation.
const char *transfer_urlsession_foundation_build(void);

/// The number of libcurl's handles that the repair keeps anything of: those that are not freed yet.
size_t transfer_urlsession_repair_handles(void);

/// The function that FoundationNetworking calls instead of libcurl's `name`; NULL where it calls libcurl's own. For tests.
void *transfer_urlsession_repair_hook(const char *name);

// ---- Lanes: the rate of single connections, which can be changed at any time and from any thread.

/// The header field that names a request's lane. It is taken out where the repair is in place, and must not be given
/// where it is not.
#define TRANSFER_URLSESSION_LANE_FIELD "X-Transfer-Lane-4c1e"

/// What went through a lane.
struct transfer_urlsession_lane_state {
    /// Bytes of bodies that came and went.
    int64_t received, sent;
    /// When it was last held back, in nanoseconds of CLOCK_MONOTONIC.
    uint64_t held;
};

/// A new lane without a limit; its packets are marked as lower effort (RFC 8622) when `is_background` is not 0.
///
/// Returns its number, 0 when there are 4096 already.
uint64_t transfer_urlsession_lane_open(int is_background);

/// Bytes a second of the requests in that lane, received and sent each; 0 for no limit, else at least 128.
void transfer_urlsession_lane_set_rate(uint64_t lane, int64_t rate);

/// What went through the lane; zeros for one that is closed.
struct transfer_urlsession_lane_state transfer_urlsession_lane_state(uint64_t lane);

/// Ends the requests in that lane with an error as soon as the next byte of a body comes or is to go, rather than when
/// FoundationNetworking gets to cancelling them.
void transfer_urlsession_lane_stop(uint64_t lane);

/// Gives the lane back. Requests that are still in it end as by a stop.
void transfer_urlsession_lane_close(uint64_t lane);

/// Bytes of connections that carry lanes, as they are on the wire, headers of the packets included.
struct transfer_urlsession_wire_bytes {
    uint64_t in, out;
};

/// Starts or ends the count, which is off at first; connections over the loopback are left out unless wanted.
void transfer_urlsession_count_wire(int is_on, int with_loopback);

/// The count up to now. Costs two system calls a connection.
struct transfer_urlsession_wire_bytes transfer_urlsession_wire_bytes(void);

#endif
