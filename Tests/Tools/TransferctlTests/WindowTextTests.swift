// SPDX-License-Identifier: Apache-2.0
import Testing
import ToolSupport
import TransferModel

@testable import transferctl

@Suite struct WindowTextTests {
    @Test(
        "Windows are shown in the form that --window accepts",
        arguments: [
            "01:00-06:00", "22:00-06:00", "Mon-Fri 01:00-06:00", "Sat,Sun 00:00-24:00", "Mon,Wed-Fri,Sun 09:30-12:05",
            "Mon-Fri 18:00-08:00; Sat,Sun 00:00-24:00", "Sun 23:00-01:00",
        ])
    func roundTrip(text: String) throws {
        let windows = try WindowExpression(text.replacing("; ", with: ";")).constraint.windows
        #expect(WindowText.text(windows) == text)
    }

    @Test("A window of several days, which only apps set, is shown from start to end")
    func long() {
        #expect(WindowText.text([.init(start: 3600, end: 2 * 86_400)]) == "Mon 01:00 to Wed 00:00")
    }
}
