-- What is left of a record when its images are cut out is mostly the same words for each of them: a log that repeats its
-- images tens of thousands of times had 20 MB of these beside 25 MB of images. `bytes` of a piece may be packed by zlib
-- (RFC 1950) now; those that are there stay as they stand.
ALTER TABLE source_piece ADD COLUMN size INTEGER; -- of `bytes` once they are unpacked; NULL where they are not packed
