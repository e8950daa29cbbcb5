// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

extension TaskSnapshot: VariantCoded {
    package static let busLayout = VariantLayout(
        "a task",
        keys: [
            "identifier": .init("task", whole: 1 ... .max, need: "the task's number in its session"),
            "kind": .inline(), "request": .init("request", need: "the request to send"),
            "note": .init("note", most: CallerLimits.noteBytes), "priority": .init("priority", number: 0...1),
            "earliestBegin": .init("earliest-begin", .nanoseconds),
            "expectedToSend": .init("expects-to-send", whole: -1 ... .max),
            "expectedToReceive": .init("expects-to-receive", whole: -1 ... .max), "isSuspended": "suspended",
            "isOver": "ended", "received": .init("received", whole: 0 ... .max),
            "sent": .init("sent", whole: 0 ... .max), "total": .init("total", whole: 0 ... .max),
            "continues": .init("continues", most: 4096),
        ])
    package static let busDefaults = TaskSnapshot(
        identifier: 1, kind: .download, request: RequestDescription(url: "")
    ).fields

    package func checkReceived() throws {
        guard case .upload(let path) = kind, !path.hasPrefix("/") else { return }
        throw BusFault(.invalidArgument, "'upload-file' must be an absolute path, not '\(path.prefix(40))'")
    }
}

extension TaskName: VariantCoded {
    package static let busLayout = VariantLayout(
        "a name",
        keys: [
            "id": .init("id", most: longestID, need: "the identifier that the app chose"),
            "fingerprint": .init("fingerprint", most: 128, need: "a digest of the request"),
        ])

    package func checkReceived() throws {
        guard id.isEmpty || id.utf8.contains(0) else { return }
        throw BusFault(.invalidArgument, "'id' has 1 to \(Self.longestID) bytes without NUL")
    }
}

extension TaskConditions: VariantCoded {
    package static let busLayout = VariantLayout(
        "a task's conditions", keys: ["isDiscretionary": "discretionary", "constraints": .inline()])
}

extension TaskSnapshot.Kind: VariantCoded {
    package static let busLayout = VariantLayout(
        tag: .presence(["upload-file": "upload", "": "download"]), keys: ["path": .init("upload-file", most: 4096)])
}

extension RequestDescription: VariantCoded {
    package static let busLayout = VariantLayout(
        "a request",
        keys: [
            "url": .init("url", most: 32 << 10, need: "the URL of the request"), "method": .init("method", most: 40),
            "headers": .init("headers", .headers, omitsEmpty: true),
            "timeout": .init("timeout", number: 0...4e9, isClamped: true), "allowsCellularAccess": "cellular",
            "allowsExpensiveNetworkAccess": "expensive", "allowsConstrainedNetworkAccess": "constrained",
        ])
    package static var busDefaults: [String: VariantValue] { ["headers": .dictionary([:]), "cellular": .bool(true)] }

    package func checkReceived() throws {
        guard let body, body.count > RequestBody.longest else { return }
        throw BusFault(.invalidArgument, "'body' has \(body.count) bytes, more than \(RequestBody.longest)")
    }
}

extension ResponseDescription: VariantCoded {
    package static let busLayout = VariantLayout(
        "a response",
        keys: [
            "url": .init("url", most: 1 << 20, need: "the URL of the response"),
            "status": .init("status", whole: 0...999, need: "the server's status"),
            "headers": .init("headers", omitsEmpty: true),
        ])
    package static var busDefaults: [String: VariantValue] { ["headers": .dictionary([:])] }
}
