-- What a store looks for among the sessions of its hub with each look at one of them. Nearly all are none of these.
CREATE INDEX hub_session_untold ON hub_session (id) WHERE version = 0;
CREATE INDEX hub_session_removed ON hub_session (id) WHERE removed = 1;
CREATE INDEX hub_session_faulty ON hub_session (id) WHERE fault IS NOT NULL;
