// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Glibc
public import TransferModel

/// The clock on the wall: conversion between instants and local time, in the zone of this process or in another one.
///
/// The zone of this process is that of the C library, which reads `TZ` in every form, such as `JST-9` and
/// `CET-1CEST,M3.5.0,M10.5.0/3` (N8). Foundation knows the names of zones only, and takes any other form for UTC.
package struct LocalClock: Sendable {
    private let zone: TimeZone?

    /// Creates a clock.
    ///
    /// - Parameter zone: The time zone, or `nil` for that of this process.
    package init(_ zone: TimeZone? = nil) {
        self.zone = zone
        // The library reads the zone only once unless it is told to look for changes.
        if zone == nil { tzset() }
    }

    /// Returns the offset from UTC at an instant, in seconds.
    package func offsetSeconds(at seconds: Int64) -> Int64 {
        if let zone { return Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))) }
        var (instant, parts) = (time_t(seconds), tm())
        return localtime_r(&instant, &parts) == nil ? 0 : Int64(parts.tm_gmtoff)
    }

    /// Returns a zone with the fixed offset of an instant, for formatters.
    package func fixedZone(at instant: WallTime) -> TimeZone {
        TimeZone(secondsFromGMT: Int(offsetSeconds(at: instant.secondsSinceEpoch))) ?? .gmt
    }

    /// Returns the instant at which the clock shows a time. If the clock skips the time, returns the first instant after
    /// the gap.
    ///
    /// - Parameters:
    ///   - local: The time on the clock, in seconds since 1970-01-01 00:00 of the clock.
    ///   - seconds: The instant after which the result should be, if the clock shows the time twice.
    package func instant(showing local: Int64, after seconds: Int64) -> Int64 {
        let offsets = [offsetSeconds(at: local - 86_400), offsetSeconds(at: local + 86_400)].sorted(by: >)
        let candidates = offsets.map { local - $0 }
        let matching = candidates.filter { $0 + offsetSeconds(at: $0) == local }
        return matching.first { $0 > seconds } ?? matching.first
            ?? change(in: candidates[0]..<candidates[1]) ?? candidates[1]
    }

    /// Returns the first instant at which the offset is no longer that of the range's start, or `nil` if the range ends
    /// with the same offset.
    package func change(in range: Range<Int64>) -> Int64? {
        let before = offsetSeconds(at: range.lowerBound)
        guard offsetSeconds(at: range.upperBound) != before else { return nil }
        var (low, high) = (range.lowerBound, range.upperBound)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offsetSeconds(at: middle) == before { low = middle } else { high = middle }
        }
        return high
    }
}

extension LocalTimeRules {
    /// Creates the rules of a time zone from `now` on, with the changes of its offset in the next `years` years.
    ///
    /// Offsets before `now` are not looked up: the current offset stands for them.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - zone: The time zone, or `nil` for that of this process.
    ///   - years: The number of years.
    public init(current now: WallTime, zone: TimeZone? = nil, years: Int = 3) {
        let (clock, start) = (LocalClock(zone), now.secondsSinceEpoch)
        // No zone changes its offset twice within a week.
        let changes = stride(from: start, to: start + Int64(years) * 366 * 86_400, by: 7 * 86_400).compactMap {
            clock.change(in: $0..<$0 + 7 * 86_400)
        }
        self.init(
            initialOffsetSeconds: clock.offsetSeconds(at: start),
            changes: changes.map {
                Change(start: WallTime(secondsSinceEpoch: $0), offsetSeconds: clock.offsetSeconds(at: $0))
            })
    }
}
