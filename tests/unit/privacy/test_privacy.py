"""Guarantees validate themselves and say for which neighbours they hold."""

import pickle

from semipriv.core.randomness import Source
from semipriv.privacy.guarantee import Guarantee, Neighbours, Release


def test_numbers_are_stored_as_numbers():
    """Also from text, as YAML reads 1e-6."""
    assert Guarantee("1e-1", "1e-6") == Guarantee(0.1, 1e-6)
    assert Guarantee(0).epsilon == 0.0
    assert type(Guarantee(1).epsilon) is float


def test_guarantees_are_values():
    """Text, equality, hash and copies in another process are those of the three numbers."""
    guarantee = Guarantee(1, 1e-6, "replace_entry")
    assert repr(guarantee) == (
        "Guarantee(epsilon=1.0, delta=1e-06, neighbours=<Neighbours.REPLACE_ENTRY: 'replace_entry'>)"
    )
    assert {guarantee, Guarantee(1.0, 1e-6, Neighbours.REPLACE_ENTRY)} == {guarantee}
    assert pickle.loads(pickle.dumps(guarantee)) == guarantee


def test_releases_do_not_share_their_costs():
    a, b = Release("h", None, Source.SECURE), Release("h", Guarantee(1.0), Source.SECURE)
    a.cost["calls"] = 3.0
    assert b.cost == {}


def test_a_seeded_release_certifies_nothing():
    """Its guarantee is that of the mechanism; without one there is nothing to certify, whatever drew it."""
    simulated, secure = (Release("h", Guarantee(1.0), source) for source in (Source.SIMULATION, Source.SECURE))
    assert (simulated.guarantee, simulated.simulated) == (Guarantee(1.0), True)
    assert (secure.certified(), secure.simulated) == (Guarantee(1.0), False)
    assert Release("h", Guarantee(1.0), "secure").simulated, "what does not say that it is secure is not"
