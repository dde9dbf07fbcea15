-- A store looks for sessions of these three kinds whenever it looks at one session of its hub. Nearly all sessions are of none of them.
CREATE INDEX hub_session_untold ON hub_session (id) WHERE version = 0;
CREATE INDEX hub_session_removed ON hub_session (id) WHERE removed = 1;
CREATE INDEX hub_session_faulty ON hub_session (id) WHERE fault IS NOT NULL;
