"""The learners in the form that scikit-learn knows: constructor parameters, ``fit``, ``predict``, ``score``."""
