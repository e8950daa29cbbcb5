// SPDX-License-Identifier: Apache-2.0
package import TransferModel

extension SoftwareVersion {
    /// The version of this build. `CommitPlugin` reads the commit from Git during the build.
    package static let ofThisBuild = SoftwareVersion(commit: BuiltCommit.digits.isEmpty ? nil : BuiltCommit.digits)
}
