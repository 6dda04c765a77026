"""Classes of real-valued functions.  A class is one file."""
