// SPDX-License-Identifier: Apache-2.0

/// The command-line options of the fuzzer.
struct FuzzOptions: Sendable {
    var seed = UInt64.random(in: .min ... .max)
    var seconds = 60
    /// The maximum number of messages, or `nil` for as many as the time allows.
    var messages: Int?
    /// The bus address of a running daemon, or `nil` to start a bus and a daemon.
    var bus: String?
    /// The process id of the running daemon. Required together with `bus`.
    var daemon: Int32?
    /// The path of the daemon to start, or `nil` for the daemon next to this program.
    var program: String?
    /// The growth of the daemon's memory that is tolerated after the warm-up, in MB.
    var growth = 24
    var keepsFolder = false

    static let help = """
        BusFuzz [--seed N] [--seconds N] [--messages N] [--bus ADDRESS --daemon PID] [--program PATH] [--growth MB] [--keep]
        Sends transferd random calls of all methods and properties, valid and invalid. Exits with 1 if the daemon dies,
        makes another caller wait longer than a second, grows, leaks descriptors, or replies to invalid input with
        anything but a named error. Without --bus, a private bus and a daemon are started.
        --growth  the allowed growth of resident memory after the first quarter of the run (default: 24)
        --keep    keep the folder with the daemon's queue and log
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            func number<Value: FixedWidthInteger>() throws -> Value {
                guard let number = rest.popFirst().flatMap({ Value($0) }), number >= 0 else {
                    throw FuzzUsage(text: "\(option) needs a number")
                }
                return number
            }
            func text() throws -> String {
                guard let text = rest.popFirst() else { throw FuzzUsage(text: "\(option) needs a value") }
                return text
            }
            switch option {
            case "--seed": seed = try number()
            case "--seconds": seconds = try number()
            case "--messages": messages = try number()
            case "--bus": bus = try text()
            case "--daemon": daemon = try number()
            case "--program": program = try text()
            case "--growth": growth = try number()
            case "--keep": keepsFolder = true
            default: throw FuzzUsage(text: Self.help)
            }
        }
        guard (bus == nil) == (daemon == nil) else { throw FuzzUsage(text: "use --bus and --daemon together") }
    }
}

/// An error for an invalid command line.
struct FuzzUsage: Error {
    var text: String
}
