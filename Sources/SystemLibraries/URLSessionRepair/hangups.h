// SPDX-License-Identifier: Apache-2.0
#pragma once

// Mends libdispatch's way with hang-ups (mend 12) while `*enabled` is not 0. Returns how many calls go through the mend; 0
// where libdispatch is linked into the program itself, whose other event loops must be left alone.
int hangups_install(const _Atomic int *enabled);
