/// The limits above which an archive is regarded as one that is made to fill a disk.
package struct UnpackingLimits: Sendable {
  /// The unpacked size of all members together, in bytes. Exports of many years with all images have a tenth of it.
  package var bytes: Int64 = 64 << 30
  /// The unpacked size of one member, in bytes. The largest is the file with all conversations.
  package var memberBytes: Int64 = 16 << 30
  /// The number of members, including folders. Each image that was ever sent or made is a member.
  package var members = 200_000
  /// The number of nested folders. Exports have two or three.
  package var depth = 32
  /// The largest ratio of the unpacked size to the size of the file.
  ///
  /// Text compresses to a twentieth, and repetitive text to a hundredth. A bomb consists of zeros, which compress to
  /// a thousandth.
  package var ratio: Int64 = 200
  /// The unpacked size, in bytes, up to which the ratio does not matter, because small files compress better.
  package var freeOfRatio: Int64 = 64 << 20
  /// The free space that is left on the disk for others, in bytes.
  package var spare: Int64 = 64 << 20

  /// Creates the usual limits.
  package init() {}
}
