"""Errors of what was released, and the tables that gather them."""


rule evaluate:
    input:
        releases=releases,
    output:
        evaluations=f"{RESULTS}/{{experiment}}/blocks/{{block}}/evaluations.parquet",
    log:
        f"{RESULTS}/logs/evaluate/{{experiment}}_{{block}}.log",
    benchmark:
        f"{RESULTS}/timings/evaluate/{{experiment}}_{{block}}.tsv"
    wildcard_constraints:
        experiment=one_of(SIMULATIONS),
    priority: urgency
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        experiment=experiment_json("beta", "materialise", "figures", "slopes"),
        code=code(
            "evaluate.py",
            "classes",
            "learners",
            "outputs",
            "distributions",
            "measures",
        ),
    message:
        "Population errors of {wildcards.experiment}, block {wildcards.block}"
    script:
        "../../scripts/evaluate.py"


rule evaluate_held_out:
    input:
        releases=releases,
        held=f"{SPLITS}/{{experiment}}/{{block}}/held.parquet",
    output:
        evaluations=f"{RESULTS}/{{experiment}}/blocks/{{block}}/evaluations.parquet",
    log:
        f"{RESULTS}/logs/evaluate_held_out/{{experiment}}_{{block}}.log",
    benchmark:
        f"{RESULTS}/timings/evaluate_held_out/{{experiment}}_{{block}}.tsv"
    wildcard_constraints:
        experiment=one_of(TABLES),
    priority: urgency
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        experiment=experiment_json("beta", "materialise", "figures", "slopes"),
        code=code("evaluate_held_out.py", "classes", "learners", "outputs", "measures"),
    message:
        "Held-out errors of {wildcards.experiment}, block {wildcards.block}"
    script:
        "../../scripts/evaluate_held_out.py"


rule gather:
    input:
        blocks=block_files("evaluations"),
    output:
        trials=f"{RESULTS}/{{experiment}}/trials.parquet",
        summary=f"{RESULTS}/{{experiment}}/summary.parquet",
        slopes=f"{RESULTS}/{{experiment}}/slopes.parquet",
    log:
        f"{RESULTS}/logs/gather/{{experiment}}.log",
    benchmark:
        f"{RESULTS}/timings/gather/{{experiment}}.tsv"
    priority: urgency
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        experiment=experiment_json("materialise", "figures"),
        code=code("gather.py", "classes", "learners", "distributions", "measures"),
    message:
        "Gathering {wildcards.experiment}"
    script:
        "../../scripts/gather.py"
