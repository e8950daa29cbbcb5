// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import FoundationNetworking
import Glibc
import HostileServer
import Testing
import URLSessionInterposer

@testable import URLSessionExecutor

@Suite("The loaded build of FoundationNetworking")
struct BuildIDTests {
    private func number(_ body: (UnsafeMutablePointer<CChar>) -> Void) -> String {
        var digits = [CChar](repeating: 0x7F, count: Int(build_id_room))
        body(&digits)
        return String(decoding: digits.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private func elfNote(_ name: String, type: UInt32, _ value: [UInt8]) -> [UInt8] {
        func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4) }
        let head = [UInt32(name.utf8.count + 1), UInt32(value.count), type]
        return head.flatMap { number in withUnsafeBytes(of: number) { Array($0) } } + padded(Array(name.utf8) + [0])
            + padded(value)
    }

    private func read(_ notes: [UInt8]) -> String { number { build_id_in_notes(notes, notes.count, $0) } }

    @Test("C14: The build number is found among other notes")
    func found() {
        let own = elfNote("GNU", type: 3, [0x01, 0xAB, 0xFF])
        #expect(read(own) == "01abff")
        #expect(read(elfNote("stapsdt", type: 3, [1, 2, 3, 4, 5]) + elfNote("GNU", type: 1, [9]) + own) == "01abff")
        #expect(read([]) == "")
        #expect(read(elfNote("GNU", type: 1, [9])) == "")
    }

