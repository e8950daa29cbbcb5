// SPDX-License-Identifier: Apache-2.0
import Logging

/// The log for conditions that are not errors but that developers should know about.
enum Log {
    private static let logger = Logger(label: "BackgroundTransfer")

    static func warning(_ message: Logger.Message) { logger.warning(message) }
}
