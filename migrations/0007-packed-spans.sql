-- Base64 that was cut out of a piece stands in the piece itself, as one text: a log repeats an image tens of thousands of
-- times, and a row for each, with one of an index, took half as much as the text around it.
--
-- A span is `artifact,distance,spelling`: the number of the artifact, where it stands in the bytes that are left, counted
-- from the span before (the first from the beginning of the piece), and its spelling. Semicolons separate spans. From its
-- end, a span leaves out what the one before it lets expect: the same spelling, then the same distance, then the artifact
-- with the next number. In 1,119,2;2,109;;4,0;1,109,3 the third span is of artifact 3.
ALTER TABLE source_piece ADD COLUMN spans TEXT; -- NULL where it has none, or is erased

UPDATE source_piece SET spans = (
  SELECT group_concat(span, ';') FROM (
    SELECT CASE
        WHEN spelling IS NOT lag(spelling) OVER standing THEN artifact || ',' || distance || ',' || spelling
        WHEN distance IS NOT lag(distance) OVER standing THEN artifact || ',' || distance
        WHEN artifact IS NOT lag(artifact) OVER standing + 1 THEN artifact
        ELSE '' END AS span
    FROM (
      SELECT position, ordinal, artifact, spelling,
        position - lag(position, 1, 0) OVER (ORDER BY position, ordinal) AS distance
      FROM source_span WHERE piece = source_piece.id)
    WINDOW standing AS (ORDER BY position, ordinal)
    ORDER BY position, ordinal))
WHERE id IN (SELECT piece FROM source_span);

-- Which sources hold which artifacts, as the spans of their own pieces say.
CREATE TABLE source_artifact (
  artifact INTEGER NOT NULL REFERENCES artifact,
  source   INTEGER NOT NULL REFERENCES source,
  pieces   INTEGER NOT NULL,                  -- how many of them have it; not how often
  PRIMARY KEY (artifact, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX source_artifact_by_source ON source_artifact (source);

-- What is lost of a damaged store keeps it from opening as little as before: `verify` tells of it.
INSERT INTO source_artifact (artifact, source, pieces)
SELECT artifact, piece >> 28, count(DISTINCT piece) FROM source_span
WHERE piece IN (SELECT id FROM source_piece)
  AND artifact IN (SELECT number FROM artifact) AND piece >> 28 IN (SELECT number FROM source)
GROUP BY artifact, piece >> 28;

DROP TABLE source_span;
