// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures

extension DyingDaemonsFixture {
    /// The last lines of each trace. The recording of all observations tells whether a source or the product is wrong.
    func evidence() -> String {
        let published = probe.lines.suffix(15).map { "\(Double(($0.time - bootStart) / 1_000_000) / 1000) \($0.text)" }
        let observed = ((try? String(contentsOf: recording, encoding: .utf8)) ?? "").split(separator: "\n")
        return (log.suffix(40) + published + observed.suffix(30).map(String.init)).joined(separator: "\n")
    }

    /// The numbers of threads and open files of the probe, and its resident memory in KiB.
    func resources() throws -> (threads: Int, files: Int, memory: Int) {
        let folder = "/proc/\(probe.id)"
        let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
        func number(_ key: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(key + ":") }
            return line.flatMap { $0.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } } ?? 0
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").count
        return (number("Threads"), files, number("VmRSS"))
    }
}
