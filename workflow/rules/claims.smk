"""The ledger of claims, and the summary of the run."""


rule measure_study:
    output:
        rows=f"{RESULTS}/claims/{{study}}.rows.parquet",
        measurements=f"{RESULTS}/claims/{{study}}.measurements.parquet",
    log:
        f"{RESULTS}/logs/measure_study/{{study}}.log",
    benchmark:
        f"{RESULTS}/timings/measure_study/{{study}}.tsv"
    wildcard_constraints:
        study=one_of(measured.STUDIES),
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        seed=RUN.seed,
        effort=RUN.effort,
        code=lambda wildcards: fingerprint(
            [
                ROOT / "scripts" / "measure_study.py",
                STATEMENTS,
                measured.module(wildcards.study),
            ]
        ),
    message:
        "Measuring the claims of {wildcards.study}"
    script:
        "../../scripts/measure_study.py"


rule ledger:
    input:
        rows=expand(f"{RESULTS}/claims/{{study}}.rows.parquet", study=STUDIES),
        measurements=expand(
            f"{RESULTS}/claims/{{study}}.measurements.parquet", study=STUDIES
        ),
    output:
        ledger=f"{RESULTS}/claims.parquet",
        measurements=f"{RESULTS}/measurements.parquet",
        page=report(
            f"{RESULTS}/claims.html",
            caption="../report/ledger.rst",
            category="Claims ledger",
        ),
    log:
        f"{RESULTS}/logs/ledger.log",
    benchmark:
        f"{RESULTS}/timings/ledger.tsv"
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=fingerprint([ROOT / "scripts" / "ledger.py", STATEMENTS]),
    message:
        "Writing the ledger of claims"
    script:
        "../../scripts/ledger.py"


rule summary:
    input:
        ledger=f"{RESULTS}/claims.parquet",
        measurements=f"{RESULTS}/measurements.parquet",
        summaries=expand(
            f"{RESULTS}/{{experiment}}/summary.parquet", experiment=RUN.experiments
        ),
        slopes=expand(
            f"{RESULTS}/{{experiment}}/slopes.parquet", experiment=RUN.experiments
        ),
        figures=figure_files(),
    output:
        f"{RESULTS}/summary.txt",
    log:
        f"{RESULTS}/logs/summary.log",
    benchmark:
        f"{RESULTS}/timings/summary.tsv"
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=fingerprint([ROOT / "scripts" / "summary.py"]),
    message:
        "Summing the run up"
    script:
        "../../scripts/summary.py"
