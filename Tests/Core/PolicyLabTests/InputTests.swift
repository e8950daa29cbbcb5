// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import PolicyLab

private let header = "t_start,t_end,power,net,level\n"
private let jobs = "device,id,arrival,bytes,deadline\n"

@Suite("Input files, and the positions of their errors") struct InputTests {
    private static let brokenTraces: [(text: String, message: String)] = [
        ("", "1:1: expected a header line with t_start,t_end,power,net, found nothing"),
        ("\n\n", "1:1: expected a header line with t_start,t_end,power,net, found nothing"),
        (header, "2:1: expected at least one segment, found nothing"),
        ("t_start,t_end,power\n", "1:20: expected a column net, found nothing"),
        (
            "t_start,t_end,power,net,nett\n",
            "1:25: expected one of the columns level, suspended, rate_bytes_per_s, metered, found 'nett'"
        ),
        (
            "t_start,t_start\n",
            "1:9: expected one of the columns t_end, power, net, level, suspended, rate_bytes_per_s, m"
        ),
        (header + "0,10,ac,wifi\n", "2:13: expected 5 fields as in the header, found '4 fields'"),
        (header + "0,10,ac,wifi,,\n", "2:15: expected 5 fields as in the header, found '6 fields'"),
        (header + "x,10,ac,wifi,\n", "2:1: expected Unix seconds in t_start, found 'x'"),
        (header + ",10,ac,wifi,\n", "2:1: expected Unix seconds in t_start, found nothing"),
        (header + "nan,10,ac,wifi,\n", "2:1: expected Unix seconds in t_start, found 'nan'"),
        (header + "inf,10,ac,wifi,\n", "2:1: expected Unix seconds in t_start, found 'inf'"),
        (header + "1e3,2000,ac,wifi,\n", "2:1: expected Unix seconds in t_start, found '1e3'"),
        (header + "+1,10,ac,wifi,\n", "2:1: expected Unix seconds in t_start, found '+1'"),
        (header + "1.,10,ac,wifi,\n", "2:1: expected Unix seconds in t_start, found '1.'"),
        (
            header + "0,9223372036854775808,ac,wifi,\n",
            "2:3: expected Unix seconds in t_end, found '9223372036854775808'"
        ),
        (header + "0,4000000001,ac,wifi,\n", "2:3: expected Unix seconds in t_end, found '4000000001'"),
        (header + " 0,10,ac,wifi,\n", "2:1: expected Unix seconds in t_start, found ' 0'"),
        (header + "10,10,ac,wifi,\n", "2:4: expected a time after t_start, found '10'"),
        (header + "10,9,ac,wifi,\n", "2:4: expected a time after t_start, found '9'"),
        (header + "0,10,AC,wifi,\n", "2:6: expected ac, battery, unknown in power, found 'AC'"),
        (header + "0,10,,wifi,\n", "2:6: expected ac, battery, unknown in power, found nothing"),
        (header + "0,10,ac,lte,\n", "2:9: expected wifi, ethernet, cell, none, unknown in net, found 'lte'"),
        (
            header + "0,10,ac,wifi,1.01\n",
            "2:14: expected a number from 0.0 to 1.0 in level, or nothing, found '1.01'"
        ),
        (
            header + "0,10,ac,wifi,-0.1\n",
            "2:14: expected a number from 0.0 to 1.0 in level, or nothing, found '-0.1'"
        ),
        (
            header + "0,10,ac,wifi,nan\n",
            "2:14: expected a number from 0.0 to 1.0 in level, or nothing, found 'nan'"
        ),
        (
            header + "0,10,ac,wifi,\n9.5,20,ac,wifi,\n",
            "3:1: expected a time not before 10, the end of the previous segment, found '9.5'"
        ),
        (
            header + "20,30,ac,wifi,\n\n0,10,ac,wifi,\n",
            "4:1: expected a time not before 30, the end of the previous segment, found '0'"
        ),
        (header + "0,10,\"ac,wifi,\n", "2:6: expected a closing quote on the same line, found '\"ac,wifi,'"),
        (header + "0,10,\"ac\"x,wifi,\n", "2:10: expected a comma after the closing quote, found 'x,wifi,'"),
        (
            "t_start,t_end,power,net,suspended\n0,10,ac,wifi,maybe\n",
            "2:14: expected 1, 0, or nothing in suspended, found 'maybe'"
        ),
        (
            "t_start,t_end,power,net,rate_bytes_per_s\n0,10,ac,wifi,-1\n",
            "2:14: expected a whole number from 0 to 1000000000000 in rate_bytes_per_s, found '-1'"
        ),
        (
            "t_start,t_end,power,net,rate_bytes_per_s\n0,10,ac,wifi,1.5\n",
            "2:14: expected a whole number from 0 to 1000000000000 in rate_bytes_per_s, found '1.5'"
        ),
    ]

