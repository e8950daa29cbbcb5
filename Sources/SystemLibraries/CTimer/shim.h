// SPDX-License-Identifier: Apache-2.0
// The kernel's timer descriptors and clock adjustment, which the Glibc module does not declare.
#ifndef CTIMER_SHIM_H
#define CTIMER_SHIM_H

#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>

#endif
