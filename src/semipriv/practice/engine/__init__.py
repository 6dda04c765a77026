"""A release, step by step: reserve, count, draw, publish; and what it may say when it fails."""
