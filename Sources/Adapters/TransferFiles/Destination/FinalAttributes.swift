// SPDX-License-Identifier: Apache-2.0
package import Glibc
package import TransferModel

/// Mode, time and extended attributes of a finished file.
package struct FinalAttributes: Sendable {
    /// The transfer whose file it is.
    package let specification: TransferSpecification

    /// The mode of a finished file, which is never executable whatever it is called and holds (C9).
    package var fileMode: mode_t { specification.isPrivate ? 0o600 : 0o666 & ~Self.umask }

    /// The mode of a folder that is made for a finished file, before the umask.
    package var folderMode: mode_t { specification.isPrivate ? 0o700 : 0o777 }

    /// Gives the file its mode, its extended attributes, and a modification time where one is given.
    package func apply(to descriptor: Int32, path: String, modified: Int64?) throws(FileFailure) {
        Provenance(specification).record(on: descriptor)
        do {
            try calling("set the mode of", path) { Int(fchmod(descriptor, fileMode)) }
            if let modified {
                let time = timespec(
                    tv_sec: Int(modified / 1_000_000_000), tv_nsec: Int(modified % 1_000_000_000))
                let times = [timespec(tv_sec: 0, tv_nsec: Int((1 << 30) - 2)), time]
                try calling("set the time of", path) { Int(futimens(descriptor, times)) }
            }
        } catch  where error.code == EPERM || error.code == EOPNOTSUPP || error.code == EINVAL {
            // File systems without modes (FAT, some shares) keep their own.
        }
    }

    /// Takes the folder of private files from others, where it is ours; whatever its mode was, and the umask.
    package func close(_ folder: String) {
        guard specification.isPrivate else { return }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { Glibc.close(descriptor) }
        guard let facts = FileFacts(descriptor: descriptor), facts.owner == geteuid() else { return }
        // On file systems without modes there is nothing to take; the file's own mode is what counts.
        fchmod(descriptor, 0o700)
    }

    /// The date in nanoseconds since 1970; nil where it is none, or one that no file can have.
    package static func nanoseconds(_ date: String) -> Int64? {
        guard let seconds = HTTPDate.seconds(date) else { return nil }
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? nil : product
    }

    /// The process's umask when it was first asked for, read without changing it.
    ///
    /// Kept, because the kernel writes a page of text for it, and thousands of small files have the same.
    package static let umask: mode_t = {
        guard let file = fopen("/proc/self/status", "re") else { return 0o022 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("Umask:") else { continue }
            return mode_t(text.dropFirst(6).filter { $0.isNumber }, radix: 8) ?? 0o022
        }
        return 0o022
    }()
}
