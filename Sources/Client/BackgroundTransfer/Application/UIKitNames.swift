// SPDX-License-Identifier: Apache-2.0
public import Foundation

// UIKit's names for the types that a program with background sessions uses. Code written for Apple's platforms
// compiles after a change of its import lines. The types have no user interface.

/// UIKit's name for the program.
public typealias UIApplication = BackgroundApplication

/// UIKit's name for the program's delegate.
public typealias UIApplicationDelegate = BackgroundApplicationDelegate

/// UIKit's name for the base class of app delegates.
///
/// ```swift
/// @main
/// final class AppDelegate: UIResponder, UIApplicationDelegate { … }
/// ```
open class UIResponder: NSObject {
    public required override init() { super.init() }
}
