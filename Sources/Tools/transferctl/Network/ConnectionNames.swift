// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation

/// The names of connections that this machine knows now, to find misspelled names and to complete names.
struct ConnectionNames {
    /// The names of NetworkManager's profiles and of the interfaces.
    let names: Set<String>

    /// The names that are known now. The profiles are missing if NetworkManager does not run.
    static var current: ConnectionNames {
        let interfaces = (try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/net")) ?? []
        return ConnectionNames(names: Set(interfaces).union(profiles))
    }

    private static var profiles: [String] {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/nmcli")
        process.arguments = ["-g", "NAME", "connection", "show"]
        (process.standardOutput, process.standardError) = (pipe, FileHandle.nullDevice)
        guard (try? process.run()) != nil else { return [] }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        // nmcli escapes colons and backslashes.
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map {
            String($0).replacing("\\:", with: ":").replacing("\\\\", with: "\\")
        }
    }

    /// Returns a remark about a name that is not known, or `nil` for a known name.
    func advice(about name: String) -> String? {
        guard !names.contains(name) else { return nil }
        let others = names.sorted().filter { $0 != "lo" }.prefix(8).joined(separator: ", ")
        return "no connection is called '\(name)' now, so the override waits for one"
            + (others.isEmpty ? "" : " (known: \(others))")
    }

    /// Returns the candidates of a shell's completion: these names and `others`, sorted.
    func completions(with others: [String], for shell: CompletionShell?) -> [String] {
        let all = names.subtracting(["lo"]).union(others).sorted()
        // bash inserts a candidate as it is, after it has removed one level of quotes.
        return shell == .bash ? all.map { $0.replacing(" ", with: #"\\ "#) } : all
    }
}
