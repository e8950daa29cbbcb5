// SPDX-License-Identifier: Apache-2.0

// A program that embeds an engine describes transfers, receives their results and wait reasons, and may have a policy.
@_exported public import TransferEngine
@_exported public import TransferModel
@_exported public import TransferPolicy
@_exported public import TransferScheduling
