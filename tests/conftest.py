"""Settings shared by all tests: hypothesis without randomness, database or time limit, so that runs repeat exactly."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "semipriv", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("semipriv")
