package import KeepsakeFiles

extension FileError {
  /// The remedy for the error; nil where the message says what there is to do.
  package var remedy: KeepsakeError.Remedy? { code == .guarded ? .backUp : nil }
}
