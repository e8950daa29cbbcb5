// SPDX-License-Identifier: Apache-2.0
import Foundation
import PolicyLab
import Testing
import ToolSupport
import TransferModel

@testable import transferctl

struct DonationFolderTests {
    @Test("A link that another user makes in the folder after its check is not followed", arguments: [true, false])
    func links(isLink: Bool) throws {
        let base = NSTemporaryDirectory() + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: base) }
        try FileManager.default.createDirectory(atPath: base + "/donation", withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: base + "/own"))
        let folder = try DonationFolder(path: base + "/donation")
        let made = base + "/donation/" + Donation.descriptionName
        if isLink {
            try FileManager.default.createSymbolicLink(atPath: made, withDestinationPath: base + "/own")
        } else {
            try FileManager.default.linkItem(atPath: base + "/own", toPath: made)
        }
        let start = WallTime(secondsSinceEpoch: 1_795_683_600)
        let segment = Trace.Segment(
            start: start, end: start.advanced(by: .seconds(100_000)), power: .ac, network: .wifi)
        let trace = try #require(Trace(device: "laptop", segments: [segment]))
        #expect(throws: UsageError.self) { try folder.write(trace: trace, jobs: []) }
        #expect(FileManager.default.contents(atPath: base + "/own") == Data("mine".utf8))
    }
}
