/// The destination of a command's result, as `-o` names it.
enum OutputPlace: Sendable, Hashable {
  case standardOutput
  case path(String)

  init(_ text: String) { self = text == "-" ? .standardOutput : .path(text) }

  /// The path; nil for standard output.
  var path: String? {
    switch self {
    case .standardOutput: nil
    case .path(let path): path
    }
  }
}

extension Reading where Value == OutputPlace {
  static var output: Reading { Reading(wanted: "a path") { OutputPlace($0) } }
}