    @Test("C14: Broken notes have no number and are not read beyond their end")
    func broken() {
        let own = elfNote("GNU", type: 3, [1, 2, 3, 4])
        for length in 0..<own.count { #expect(read(Array(own[..<length])) == "", "\(length)") }
        var long = own
        long.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(read(long) == "")
        #expect(read(elfNote("GNU", type: 3, [UInt8](repeating: 1, count: 65))) == "")
    }

    @Test("C14: A listed build counts as tested, and any other build does not")
    func tested() {
        #expect(String(cString: tested_foundation("8c9476902050c07a24ced43fb8f5be319af5dad1")).contains("Swift 6.3.1"))
        for digits in ["", "8c", "8c9476902050c07a24ced43fb8f5be319af5dad10", "00"] {
            #expect(tested_foundation(digits) == nil)
        }
    }

    @Test("C14: A loaded library has a number, and a library that is not loaded has none")
    func loaded() {
        _ = URLSession.self
        let digits = number { build_id_of("libFoundationNetworking.", $0) }
        #expect(digits.count >= 16 && digits.allSatisfy(\.isHexDigit))
        #expect(number { build_id_of("libnosuch.", $0) } == "")
    }
}

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct InterposerTests {
        @Test("C14: An untested build is reported with its number, an absent interposer with its reason")
        func warnings() throws {
            func interposer(
                _ state: transfer_urlsession_interposer_state, isEnabled: Bool = true, build: String = "12ab"
            )
                -> InterposerInstallation
            {
                InterposerInstallation(state: state, reason: "x is not imported", build: build, isEnabled: isEnabled)
            }
            let tested = interposer(transfer_urlsession_interposer_tested)
            #expect(tested.isActive && tested.warning == nil)
            let untested = interposer(transfer_urlsession_interposer_untested)
            #expect(untested.isActive)
            #expect(try #require(untested.warning).contains("build 12ab"))
            #expect(try #require(untested.warning).contains("TRANSFER_URLSESSION_INTERPOSER=off"))
            let absent = interposer(transfer_urlsession_interposer_absent, build: "")
            #expect(!absent.isActive)
            #expect(try #require(absent.warning).contains("x is not imported"))
            #expect(absent.error == nil)
            let unusable = interposer(transfer_urlsession_interposer_no_libcurl, isEnabled: false)
            #expect(!unusable.isActive && unusable.warning == nil)
            #expect(try #require(unusable.error).code == .missingLibcurl)
            #expect(try #require(unusable.error).message.contains("x is not imported"))
            for state in [transfer_urlsession_interposer_absent, transfer_urlsession_interposer_untested] {
                let off = interposer(state, isEnabled: false)
                #expect(!off.isActive && off.warning == nil)
            }
        }

        @Test("C14: The interposer is completely installed in the tested build")
        func here() throws {
            let interposer = InterposerInstallation.install(
                isEnabled: true, bufferSize: 0, blockSize: 0, caFile: nil, proxy: nil)
            #expect(interposer.isActive)
            #expect(String(cString: transfer_urlsession_interposer_reason()) == "")
            for name in ["curl_easy_setopt", "curl_easy_cleanup", "curl_multi_setopt", "curl_multi_info_read"] {
                let slot = try #require(import_slot("libFoundationNetworking.", name))
                #expect(slot.pointee == transfer_urlsession_interposer_hook(name), "\(name)")
            }
            // The options apply to the whole process. Executors set them again.
        }

        @Test("C14: No state is kept for freed handles", arguments: [true, false])
        func forgotten(usesInterposer: Bool) async throws {
            let file = ServedFile(bytes: ServedFile.content(200_000))
            let before = transfer_urlsession_interposer_handles()
            try await ExecutorFixture.run(usesInterposer: usesInterposer, handler: file.serve) { fixture, server in
                for number in 0..<20 {
                    let outcome = await fixture.run(fixture.specification(server.url("/f"), name: "\(number)")).0
                    #expect(fixture.contents(outcome) == file.bytes)
                }
            }
            // Sessions release their handles on a queue of their own, some time after their end.
            for _ in 0..<500 where transfer_urlsession_interposer_handles() > before {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(transfer_urlsession_interposer_handles() <= before)
        }

        // MARK: Copies

        private typealias Handle = OpaquePointer
        private typealias SetPointer = @convention(c) (Handle?, Int32, UnsafeRawPointer?) -> Int32
        private typealias WriteFunction =
            @convention(c) (UnsafePointer<UInt8>?, Int, Int, UnsafeMutableRawPointer?) -> Int

        /// The delivered bytes of a transfer.
        private final class Sink {
            var bytes: [UInt8] = []

            static let write: WriteFunction = { bytes, size, count, user in
                guard let bytes, let user else { return 0 }
                Unmanaged<Sink>.fromOpaque(user).takeUnretainedValue().bytes +=
                    UnsafeBufferPointer(start: bytes, count: size * count)
                return size * count
            }
        }

        /// Calls libcurl as FoundationNetworking would, including functions that FoundationNetworking does not call
        /// today.
        private struct Curl {
            let start, copy: @convention(c) (Handle?) -> Handle?
            let perform: @convention(c) (Handle?) -> Int32
            let reset, cleanup: @convention(c) (Handle?) -> Void
            let set: SetPointer

            init() throws {
                func own<Function>(_ name: String, as type: Function.Type) throws -> Function {
                    unsafeBitCast(try #require(dlsym(nil, name)), to: type)
                }
                func hook<Function>(_ name: String, as type: Function.Type) throws -> Function {
                    unsafeBitCast(try #require(transfer_urlsession_interposer_hook(name)), to: type)
                }
                start = try own("curl_easy_init", as: (@convention(c) (Handle?) -> Handle?).self)
                perform = try own("curl_easy_perform", as: (@convention(c) (Handle?) -> Int32).self)
                copy = try hook("curl_easy_duphandle", as: (@convention(c) (Handle?) -> Handle?).self)
                reset = try hook("curl_easy_reset", as: (@convention(c) (Handle?) -> Void).self)
                cleanup = try hook("curl_easy_cleanup", as: (@convention(c) (Handle?) -> Void).self)
                set = try hook("curl_easy_setopt", as: SetPointer.self)
            }

            func deliver(_ path: String, by handle: Handle?, to sink: Sink) {
                _ = ("file://" + path).withCString { set(handle, 10002, $0) }
                _ = set(handle, 10001, Unmanaged.passUnretained(sink).toOpaque())
                _ = set(handle, 20011, unsafeBitCast(Sink.write, to: UnsafeRawPointer.self))
            }
        }

        @Test("C14: A copied handle has its own data, a reset handle has none, and a freed handle is removed")
        func copies() throws {
            _ = InterposerInstallation.install(isEnabled: false, bufferSize: 0, blockSize: 0, caFile: nil, proxy: nil)
            let path = NSTemporaryDirectory() + "copies-\(UUID().uuidString)"
            try Data("text".utf8).write(to: URL(fileURLWithPath: path))
            defer { unlink(path) }
            let curl = try Curl()
            let before = transfer_urlsession_interposer_handles()
            let (first, second, third) = (Sink(), Sink(), Sink())
            let handle = try #require(curl.start(nil))
            curl.deliver(path, by: handle, to: first)
            #expect(transfer_urlsession_interposer_handles() == before + 1)

            let copy = try #require(curl.copy(handle))
            #expect(transfer_urlsession_interposer_handles() == before + 2)
            _ = curl.set(copy, 10001, Unmanaged.passUnretained(second).toOpaque())
            #expect(curl.perform(handle) == 0 && curl.perform(copy) == 0)
            #expect(first.bytes == Array("text".utf8) && second.bytes == first.bytes)

            curl.reset(handle)
            curl.deliver(path, by: handle, to: third)
            #expect(curl.perform(handle) == 0)
            #expect(third.bytes == first.bytes && second.bytes.count == 4)
            curl.cleanup(handle)
            #expect(transfer_urlsession_interposer_handles() == before + 1)
            // The copy does not depend on the freed original.
            #expect(curl.perform(copy) == 0)
            #expect(second.bytes.count == 8)
            curl.cleanup(copy)
            #expect(transfer_urlsession_interposer_handles() == before)
        }
    }
}
