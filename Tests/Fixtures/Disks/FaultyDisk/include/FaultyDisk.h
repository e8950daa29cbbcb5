// SPDX-License-Identifier: Apache-2.0
#ifndef FAULTY_DISK_H
#define FAULTY_DISK_H

// No function is called by name: LD_PRELOAD interposes this library's functions before the C library's functions.

#endif
