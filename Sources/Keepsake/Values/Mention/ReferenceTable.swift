/// The names of a session's attachments, ready to be searched for in any text.
///
/// The table has numbers in place of attachments, so that it does not keep a store open.
struct ReferenceTable: Sendable {
  /// The properties of an attachment that decide between attachments with the same name.
  struct Subject: Sendable {
    let recording: Int64
    let artifact: Artifact.ID?
    let position: Int?
    let state: Entry.Attachment.State
  }

  /// The attachments that a name may mean, by their numbers.
  struct Bucket: Sendable {
    var labels: [Int] = []
    var files: [Int] = []
    /// The attachments whose references end in the name, and their folders, spelled backwards.
    var references: [Int] = []
    /// The attachments whose copies in the store's cache end in the name, which then includes the copy's folder.
    var copies: [Int] = []
    var folders = NameTable([])
    var subjectsOfFolder: [[Int]] = []
    /// Tells whether only a name can be spelled so; a plain word such as `photo` counts only where it is set apart.
    var isDistinctive = false
  }

  let subjects: [Subject]
  let names: NameTable
  /// The buckets, in the order of `names`.
  let buckets: [Bucket]
  /// The attachments by the exact text of their references.
  let exact: [String: [Int]]
  /// The parts of labels before the number, such as `image_`.
  let stems: Set<[UInt64]>
  private let firstASCII: [Bool]
  private let firstOthers: Set<UInt64>

  /// The length above which names and folders are not searched for, because no file system has them.
  static let limit = 1024
  /// The most attachments of one name that are compared to decide between them.
  static let candidates = 64

  init(_ attachments: [Entry.Attachment]) {
    var builder = Builder()
    for (number, attachment) in attachments.enumerated() { builder.add(attachment, number) }
    self.init(builder, attachments)
  }

  private init(_ builder: Builder, _ attachments: [Entry.Attachment]) {
    subjects = attachments.map {
      Subject(
        recording: $0.recording, artifact: $0.artifact?.id, position: $0.position, state: $0.state)
    }
    exact = builder.exact
    stems = builder.stems
    let keys = Array(builder.buckets.keys)
    names = NameTable(keys)
    var firstASCII = [Bool](repeating: false, count: 128)
    var firstOthers: Set<UInt64> = []
    for key in keys {
      if key[0] < 128 { firstASCII[Int(key[0])] = true } else { firstOthers.insert(key[0]) }
    }
    self.firstASCII = firstASCII
    self.firstOthers = firstOthers
    buckets = names.order.map { builder.bucket(keys[$0]) }
  }

  /// Tells whether a name begins with a unit.
  func begins(_ code: UInt64) -> Bool {
    code < 128 ? firstASCII[Int(code)] : firstOthers.contains(code)
  }
}

extension ReferenceTable {
  /// Collects the names of attachments before the table is made.
  private struct Builder {
    var buckets: [[UInt64]: (bucket: Bucket, folders: [[UInt64]: [Int]])] = [:]
    var exact: [String: [Int]] = [:]
    var stems: Set<[UInt64]> = []

    mutating func add(_ attachment: Entry.Attachment, _ number: Int) {
      let label = SpelledText.codes(attachment.label)
      change(label) { $0.labels.add(number) }
      if let stem = Self.stem(of: label) { stems.insert(stem) }
      if let declared = attachment.declaredLabel {
        change(SpelledText.codes(declared)) { $0.labels.add(number) }
      }
      if let name = attachment.fileName {
        change(SpelledText.codes(name)) { $0.files.add(number) }
      }
      addCopy(of: attachment, number)
      guard let reference = attachment.reference, !reference.isEmpty else { return }
      exact[reference, default: []].add(number)
      guard reference.utf8.count <= 4 * ReferenceTable.limit else { return }
      add(SpelledText.codes(reference), number)
      // Windows separators can look like escapes, so the reference is also added with slashes in their place.
      guard reference.contains("\\") else { return }
      let separated = reference.utf8.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
      add(SpelledText.codes(String(decoding: separated, as: UTF8.self)), number)
    }

    /// Adds the path of the attachment's copy in the store's cache, which texts may contain from before a move of the store.
    private mutating func addCopy(of attachment: Entry.Attachment, _ number: Int) {
      guard let digest = attachment.artifact?.id.digest, let name = CopyName(attachment)?.text
      else { return }
      let copy = SpelledText.codes(CopyName.folder(digest) + "/" + name)
      change(copy) { $0.copies.add(number) }
    }

    private mutating func add(_ codes: [UInt64], _ number: Int) {
      let reference = ReferencePath(codes)
      guard !reference.name.isEmpty, reference.name.count <= ReferenceTable.limit else { return }
      change(reference.name) { $0.references.add(number) }
      for folder in reference.folders where folder.count <= ReferenceTable.limit {
        buckets[reference.name]?.folders[folder, default: []].add(number)
      }
    }

    private mutating func change(_ name: [UInt64], _ body: (inout Bucket) -> Void) {
      guard !name.isEmpty, name.count <= ReferenceTable.limit else { return }
      body(&buckets[name, default: (Bucket(), [:])].bucket)
    }

    func bucket(_ name: [UInt64]) -> Bucket {
      guard let (found, folders) = buckets[name] else { return Bucket() }
      var bucket = found
      let keys = Array(folders.keys)
      bucket.folders = NameTable(keys.map { $0.reversed() })
      bucket.subjectsOfFolder = bucket.folders.order.map { folders[keys[$0]] ?? [] }
      bucket.isDistinctive =
        name.contains { SpelledText.wordClass($0) != .none && !$0.isDigit }
        && name.contains { $0 < 0x80 && $0 != .space && ($0.isDigit || !$0.isLetter) }
      return bucket
    }

    /// Returns the part of a label before its number, such as `image_` for `image_12`.
    private static func stem(of label: [UInt64]) -> [UInt64]? {
      let stem = label.prefix { !$0.isDigit }
      return stem.last == .underscore && stem.count < label.count
        && label[stem.count...].allSatisfy(\.isDigit) ? Array(stem) : nil
    }
  }
}

extension [Int] {
  /// Adds an attachment's number, unless it is the last already, or more are there than are ever compared.
  fileprivate mutating func add(_ subject: Int) {
    if last != subject, count <= ReferenceTable.candidates { append(subject) }
  }
}

extension UInt64 {
  static let slash = UInt64(UInt8(ascii: "/"))
  static let space = UInt64(UInt8(ascii: " "))
  static let dot = UInt64(UInt8(ascii: "."))
  static let colon = UInt64(UInt8(ascii: ":"))
  static let tilde = UInt64(UInt8(ascii: "~"))
  static let underscore = UInt64(UInt8(ascii: "_"))

  var isDigit: Bool { self >= 0x30 && self <= 0x39 }
  /// Tells whether the unit is an ASCII letter.
  var isLetter: Bool { self | 0x20 >= 0x61 && self | 0x20 <= 0x7A }

  /// Tells whether the unit is one of some ASCII characters.
  func isOne(of characters: StaticString) -> Bool {
    self < 0x80
      && characters.withUTF8Buffer { $0.contains(UInt8(truncatingIfNeeded: self)) }
  }
}
