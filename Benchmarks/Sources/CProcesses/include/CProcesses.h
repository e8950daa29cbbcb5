// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/prctl.h>

/// Makes this process the parent of what its children leave behind, so that its costs can be counted too: prctl is
/// variadic, which Swift cannot call.
static inline int adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }
