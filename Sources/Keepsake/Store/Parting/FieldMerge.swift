#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Merges what this store and a hub changed of a session's values, field by field, the hub's first.
///
/// It is for a session whose pasts don't part: only one side has changes of its own in the chain, or none has.
struct FieldMerge: Sendable {
  /// A value of which both sides changed something.
  enum Field: Sendable, Hashable {
    case title, origin, foreignID, savedList
    /// A member of the metadata; nil for all of them, where one side has no object.
    case metadata(String?)
    case turn(Int)
  }

  /// The values as they are from now on.
  private(set) var merged: SessionFields
  /// The fields in which ours gave way.
  private(set) var gaveWay: [Field] = []

  /// Merges the values of two stores.
  /// - Parameters:
  ///   - base: The values of the last version that both had; nil if they are not known. Then the hub's count wherever it has any.
  ///   - ours: The values as they are here.
  ///   - theirs: The values of the hub's newest version.
  init(base: SessionFields?, ours: SessionFields, theirs: SessionFields) throws {
    merged = theirs
    if ours.standing.integer("overlapping") == 1 {
      var standing = theirs.standing
      standing["overlapping"] = .integer(1)
      merged.add(standing)
    }
    for (name, field) in [
      ("title", Field.title), ("origin", .origin), ("foreignID", .foreignID),
    ] {
      let value = pick(
        base?.session[name], ours.session[name], theirs.session[name], as: field)
      merged.describe { $0[name] = value }
    }
    try mergeTags(base, ours, theirs)
    try mergeMetadata(base, ours, theirs)
    for number in ours.turns.keys.sorted() {
      guard let mine = ours.turns[number] else { continue }
      let row = pickRow(
        base.map { $0.turns[number] }, mine, theirs.turns[number], as: .turn(number))
      if let row { merged.add(row) }
    }
    merged.replaceSaved(
      by: pickRow(base.map(\.saved), ours.saved, theirs.saved, as: .savedList))
  }

  /// Returns the value that counts: the one that was changed, and of two that were the hub's.
  private mutating func pick(
    _ base: CopyRecord.Value?, _ ours: CopyRecord.Value, _ theirs: CopyRecord.Value,
    as field: Field
  ) -> CopyRecord.Value {
    if ours == theirs { return theirs }
    if let base {
      if ours == base { return theirs }
      if theirs == base { return ours }
    } else if theirs == .null {
      return ours
    } else if ours == .null {
      return theirs
    }
    gaveWay.append(field)
    return theirs
  }

  /// Returns the row that counts; `base` is nil if the base is not known, and the row in it is nil if it had none.
  private mutating func pickRow(
    _ base: CopyRecord??, _ ours: CopyRecord?, _ theirs: CopyRecord?, as field: Field
  ) -> CopyRecord? {
    if ours?.values == theirs?.values { return theirs }
    if let base {
      if ours?.values == base?.values { return theirs }
      if theirs?.values == base?.values { return ours }
    } else if theirs == nil {
      return ours
    }
    if ours != nil { gaveWay.append(field) }
    return theirs
  }
}

// MARK: - Tags and metadata

extension FieldMerge {
  /// A tag is there if either side added it, and gone if either removed it.
  private mutating func mergeTags(
    _ base: SessionFields?, _ ours: SessionFields, _ theirs: SessionFields
  ) throws {
    let mine = Set(try ours.session.tags(of: "\(ours.id)"))
    let others = Set(try theirs.session.tags(of: "\(ours.id)"))
    let known = try base.map { Set(try $0.session.tags(of: "\(ours.id)")) } ?? []
    let tags = others.union(mine.subtracting(known)).subtracting(known.subtracting(mine))
    if tags == others { return }
    let list = tags.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { JSON.string($0) }
    merged.describe { $0["tags"] = list.isEmpty ? .null : .text(JSON.array(list).bytes) }
  }

  /// Members of the metadata are merged one by one, by their names.
  private mutating func mergeMetadata(
    _ base: SessionFields?, _ ours: SessionFields, _ theirs: SessionFields
  ) throws {
    let mine = try ours.session.metadata(of: "\(ours.id)")
    let others = try theirs.session.metadata(of: "\(ours.id)")
    let known = try base.map { try $0.session.metadata(of: "\(ours.id)") }
    if mine == others || known.map({ $0 == mine }) ?? false { return }
    if known.map({ $0 == others }) ?? (others == nil) {
      return merged.describe { $0["metadata"] = ours.session["metadata"] }
    }
    guard let mine, let others else {
      if mine != nil || known != nil { gaveWay.append(.metadata(nil)) }
      return
    }
    let members = merge(known.map { $0?.members ?? [] }, mine.members ?? [], others.members ?? [])
    merged.describe { $0["metadata"] = .text(JSON.object(members).bytes) }
  }

  private typealias Member = (key: String, value: JSON)

  private mutating func merge(_ base: [Member]?, _ ours: [Member], _ theirs: [Member]) -> [(
    String, JSON
  )] {
    func value(_ key: String, in members: [Member]) -> JSON? {
      members.first { $0.key.isSameText(as: key) }?.value
    }
    var merged: [(String, JSON)] = []
    for (key, other) in theirs {
      let mine = value(key, in: ours)
      guard mine != other, let base else {
        if mine != nil, mine != other { gaveWay.append(.metadata(key)) }
        merged.append((key, other))
        continue
      }
      let known = value(key, in: base)
      if other == known {
        // Only we changed it, or removed it.
        if let mine { merged.append((key, mine)) }
      } else {
        if mine != known { gaveWay.append(.metadata(key)) }
        merged.append((key, other))
      }
    }
    for (key, mine) in ours where value(key, in: theirs) == nil {
      guard let base, let known = value(key, in: base) else {
        merged.append((key, mine))
        continue
      }
      // The hub removed it.
      if mine != known { gaveWay.append(.metadata(key)) }
    }
    return merged
  }
}

// MARK: - Writing

extension FieldMerge {
  /// Makes a commit that gives a session the merged values, in a store that has others.
  /// - Parameters:
  ///   - fields: The values in that store.
  ///   - chain: The chain of the session in that store, which stays as it is.
  /// - Returns: The commit; nil if the store has these values.
  func commit(to fields: SessionFields, at chain: Chain) -> SessionCommit? {
    var session = fields.session
    for name in Self.description { session[name] = merged.session[name] }
    let turns = merged.turns.keys.sorted().compactMap { merged.turns[$0] }.filter {
      $0.values != fields.turns[$0.int("number") ?? 0]?.values
    }
    var standing = fields.standing
    let highest = max(
      standing.integer("turns") ?? 0, merged.turns.keys.max().map(Int64.init) ?? 0)
    standing["turns"] = .integer(highest)
    if merged.standing.integer("overlapping") == 1 { standing["overlapping"] = .integer(1) }
    let isListSame = merged.saved?.values == fields.saved?.values
    guard
      session.values != fields.session.values || !turns.isEmpty || !isListSame
        || standing.values != fields.standing.values
    else { return nil }
    let saved = isListSame ? nil : merged.saved
    return SessionCommit(
      session: fields.id, base: chain, end: chain,
      records: [session] + turns + [saved].compactMap(\.self) + [standing],
      gone: isListSame || saved != nil ? [] : [.init(kind: .saved, first: 0, second: 0)],
      erased: [])
  }

  private static let description = ["title", "origin", "foreignID", "tags", "metadata"]
}
