// SPDX-License-Identifier: Apache-2.0
import Foundation
internal import TransferModel

/// The data that an app keeps in order to continue a canceled download. It identifies the saved bytes; it does not
/// contain them.
struct ResumeData: Hashable, Codable {
    private var format = "org.transferd.resume-1"
    /// The token under which the service stores the bytes.
    var token: String
    var request: RequestDescription
    var note: String?

    init(token: String, request: RequestDescription, note: String?) {
        self.token = token
        self.request = request
        self.note = note
    }

    /// Decodes resume data.
    ///
    /// - Throws: `SessionError` if the data was not produced by `encoded`.
    init(decoding data: Data) throws(SessionError) {
        guard let decoded = try? JSONDecoder().decode(Self.self, from: data), decoded.format == Self.format else {
            throw SessionError(
                code: .badResumeData,
                message: """
                    These \(data.count) bytes are not resume data of a canceled background download. Start the download \
                    again from its URL.
                    """)
        }
        self = decoded
    }

    private static let format = "org.transferd.resume-1"

    /// The data for the app. The same task always has the same data.
    var encoded: Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try? encoder.encode(self)
    }
}
