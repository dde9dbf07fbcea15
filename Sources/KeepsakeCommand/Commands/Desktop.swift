import KeepsakeFiles

/// The desktop of the person, which opens files and links with the programs that they chose.
enum Desktop {
  /// The program that opens something on the desktop.
  ///
  /// - Parameters:
  ///   - environment: The environment variables.
  ///   - what: The thing to open, for messages.
  ///   - instead: A sentence that says what to do where there is no desktop.
  static func opener(_ environment: [String: String], for what: String, instead: String = "")
    throws -> String
  {
    #if canImport(Darwin)
      return "/usr/bin/open"
    #else
      let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains {
        environment[$0].map { !$0.isEmpty } ?? false
      }
      let opener = ChildProcess.find("xdg-open", in: environment["PATH"] ?? "/usr/bin:/bin")
      guard hasDesktop, let opener else {
        let reason =
          hasDesktop ? "there is no 'xdg-open'; install xdg-utils" : "there is no desktop here"
        throw CommandError(
          message: "Can't open \(what): \(reason).\(instead.isEmpty ? "" : " \(instead)")")
      }
      return opener
    #endif
  }
}
