// SPDX-License-Identifier: Apache-2.0
import TransferEngine
internal import TransferModel

/// The head of the newest answer, for transfers whose app wants to see it.
struct LatestAnswer {
    private let isWanted: Bool
    private var url = ""
    /// The newest; nil where it is not wanted, or none has come.
    private(set) var head: AnswerHead?

    init(_ specification: TransferSpecification) { isWanted = specification.keepsAnswerHead }

    /// A request goes out: the next answer is from there.
    mutating func asked(_ url: String) {
        if isWanted { self.url = url }
    }

    /// An answer has come. Cookies are left out: they are secrets, and a background transfer keeps none.
    mutating func answered(_ head: ResponseHead) {
        guard isWanted, head.status >= 200 else { return }
        self.head = AnswerHead(
            url: url, headers: head.fields.filter { !["set-cookie", "set-cookie2"].contains($0.name.lowercased()) })
    }
}
