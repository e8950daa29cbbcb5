// SPDX-License-Identifier: Apache-2.0
// libnl and libnl-route, and the kernel's uevent socket.
#ifndef CNETLINK_SHIM_H
#define CNETLINK_SHIM_H

// net/if.h goes before linux/if.h, which libnl pulls in: the other order defines struct ifreq twice.
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/route.h>
#include <netlink/route/rtnl.h>

#endif
