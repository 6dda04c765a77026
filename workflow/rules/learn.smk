"""The two stages of every learner: the first reads public files, the second alone reads private ones."""


rule construct_cover:
    input:
        public=sample("public"),
    output:
        prepared=f"{RESULTS}/{{experiment}}/blocks/{{block}}/prepared.parquet",
    log:
        f"{RESULTS}/logs/construct_cover/{{experiment}}_{{block}}.log",
    benchmark:
        f"{RESULTS}/timings/construct_cover/{{experiment}}_{{block}}.tsv"
    priority: WEIGHTS.priority("construct_cover")
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        experiment=experiment_json(
            "beta", "materialise", "figures", "measures", "slopes"
        ),
        code=code("construct_cover.py", "classes", "learners"),
    message:
        "Public stage of {wildcards.experiment}, block {wildcards.block}"
    script:
        "../../scripts/construct_cover.py"


rule private_select:
    input:
        prepared=f"{RESULTS}/{{experiment}}/blocks/{{block}}/prepared.parquet",
        private=sample("private"),
    output:
        releases=f"{RESULTS}/{{experiment}}/blocks/{{block}}/releases.parquet",
    log:
        f"{RESULTS}/logs/private_select/{{experiment}}_{{block}}.log",
    benchmark:
        f"{RESULTS}/timings/private_select/{{experiment}}_{{block}}.tsv"
    priority: WEIGHTS.priority("private_select")
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        experiment=experiment_json(
            "beta", "materialise", "figures", "measures", "slopes"
        ),
        code=code("private_select.py", "classes", "learners", "distributions"),
    message:
        "Private stage of {wildcards.experiment}, block {wildcards.block}"
    script:
        "../../scripts/private_select.py"


rule measure_without_privacy:
    input:
        prepared=f"{RESULTS}/{{experiment}}/blocks/{{block}}/prepared.parquet",
        private=sample("private"),
    output:
        without_privacy=f"{RESULTS}/{{experiment}}/blocks/{{block}}/without_privacy.parquet",
    log:
        f"{RESULTS}/logs/measure_without_privacy/{{experiment}}_{{block}}.log",
    benchmark:
        f"{RESULTS}/timings/measure_without_privacy/{{experiment}}_{{block}}.tsv"
    priority: WEIGHTS.priority("measure_without_privacy")
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        experiment=experiment_json(
            "beta", "materialise", "figures", "measures", "slopes"
        ),
        code=code("measure_without_privacy.py", "classes", "learners", "distributions"),
    message:
        "Baselines without privacy of {wildcards.experiment}, block {wildcards.block} (simulation only)"
    script:
        "../../scripts/measure_without_privacy.py"
