/// What a server says of an object without its bytes.
package struct ObjectInfo: Sendable, Hashable {
  /// The size of the object.
  package let size: Int64
  /// The tag of the object's bytes, where the server gives one.
  package let etag: String?
}
