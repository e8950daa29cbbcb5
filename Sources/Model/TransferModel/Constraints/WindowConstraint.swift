// SPDX-License-Identifier: Apache-2.0

/// The windows of the local week in which a transfer may run.
public struct WindowConstraint: Hashable, Sendable, Codable {
    /// Seconds of the local week from Monday 00:00, half-open; a window across the week's end has `end` above 604 800.
    public struct Window: Hashable, Sendable, Codable {
        /// The second at which it opens, 0…604 799.
        public var start: Int64
        /// The second at which it is closed again, above `start`.
        public var end: Int64

        /// A window.
        public init(start: Int64, end: Int64) {
            self.start = start
            self.end = end
        }
    }

    /// The windows.
    public private(set) var windows: [Window]

    /// The windows; one without length, or that opens outside the week, is left out.
    public init(windows: [Window]) {
        self.windows = windows.filter { (0..<604_800).contains($0.start) && $0.end > $0.start }
    }

    /// Windows from their stored form, checked as any others.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(windows: try container.decode([Window].self, forKey: .windows))
    }

    private enum CodingKeys: String, CodingKey { case windows }
}
