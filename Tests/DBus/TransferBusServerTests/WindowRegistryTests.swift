// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferBusProtocol
import TransferModel
import TransferSessions

@testable import TransferBusServer

@Suite("Windows that desktops report")
struct WindowRegistryTests {
    private func windows(_ reports: [String: Int64]...) -> [String: WindowFocus] {
        var registry = WindowRegistry()
        for report in reports { registry.update(report.mapValues(VariantValue.integer), from: "kde") }
        return registry.windows
    }

    @Test("The focus is gained and lost, and windows close and reopen")
    func focus() {
        #expect(windows(["a": 2]) == ["a": .focused])
        #expect(windows(["a": 2], ["a": 1]) == ["a": .unfocused])
        #expect(windows(["a": 2], ["a": 1], ["a": 2, "b": 1]) == ["a": .focused])
        #expect(windows(["a": 2], ["b": 2]) == ["a": .closed, "b": .focused])
        #expect(windows(["a": 2], ["a": 0]) == ["a": .closed])
        #expect(windows(["a": 2], [:], [:]) == ["a": .closed])
        #expect(windows(["a": 2], [:], ["a": 1]) == ["a": .unfocused])
    }

    @Test(
        "In the first report, apps without the focus are unfocused; apps that appear later may still get it"
    )
    func first() {
        #expect(windows(["a": 1, "b": 2]) == ["a": .unfocused, "b": .focused])
        #expect(windows(["b": 2], ["a": 1, "b": 2]) == ["b": .focused])
        #expect(windows(["b": 2], ["a": 1, "b": 2], ["a": 1, "b": 2]) == ["b": .focused])
        #expect(windows(["b": 2], ["a": 0, "b": 2]) == ["b": .focused])
    }

    @Test("A desktop that reports the same state for all apps does not track the focus")
    func ignorant() {
        #expect(windows(["a": 1, "b": 1]) == [:])
        #expect(windows(["a": 1, "b": 1], ["a": 1], ["a": 1, "b": 1]) == [:])
    }

    @Test(
        "The suffix of desktop files is removed, and unknown values are ignored")
    func oddities() {
        #expect(windows(["a.desktop": 2]) == ["a": .focused])
        #expect(windows(["a.desktop": 1, "a": 2, "b": 2]) == ["a": .focused, "b": .focused])
        #expect(windows(["a": 3, "b": -1]) == [:])
        var registry = WindowRegistry()
        registry.update(["a": .string("2"), "b": .integer(2)], from: "kde")
        #expect(registry.windows == ["b": .focused])
    }

    @Test("The desktop that tracks the focus takes precedence, and its report ends with it")
    func two() {
        var registry = WindowRegistry()
        registry.update(["a": .integer(2)], from: "gnome")
        registry.update(["a": .integer(1), "b": .integer(2)], from: "kde")
        #expect(registry.windows == ["a": .focused, "b": .focused])
        registry.forget("gnome")
        #expect(registry.windows == ["a": .unfocused, "b": .focused])
        registry.forget("kde")
        #expect(registry.windows == [:])
        // After `forget`, the next report counts as a first report.
        registry.update(["a": .integer(1)], from: "kde")
        #expect(registry.windows == [:])
    }

    @Test("Integers of all D-Bus types are read", arguments: ["u", "x", "y", "i"])
    func kinds(type: String) throws {
        let variant = try VariantValue.dictionary(["a": .integer(2)]).variant(ofType: "a{s\(type)}")
        var registry = WindowRegistry()
        registry.update(VariantValue(copying: variant).dictionary ?? [:], from: "kde")
        #expect(registry.windows == ["a": .focused])
    }
}
