// SPDX-License-Identifier: Apache-2.0
// System calls that hostile code in a worker would try.
#pragma once

/// Tries the call with the given name, on `path` if the call needs a path.
///
/// Returns 0 if the call succeeds, an error number if it fails, or -1 if the name is unknown.
int hostile_try(const char *name, const char *path);

/// Returns the name of an error number, such as EPERM.
const char *hostile_error_name(int code);
