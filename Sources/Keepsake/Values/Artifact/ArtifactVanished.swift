/// The error for an artifact that the store had when a write was prepared, and that was removed since: prepare again.
struct ArtifactVanished: Error {}
