// SPDX-License-Identifier: Apache-2.0
import AriaRPC

// The server for aria2's JSON-RPC. transferd starts it while [rpc] is enabled in config.toml.
RPCProgram.main()
