"""Laws that every plug-in must obey, as tests: a new file in a room is picked up by itself."""
