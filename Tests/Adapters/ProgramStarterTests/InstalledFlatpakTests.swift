// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProgramStarter
import Testing

@Suite("Commands that start installed Flatpaks")
struct InstalledFlatpakTests {
    @Test("only an installed Flatpak has a command, and only if the program flatpak is there")
    func installed() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/flatpak-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in ["org.example.App", "app"] { try Data().write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
        func command(_ app: String, _ programs: [String] = ["/nonexistent/flatpak", "/bin/true"]) -> [String]? {
            InstalledFlatpak.command(starting: app, folders: ["/nonexistent", folder], programs: programs)
        }
        #expect(command("org.example.App") == ["/bin/true", "run", "org.example.App"])
        #expect(command("org.example.App", ["/nonexistent/flatpak"]) == nil)
        for other in ["org.example.Other", "app", "", ".", "..", "../" + folder, "-org.example.App"] {
            #expect(command(other) == nil, "\(other)")
        }
    }
}
