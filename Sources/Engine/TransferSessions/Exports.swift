// SPDX-License-Identifier: Apache-2.0

// Code that runs, stores or serves sessions uses the types of the session machine.
@_exported public import SessionLogic