    @Test("An invalid trace is reported with line, column, and expectation", arguments: InputTests.brokenTraces)
    func trace(_ sample: (text: String, message: String)) throws {
        let error = #expect(throws: InputError.self) {
            try Trace(csv: Array(sample.text.utf8), device: "d", file: "f.csv")
        }
        #expect(error?.description.hasPrefix("f.csv:\(sample.message)") == true, "\(error?.description ?? "")")
    }

    @Test("Invalid UTF-8 is reported")
    func noText() {
        let bytes = Array((header + "0,10,").utf8) + [0xFF, 0x2C, 0x0A]
        let error = #expect(throws: InputError.self) { try Trace(csv: bytes, device: "d", file: "f") }
        #expect(error?.line == 2 && error?.column == 6 && error?.expected == "text in UTF-8")
        #expect(throws: InputError.self) { try Trace(csv: [0], device: "d", file: "f") }
    }

    private static let brokenWorkloads: [(text: String, message: String)] = [
        (jobs, "2:1: expected at least one job, found nothing"),
        (jobs + ",0,0,1,2\n", "2:1: expected a device's name, found nothing"),
        (
            jobs + "a,x,0,1,2\n",
            "2:3: expected a whole number from -9223372036854775808 to 9223372036854775807 in id, found 'x'"
        ),
        (jobs + "a,,0,1,2\n", "2:3: expected a whole number in id, found nothing"),
        (jobs + "a,0,0,,2\n", "2:7: expected a whole number in bytes, found nothing"),
        (jobs + "a,0,0,-1,2\n", "2:7: expected a whole number from 0 to 1152921504606846976 in bytes, found '-1'"),
        (
            jobs + "a,0,0,9223372036854775808,2\n",
            "2:7: expected a whole number from 0 to 1152921504606846976 in bytes, found '9223372036854775808'"
        ),
        (jobs + "a,0,0,1,0\n", "2:9: expected a time after arrival, or nothing, found '0'"),
        (jobs + "a,0,0,1,2\nb,0,0,1,2\na,0,0,1,2\n", "4:3: expected an ID that a does not have yet, found '0'"),
        (
            "device,id,arrival,bytes,deadline,created_in\na,0,0,1,2,sky\n",
            "2:11: expected foreground or background in created_in, or nothing, found 'sky'"
        ),
        (
            "device,id,arrival,bytes,deadline,priority\na,0,0,1,2,1001\n",
            "2:11: expected a whole number from 0 to 1000 in priority, found '1001'"
        ),
    ]

    @Test("An invalid workload is reported with line, column, and expectation", arguments: InputTests.brokenWorkloads)
    func workload(_ sample: (text: String, message: String)) throws {
        let error = #expect(throws: InputError.self) {
            try Workload(csv: Array(sample.text.utf8), file: "w.csv")
        }
        #expect(error?.description.hasPrefix("w.csv:\(sample.message)") == true, "\(error?.description ?? "")")
    }

    @Test("Reading and writing a file preserves its content")
    func roundTrip() throws {
        let text = """
            t_start,t_end,power,net,level,suspended,rate_bytes_per_s,metered
            0,10.5,ac,wifi,0.46,0,,
            10.5,20,unknown,cell,,1,12,0

            """
        let trace = try Trace(csv: Array(text.utf8), device: "d", file: "f")
        #expect(trace.csv == text)
        #expect(trace.segments[1].isSuspended && trace.segments[1].rate == 12 && !trace.segments[1].isMetered)
        let windows = "\u{FEFF}" + text.split(separator: "\n").joined(separator: "\r\n")
        #expect(try Trace(csv: Array(windows.utf8), device: "d", file: "f") == trace)
        let jobs = #"""
            device,id,arrival,bytes,deadline,app,priority,expected_bytes,created_in
            "a,""b""",2,0.25,7,,mail,500,9,background
            c,1,5,8,9,,501,,foreground

            """#
        let workload = try Workload(csv: Array(jobs.utf8), file: "w")
        #expect(workload.csv == jobs)
        #expect(workload.devices.map(\.name) == ["a,\"b\"", "c"])
        #expect(workload.devices[0].jobs[0].isFromBackground)
    }

    @Test("Whole numbers may end in .0")
    func floats() throws {
        let text = "device,id,arrival,bytes,deadline\na,0,1.0,5.0,2.0\n"
        #expect(try Workload(csv: Array(text.utf8), file: "w").devices[0].jobs[0].bytes == 5)
    }

    @Test("A device matches one trace by name or prefix; none and several are errors")
    func matching() throws {
        let traces = ["ab-1", "cd-2", "cd-3", "e"].map { Days.trace("A", device: $0) }
        func match(_ names: String...) throws(InputError) -> ([DeviceCase], [String]) {
            let devices = names.map { Workload.Device(name: $0, jobs: [Days.job(0, bytes: 1, by: 2)]) }
            return try DeviceCase.match(traces, Workload(devices: devices), file: "w.csv")
        }
        let (cases, unused) = try match("cd-3", "ab")
        #expect(cases.map(\.name) == ["ab", "cd-3"])
        #expect(cases.map(\.trace.device) == ["ab-1", "cd-3"])
        #expect(unused == ["cd-2", "e"])
        #expect(throws: InputError.self) { try match("cd") }
        #expect(throws: InputError.self) { try match("x") }
        #expect(throws: InputError.self) { try match("ab", "ab-1") }
    }
}
