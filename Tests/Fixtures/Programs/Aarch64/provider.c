// SPDX-License-Identifier: Apache-2.0
// The library whose function another library imports, as FoundationNetworking imports libcurl's functions.
int provided(int value) { return value + 1; }
int also_provided(int value) { return value + 2; }
