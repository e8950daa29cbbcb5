// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import ToolSupport
import TransferModel

/// The status of a download in aria2's form (aria2c(1), "aria2.tellStatus"). aria2 writes all numbers as texts.
struct DownloadReport {
    /// The properties of a download that its status lacks.
    struct Details: Hashable, Sendable {
        /// The folder of the file.
        var directory: String
        /// The URLs of the file, without secrets.
        var urls: [String]
        /// The options with which the download was added.
        var options = DownloadOptions()
    }

    /// The size that aria2's progress counts in, because the engine has no pieces.
    private static let pieceLength: Int64 = 1 << 20

    let status: TransferStatus
    let details: Details

    /// aria2's name of a state.
    static func name(of state: TransferStatus.State) -> String {
        switch state {
        case .waiting: "waiting"
        case .running: "active"
        case .paused: "paused"
        case .finished: "complete"
        case .failed: "error"
        case .cancelled: "removed"
        }
    }

    /// All keys and their values.
    ///
    /// The key `transferd.why` is the reason that the download waits. Other programs ignore it.
    var values: [String: JSONValue] {
        let total = status.total ?? 0
        var values: [String: JSONValue] = [
            "gid": .string(DownloadGID.text(status.id)), "status": .string(Self.name(of: status.state)),
            "totalLength": Self.number(total), "completedLength": Self.number(status.bytes),
            "uploadLength": "0", "uploadSpeed": "0",
            "downloadSpeed": Self.number(status.state == .running ? status.rate ?? 0 : 0),
            "connections": status.state == .running ? "1" : "0", "pieceLength": Self.number(Self.pieceLength),
            "numPieces": Self.number(total / Self.pieceLength + (total % Self.pieceLength > 0 ? 1 : 0)),
            "dir": .string(directory), "files": .array([file]),
        ]
        if !status.state.isEnded, let sentence = status.sentence { values["transferd.why"] = .string(sentence) }
        if status.state.isEnded {
            values["errorCode"] = Self.number(Int64(errorCode))
            values["errorMessage"] = .string(status.error ?? "")
        }
        return values
    }

    /// The values of some keys, or of all keys if `keys` is empty.
    func values(of keys: [String]) -> JSONValue {
        keys.isEmpty ? .object(values) : .object(values.filter { keys.contains($0.key) })
    }

    /// The download's file, in the form of `aria2.getFiles`.
    var file: JSONValue {
        let path = status.path ?? directory + "/" + status.name
        return .object([
            "index": "1", "path": .string(path), "length": Self.number(status.total ?? 0),
            "completedLength": Self.number(status.bytes), "selected": "true", "uris": uris,
        ])
    }

    /// The file's URLs, in the form of `aria2.getUris`. The first is in use.
    var uris: JSONValue {
        .array(
            details.urls.enumerated().map { index, url in
                .object(["uri": .string(url), "status": index == 0 ? "used" : "waiting"])
            })
    }

    private var directory: String {
        guard let path = status.path, let slash = path.lastIndex(of: "/") else { return details.directory }
        return String(path[..<slash])
    }

    private var errorCode: Int32 {
        switch status.state {
        case .finished: 0
        case .cancelled: 31
        default: Aria2Status.code(of: status)
        }
    }

    static func number(_ number: Int64) -> JSONValue { .string(String(number)) }
}
