import Keepsake
package import KeepsakeFiles

extension ObjectHub {
  /// A bucket locks nothing, so only the age of an upload tells that no store goes on with it.
  package func leftovers(olderThan age: Duration, removing: Bool) async throws -> Abandoned {
    try await run {
      let now = WallClock.seconds
      var found = Abandoned()
      for object in try await store.unfinished(keys.artifacts)
      where .seconds(max(0, now - (object.begun ?? now))) >= age {
        found.count += 1
        found.bytes += try await store.size(of: object)
        if removing { try await store.remove(object) }
      }
      return found
    }
  }
}
