// SPDX-License-Identifier: Apache-2.0
#include "CDiskJournal.h"

_Static_assert(sizeof(disk_control) <= DISK_CONTROL_SIZE, "the control page is too small");
