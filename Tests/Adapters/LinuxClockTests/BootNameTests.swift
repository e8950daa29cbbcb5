// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import LinuxClock

@Suite("Boot names")
struct BootNameTests {
    @Test("The name is the kernel's boot id without the line feed")
    func kernel() throws {
        let text = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        #expect(BootName.current + "\n" == text)
        #expect(try LinuxAlarm().boot == BootName.current)
    }

    @Test("Without a boot id, each name is unique, so stored state never counts as from this boot")
    func missing() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("boot-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let empty = folder.appendingPathComponent("empty").path
        try Data("\n".utf8).write(to: URL(fileURLWithPath: empty))
        for path in [empty, folder.path, folder.path + "/none"] {
            let names = (0..<3).map { _ in BootName.name(in: path) }
            #expect(Set(names).count == 3 && !names.contains(""), "\(path): \(names)")
        }
    }
}
