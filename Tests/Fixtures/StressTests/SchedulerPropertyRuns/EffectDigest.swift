// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

/// A hash of an effect log that is the same on every run of every build.
struct EffectDigest {
    /// The hash value. The initial value and the prime are those of FNV-1a, applied to whole words.
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func mix(_ word: UInt64) {
        value = (value ^ word) &* 0x0000_0100_0000_01B3
        value ^= value >> 29
    }

    private mutating func mix(_ kind: UInt64, _ id: TransferID) {
        mix(kind)
        mix(UInt64(bitPattern: id.rawValue))
    }

    private mutating func mix(_ text: String) {
        for byte in text.utf8 { mix(UInt64(byte)) }
    }

    mutating func mix(_ effect: Effect) {
        switch effect {
        case .start(let id): mix(1, id)
        case .stop(let id): mix(2, id)
        case .discard(let id): mix(3, id)
        case .end(let id, let ending):
            mix(4, id)
            mix("\(ending)")
        case .saveRetry(let id, let retry):
            mix(5, id)
            guard let retry else { return }
            mix(UInt64(retry.attempts))
            mix(UInt64(bitPattern: retry.until.nanosecondsSinceEpoch))
            mix(UInt64(bitPattern: retry.mostBytes ?? -1))
            mix(retry.cause.code)
        case .savePaused(let id, let isPaused): mix(isPaused ? 6 : 7, id)
        case .saveRelaunchDelay(let id, let relaunchDelay):
            mix(8, id)
            mix(UInt64(bitPattern: relaunchDelay?.relaunch ?? -1))
        case .saveStatistics: mix(9)
        case .measureSpace(let id): mix(10, id)
        case .explain(let id): mix(11, id)
        case .reportDeadline(let id, let state): mix(state == .missed ? 13 : 14, id)
        case .wake(let instant): mix(12, TransferID(instant?.nanoseconds ?? -1))
        }
    }
}
