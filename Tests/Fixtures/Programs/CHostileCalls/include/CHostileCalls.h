// SPDX-License-Identifier: Apache-2.0
// What hostile code in a worker's place would try.
#pragma once

/// Tries what `name` says, at `path` where it needs one; 0 where it can be done, else the error's number, -1 for a name
/// that is none.
int hostile_try(const char *name, const char *path);

/// The name of an error's number, such as EPERM.
const char *hostile_error_name(int code);
