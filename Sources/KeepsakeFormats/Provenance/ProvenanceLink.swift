import Keepsake

/// A thing that an activity used or made, and how certain that is.
struct ProvenanceLink {
  let thing: ProvenanceThing
  let basis: Entry.Attachment.Basis
}
