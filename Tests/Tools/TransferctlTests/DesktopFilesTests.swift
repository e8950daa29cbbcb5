// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import transferctl

@Suite("The desktop entry and its icon")
struct DesktopFilesTests {
    @Test("The entry starts the live view, and has the name and icon that notifications refer to")
    func entry() {
        let lines = DesktopFiles.entry(program: "/opt/a b/transferctl").split(separator: "\n")
        #expect(lines.first == "[Desktop Entry]")
        #expect(lines.contains("Exec=\"/opt/a b/transferctl\" watch") && lines.contains("Icon=transferd"))
        #expect(
            DesktopFiles(data: "/d").paths.map { $0.split(separator: "/").last } == [
                "transferd.desktop", "transferd.svg",
            ])
        #expect(DesktopFiles.entry(program: "/a$b%").contains("Exec=\"/a\\\\$b%%\""))
    }

    @Test("The icon is well-formed XML")
    func icon() {
        for (path, text) in DesktopFiles(data: "/d").files(program: "/p") where path.hasSuffix(".svg") {
            #expect(text.hasPrefix("<svg ") && text.hasSuffix("</svg>\n"))
            #expect(text.count { $0 == "<" } == text.count { $0 == ">" })
        }
    }
}
