// SPDX-License-Identifier: Apache-2.0
import Foundation
internal import TransferModel

/// What an app keeps of a cancelled download in order to continue it: a note of where its bytes are, not the bytes.
struct ResumeData: Hashable, Codable {
    private var format = "org.transferd.resume-1"
    /// What the other side keeps the bytes under.
    var token: String
    var request: RequestDescription
    var note: String?

    init(token: String, request: RequestDescription, note: String?) {
        self.token = token
        self.request = request
        self.note = note
    }

    /// - Throws: `SessionError` where the data did not come from `encoded`.
    init(decoding data: Data) throws(SessionError) {
        guard let decoded = try? JSONDecoder().decode(Self.self, from: data), decoded.format == Self.format else {
            throw SessionError(
                code: .badResumeData,
                message: """
                    These \(data.count) bytes are not what a cancelled background download left to continue it by. Begin \
                    the download anew from its address.
                    """)
        }
        self = decoded
    }

    private static let format = "org.transferd.resume-1"

    var encoded: Data? { try? JSONEncoder().encode(self) }
}
