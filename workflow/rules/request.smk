"""The request of the target `release`, and the functions of its rules.  Nothing is read unless that is asked for."""

from functools import cache

OWN = f"{RESULTS}/releases/{{release}}"


@cache
def request():
    """The checked request; it is read if a release is asked for."""
    from semipriv.practice.engine.messages import message
    from semipriv.practice.asking.request import load

    try:
        request = load(RELEASE)
    except Exception as error:
        raise WorkflowError(message(error)) from None
    if request.folder != Path(RESULTS, "releases", request.name):
        raise WorkflowError(
            f"{RELEASE}: results: must be {RESULTS}, as in the configuration of the run"
        )
    return request


def published(wildcards):
    """Input function: all files of the release."""
    from semipriv.practice.published.folder import file_names

    return [str(request().folder / name) for name in file_names(request())]


def sums(wildcards):
    """Input function: the sums over each part of the private table."""
    parts = range(len(request().private.parts))
    return [
        f"{OWN}/private/{part}.npz".format(release=wildcards.release) for part in parts
    ]


def read_for_a_part(wildcards):
    """Parameter function: the private files whose rows decide the sums over a part: all, where persons share units."""
    parts = request().private.parts
    if request().person is not None:
        return list(map(str, parts))
    return str(parts[int(wildcards.part)])


def read_in_the_end(wildcards):
    """Parameter function: private files that are read when the sums are there: unlabelled entries, rows that judge,
    and all rows for a learner that asks for one sum after the other."""
    again = any(candidate.reads_again for candidate in request().candidates)
    judged = request().held_out or request().unprotected_diagnostic
    sources = [request().unlabelled] if request().unlabelled else []
    sources += [request().private] if judged or again else []
    return [str(part) for source in sources for part in source.parts]


def step(script):
    """Parameter function: fingerprint of the modules that a step uses, and of the request's plug-ins from outside."""
    return lambda wildcards: fingerprint(
        [ROOT / "scripts" / script, *request().plugin_modules]
    )
