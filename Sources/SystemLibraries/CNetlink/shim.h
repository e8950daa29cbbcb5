// SPDX-License-Identifier: Apache-2.0
// libnl, libnl-route, and libnl-genl, and the kernel's uevent socket.
#ifndef CNETLINK_SHIM_H
#define CNETLINK_SHIM_H

// net/if.h must come before linux/if.h, which libnl includes: the opposite order defines struct ifreq twice.
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include <linux/nl80211.h>
#include <linux/rtnetlink.h>
#include <netlink/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/route/link.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/route.h>
#include <netlink/route/rtnl.h>
#include <netlink/route/rule.h>

#endif
