// SPDX-License-Identifier: Apache-2.0
import Foundation
package import TransferEngine

extension TransferSpecification {
    /// What a person knows it by: the file's name, or the URL without secrets.
    package var displayName: String {
        if let upload { return upload.shownPath.split(separator: "/").last.map(String.init) ?? upload.shownPath }
        // A session's own files have names that no person gave.
        if !keepsAnswerHead, let name = destination.name { return name }
        let url = Self.redacted(url: url)
        // By bytes: a daemon that starts asks for the names of thousands.
        let last = url.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? url
        return last.utf8.contains(UInt8(ascii: "%")) ? last.removingPercentEncoding ?? last : last
    }
}
