#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import KeepsakeFiles

/// The place where stores meet: an order of versions for each session, and artifacts by their digest.
///
/// A hub knows nothing of what a commit says. It takes commits one after the other for each session, gives them back as they
/// were, and never gives a byte that it was not given: what does not agree is an error of that session alone. All errors are
/// ``KeepsakeError`` values, with a ``HubFault`` as their cause where the hub itself is the reason.
package protocol Hub: Sendable {
  /// The hub's identity: its id, its address and its abilities.
  var identity: HubIdentity { get }

  /// The name under which the hub object tells others of its changes, which a store keeps; nil where the hub needs no such name.
  var feedPeer: HubPeer? { get }

  /// Returns sentences that tell a person what survives once the hub has said yes.
  func assurances() async throws -> [String]

  /// Offers commits. The hub answers each offer by itself, in the order of the offers. It takes a commit whole, or not at all.
  ///
  /// An offer that is sent again is found by its stamp, however many versions came after it, and is taken once. So whoever got
  /// no answer, or ``HubAnswer/failed(_:)``, sends the same offer again.
  /// - Throws: An error before anything was offered: the task was cancelled, or the hub is closed.
  func commit(_ offers: [HubOffer]) async throws -> [HubAnswer]

  /// Runs work that offers commits, and waits for the answers that came after the end of the work.
  ///
  /// A hub that can't send offers without waiting, or can't do so at this moment, does not run the work.
  /// - Parameters:
  ///   - bytes: About how many bytes the offers have.
  ///   - work: Work that blocks its thread, but only briefly. It runs once at most, and may run on the caller's thread.
  /// - Returns: The answers to the offers that the work made, as ``commit(_:)`` gives them; nil if it made none.
  /// - Throws: An error before the work ran: the task was cancelled, or the hub is closed.
  func exchange(bytes: Int, _ work: @escaping HubExchange) async throws -> [HubAnswer]?

  /// Has other stores wait with their commits of a session, so that the next commit through this hub object is not too late. Stores that
  /// ask for this get their turns in the order in which they asked.
  ///
  /// Holding helps a store whose commits came too late, and promises nothing. The session is let go of with its next commit through this
  /// hub object, and otherwise after a few seconds. A hub that can't hold sessions does nothing.
  /// - Parameters:
  ///   - session: The session.
  ///   - version: The number after which the session's versions are read, as soon as it is held; nil to read none.
  ///   - bytes: About how many bytes are read at the most.
  /// - Returns: The versions, as ``versions(of:after:bytes:)`` gives them; nil if none were read.
  func hold(_ session: UUID, readingAfter version: Int64?, bytes: Int) async -> HubVersions?

  /// Lets go of a session that ``hold(_:)`` holds, if no commit has done so.
  func release(_ session: UUID) async

  /// Reads the versions of a session after a number, in their order; none for a session that the hub does not have.
  ///
  /// A reader compares the base of the first version with the stamp that it knows: after a hub went back to an older state the
  /// same number comes again, and the same stamp never does.
  /// - Parameters:
  ///   - session: The session.
  ///   - version: The number after which reading begins; 0 for all versions.
  ///   - bytes: About how many bytes are read at the most. One version is always read, however large it is.
  /// - Throws: An error about this session where the version behind the number can't be read or was altered. What stands before
  ///   an altered version is given first.
  func versions(of session: UUID, after version: Int64, bytes: Int) async throws -> HubVersions

  /// Puts other bytes in the place of those of a version, durably, because something in them was erased.
  ///
  /// The number of the version, its stamp and its base stay, so that nothing is taken for new. Doing it again changes nothing.
  /// The newest version of a session is never rewritten.
  /// - Parameters:
  ///   - version: The number of the version.
  ///   - session: The session.
  ///   - stamp: The stamp that the version has to have.
  ///   - bytes: The bytes that take the place of what is there.
  /// - Returns: Whether the version has the bytes now; false where another stamp has the number, or nothing.
  func rewrite(_ version: Int64, of session: UUID, stamp: UUID, as bytes: [UInt8]) async throws
    -> Bool

  /// Returns the sessions that may have changed since a mark. This is a hint: it may say too much, and may miss something.
  ///
  /// - Parameter mark: The mark of the last answer. Without one, only a mark is given, for whoever reads the directory next.
  func changes(after mark: HubMark?) async throws -> HubChanges

  /// Returns all sessions with their newest versions. This is the truth, and costs as much as there are sessions.
  func directory() async throws -> HubDirectory

  /// Returns those of some sessions that the hub has, with their newest versions, in any order. No commit is read for that.
  func directory(of sessions: [UUID]) async throws -> HubDirectory

  /// Finds sessions by what their offers said of them.
  ///
  /// The answer may have sessions that do not fit the query, and has all that do.
  /// - Returns: The sessions, the one that changed last first; nil where the hub keeps no lists.
  func find(_ query: HubQuery) async throws -> [HubFound]?

  /// Finds listed sessions in the order of their ids.
  ///
  /// - Parameters:
  ///   - term: The term that the sessions have; nil for all sessions.
  ///   - first: The first id that a session may have.
  ///   - last: The last id that a session may have.
  ///   - limit: The most sessions of the answer.
  /// - Returns: The newest versions of the sessions; nil where the hub keeps no lists.
  func find(having term: HubTerm?, from first: UUID, to last: UUID, limit: Int) async throws
    -> [HubHead]?

  /// Counts the sessions that have each term of a kind.
  ///
  /// The numbers are those of the hub's lists, which may say too much, except of tags of sessions. The cost grows with the number of
  /// sessions that have a term of the kind.
  /// - Returns: Each term that a session has, once and in any order; nil where the hub keeps no lists.
  func terms(of kind: HubTerm.Kind) async throws -> [HubCounted]?

  /// Reads the entries of some sessions in the hub's lists.
  ///
  /// - Returns: An entry for each of the sessions that the hub has; nil if the hub keeps no lists.
  func listings(of sessions: [UUID]) async throws -> [HubListed]?

  /// Replaces a session's entry in the hub's lists.
  ///
  /// - Returns: Whether the entry was replaced; false if the session has another version meanwhile, or the hub keeps no lists.
  func list(_ listed: HubListed) async throws -> Bool

  /// Tells whether an earlier version of Keepsake made the hub. Such a hub can only be opened to be upgraded.
  var isOutdated: Bool { get }

  /// Marks the hub as one of this version of Keepsake, once its lists are complete. Earlier versions can't open such a hub.
  func finishUpgrade() async throws

  /// Returns those of the artifacts that the hub does not have.
  func missing(of artifacts: [Artifact.ID]) async throws -> [Artifact.ID]

  /// Puts the bytes of an artifact, which are durable when this returns. Putting them again changes nothing.
  ///
  /// - Parameters:
  ///   - artifact: The artifact that the bytes have to be.
  ///   - hand: A closure that hands over all bytes, piece by piece. It is not called where the hub has the bytes.
  func put(
    _ artifact: Artifact.ID,
    _ hand: @escaping @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) async throws

  /// Reads the bytes of an artifact. Only when this returns are they known to be right, so a caller keeps none of them before.
  ///
  /// - Parameters:
  ///   - artifact: The artifact.
  ///   - take: A closure that takes the bytes, piece by piece.
  func get(_ artifact: Artifact.ID, _ take: @escaping @Sendable ([UInt8]) throws -> Void)
    async throws

  /// Lists artifacts in the order of their names, some at a time. One that is put or removed meanwhile may be left out.
  ///
  /// - Parameter artifact: The artifact after which the list begins; nil for the first one.
  /// - Returns: The next artifacts; none at the end.
  func artifacts(after artifact: Artifact.ID?) async throws -> [HubArtifact]

  /// Removes artifacts for good; those that are not there are passed over.
  ///
  /// First no new commit can have them: whoever offers one is told that the hub lacks them, and puts them again. Then the
  /// closure looks whether a commit that came before names one. Until it has, the artifacts can still be read. A removal that
  /// was interrupted is finished by the next one of the same artifacts, which the list still has. Several stores may remove one artifact
  /// at once: it stays if the one that began last finds it needed.
  /// - Parameters:
  ///   - artifacts: The artifacts.
  ///   - needed: A closure that returns those of the artifacts that stay after all.
  func remove(
    _ artifacts: [Artifact.ID], unless needed: @Sendable () async throws -> Set<Artifact.ID>
  ) async throws

  /// Counts the files that stores left unfinished because they ended while they wrote. Nobody ever sees such files, and they do no harm.
  ///
  /// - Parameters:
  ///   - age: The age of the youngest files that count, where nothing else tells whether somebody is still writing one.
  ///   - removing: Whether the files are removed, too.
  /// - Returns: The number of the files and their bytes; none for a hub whose engine leaves no such files.
  func leftovers(olderThan age: Duration, removing: Bool) async throws -> Abandoned

  /// Leaves a note, which replaces the note of the same kind and id.
  /// - Throws: An error with the code `tooLarge` for a text of more than ``HubNote/largestText`` bytes.
  func leave(_ text: String, as kind: HubNote.Kind, _ id: UUID) async throws

  /// Returns all notes of a kind. A note that is left or removed at the same time may be missing.
  func notes(_ kind: HubNote.Kind) async throws -> [HubNote]

  /// Removes the notes of a kind with some ids. Ids without a note are passed over.
  func removeNotes(_ kind: HubNote.Kind, _ ids: [UUID]) async throws

  /// Waits for what is under way, and lets go of the hub. Later calls throw an error with the code `closed`.
  func close() async
}

