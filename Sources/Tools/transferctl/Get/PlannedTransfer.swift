// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport
import TransferEngine
import TransferModel

/// The description of a transfer before it runs, for `--dry-run`.
struct PlannedTransfer {
    private let specification: TransferSpecification
    private let forecast: Forecast?
    private let keptBytes: Int64
    private let finished: String?
    private let isOutput: Bool

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - specification: The transfer.
    ///   - forecast: The scheduler's decision, or `nil` if there is none yet.
    ///   - keptBytes: The number of bytes that earlier runs left.
    ///   - finished: The path of the file that makes the download unnecessary.
    ///   - isOutput: Whether the file goes to standard output.
    init(
        _ specification: TransferSpecification, forecast: Forecast?, keptBytes: Int64, finished: String?, isOutput: Bool
    ) {
        (self.specification, self.forecast, self.keptBytes) = (specification, forecast, keptBytes)
        (self.finished, self.isOutput) = (finished, isOutput)
    }

    /// The destination in words.
    private var destination: String {
        if isOutput { return "standard output" }
        let destination = specification.destination
        guard let name = destination.name else { return "\(destination.directory)/ (under the server's name)" }
        let path = (destination.directory == "/" ? "" : destination.directory) + "/" + name
        guard finished == nil, FileManager.default.fileExists(atPath: path) else { return path }
        switch destination.collision {
        case .rename: return "\(path) exists, so the file is renamed"
        case .overwrite: return "\(path) exists, and is replaced"
        case .fail: return "\(path) exists, so the transfer fails"
        }
    }

    /// The time of the start and its reason in words.
    private var start: String {
        switch forecast {
        case .starts: "would start now"
        case .waits(let explanation): "would wait: \(explanation.sentence)"
        case nil: "no decision yet: the machine's conditions are not known"
        }
    }

    /// The description, on several lines.
    var text: String {
        var lines = ["\(DisplayName(of: specification).text.printable): \(start)"]
        if let upload = specification.upload {
            lines.append("  \(upload.method.rawValue) \(upload.shownPath.printable) to \(specification.url.printable)")
        } else {
            // With its query, which may be all that tells two downloads apart.
            lines.append("  from \(specification.url.printable)")
            lines.append("  to \(destination.printable)")
        }
        if let finished {
            let next =
                specification.checksum == nil
                ? "; it is downloaded again only if the server's file has changed" : ": its checksum is right"
            lines.append("  \(finished.printable) is complete\(next)")
        }
        if keptBytes > 0 { lines.append("  resumes at \(Formatting.bytes(keptBytes)) if the server supports it") }
        if specification.acceptsAnyCertificate { lines.append("  accepts any certificate (--insecure)") }
        return lines.joined(separator: "\n")
    }

    /// The description as the fields of a JSON object.
    var fields: [String: Any] {
        var fields: [String: Any] = [
            "event": "planned", "url": RedactedURL.text(of: specification.url), "startsNow": forecast == .starts,
            "resumesAt": keptBytes,
            "completed": finished ?? NSNull(),
        ]
        if let upload = specification.upload {
            fields["path"] = upload.shownPath
        } else {
            fields["directory"] = specification.destination.directory
            fields["name"] = specification.destination.name ?? NSNull()
        }
        if case .waits(let explanation)? = forecast {
            fields.merge(JSONLine.object(explanation)) { _, new in new }
        }
        return fields
    }
}
