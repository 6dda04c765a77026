"""Errors of what was released, all blocks of an experiment at once, in the tables that gather them."""


def releases(wildcards):
    """Input function: what learners released in every block, and the baselines without privacy if there are any."""
    experiment = RUN.experiments[wildcards.experiment]
    learners = [one for cell in experiment.cells for one in cell.learners.values()]
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


rule evaluate:
    input:
        releases=releases,
    output:
        trials=f"{RESULTS}/{{experiment}}/trials.parquet",
        summary=f"{RESULTS}/{{experiment}}/summary.parquet",
        slopes=f"{RESULTS}/{{experiment}}/slopes.parquet",
    log:
        f"{RESULTS}/logs/evaluate/{{experiment}}.log",
    benchmark:
        f"{RESULTS}/timings/evaluate/{{experiment}}.tsv"
    wildcard_constraints:
        experiment=one_of(SIMULATIONS),
    priority: urgency("evaluate")
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        experiment=experiment_json("materialise", "figures"),
        code=code(
            "evaluate.py",
            "classes",
            "learners",
            "outputs",
            "distributions",
            "measures",
        ),
    message:
        "Population errors of {wildcards.experiment}"
    script:
        "../../scripts/evaluate.py"


rule evaluate_held_out:
    input:
        releases=releases,
        held=held,
    output:
        trials=f"{RESULTS}/{{experiment}}/trials.parquet",
        summary=f"{RESULTS}/{{experiment}}/summary.parquet",
        slopes=f"{RESULTS}/{{experiment}}/slopes.parquet",
    log:
        f"{RESULTS}/logs/evaluate_held_out/{{experiment}}.log",
    benchmark:
        f"{RESULTS}/timings/evaluate_held_out/{{experiment}}.tsv"
    wildcard_constraints:
        experiment=one_of(TABLES),
    priority: urgency("evaluate_held_out")
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        experiment=experiment_json("materialise", "figures"),
        code=code("evaluate_held_out.py", "classes", "learners", "outputs", "measures"),
    message:
        "Held-out errors of {wildcards.experiment}"
    script:
        "../../scripts/evaluate_held_out.py"
