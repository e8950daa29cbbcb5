// SPDX-License-Identifier: Apache-2.0
#ifndef URLSESSION_REPAIR_H
#define URLSESSION_REPAIR_H

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

/// Puts the repair between FoundationNetworking and libcurl, or changes its options when it is there already.
///
/// Returns how many calls of FoundationNetworking go through the repair; 0 when it could not be put in place, so that
/// nothing is mended and the options have no effect. Call it before the first URLSession is made.
int transfer_urlsession_repair_install(const struct transfer_urlsession_repair_options *options);

#endif
