"""Releases on an own table: a declared schema, a table read in parts, and sums of records that a release needs."""
