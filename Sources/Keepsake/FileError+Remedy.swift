package import KeepsakeFiles

extension FileError {
  /// What there is to do about it, where its message does not say so.
  package var remedy: KeepsakeError.Remedy? { code == .guarded ? .backUp : nil }
}
