package import KeepsakeFiles

/// An open file that a response sends. It is closed when the last response lets go of it.
package final class HTTPFile: Sendable {
  let descriptor: FileDescriptor

  package init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
}
