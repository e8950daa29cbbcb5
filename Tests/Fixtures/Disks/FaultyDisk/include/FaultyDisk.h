// SPDX-License-Identifier: Apache-2.0
#ifndef FAULTY_DISK_H
#define FAULTY_DISK_H

// Nothing is called by name: LD_PRELOAD puts this library's calls before the C library's.

#endif
