// SPDX-License-Identifier: Apache-2.0
import TransferEngine
internal import TransferModel

/// The head of the latest answer, for transfers whose app requests the head.
struct LatestAnswer {
    private let isWanted: Bool
    private var url = ""
    /// The head of the latest answer. `nil` if the app does not request the head, or no final answer has arrived.
    private(set) var head: AnswerHead?

    init(_ specification: TransferSpecification) { isWanted = specification.keepsAnswerHead }

    /// Records the URL of a request. The next answer comes from that URL.
    mutating func asked(_ url: String) {
        if isWanted { self.url = url }
    }

    /// Records the head of an answer. Leaves out cookies because they are secrets, and background transfers store no
    /// cookies.
    mutating func answered(_ head: ResponseHead) {
        guard isWanted, head.status >= 200 else { return }
        self.head = AnswerHead(
            url: url, headers: head.fields.filter { !["set-cookie", "set-cookie2"].contains($0.name.lowercased()) })
    }
}
