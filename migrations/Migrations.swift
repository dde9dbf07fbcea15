/// The store's schema, as the SQL files beside this one, oldest first.
///
/// A released file never changes: a new schema is a new file, and a line here and in Package.swift.
package enum Migrations {
  package static let all: [(name: String, sql: [UInt8])] = [
    ("0001-store", PackageResources._001_store_sql),
    ("0002-overlapping-turns", PackageResources._002_overlapping_turns_sql),
    ("0003-attachments-by-state", PackageResources._003_attachments_by_state_sql),
    ("0004-seen-files", PackageResources._004_seen_files_sql),
    ("0005-grown-files", PackageResources._005_grown_files_sql),
    ("0006-streams", PackageResources._006_streams_sql),
    ("0007-packed-spans", PackageResources._007_packed_spans_sql),
    ("0008-larger-segments", PackageResources._008_larger_segments_sql),
    ("0009-packed-pieces", PackageResources._009_packed_pieces_sql),
    ("0010-hubs", PackageResources._010_hubs_sql),
    ("0011-shared-stores", PackageResources._011_shared_stores_sql),
    ("0012-peers", PackageResources._012_peers_sql),
    ("0013-hub-sessions", PackageResources._013_hub_sessions_sql),
  ]
}
