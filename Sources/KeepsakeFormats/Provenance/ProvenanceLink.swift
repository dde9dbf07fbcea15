import Keepsake

/// That one thing has to do with another, and how sure that is.
struct ProvenanceLink {
  let thing: ProvenanceThing
  let basis: Entry.Attachment.Basis
}
