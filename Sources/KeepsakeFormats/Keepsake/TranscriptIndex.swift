import KeepsakeFiles
import Keepsake

/// Finds the parts of a document: the members of each session, the session's lists, and the artifacts.
///
/// The document is walked through to its end first. So its members may come in any order, and nothing of a document
/// that was cut off is imported.
struct TranscriptIndex: Sendable {
  /// A session in the document.
  struct Place: Sendable {
    let record: CopyRecord
    /// The offsets at which the session's lists begin.
    let lists: [CopyRecord.Kind: Int64]
  }

  /// Where the bytes of an artifact are.
  enum Bytes: Sendable {
    /// The range of the artifact's base64 in the document.
    case inline(Range<Int64>)
    /// The path of the artifact's file, relative to the document.
    case file(String)
  }

  /// The limit of a session's members other than its lists, which are held in memory together.
  private static let memberLimit: Int64 = 16 << 20

  let file: ForeignFile
  private(set) var manifest = CopyManifest()
  private(set) var sessions: [Place] = []
  private(set) var bytes: [Artifact.ID: Bytes] = [:]

  init(_ file: ForeignFile) throws {
    self.file = file
    let members = try Self.members(file)
    func member(_ name: String) throws -> JSONWalker {
      guard let start = members[name] else { throw CopyFault("it has no '\(name)'") }
      return JSONWalker(file, at: start)
    }
    var mark = try member("keepsake")
    guard try mark.text() == TranscriptCodec.mark else {
      throw CopyFault("it is no transcript of Keepsake's")
    }
    var version = try member("version")
    try CopyFile.requireVersion(version.integer(), of: TranscriptCodec.version, file)
    for name in members.keys.sorted() where !Self.names.contains(name) {
      throw CopyFault("it has a member '\(name)' that is not known here")
    }
    var recordings = try member("recordings")
    manifest.recordings = try recordings.integer()
    guard (0...CopyManifest.recordingLimit).contains(manifest.recordings) else {
      throw CopyFault("it says that it has \(manifest.recordings) recordings")
    }
    var list = try member("sessions")
    try list.open("[")
    while try list.nextElement() { try addSession(&list) }
    var artifacts = try member("artifacts")
    try artifacts.open("[")
    while try artifacts.nextElement() { try addArtifact(&artifacts) }
  }

  private static let names = ["keepsake", "version", "recordings", "sessions", "artifacts"]

  /// The offsets at which the values of the document's members begin.
  private static func members(_ file: ForeignFile) throws -> [String: Int64] {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let head = try file.read(0..<min(3, file.size))
    var walker = JSONWalker(file, at: head == mark ? 3 : 0)
    var members: [String: Int64] = [:]
    try walker.open("{")
    while let key = try walker.nextKey() {
      let value = try walker.skipValue()
      guard members.updateValue(value.lowerBound, forKey: key) == nil else {
        throw CopyFault("its member '\(key)' comes twice")
      }
    }
    if try walker.peek() != nil {
      throw CopyFault("something follows its end, at byte \(walker.offset)")
    }
    return members
  }

  private mutating func addSession(_ walker: inout JSONWalker) throws {
    var own: [UInt8] = []
    var lists: [CopyRecord.Kind: Int64] = [:]
    var ownSize: Int64 = 0
    try walker.open("{")
    while let key = try walker.nextKey() {
      let isList = try walker.peek() == UInt8(ascii: "[")
      let value = try walker.skipValue()
      if isList, let kind = CopyRecord.Kind.listed.first(where: { $0.plural == key }) {
        guard lists.updateValue(value.lowerBound, forKey: kind) == nil else {
          throw CopyFault("the list '\(key)' of a session comes twice")
        }
        continue
      }
      ownSize += Int64(value.count)
      guard ownSize <= Self.memberLimit else {
        throw CopyFault("what is said of a session is larger than \(Self.memberLimit) bytes")
      }
      var name = JSONWriter()
      name.string(key)
      own += (own.isEmpty ? [] : [UInt8(ascii: ",")]) + name.bytes + [UInt8(ascii: ":")]
      own += try file.read(value)
    }
    let record = try CopyRecord(
      .session, reading: [UInt8(ascii: "{")] + own + [UInt8(ascii: "}")])
    guard let head = CopyManifest.Head(record) else {
      throw CopyFault("a session in it has no id or no head")
    }
    manifest.sessions.append(head)
    sessions.append(Place(record: record, lists: lists))
  }

  private mutating func addArtifact(_ walker: inout JSONWalker) throws {
    var id: Artifact.ID?
    var size: Int64?
    var found: Bytes?
    var seen: Set<String> = []
    try walker.open("{")
    while let key = try walker.nextKey() {
      guard seen.insert(key).inserted else {
        throw CopyFault("an artifact says twice what its '\(key)' is")
      }
      switch key {
      case "artifact":
        let text = try walker.text()
        id = Artifact.ID(text)
        guard id?.description == text else {
          throw CopyFault("'\(text)' does not name an artifact")
        }
      case "size": size = try walker.integer()
      case "data" where found == nil: found = .inline(try walker.skipString())
      case "file" where found == nil: found = .file(try walker.text())
      default: throw CopyFault("an artifact has a member '\(key)' that is not known here")
      }
    }
    guard let id, let size, CopyManifest.sizes.contains(size) else {
      throw CopyFault("an artifact has no name, or no size that can be")
    }
    guard manifest.artifacts.updateValue(size, forKey: id) == nil else {
      throw CopyFault("\(id) is in it twice")
    }
    bytes[id] = found
  }
}