/// A hub without lists, of which everything is taken over before something is looked for.
extension Hub {
  package func find(_ query: HubQuery) async throws -> [HubFound]? { nil }
  package func find(having term: HubTerm?, from first: UUID, to last: UUID, limit: Int)
    async throws -> [HubHead]?
  { nil }
  package func terms(of kind: HubTerm.Kind) async throws -> [HubCounted]? { nil }
  package func listings(of sessions: [UUID]) async throws -> [HubListed]? { nil }
  package func list(_ listed: HubListed) async throws -> Bool { false }
}

/// This default is for a hub whose engine leaves nothing unfinished.
extension Hub {
  package func leftovers(olderThan age: Duration, removing: Bool) async throws -> Abandoned {
    Abandoned()
  }
}

/// These defaults are for a hub whose engine has no queue in which stores could wait.
extension Hub {
  package func hold(_ session: UUID, readingAfter version: Int64?, bytes: Int) async -> HubVersions?
  { nil }
  package func release(_ session: UUID) async {}
}

extension Hub {
  /// Runs a body while other stores wait with their commits of a session, if the hub can hold sessions.
  func holding<Result>(_ session: UUID, _ body: () async throws -> Result) async throws -> Result {
    _ = await hold(session, readingAfter: nil, bytes: 0)
    do {
      let result = try await body()
      await release(session)
      return result
    } catch {
      await release(session)
      throw error
    }
  }
}

/// These defaults are for a hub whose layout is the same in all versions of Keepsake, so that it never needs an upgrade.
extension Hub {
  package var isOutdated: Bool { false }
  package func finishUpgrade() async throws {}
}
