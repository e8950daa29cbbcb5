// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
import ToolSupport

/// Functions that write the files of an installation, and the programs that must know about them.
enum ServiceWriter {
    /// Checks that only root, and this user if the unit is the user's, can change a program that a unit starts.
    ///
    /// - Throws: `UsageError` that names the file or the folder that others can change, and the remedy.
    static func checkProgram(_ path: String, ofUser isUser: Bool) throws {
        do throws(PathFault) { try PathTrust.check(path, isForRoot: !isUser) } catch {
            let remedy = isUser ? "a folder where only you can write" : "/usr/local/bin, where only root can write"
            throw UsageError(
                "\(isUser ? "systemd" : "root") would run \(path.printable), but \("\(error)".printable); install the "
                    + "package, or copy the programs to \(remedy), and use them there")
        }
    }

    /// Writes a text to a file, and creates the folder of the file.
    ///
    /// - Throws: `UsageError` with the reason.
    static func write(_ text: String, to path: String) throws {
        try makeFolder(of: path)
        do { try text.write(to: URL(fileURLWithPath: path), atomically: true, encoding: .utf8) } catch {
            throw UsageError("cannot write \(path): \(error.localizedDescription)")
        }
    }

    /// Writes the output of a program to a file. If the program is missing or fails, leaves the file as it is.
    ///
    /// - Throws: `UsageError` if the file cannot be written.
    static func write(to path: String, by program: String, _ arguments: [String]) throws {
        try makeFolder(of: path)
        let draft = path + ".new"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw UsageError("cannot write \(draft): \(String(cString: strerror(errno)))") }
        defer {
            close(file)
            unlink(draft)
        }
        guard run([program] + arguments, output: .file(file)) else { return }
        guard rename(draft, path) == 0 else {
            throw UsageError("cannot write \(path): \(String(cString: strerror(errno)))")
        }
    }

    /// Removes files and prints their paths.
    ///
    /// - Returns: Whether a file existed.
    /// - Throws: `UsageError` if a file cannot be removed.
    @discardableResult
    static func remove(_ paths: [String]) throws -> Bool {
        let existing = paths.filter { FileManager.default.fileExists(atPath: $0) }
        for path in existing {
            do { try FileManager.default.removeItem(atPath: path) } catch {
                throw UsageError("cannot remove \(path): \(error.localizedDescription)")
            }
            Console.printPath(path)
        }
        return !existing.isEmpty
    }

    /// Makes the running managers reload the files. A manager that is not running reads the files when it starts.
    static func reloadManagers() {
        runFromPath(["systemctl", "--user", "daemon-reload"])
        runFromPath([
            "dbus-send", "--session", "--type=method_call", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
            "org.freedesktop.DBus.ReloadConfig",
        ])
    }

    /// Runs a program of `PATH` without output.
    ///
    /// - Returns: Whether the program ended with status 0.
    @discardableResult
    static func runFromPath(_ words: [String]) -> Bool { run(["/usr/bin/env"] + words, output: .null) }

    private static func run(_ words: [String], output: ChildProgram.Output) -> Bool {
        var child = ChildProgram(words[0], words, environment: ProcessInfo.processInfo.environment)
        (child.output, child.errors) = (output, .null)
        guard let process = try? child.start() else { return false }
        return ChildProgram.collect(process) == .status(0)
    }

    private static func makeFolder(of path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
            throw UsageError("cannot create \(folder.path): \(error.localizedDescription)")
        }
    }
}
