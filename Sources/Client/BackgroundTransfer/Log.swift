// SPDX-License-Identifier: Apache-2.0
import Logging

/// Where this module tells of what is no error and yet should be known.
enum Log {
    private static let logger = Logger(label: "BackgroundTransfer")

    static func warning(_ message: Logger.Message) { logger.warning(message) }
}
