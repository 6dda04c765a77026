"""Functions that rules share: parameters, and the files of an experiment's blocks."""

from semipriv.learners.base import Protection


def one_of(names):
    """Regular expression that matches exactly the given names."""
    return "|".join(names) or "(?!)"


def experiment_json(*without):
    """Parameter function: the experiment without the keys and settings on which a rule does not depend."""
    return lambda wildcards: RUN.experiments[wildcards.experiment].to_json(
        without=("description", "paper", "seconds", *without)
    )


def samples_folder(experiment):
    return SPLITS if RUN.experiments[experiment].kind == "table" else SAMPLES


def sample(kind):
    """Input function: the public, private or held-out file of a block."""
    return (
        lambda wildcards: f"{samples_folder(wildcards.experiment)}/{wildcards.experiment}/{wildcards.block}/{kind}.parquet"
    )


def releases(wildcards):
    """Input function: what learners released in every block, and the baselines without privacy if there are any."""
    experiment = RUN.experiments[wildcards.experiment]
    learners = [
        learner for cell in experiment.cells for learner in cell.learners.values()
    ]
    files = {Protection.PRIVATE: "releases", Protection.NONE: "without_privacy"}
    return [
        f"{RESULTS}/{wildcards.experiment}/blocks/{block}/{files[kind]}.parquet"
        for block in range(experiment.number_of_blocks)
        for kind in sorted({learner.protection for learner in learners})
    ]


def held(wildcards):
    """Input function: the held-out parts of every block."""
    return [
        f"{SPLITS}/{wildcards.experiment}/{block}/held.parquet"
        for block in range(RUN.experiments[wildcards.experiment].number_of_blocks)
    ]


def code(script, *kinds):
    """Parameter function: fingerprint of the modules that a script and the experiment's plug-ins use."""
    path = ROOT / "scripts" / script
    return lambda wildcards: fingerprint(
        [path, *modules(RUN.experiments[wildcards.experiment], kinds)]
    )


def figure_files():
    """Every figure of the run, PDF and PNG."""
    return [
        f"{RESULTS}/figures/{stem}.{end}" for stem in DRAWINGS for end in ("pdf", "png")
    ]


def table_of(experiment):
    """Name of the table of an experiment."""
    return RUN.experiments[experiment].cells[0].table.name
