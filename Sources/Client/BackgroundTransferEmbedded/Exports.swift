// SPDX-License-Identifier: Apache-2.0

// The types that a program names when it submits transfers, follows them, and decides about them. A program that needs
// others imports their module, which is a product of its own.

@_exported public import struct TransferEngine.Circumstance
@_exported public import protocol TransferEngine.ConditionSource
@_exported public import struct TransferEngine.RefusedTransferError
@_exported public import struct TransferEngine.TransferChange
@_exported public import struct TransferEngine.TransferCompletion
@_exported public import struct TransferEngine.TransferStoreError
@_exported public import struct TransferModel.BatteryState
@_exported public import struct TransferModel.Checksum
@_exported public import struct TransferModel.ClockReading
@_exported public import struct TransferModel.Conditions
@_exported public import struct TransferModel.Constraints
@_exported public import struct TransferModel.Credential
@_exported public import struct TransferModel.CustomConstraint
@_exported public import struct TransferModel.DeadlineConstraint
@_exported public import struct TransferModel.Destination
@_exported public import struct TransferModel.Fact
@_exported public import struct TransferModel.FactSource
@_exported public import enum TransferModel.FailureCause
@_exported public import struct TransferModel.NotBeforeConstraint
@_exported public import struct TransferModel.TransferFailure
@_exported public import struct TransferModel.TransferID
@_exported public import struct TransferModel.TransferSpecification
@_exported public import struct TransferModel.TransferStatus
@_exported public import struct TransferModel.WallTime
@_exported public import struct TransferModel.WindowConstraint
@_exported public import enum TransferModel.WorkKind
@_exported public import struct TransferPolicy.Assumptions
@_exported public import struct TransferPolicy.PatiencePolicy
@_exported public import protocol TransferPolicy.Policy
@_exported public import struct TransferPolicy.PolicyContext
@_exported public import struct TransferPolicy.PolicySubject
@_exported public import enum TransferPolicy.Reason
@_exported public import struct TransferPolicy.StrictPolicy
@_exported public import struct TransferPolicy.UnmeteredPolicy
@_exported public import enum TransferPolicy.Verdict
@_exported public import struct TransferPolicy.WaitReason
@_exported public import struct TransferScheduling.Explanation
@_exported public import struct TransferScheduling.SchedulerConfiguration
