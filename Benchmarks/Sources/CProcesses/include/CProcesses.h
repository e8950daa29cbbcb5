// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/prctl.h>

/// Makes this process the parent of its descendants' orphans, so that their costs can be counted too. Swift cannot
/// call prctl directly, because prctl is variadic.
static inline int adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }
