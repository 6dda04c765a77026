"""The scripts here run in an environment of their own, with libraries that the tests do not have."""

collect_ignore_glob = ["*.py"]
