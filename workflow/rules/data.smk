"""Data: simulated samples, and real tables split at random."""


rule generate_data:
    output:
        public=f"{SAMPLES}/{{experiment}}/{{block}}/public.parquet",
        private=f"{SAMPLES}/{{experiment}}/{{block}}/private.parquet",
    log:
        f"{RESULTS}/logs/generate_data/{{experiment}}_{{block}}.log",
    benchmark:
        f"{RESULTS}/timings/generate_data/{{experiment}}_{{block}}.tsv"
    wildcard_constraints:
        experiment=one_of(SIMULATIONS),
    priority: WEIGHTS.priority("generate_data")
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        experiment=experiment_json("beta", "learners", "figures", "measures", "slopes"),
        code=code("generate_data.py", "classes", "distributions"),
    message:
        "Drawing public and private samples of {wildcards.experiment}, block {wildcards.block}"
    script:
        "../../scripts/generate_data.py"


rule write_table:
    output:
        "data/{table}.parquet",
    log:
        f"{RESULTS}/logs/write_table/{{table}}.log",
    benchmark:
        f"{RESULTS}/timings/write_table/{{table}}.tsv"
    priority: WEIGHTS.priority("write_table")
    conda:
        "../../envs/tables.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=fingerprint([ROOT / "scripts" / "write_table.py"]),
    message:
        "Writing the bundled table {wildcards.table}"
    script:
        "../../scripts/write_table.py"


rule split_table:
    input:
        lambda wildcards: f"data/{table_of(wildcards.experiment)}.parquet",
    output:
        public=f"{SPLITS}/{{experiment}}/{{block}}/public.parquet",
        private=f"{SPLITS}/{{experiment}}/{{block}}/private.parquet",
        held=f"{SPLITS}/{{experiment}}/{{block}}/held.parquet",
    log:
        f"{RESULTS}/logs/split_table/{{experiment}}_{{block}}.log",
    benchmark:
        f"{RESULTS}/timings/split_table/{{experiment}}_{{block}}.tsv"
    wildcard_constraints:
        experiment=one_of(TABLES),
    priority: WEIGHTS.priority("split_table")
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        experiment=experiment_json("beta", "figures", "measures", "slopes"),
        code=code("split_table.py", "classes", "learners"),
    message:
        "Splitting the table of {wildcards.experiment}, block {wildcards.block}"
    script:
        "../../scripts/split_table.py"
