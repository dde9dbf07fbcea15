/// What the attachments of a session are called, ready to be looked for in any text.
///
/// It holds no attachment, and so no store: only numbers of them, and what decides between them.
struct ReferenceTable: Sendable {
  /// What is known of an attachment that a name may mean.
  struct Subject: Sendable {
    let recording: Int64
    let artifact: Artifact.ID?
    let position: Int?
    let state: Entry.Attachment.State
  }

  /// What one name is the name of, by number of the subject.
  struct Bucket: Sendable {
    var labels: [Int] = []
    var files: [Int] = []
    /// Those whose reference ends in the name, and their folders, read from the end.
    var references: [Int] = []
    /// Those whose copy in the store's cache ends in the name, which is the copy's folder and file then.
    var copies: [Int] = []
    var folders = NameTable([])
    var subjectsOfFolder: [[Int]] = []
    /// Whether nothing but a name is spelled so; `photo` is found only where it is set apart.
    var isDistinctive = false
  }

  let subjects: [Subject]
  let names: NameTable
  /// In the order of `names`.
  let buckets: [Bucket]
  /// References, to the letter.
  let exact: [String: [Int]]
  /// What comes before the number in labels: `image_`.
  let stems: Set<[UInt64]>
  private let firstASCII: [Bool]
  private let firstOthers: Set<UInt64>

  /// Names and folders longer than this are not looked for: no file system has them.
  static let limit = 1024
  /// The most attachments of one name that are looked at to decide between them.
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

  /// Whether any name begins so.
  func begins(_ code: UInt64) -> Bool {
    code < 128 ? firstASCII[Int(code)] : firstOthers.contains(code)
  }
}

extension ReferenceTable {
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
      // The same with the separators of Windows taken for what they are, where they look like escapes.
      guard reference.contains("\\") else { return }
      let separated = reference.utf8.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
      add(SpelledText.codes(String(decoding: separated, as: UTF8.self)), number)
    }

    /// The file that was given out for it, wherever the store stood then.
    private mutating func addCopy(of attachment: Entry.Attachment, _ number: Int) {
      guard let digest = attachment.artifact?.id.digest, let name = CopyName(attachment)?.text
      else { return }
      let copy = SpelledText.codes(Artifacts.cacheName(digest) + "/" + name)
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

    /// `image_` of `image_12`.
    private static func stem(of label: [UInt64]) -> [UInt64]? {
      let stem = label.prefix { !$0.isDigit }
      return stem.last == .underscore && stem.count < label.count
        && label[stem.count...].allSatisfy(\.isDigit) ? Array(stem) : nil
    }
  }
}

extension [Int] {
  /// Adds a subject, unless it is there or more are there than are ever looked at.
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
  /// Of ASCII.
  var isLetter: Bool { self | 0x20 >= 0x61 && self | 0x20 <= 0x7A }

  /// Whether it is one of these ASCII characters.
  func isOne(of characters: StaticString) -> Bool {
    self < 0x80
      && characters.withUTF8Buffer { $0.contains(UInt8(truncatingIfNeeded: self)) }
  }
}
