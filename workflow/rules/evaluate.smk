"""Errors of what was released, all blocks of an experiment at once, in the tables that gather them."""


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
    priority: WEIGHTS.priority("evaluate")
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
    priority: WEIGHTS.priority("evaluate_held_out")
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
