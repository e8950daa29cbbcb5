// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferBusProtocol
import TransferModel
import TransferSessions

@testable import TransferBusServer

@Suite("What desktops tell of windows")
struct WindowBookTests {
    private func windows(_ looks: [String: Int64]...) -> [String: WindowFocus] {
        var book = WindowBook()
        for look in looks { book.take(look.mapValues(VariantValue.integer), from: "kde") }
        return book.windows
    }

    @Test("The focus comes, goes to another, and its window is closed and opened again")
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
        "At the first look whoever is without the focus that another has is not worked with; who comes later may get it"
    )
    func first() {
        #expect(windows(["a": 1, "b": 2]) == ["a": .unfocused, "b": .focused])
        #expect(windows(["b": 2], ["a": 1, "b": 2]) == ["b": .focused])
        #expect(windows(["b": 2], ["a": 1, "b": 2], ["a": 1, "b": 2]) == ["b": .focused])
        #expect(windows(["b": 2], ["a": 0, "b": 2]) == ["b": .focused])
    }

    @Test("A desktop that calls all the same tells of no focus")
    func ignorant() {
        #expect(windows(["a": 1, "b": 1]) == [:])
        #expect(windows(["a": 1, "b": 1], ["a": 1], ["a": 1, "b": 1]) == [:])
    }

    @Test(
        "Names of desktop files are taken without their ending, and values that nobody knows as if they were not there")
    func oddities() {
        #expect(windows(["a.desktop": 2]) == ["a": .focused])
        #expect(windows(["a.desktop": 1, "a": 2, "b": 2]) == ["a": .focused, "b": .focused])
        #expect(windows(["a": 3, "b": -1]) == [:])
        var book = WindowBook()
        book.take(["a": .string("2"), "b": .integer(2)], from: "kde")
        #expect(book.windows == ["b": .focused])
    }

    @Test("Two desktops: the one that sees the focus is believed; what one told goes with it")
    func two() {
        var book = WindowBook()
        book.take(["a": .integer(2)], from: "gnome")
        book.take(["a": .integer(1), "b": .integer(2)], from: "kde")
        #expect(book.windows == ["a": .focused, "b": .focused])
        book.forget("gnome")
        #expect(book.windows == ["a": .unfocused, "b": .focused])
        book.forget("kde")
        #expect(book.windows == [:])
        // After `forget`, the next report counts as a first report.
        book.take(["a": .integer(1)], from: "kde")
        #expect(book.windows == [:])
    }

    @Test("A number is read whichever kind it comes in", arguments: ["u", "x", "y", "i"])
    func kinds(type: String) throws {
        let variant = try VariantValue.dictionary(["a": .integer(2)]).variant(ofType: "a{s\(type)}")
        var book = WindowBook()
        book.take(VariantValue(copying: variant).dictionary ?? [:], from: "kde")
        #expect(book.windows == ["a": .focused])
    }
}
