// SPDX-License-Identifier: Apache-2.0
public import Foundation

// UIKit's names for what a program with background sessions uses of it, so that code written for Apple's systems compiles
// with its import lines changed. There is nothing of a user interface behind them.

/// The program, by UIKit's name.
public typealias UIApplication = BackgroundApplication

/// The program's delegate, by UIKit's name.
public typealias UIApplicationDelegate = BackgroundApplicationDelegate

/// What app delegates inherit from, by UIKit's name.
open class UIResponder: NSObject {
    public required override init() { super.init() }
}
