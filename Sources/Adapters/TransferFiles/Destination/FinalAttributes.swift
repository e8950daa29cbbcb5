// SPDX-License-Identifier: Apache-2.0
package import Glibc
package import TransferModel

/// The mode, time, and extended attributes of a finished file.
package struct FinalAttributes: Sendable {
    /// The transfer that produces the file.
    package let specification: TransferSpecification

    /// The mode of a folder created for a finished file, before the umask.
    package var folderMode: mode_t { specification.isPrivate ? 0o700 : 0o777 }

    /// Sets the mode and the extended attributes of the file, and the modification time if `modified` is not `nil`.
    ///
    /// The file is never executable, regardless of its name and contents (C9). A file that is not private has the
    /// attributes of a file that is created in its folder (D10).
    ///
    /// - Parameters:
    ///   - descriptor: The open file.
    ///   - path: The path of the file, for messages.
    ///   - folder: The folder in which the file receives its final name.
    ///   - modified: The modification time in nanoseconds since 1970.
    package func apply(
        to descriptor: Int32, path: String, in folder: String, modified: Int64?
    ) throws(FileFailure) {
        Provenance(specification).record(on: descriptor)
        do {
            try calling("set the mode of", path) {
                guard !specification.isPrivate else { return Int(fchmod(descriptor, 0o600)) }
                return Int(InheritedAttributes(of: folder).apply(to: descriptor, mode: 0o666, umask: Self.umask))
            }
            if let modified {
                let time = timespec(
                    tv_sec: Int(modified / 1_000_000_000), tv_nsec: Int(modified % 1_000_000_000))
                let times = [timespec(tv_sec: 0, tv_nsec: Int((1 << 30) - 2)), time]
                try calling("set the time of", path) { Int(futimens(descriptor, times)) }
            }
        } catch  where error.code == EPERM || error.code == EOPNOTSUPP || error.code == EINVAL {
            // File systems without modes (FAT, some network shares) keep their own modes.
        }
    }

    /// Removes other users' access to the folder of a private file, if this user owns the folder. Ignores the
    /// folder's mode and the umask.
    package func close(_ folder: String) {
        guard specification.isPrivate else { return }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { Glibc.close(descriptor) }
        guard let facts = FileFacts(descriptor: descriptor), facts.owner == geteuid() else { return }
        // File systems without modes have no access to remove. The file's own mode is decisive.
        fchmod(descriptor, 0o700)
    }

    /// Returns the date in nanoseconds since 1970, or `nil` if the text is not a date or the date does not fit a file
    /// time.
    package static func nanoseconds(_ date: String) -> Int64? {
        guard let seconds = HTTPDate.seconds(date) else { return nil }
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? nil : product
    }

    /// The umask of the process at the first use, read without changing it.
    ///
    /// The value is cached. The kernel formats a page of text for each read, and thousands of small files need the
    /// same value.
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
