#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// The first member of a bundle, which says what is in it. Only the spelling that ``BundleWriter`` writes is
/// accepted.
///
/// The member is read one element at a time, and each element is compared with the bytes that this version would
/// write. The total length must agree as well, so the member has no room for any other byte.
struct BundleManifest {
  /// The largest size of an element of a list, in bytes.
  private static let elementLimit = 512

  private(set) var copy = CopyManifest()
  /// Whether the bundle holds the bytes of artifacts.
  private(set) var hasBytes = true
  /// The artifacts in the order of their names, which is also the order of their members.
  private(set) var artifacts: [Artifact.ID] = []

  private let file: ForeignFile
  private var walker: JSONWalker
  /// The length of the part that was read, as this version would write it.
  private var length: Int64 = 0

  /// Reads the manifest whose content stands at a range of the file.
  init(_ file: ForeignFile, at range: Range<Int64>) throws {
    self.file = file
    walker = JSONWalker(file, at: range.lowerBound)
    try read()
    // A newline is the last byte of the member.
    guard walker.offset + 1 == range.upperBound, length + 1 == Int64(range.count),
      try file.read(walker.offset..<range.upperBound) == [0x0A]
    else {
      throw CopyFault("something stands in its '\(BundleName.manifest)' that does not belong there")
    }
  }

  private mutating func read() throws {
    try walker.open("{")
    length += 2
    guard try key("keepsake", isFirst: true), try element() == Self.spelled(BundleCodec.mark),
      try key("version"), let version = try number(upTo: .max)
    else { throw CopyFault("its '\(BundleName.manifest)' is of no bundle of Keepsake's") }
    try CopyFile.requireVersion(version, of: BundleCodec.version, file)
    guard try key("recordings"), let recordings = try number(upTo: CopyManifest.recordingLimit),
      try key("hasBytes"), let hasBytes = Self.truths[try element()]
    else { throw incomplete() }
    copy.recordings = recordings
    self.hasBytes = hasBytes
    guard try key("sessions") else { throw incomplete() }
    try list { manifest, text in try manifest.addSession(text) }
    guard try key("artifacts") else { throw incomplete() }
    try list { manifest, text in try manifest.addArtifact(text) }
    guard try walker.nextKey() == nil else {
      throw CopyFault("its '\(BundleName.manifest)' has a member that is not known here")
    }
  }

  private func incomplete() -> CopyFault {
    CopyFault("its '\(BundleName.manifest)' does not say what is in it")
  }

  /// Moves to the next member; false where its key is another one.
  private mutating func key(_ name: String, isFirst: Bool = false) throws -> Bool {
    guard try walker.nextKey() == name else { return false }
    length += Int64(name.utf8.count) + (isFirst ? 3 : 4)
    return true
  }

  /// The bytes of the next value; empty for a value above the limit, which is valid nowhere.
  private mutating func element() throws -> [UInt8] {
    let value = try walker.skipValue()
    length += Int64(value.count)
    return value.count <= Self.elementLimit ? try file.read(value) : []
  }

  private mutating func number(upTo limit: Int64) throws -> Int64? {
    let text = String(decoding: try element(), as: UTF8.self)
    guard let number = Int64(text), number >= 0, number <= limit, "\(number)" == text else {
      return nil
    }
    return number
  }

  private mutating func list(_ add: (inout Self, [UInt8]) throws -> Void) throws {
    try walker.open("[")
    length += 2
    var isFirst = true
    while try walker.nextElement() {
      if !isFirst { length += 1 }
      isFirst = false
      try add(&self, element())
    }
  }

  private mutating func addSession(_ text: [UInt8]) throws {
    guard let json = try? JSON(validating: text),
      let id = json["id"]?.stringValue.flatMap(UUID.init(uuidString:)),
      let changes = json["changes"]?.intValue, (0...(1 << 40)).contains(changes),
      let head = json["head"]?.stringValue.flatMap(SHA256Digest.init(hex:)),
      let state = json["state"]?.stringValue
    else { throw CopyFault("its '\(BundleName.manifest)' names a session that can't be read") }
    let session = CopyManifest.Head(
      session: id, changes: Int(changes), head: head.bytes, purged: state == "purged")
    guard text == Self.spelled(session) else {
      throw CopyFault("its '\(BundleName.manifest)' says session \(id) in another way than we do")
    }
    copy.sessions.append(session)
  }

  private mutating func addArtifact(_ text: [UInt8]) throws {
    guard let json = try? JSON(validating: text),
      let id = json["artifact"]?.stringValue.flatMap(Artifact.ID.init),
      let size = json["size"]?.intValue, CopyManifest.sizes.contains(size)
    else { throw CopyFault("its '\(BundleName.manifest)' names an artifact that can't be read") }
    guard text == Self.spelled(id, size: size) else {
      throw CopyFault("its '\(BundleName.manifest)' says \(id) in another way than we do")
    }
    if let last = artifacts.last, !(last < id) {
      throw CopyFault(last == id ? "\(id) is in it twice" : "\(id) is not in its place in it")
    }
    artifacts.append(id)
    copy.artifacts[id] = size
  }
}

// MARK: - How it is spelled

extension BundleManifest {
  private static let truths = [Array("true".utf8): true, Array("false".utf8): false]

  private static func spelled(_ text: String) -> [UInt8] {
    var json = JSONWriter()
    json.string(text)
    return json.bytes
  }

  private static func spelled(_ head: CopyManifest.Head) -> [UInt8] {
    var json = JSONWriter()
    write(head, to: &json)
    return json.bytes
  }

  private static func spelled(_ artifact: Artifact.ID, size: Int64) -> [UInt8] {
    var json = JSONWriter()
    write(artifact, size: size, to: &json)
    return json.bytes
  }

  static func write(_ head: CopyManifest.Head, to json: inout JSONWriter) {
    json.beginObject()
    json.member("id", head.session.text)
    json.member("state", head.isPurged ? "purged" : "shown")
    json.member("changes", head.changes)
    json.member("head", SHA256Digest(bytes: head.head)?.hex)
    json.endObject()
  }

  static func write(_ artifact: Artifact.ID, size: Int64, to json: inout JSONWriter) {
    json.beginObject()
    json.member("artifact", artifact.description)
    json.member("size", size)
    json.endObject()
  }
}
