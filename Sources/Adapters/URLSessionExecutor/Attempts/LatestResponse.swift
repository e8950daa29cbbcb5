// SPDX-License-Identifier: Apache-2.0
import TransferEngine
internal import TransferModel

/// The head of the latest response, for transfers whose app requests the head.
struct LatestResponse {
    private let isRequested: Bool
    private var url = ""
    /// The head of the latest response. `nil` if the app does not request the head, or no final response has arrived.
    private(set) var head: FinalResponseHead?

    init(_ specification: TransferSpecification) { isRequested = specification.keepsResponseHead }

    /// Records the URL of a request. The next response comes from that URL.
    mutating func requestSent(_ url: String) {
        if isRequested { self.url = url }
    }

    /// Records the head of a response. Leaves out cookies because they are secrets, and background transfers store no
    /// cookies.
    mutating func headReceived(_ head: ResponseHead) {
        guard isRequested, head.status >= 200 else { return }
        self.head = FinalResponseHead(
            url: url, headers: head.fields.filter { !["set-cookie", "set-cookie2"].contains($0.name.lowercased()) })
    }
}
