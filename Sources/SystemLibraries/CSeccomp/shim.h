// SPDX-License-Identifier: Apache-2.0
// libseccomp, which builds the filter of a worker's system calls (CConfinement).
#ifndef CSECCOMP_SHIM_H
#define CSECCOMP_SHIM_H

#include <seccomp.h>

#endif
