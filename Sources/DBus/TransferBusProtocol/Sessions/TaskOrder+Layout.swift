// SPDX-License-Identifier: Apache-2.0
package import TransferModel

extension TaskOrder: VariantCoded {
    private static let snapshot = VariantField("snapshot", need: "the task")

    package static let busLayout = VariantLayout(
        "the order",
        tag: .word(
            "order", need: "the action for the task",
            ["submit", "suspend", "resume", "cancel", "cancel-keeping", "change", "begin", "answer"]),
        keys: [
            "submit._0": snapshot, "change._0": snapshot,
            "_0": .init("task", whole: 1 ... .max, need: "the task's number in its session"),
            "token": .init("token", most: 4096, need: "the name of the kept bytes"), "_1": .inline(),
        ])
}

extension DelayedBegin: VariantCoded {
    package static let busLayout = VariantLayout(
        tag: .word("reply", need: "whether the task begins", ["as-before", "with", "cancel", "unasked"]),
        keys: ["_0": .init("request", need: "the replacement request")])
}

extension ChallengeReply: VariantCoded {
    package static let busLayout = VariantLayout(
        tag: .word("reply", need: "the reply to the challenge", ["credential", "token", "none", "cancel"]),
        keys: [
            "_0": .init("token", most: longestToken, need: "the token for the server"),
            "user": .init("user", most: 4096, need: "the user name"),
            "password": .init("password", most: 4096, need: "the password"),
        ])

    package func checkReceived() throws {
        // The message does not contain the offending character, because error messages may be logged.
        guard case .token(let token) = self, !Self.isToken(token) else { return }
        throw BusFault(.invalidArgument, "'token' contains characters that are not allowed in a token (RFC 6750)")
    }
}
