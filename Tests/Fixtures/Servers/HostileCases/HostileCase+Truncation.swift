// SPDX-License-Identifier: Apache-2.0
import HTTPExecutor
import HostileServer
import TransferEngine
import TransferModel
import TransferPolicy

/// Cases with responses that stop in the middle.
extension HostileCase {
    private enum Cut: String, CaseIterable, Sendable { case ends, breaks }

    /// The number of head lines sent before a cut.
    private enum Lines: Sendable { case none, some, all }

    /// A position in a response, with the number of body bytes sent before it. -1 stands for all bytes but the last.
    private struct CutPosition: Sendable {
        var name: String
        var body: Int64
        var lines = Lines.all
        var text: @Sendable (_ head: String, _ body: [UInt8]) -> [UInt8]
    }

    private static let positions: [CutPosition] = [
        CutPosition(name: "before the status line", body: 0, lines: .none) { _, _ in [] },
        CutPosition(name: "in the status line", body: 0, lines: .none) { head, _ in Array(head.utf8.prefix(10)) },
        CutPosition(name: "after the status line", body: 0, lines: .none) { head, _ in
            Array(head.utf8.prefix { $0 != 13 })
        },
        CutPosition(name: "in a header", body: 0, lines: .some) { head, _ in
            Array(head.utf8.prefix(head.utf8.prefix { $0 != 13 }.count + 5))
        },
        CutPosition(name: "before the head's empty line", body: 0, lines: .some) { head, _ in
            Array(head.utf8.dropLast(2))
        },
        CutPosition(name: "between head and body", body: 0) { head, _ in Array(head.utf8) },
        CutPosition(name: "in the body", body: 100) { head, body in Array(head.utf8) + body.prefix(100) },
        CutPosition(name: "before the last byte", body: -1) { head, body in Array(head.utf8) + body.dropLast() },
    ]

    /// Cases in which the connection ends (FIN) or breaks (RST) at each position of the response with the file, and of the
    /// response with the rest. A range that twice brings no head is followed by a request without a range.
    static let truncation: [HostileCase] = positions.flatMap { position in
        [false, true].flatMap { isContinuing in
            Cut.allCases.map { cut -> HostileCase in
                let size: Int64 = isContinuing ? 600 : 1000
                let got = position.body < 0 ? size - 1 : position.body
                let before: Int64 = isContinuing ? 400 : 0
                // An RST may discard bytes that are still in transit.
                let kept = (cut == .ends ? before + got : before)...(before + got)
                let name = "the \(isContinuing ? "continued" : "first") response \(cut.rawValue) \(position.name)"
                let isRefusal = isContinuing && position.lines != .all
                return HostileCase(
                    name, isRefusal ? .file : .failure(.connection, keeping: kept),
                    saw: isRefusal ? [rest, rest, whole] : [isContinuing ? rest : whole]
                ) { request, connection, environment in
                    guard request.isContinuing == isContinuing else {
                        return environment.file.serve(request, connection)
                    }
                    let (status, fields, body) = environment.file.response(to: request)
                    let lines = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)"]
                    connection.send(position.text(lines.joined(separator: "\r\n") + "\r\n\r\n", Array(body)))
                    end(connection, cut)
                }
                .with {
                    if isContinuing { $0 = $0.after(400) }
                    if cut == .ends, position.lines == .some { $0.underURLSession = .endsProcess }
                }
            }
        }
    }

    private static let chunkPositions: [(name: String, sent: Int, body: Int64)] = [
        ("in a chunk's size", 1, 0), ("after a chunk's size", 5, 0), ("in a chunk", 105, 100),
        ("before a chunk's line end", 405, 400), ("between two chunks", 407, 400), ("in the next chunk", 512, 500),
        ("before the last chunk", 1014, 1000), ("in the last chunk", 1015, 1000),
        ("after the last chunk's size", 1017, 1000),
    ]

    /// Cases in which the connection ends or breaks at each position of a chunked body without a length.
    static let chunkedTruncation: [HostileCase] = chunkPositions.flatMap { position in
        Cut.allCases.map { cut in
            let kept = (cut == .ends ? position.body : 0)...position.body
            return HostileCase(
                "a chunked response \(cut.rawValue) \(position.name)", .failure(.connection, keeping: kept),
                saw: [whole]
            ) { request, connection, environment in
                connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n")
                connection.send(chunked(environment.file.bytes, at: 400).prefix(position.sent))
                end(connection, cut)
            }
        }
    }

    /// Returns the bytes in two chunks and a final chunk.
    ///
    /// A file of 1000 bytes that is split at 400 takes 5 + 400 + 2, 5 + 600 + 2, and 5 bytes.
    static func chunked(_ bytes: [UInt8], at split: Int) -> [UInt8] {
        [bytes[..<split], bytes[split...], []].flatMap { chunk in
            Array((String(chunk.count, radix: 16) + "\r\n").utf8) + chunk + [13, 10]
        }
    }

    private static func end(_ connection: HostileConnection, _ cut: Cut) {
        switch cut {
        case .ends:
            connection.finish()
        case .breaks:
            connection.pause(milliseconds: 10)
            connection.reset()
        }
    }
}
