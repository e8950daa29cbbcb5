// SPDX-License-Identifier: Apache-2.0

// Whoever carries sessions out, stores them or serves them speaks of what the machine decides on.
@_exported public import SessionLogic
