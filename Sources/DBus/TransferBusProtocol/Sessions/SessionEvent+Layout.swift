// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

extension SessionEvent: VariantCoded {
    package static let busLayout = VariantLayout(
        "an event",
        keys: [
            "number": .init("number", whole: 0 ... .max), "task": .init("task", whole: 1 ... .max),
            "kind": .inline(),
        ])
}

extension SessionEvent.Kind: VariantCoded {
    private static let bytes = VariantField("bytes", whole: 0 ... .max, need: "the number of bytes")

    package static let busLayout = VariantLayout(
        tag: .word(
            "event", need: "the kind of event",
            [
                "received", "sent", "continued", "responded", "downloaded", "body", "completed", "will-begin",
                "challenged", "called", "finished-events", "invalidated",
            ]),
        keys: [
            "received._0": bytes, "sent._0": bytes, "offset": bytes, "total": .init("total", whole: 0 ... .max),
            "responded._0": .init("response", need: "the response"),
            "path": .init("path", need: "the finished file's path"),
            "body._0": .init("body", need: "a part of the response's body"),
            "completed._0": .inline(ifAny: "error-code"),
            "willBegin._0": .init("request", need: "the request that would be sent"),
            "challenged._0": .init("challenge", need: "the server's challenge"), "invalidated._0": "refusal",
        ])
}

extension FailureDescription: VariantCoded {
    package static let busLayout = VariantLayout(keys: [
        "code": .init("error-code", whole: -100_000...100_000),
        "message": .init("error", need: "the description of the error"),
    ])
}

extension ChallengeDescription: VariantCoded {
    package static let busLayout = VariantLayout(
        "a challenge",
        keys: [
            "scheme": .init("scheme", most: 40, need: "basic, digest or bearer"),
            "host": .init("host", most: 4096, need: "the server's host"),
            "port": .init("port", whole: 0...65_535, need: "the server's port"), "isSecure": "secure",
            "refusals": .init("refusals", whole: 0...1_000_000),
        ])
    package static var busDefaults: [String: VariantValue] { ["secure": .bool(false), "refusals": .integer(0)] }
}

extension SessionRefusal: VariantCoded {
    package static let busLayout = VariantLayout(
        "a refusal",
        keys: [
            "code": .init("code", need: "the kind of refusal"),
            "message": .init("message", need: "the description of the refusal"),
            "owner": .init("owner", whole: 1...Int64(Int32.max)),
        ])
}
