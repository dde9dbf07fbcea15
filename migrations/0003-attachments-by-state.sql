-- What is awaited, failed or elsewhere, over all sessions; what is present is most of all, and not in it.
CREATE INDEX attachment_by_state ON attachment (state, number) WHERE state <> 0;
