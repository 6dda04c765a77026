"""semipriv: differentially private learning and query release assisted by public data.

Every class, mechanism and learner is reachable from here (``semipriv.Thresholds``, ``semipriv.SSPP``, ...).  The stub
beside this file says which module has a name; that module is imported when the name is first used.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
