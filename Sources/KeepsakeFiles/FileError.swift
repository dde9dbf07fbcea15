#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An error about a file: what was tried, on which path, why it failed, and what to do about it.
package struct FileError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package let code: Code
  /// A sentence for people: what failed, why, and what to do.
  package let message: String
  /// The path of the file or folder that the error is about.
  package let path: String
  /// The system's error number; 0 where the system reported no error.
  package let errno: Int32

  package init(code: Code, message: String, path: String, errno: Int32 = 0) {
    self.code = code
    self.message = message
    self.path = path
    self.errno = errno
  }

  package var description: String { message }
}

extension FileError {
  /// Creates an error of the system. The text `what` says what could not be done, such as "Can't open 'x'".
  init(errno number: Int32, _ what: String, path: String) {
    let (code, cause, remedy) = Self.explain(number)
    self.init(
      code: code, message: "\(what): \(cause).\(remedy.isEmpty ? "" : " " + remedy)", path: path,
      errno: number)
  }

  private static func explain(_ number: Int32) -> (Code, cause: String, remedy: String) {
    switch number {
    case ENOENT: (.notFound, "there is nothing of that name", "Check the path.")
    case EEXIST: (.exists, "something of that name is there already", "Choose another name.")
    case EACCES, EPERM:
      (.permissionDenied, "permission denied", "Check who owns it and its permissions.")
    case ENOSPC: (.noSpace, "no space left on the device", "Free some space and try again.")
    case EDQUOT: (.noSpace, "the disk quota is used up", "Free some space and try again.")
    case EISDIR: (.notRegular, "it is a folder", "Name a file.")
    case ENXIO, ENODEV: (.notRegular, "it is a device or a pipe", "Name a regular file.")
    case ENOTDIR: (.notDirectory, "a part of the path is not a folder", "Check the path.")
    case ENOTEMPTY: (.notEmpty, "the folder is not empty", "Empty it first.")
    case ELOOP: (.link, "it is a symbolic link", "Name the file that it points at.")
    case EFBIG: (.tooLarge, "the file would become too large", "Check the limits of the system.")
    case EROFS: (.readOnly, "the file system is read-only", "Mount it for writing.")
    case EIO: (.io, "the device failed", "Check the disk before writing to it again.")
    case ENAMETOOLONG: (.invalid, "the name is too long", "Choose a shorter one.")
    case EINVAL: (.invalid, "the system calls it invalid", "")
    case EMFILE, ENFILE:
      (.tooManyOpen, "too many files are open", "Close some or raise the limit (ulimit -n).")
    case EAGAIN, ENOMEM, ENOLCK:
      (.noResources, "the system has too little memory or too few threads or locks", "Try again.")
    case EPIPE: (.nobodyReads, "nobody reads it any more", "")
    case EXDEV: (.invalid, "it is on another file system", "")
    default: (.io, "error \(number), \(text(of: number))", "")
    }
  }

  private static func text(of number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard unsafe strerror_r(number, &buffer, buffer.count) == 0 else { return "unknown" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
