// SPDX-License-Identifier: Apache-2.0
import CHostileCalls
import Glibc
import TransferWorker
import WorkerExecutor

// Hostile code, such as a malicious server might inject into a worker.
//
//     HostileWorker try [--without-landlock] NAME=PATH …   confines itself, tries each call, prints `NAME=PATH: RESULT`
//     HostileWorker lie FILE COUNT TIMES                   reads COUNT orders, then sends the content of FILE TIMES times

var arguments = Array(CommandLine.arguments.dropFirst())

func tryAll(_ attempts: [String]) {
    var attempts = attempts
    let usesLandlock = attempts.first != "--without-landlock"
    if !usesLandlock { attempts.removeFirst() }
    print("confinement: \(WorkerConfinement.apply(caFile: nil, usesLandlock: usesLandlock))")
    for attempt in attempts {
        let parts = attempt.split(separator: "=", maxSplits: 1).map(String.init)
        let code = hostile_try(parts[0], parts.count > 1 ? parts[1] : "")
        print("\(attempt): \(code == 0 ? "done" : String(cString: hostile_error_name(code)))")
    }
}

func readAll(_ buffer: UnsafeMutablePointer<UInt8>, _ count: Int) {
    var done = 0
    while done < count {
        let more = read(3, buffer + done, count - done)
        if more <= 0 { exit(0) }
        done += more
    }
}

func lie(_ path: String, after count: Int, times: Int) {
    for _ in 0..<count {
        var length: UInt32 = 0
        withUnsafeMutableBytes(of: &length) { readAll($0.baseAddress!.assumingMemoryBound(to: UInt8.self), 4) }
        var body = [UInt8](repeating: 0, count: Int(length))
        body.withUnsafeMutableBufferPointer { if let start = $0.baseAddress { readAll(start, $0.count) } }
    }
    guard let file = fopen(path, "r") else { exit(1) }
    var bytes = [UInt8](repeating: 0, count: 16 << 20)
    let size = fread(&bytes, 1, bytes.count, file)
    for _ in 0..<times {
        var sent = 0
        while sent < size {
            let more = bytes.withUnsafeBytes { send(3, $0.baseAddress! + sent, size - sent, Int32(MSG_NOSIGNAL)) }
            if more <= 0 { exit(0) }
            sent += more
        }
    }
    // Further orders stay unread and the socket stays open until the parent ends this process.
    while true { pause() }
}

switch arguments.first {
case "try": tryAll(Array(arguments.dropFirst()))
case "lie" where arguments.count == 4: lie(arguments[1], after: Int(arguments[2]) ?? 0, times: Int(arguments[3]) ?? 0)
default: exit(2)
}
