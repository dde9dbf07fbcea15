/// Bytes of an object, from a place on.
package struct ObjectPart: Sendable {
  /// The bytes.
  package let bytes: [UInt8]
  /// The size of the whole object.
  package let size: Int64
  /// The tag of the object's bytes, where the server gives one.
  package let etag: String?
}
