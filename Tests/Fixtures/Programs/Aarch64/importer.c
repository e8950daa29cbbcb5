// SPDX-License-Identifier: Apache-2.0
// A library that imports functions: one that it calls, and one whose address it takes.
int provided(int value);
int also_provided(int value);

static int (*volatile address)(int) = also_provided;

int call_provided(int value) { return provided(value); }
int (*address_of_provided(void))(int) { return provided; }
int call_by_address(int value) { return address(value); }
